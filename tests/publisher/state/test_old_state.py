"""A state file that was written before the statements were SQLAlchemy expressions.

``state_0002.sql`` is the dump of a file with a row of every kind. ``state_0002.json`` has the rows as
the code that wrote it (commit 29c9219) read them.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lakeschema.catalog.identifiers import Namespace, RelationName
from publisher.state.protocol import Transaction
from publisher.state.records import RelationRecord
from publisher.state.sqlite import SqliteState

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

HERE = Path(__file__).parent
RECORDED = json.loads((HERE / "state_0002.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, object]]:
    path = tmp_path_factory.mktemp("old") / "state.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((HERE / "state_0002.sql").read_text("utf-8"))
    state = SqliteState(path)
    yield {name: plain(answer) for name, answer in state.read(read_all).items()}
    state.close()


def read_all(tx: Transaction) -> dict[str, object]:
    """The claims and the lease last: they write."""
    known = list(tx.graph.every_record())
    orders, view, totals, cyclic, gone = (
        RelationName.of("shop", name) for name in ("orders", "v_orders", "v_totals", "c1", "gone")
    )
    odd = RelationName.of("a b", 'odd "name".x')
    return {
        "outstanding": tx.work.outstanding(),
        "due_at": tx.work.due_at(),
        "records": tx.graph.every_record(),
        "some_records": tx.graph.records([view, odd, gone]),
        "in_namespace": tx.graph.in_namespace(Namespace(("a b",))),
        "derivations": tx.graph.derivations(known),
        "edges_of": tx.graph.edges_of(known),
        "dependents": tx.graph.dependents([orders, RelationName.of("a", "b", "t")]),
        "upstream_edges": tx.graph.upstream_edges([totals, cyclic]),
        "unblocked_dependents": tx.graph.unblocked_dependents(known),
        "every_edge": tx.graph.every_edge(),
        "every_version": tx.versions.every_version(),
        "history": tx.versions.history(["shop-orders", "other"]),
        "open_reservations": tx.versions.open_reservations(["shop-orders"]),
        "reserved_wheel": tx.versions.reserved_wheel("shop-orders", "1.1.0"),
        "memo": tx.memo.recall(["in-t", "in-w", "x"]),
        "position": tx.journal.position("hive"),
        "dead_letters": tx.journal.dead_letters(),
        "notes": tx.journal.notes("@"),
        "note": tx.journal.note("@snapshot/hive"),
        "claims": tx.work.claim(1000.0, 5.0, 10),
        "lease": tx.journal.lease("@snapshot/hive", 71.0, 30.0),
    }


def plain(value: object) -> object:
    """The value as JSON gives it back."""
    match value:
        case RelationName():
            return str(value)
        case Namespace(levels, ""):
            # The only form that there was.
            return list(levels)
        case Enum():
            return value.name
        case bytes():
            return value.hex()
        case Mapping():
            return {str(plain(key)): plain(each) for key, each in value.items()}
        case list() | tuple():
            return [plain(each) for each in value]
        case RelationRecord():
            # What is stored, which was then an attribute each.
            return _fields(value) | {
                "interface_hash": value.visible_hash,
                "content_hash": value.content_hash,
                "inputs_hash": value.inputs_hash,
                "derived_facts_hash": value.inputs and value.inputs.facts_hash,
            }
        case _ if is_dataclass(value) and not isinstance(value, type):
            return _fields(value)
        case _:
            return value


ADDED = {
    *("fingerprint", "republish_after", "runtime", "read_at", "first_asked"),
    *("index_check_due", "failures", "payload_length", "inputs", "output", "kind", "owner"),
}
"""Attributes that the code which wrote the file did not know."""


def _fields(value: DataclassInstance) -> dict[str, object]:
    return {
        field.name: plain(getattr(value, field.name))
        for field in fields(value)
        if field.name not in ADDED
    }


@pytest.mark.parametrize("name", RECORDED)
def test_an_old_state_reads_as_it_did(name: str, answers: Mapping[str, object]) -> None:
    assert answers[name] == RECORDED[name]
