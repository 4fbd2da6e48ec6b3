"""The findings of a run are kept for the next run."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.judges.lineage.findings import Precision, Truth, keep, kept

_SEEN = Truth(
    Counter({"judged": 1}),
    Precision(3, 2, Counter({"filter": 1})),
    Precision(3, 3),
    ["query 7: t.x → v0"],
    ["query 7: t.y → v1: filter"],
)


def test_what_was_kept_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "seen.jsonl"
    keep(path, 7, _SEEN)
    keep(path, 8, Truth())

    assert dict(kept(path)) == {7: _SEEN, 8: Truth()}


def test_a_line_that_was_cut_is_judged_again(tmp_path: Path) -> None:
    path = tmp_path / "seen.jsonl"
    keep(path, 7, _SEEN)
    keep(path, 8, Truth())
    path.write_text(path.read_text()[:-20])

    assert [seed for seed, _ in kept(path)] == [7]


def test_nothing_is_kept_before_the_first_run(tmp_path: Path) -> None:
    assert list(kept(tmp_path / "seen.jsonl")) == []
