"""The judge itself: it answers, refuses, and survives both."""

from __future__ import annotations

from pathlib import Path

import pytest

from deploy.errors import ServerFailed
from deploy.hive import HiveAnswer, HiveQueries
from deploy.refused import Refused


def test_a_query_is_answered_with_its_columns_and_rows(hive: HiveQueries) -> None:
    answer = hive.answer("SELECT 1 AS one, 'ä' AS text, CAST(NULL AS DATE) AS day, array(1, 2)")

    assert answer.columns == [
        ("one", "int"),
        ("text", "string"),
        ("day", "date"),
        ("_c3", "array<int>"),
    ]
    assert answer.rows == ["1\tä\tNULL\t[1,2]"]


def test_what_hive_cannot_compile_is_refused_and_the_next_statement_runs(hive: HiveQueries) -> None:
    refused, answered = hive.run("SELECT nonsense FROM nowhere", "SELECT 2 AS two")

    assert isinstance(refused, Refused)
    assert "nowhere" in refused.message
    assert isinstance(answered, HiveAnswer)
    assert answered.rows == ["2"]


def test_a_stopped_hive_says_so(tmp_path: Path) -> None:
    with HiveQueries.start(tmp_path) as hive:
        hive.stop()

        with pytest.raises((ServerFailed, ValueError)):
            hive.answer("SELECT 1")
