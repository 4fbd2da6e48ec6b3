"""Cached answers: which are still valid, and how many are kept."""

from __future__ import annotations

from collections.abc import Mapping

from lakeschema.analysis.answers_remembered import LookedUp, RememberedAnswers
from lakeschema.analysis.catalog import KnownTable
from lakeschema.catalog.identifiers import RelationName

T = RelationName.of("t")
OLD, NEW = KnownTable(("a",)), KnownTable(("b",))


def looked_up(tables: Mapping[RelationName, KnownTable], *names: RelationName) -> LookedUp:
    found = LookedUp(tables)
    for name in names:
        found.get(name)
    return found


def test_an_answer_holds_as_long_as_its_tables_are_as_they_were() -> None:
    memory = RememberedAnswers[str]()
    memory.add("key", looked_up({T: OLD}, T), "old")
    memory.add("key", looked_up({}, T), "none")

    assert memory.find("key", {T: KnownTable(("a",))}) == "old"
    assert memory.find("key", {}) == "none"
    assert memory.find("key", {T: NEW}) is None
    assert memory.find("other", {T: OLD}) is None


def test_an_answer_for_which_all_tables_were_listed_is_not_kept() -> None:
    memory = RememberedAnswers[str]()
    listed = LookedUp({T: OLD})
    assert list(listed) == [T]

    memory.add("key", listed, "found")

    assert memory.find("key", {T: OLD}) is None


def test_what_repeats_stays_and_what_comes_once_is_forgotten() -> None:
    memory = RememberedAnswers[int](max_remembered=10)
    memory.add("repeats", looked_up({}), 0)

    for number in range(1, 100):
        memory.add(f"once {number}", looked_up({}), number)
        assert memory.find("repeats", {}) == 0

    kept = [number for number in range(1, 100) if memory.find(f"once {number}", {}) is not None]
    assert 99 in kept
    assert len(kept) <= 10


def test_a_table_that_changes_all_the_time_leaves_few_answers_behind() -> None:
    memory = RememberedAnswers[int]()

    for number in range(100):
        memory.add("key", looked_up({T: KnownTable((f"c{number}",))}, T), number)

    found = [memory.find("key", {T: KnownTable((f"c{number}",))}) for number in range(100)]
    assert found[99] == 99
    assert sum(each is not None for each in found) == 4
