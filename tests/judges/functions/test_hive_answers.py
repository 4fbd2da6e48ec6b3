from __future__ import annotations

from pathlib import Path

from tests.judges.functions.hive_answers import Answered, append_answers, read_answers


def test_kept_answers_are_read_as_they_were_written(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    calls = [Answered("SELECT abs(i) AS x FROM {t}", ["int"], True, {"t": [["0", "1"]], "n": []})]

    append_answers(file, "abs", calls)
    append_answers(file, "sin", [])

    assert read_answers(file) == {"abs": calls, "sin": []}
    assert read_answers(tmp_path / "missing.jsonl") == {}
