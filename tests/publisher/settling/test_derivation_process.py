"""A child that hangs, exhausts memory or crashes costs one answer and nothing else."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest

from lakeschema.catalog.column_types import INT, STRING
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Column, Dialect, Relation, ViewText
from lakeschema.translation.interface import Interface, Options, ResolverFailure, Returns, UdfAnswer
from lakeschema.translation.outcome import Derived, Failed, Outcome, Status
from publisher.settling.derivation_process import ChildDeriver, Limits
from publisher.settling.deriving import DerivationCrashed, DirectDeriver
from tests.waiting import PATIENCE_SECONDS

T = RelationName.of("d", "t")
V = RelationName.of("d", "v")

TABLE = Relation(T, (Column("a", STRING), Column("B", INT)))


def a_view(text: str) -> Relation:
    return Relation(V, (Column("a", STRING),), view=ViewText(Dialect.HIVE, text, text, ("d",)))


class DangerousDeriver(DirectDeriver):
    """Does what a table's first column says."""

    def derive(self, relation: Relation, upstreams: Mapping[RelationName, Interface]) -> Outcome:
        match relation.columns[0].name:
            case "hang":
                time.sleep(3600)
            case "allocate":
                bytearray(8 * 1024**3)
            case "exit":
                os._exit(9)
            case "raise":
                raise LookupError("unexpected")
            case "print":
                print("this must not disturb the answer")
        return super().derive(relation, upstreams)


def dangerous(columns: str) -> Relation:
    return Relation(T, (Column(columns, STRING),))


@pytest.fixture(scope="module")
def deriver() -> Iterator[ChildDeriver]:
    child = ChildDeriver(Options(), children=1, limits=Limits(timeout_seconds=PATIENCE_SECONDS))
    yield child
    child.close()


@pytest.fixture(scope="module")
def in_danger() -> Iterator[ChildDeriver]:
    child = ChildDeriver(
        Options(),
        children=1,
        limits=Limits(timeout_seconds=PATIENCE_SECONDS, memory_bytes=4 * 1024**3),
        entry=f"{__name__}:DangerousDeriver",
    )
    yield child
    child.close()


def test_a_child_answers_as_the_core_itself_does(deriver: ChildDeriver) -> None:
    direct = DirectDeriver(Options())
    view = a_view("SELECT `t`.`a` FROM `d`.`t`")

    table = deriver.derive(TABLE, {})
    assert isinstance(table, Derived)
    interfaces = {T: table.derivation.interface}

    assert table == direct.derive(TABLE, {})
    assert deriver.upstreams(view) == (T,)
    assert deriver.derive(view, interfaces) == direct.derive(view, interfaces)


def test_text_that_is_not_sql_is_an_answer_and_not_a_crash(deriver: ChildDeriver) -> None:
    outcome = deriver.upstreams(a_view("SELEC nonsense FROM"))

    assert isinstance(outcome, Failed)
    assert outcome.status is Status.BROKEN


@pytest.mark.parametrize(
    ("columns", "why"),
    [("allocate", "MemoryError"), ("exit", "ended"), ("raise", "LookupError: unexpected")],
)
def test_a_crash_names_its_cause_and_the_next_question_is_answered(
    in_danger: ChildDeriver, columns: str, why: str
) -> None:
    with pytest.raises(DerivationCrashed, match=why):
        in_danger.derive(dangerous(columns), {})

    assert isinstance(in_danger.derive(dangerous("fine"), {}), Derived)


def test_no_answer_within_the_limit_is_a_crash() -> None:
    child = ChildDeriver(
        Options(),
        children=1,
        limits=Limits(timeout_seconds=1.0),
        entry=f"{__name__}:DangerousDeriver",
    )

    with pytest.raises(DerivationCrashed, match="no answer in 1 s"):
        child.derive(dangerous("hang"), {})

    child.close()


def test_what_a_derivation_prints_does_not_disturb_its_answer(in_danger: ChildDeriver) -> None:
    assert isinstance(in_danger.derive(dangerous("print"), {}), Derived)


def resolve_in_parent(class_name: str, dependencies: tuple[str, ...]) -> UdfAnswer | None:
    """Checks its process id, so that a test can see where it ran."""
    if class_name == "c.Failing":
        return ResolverFailure("the registry is down")
    return Returns(STRING) if os.getpid() == PARENT else None


PARENT = os.getpid()


def test_a_childs_udfs_are_those_that_the_parent_resolved_and_hashed() -> None:
    relation = replace(
        a_view("SELECT up('x') AS a"), properties={"functions": "up:c.Up"}, columns=()
    )
    failing = replace(relation, properties={"functions": "up:c.Failing"})
    options = Options(udf_resolver=resolve_in_parent)
    child = ChildDeriver(options, children=1, limits=Limits(timeout_seconds=PATIENCE_SECONDS))
    try:
        known = child.derive(relation, {})
        failed = child.derive(failing, {})
    finally:
        child.close()

    assert known == DirectDeriver(options).derive(relation, {})
    assert isinstance(known, Derived)
    assert isinstance(failed, Failed)
    assert failed.status is Status.UNSUPPORTED
    assert "c.Failing" in failed.reason
    assert child.inputs_hash(relation, {}) != child.inputs_hash(failing, {})
