"""An empty state on SQLite, and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from publisher.state.opening import StoredState, open_state
from publisher.state.places import Place
from tests.postgresql import KINDS, empty_place


@pytest.fixture(params=KINDS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return empty_place(request.param, tmp_path, request)


@pytest.fixture
def state(place: Place) -> Iterator[StoredState]:
    with closing(open_state(place)) as opened:
        yield opened
