"""The state's tables and their changes, one module each; Alembic runs them."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent


def newest_revision() -> str:
    """Of a state that this release writes: modules are called ``v0001_…``, in order."""
    return max(path.stem for path in (FOLDER / "versions").glob("v*.py"))[1:].partition("_")[0]
