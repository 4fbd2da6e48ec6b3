"""Hive still gives the recorded answers about views with each construct; one in eight is asked."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from deploy.hive import HiveAnswer, HiveQueries
from tests.lakeschema.translation.asked_views import DATABASE, TABLES, AskedView, recorded_views


@pytest.fixture(scope="module")
def tables(hive: HiveQueries) -> Iterator[HiveQueries]:
    for statement in (f"CREATE DATABASE {DATABASE}", f"USE {DATABASE}", *TABLES):
        hive.answer(statement)
    yield hive
    hive.run("USE default", f"DROP DATABASE {DATABASE} CASCADE")


@pytest.mark.parametrize("view", recorded_views()[::8], ids=lambda view: view.text)
def test_hive_gives_a_view_its_recorded_columns(view: AskedView, tables: HiveQueries) -> None:
    tables.answer(f"CREATE VIEW asked AS {view.text}")
    described, _ = tables.run("DESCRIBE asked", "DROP VIEW asked")

    assert isinstance(described, HiveAnswer)
    parts = [row.split("\t") for row in described.rows]
    assert tuple(f"{part[0].strip()} {part[1].strip()}" for part in parts) == view.columns
