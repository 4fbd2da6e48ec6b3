"""A snapshot returns only relations that differ from the state."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence

import pytest

from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.facts_json import facts_from_json, facts_hash
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.spark.reading import (
    READ_BATCH,
    describe,
    describe_differences,
    read_on_driver,
)
from lakeschema.translation.deriving.direct_deriver import DirectDeriver
from lakeschema.translation.deriving.hashing import inputs_hash
from lakeschema.translation.model.interface import Casing, Options
from lakeschema.translation.model.known import KnownRelation, differs
from lakeschema.translation.model.outcome import Status

OPTIONS = Options()
DERIVER = DirectDeriver(OPTIONS)
HASH = DERIVER.inputs_hash


def relations(ddl: str) -> Mapping[RelationName, Relation]:
    return relations_from_ddl([ddl])


def relation(ddl: str) -> Relation:
    (found,) = relations(ddl).values()
    return found


TABLE = relation("CREATE TABLE shop.orders (id BIGINT)")


def test_an_unknown_relation_differs() -> None:
    assert differs(TABLE, None, HASH)


def test_a_relation_as_it_was_does_not_differ() -> None:
    known = KnownRelation(facts_hash(TABLE), (), inputs_hash(TABLE, {}, OPTIONS))

    assert not differs(TABLE, known, HASH)


def test_another_column_differs() -> None:
    wider = relation("CREATE TABLE shop.orders (id BIGINT, total DOUBLE)")
    known = KnownRelation(facts_hash(TABLE), (), inputs_hash(TABLE, {}, OPTIONS))

    assert differs(wider, known, HASH)


def test_the_same_facts_under_another_option_differ() -> None:
    known = KnownRelation(facts_hash(TABLE), (), inputs_hash(TABLE, {}, OPTIONS))

    assert differs(TABLE, known, DirectDeriver(Options(casing=Casing.LOWER)).inputs_hash)


def test_without_inputs_to_compare_the_facts_decide() -> None:
    """As for a member of a cycle, which was never derived."""
    known = KnownRelation(facts_hash(TABLE), (), None)

    assert not differs(TABLE, known, DirectDeriver(Options(casing=Casing.LOWER)).inputs_hash)


def test_an_upstream_interface_that_the_view_was_derived_from_is_part_of_its_inputs() -> None:
    view = relation("CREATE VIEW shop.big AS SELECT id FROM shop.orders")
    used = ((TABLE.name, "an interface hash"),)
    known = KnownRelation(facts_hash(view), used, inputs_hash(view, dict(used), OPTIONS))

    assert not differs(view, known, HASH)
    assert differs(view, KnownRelation(facts_hash(view), (), known.inputs_hash), HASH)


def test_facts_travel_whole_with_what_the_text_reads() -> None:
    view = relation(
        "CREATE VIEW shop.big AS SELECT o.id FROM shop.orders o JOIN shop.lines USING (id)"
    )

    facts = describe(view, DERIVER)

    assert facts_from_json(json.loads(facts.json)) == view
    assert facts.hash == facts_hash(view)
    assert set(facts.upstreams or ()) == {
        RelationName.of("shop", "orders"),
        RelationName.of("shop", "lines"),
    }


@pytest.mark.parametrize("text", ["SELECT id FROM", "SELECT (((", "not sql at all", ""])
def test_a_text_that_cannot_be_read_says_why_and_names_no_upstreams(text: str) -> None:
    view = relation("CREATE VIEW shop.big AS SELECT id FROM shop.orders")
    broken = facts_from_json(
        json.loads(describe(view, DERIVER).json.replace("SELECT id FROM shop.orders", text))
    )

    facts = describe(broken, DERIVER)

    assert facts.upstreams is None
    assert facts.status is Status.BROKEN
    assert facts.reason


class Shelf:
    """A catalog of what it is given; notes how many reads run at once."""

    def __init__(self, found: Mapping[RelationName, Relation]) -> None:
        self._found = found
        self._lock = threading.Lock()
        self.largest_batch = 0

    def namespaces(self) -> Sequence[Namespace]:
        return sorted({name.place for name in self._found})

    def relations(self, namespace: Namespace) -> Sequence[RelationName]:
        return [name for name in self._found if name.place == namespace]

    def read(self, names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        with self._lock:
            self.largest_batch = max(self.largest_batch, len(names))
        return {name: self._found[name] for name in names if name in self._found}

    def current_event_id(self) -> int | None:
        return None


def test_the_driver_reads_in_batches_with_the_same_result_as_one_read() -> None:
    everything = relations(
        ";".join(f"CREATE TABLE shop.t{n} (id BIGINT)" for n in range(READ_BATCH * 2 + 7))
    )
    shelf = Shelf(everything)
    known = {
        name: KnownRelation(facts_hash(r))
        for number, (name, r) in enumerate(everything.items())
        if number % 3
    }
    gone = RelationName.of("shop", "gone")

    found = read_on_driver(shelf, [*everything, gone], known, DERIVER, connections=4)

    assert found == describe_differences(everything, known, DERIVER)
    assert {facts.name for facts in found} == everything.keys() - known.keys()
    assert shelf.largest_batch <= READ_BATCH
