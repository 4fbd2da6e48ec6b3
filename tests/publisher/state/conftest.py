"""An empty state on SQLite."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from publisher.state.sqlite import SqliteState


@pytest.fixture
def state(tmp_path: Path) -> Iterator[SqliteState]:
    opened = SqliteState(tmp_path / "state.db")
    yield opened
    opened.close()
