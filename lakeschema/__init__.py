"""Typed Avro schemas of a data lake's tables and views, and its views in any Spark session.

The public names, which keep their meaning within a major version:

- ``register_views(session, catalog)``: every view of a catalog as a temporary view of a session.
- ``udfs``: what a plugin answers that says what user-defined functions return.

Everything else in this package may change with any release.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lakeschema import udfs
    from lakeschema.spark.registration import register_views

__all__ = ["register_views", "udfs"]

_HOMES = {
    "register_views": "lakeschema.spark.registration",
}


def __getattr__(name: str) -> Any:
    """Imports a public name when it is first asked for: whoever needs one does not load the rest."""
    if name == "udfs":
        return importlib.import_module("lakeschema.udfs")
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
