from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from lakeschema.catalog.errors import CatalogRefused, CatalogUnavailable
from lakeschema.catalog.iceberg import Loaded, Look
from lakeschema.catalog.identifiers import RelationName
from publisher.events.iceberg_changes import IcebergChanges
from publisher.events.protocol import Batch, RelationHint, SourceUnavailable

UPPER, LOWER = RelationName(("a", "B.c"), "T"), RelationName(("a", "B.c"), "t")


class Source:
    """Tables by name: facts, and the number of commits."""

    name = "lake"

    def __init__(self, tables: dict[RelationName, tuple[str, int]]) -> None:
        self.tables = tables
        self.looks = 0
        self.head = ""
        self.heads: list[str] = []
        self.error: Exception | None = None
        self.is_closed = False

    def namespaces(self) -> Sequence[tuple[str, ...]]:
        return [*{name.namespace for name in self.tables}]

    def namespaces_in(self, parent: tuple[str, ...]) -> Sequence[tuple[str, ...]]:
        return [each for each in self.namespaces() if each[:-1] == parent]

    def relations(self, namespace: tuple[str, ...]) -> Sequence[RelationName]:
        return [name for name in self.tables if name.namespace == namespace]

    def load(self, names: Sequence[RelationName]) -> Mapping[RelationName, Loaded]:
        return {}

    def look(self, known: Mapping[RelationName, str], head: str = "", /) -> Look:
        self.looks += 1
        self.heads.append(head)
        if self.error is not None:
            raise self.error
        marks = {name: f"{facts} {commits}" for name, (facts, commits) in self.tables.items()}
        every = marks.keys() | known.keys()
        changed = [n for n in every if marks.get(n, "").split()[:1] != known.get(n, "").split()[:1]]
        return Look(marks, sorted(changed), self.head)

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def source() -> Source:
    return Source({UPPER: ("x", 1), LOWER: ("y", 1)})


def changes_of(source: Source) -> IcebergChanges:
    return IcebergChanges(source, poll_seconds=1e-9)


def start(changes: IcebergChanges) -> str:
    batch = changes.poll(None, 0)
    assert batch is not None
    assert (batch.gap, list(batch.hints)) == ("first start", [])
    return batch.position


def hinted(batch: Batch | None) -> list[RelationName]:
    assert batch is not None
    assert batch.gap is None
    return [hint.relation for hint in batch.hints if isinstance(hint, RelationHint)]


def test_nothing_changed(source: Source) -> None:
    changes = changes_of(source)

    assert changes.poll(start(changes), 1) is None


def test_only_changed_relations_are_hints(source: Source) -> None:
    changes = changes_of(source)
    position = start(changes)
    source.tables[UPPER] = ("z", 2)

    assert hinted(changes.poll(position, 1)) == [UPPER]


def test_a_dropped_relation_is_a_hint(source: Source) -> None:
    changes = changes_of(source)
    position = start(changes)
    del source.tables[LOWER]

    assert hinted(changes.poll(position, 1)) == [LOWER]


def test_a_commit_of_data_moves_the_position_alone(source: Source) -> None:
    changes = changes_of(source)
    position = start(changes)
    source.tables[UPPER] = ("x", 2)

    batch = changes.poll(position, 1)

    assert hinted(batch) == []
    assert batch is not None
    assert changes.poll(batch.position, 1) is None


def test_a_new_head_moves_the_position_alone_and_a_restart_continues_there(source: Source) -> None:
    source.head = "one"
    changes = changes_of(source)
    position = start(changes)
    source.head = "two"

    batch = changes.poll(position, 1)

    assert hinted(batch) == []
    assert batch is not None
    assert changes_of(source).poll(batch.position, 1) is None
    assert source.heads == ["", "one", "two"]


def test_a_change_while_no_program_ran_is_found(source: Source) -> None:
    position = start(changes_of(source))
    source.tables[UPPER] = ("z", 1)

    assert hinted(changes_of(source).poll(position, 1)) == [UPPER]


@pytest.mark.parametrize("position", ["", "[]", '{"marks":[]}', '{"marks":{"a..":"x"}}'])
def test_an_unreadable_position_is_a_gap(source: Source, position: str) -> None:
    batch = changes_of(source).poll(position, 1)

    assert batch is not None
    assert batch.gap == "the position is unreadable"


def test_the_catalog_is_asked_only_after_the_interval(source: Source) -> None:
    now = [0.0]
    changes = IcebergChanges(source, poll_seconds=60, clock=lambda: now[0])
    position = start(changes)

    assert changes.poll(position, 0) is None
    assert source.looks == 1
    now[0] = 60.0
    changes.poll(position, 0)
    assert source.looks == 2


@pytest.mark.parametrize(
    "error", [CatalogUnavailable("lake", "it sleeps"), CatalogRefused("lake", "the login", "no")]
)
def test_a_catalog_that_does_not_answer_is_unavailable(source: Source, error: Exception) -> None:
    source.error = error

    with pytest.raises(SourceUnavailable, match="iceberg-changes does not answer"):
        changes_of(source).poll(None, 0)


def test_a_catalog_that_did_not_answer_is_asked_by_the_next_poll(source: Source) -> None:
    changes = IcebergChanges(source, poll_seconds=3600, clock=lambda: 0.0)
    source.error = CatalogUnavailable("lake", "it sleeps")
    for _ in range(2):
        with pytest.raises(SourceUnavailable, match="it sleeps"):
            changes.poll(None, 0)

    source.error = None

    start(changes)
    assert source.looks == 3


def test_a_catalog_that_refused_is_unavailable_until_it_is_asked_again(source: Source) -> None:
    now = [0.0]
    changes = IcebergChanges(source, poll_seconds=3600, clock=lambda: now[0])
    source.error = CatalogRefused("lake", "the login", "no")
    for _ in range(2):
        with pytest.raises(SourceUnavailable, match="the login"):
            changes.poll(None, 0)
    assert source.looks == 1

    source.error = None
    now[0] = 60.0

    position = start(changes)
    assert changes.poll(position, 0) is None


def test_closing_ends_polls_and_closes_the_catalog(source: Source) -> None:
    changes = changes_of(source)
    changes.close()

    assert changes.poll(None, 0) is None
    assert source.is_closed


def test_a_catalog_that_failed_is_asked_before_the_interval_ends(source: Source) -> None:
    changes = IcebergChanges(source, poll_seconds=60, clock=lambda: 0.0)
    source.error = CatalogUnavailable("lake", "connection refused")

    for _ in range(2):
        with pytest.raises(SourceUnavailable):
            changes.poll(None, 0)

    source.error = None
    assert changes.poll(None, 0) is not None


def test_an_earlier_position_is_continued_after_a_failed_transaction(source: Source) -> None:
    changes = changes_of(source)
    position = start(changes)
    source.tables[UPPER] = ("z", 2)
    changes.poll(position, 1)

    assert hinted(changes.poll(position, 1)) == [UPPER]
