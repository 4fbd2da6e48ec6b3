"""A child derives as the core itself does, and its failures stay those of one relation."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import MappingProxyType

import pytest

from lakeschema.catalog.column_types import INT, STRING, parse_type
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Column, Dialect, Relation, ViewText
from lakeschema.isolation.limits import Limits
from lakeschema.isolation.pool import LimitedProcesses
from lakeschema.translation.deriving.derivation_json import derivation_from_json, derivation_to_json
from lakeschema.translation.deriving.deriver import DerivationCrashed
from lakeschema.translation.deriving.direct_deriver import DirectDeriver
from lakeschema.translation.deriving.limited_deriver import (
    HANDLER,
    LimitedDeriver,
    derivation_handler,
)
from lakeschema.translation.model.interface import Options, ResolverFailure, Returns, UdfAnswer
from lakeschema.translation.model.outcome import Derived, Failed, Status
from tests.waiting import PATIENCE_SECONDS

PATIENT = Limits(timeout_seconds=PATIENCE_SECONDS)
T = RelationName.of("d", "t")
V = RelationName.of("d", "v")

TABLE = Relation(T, (Column("a", STRING), Column("B", INT)))


def a_view(text: str) -> Relation:
    return Relation(V, (Column("a", STRING),), view=ViewText(Dialect.HIVE, text, text, ("d",)))


@contextmanager
def limited(options: Options, limits: Limits = PATIENT) -> Iterator[LimitedDeriver]:
    handlers = {HANDLER: derivation_handler(options)}
    with LimitedProcesses(handlers, count=1, limits=limits) as processes:
        yield LimitedDeriver(processes, options)


@pytest.fixture(scope="module")
def deriver() -> Iterator[LimitedDeriver]:
    with limited(Options()) as limited_deriver:
        yield limited_deriver


def test_a_child_answers_as_the_core_itself_does(deriver: LimitedDeriver) -> None:
    direct = DirectDeriver(Options())
    view = a_view("SELECT `t`.`a` FROM `d`.`t`")

    table = deriver.derive(TABLE, {})
    assert isinstance(table, Derived)
    interfaces = {T: table.derivation.interface}

    assert table == direct.derive(TABLE, {})
    assert deriver.upstreams(view) == (T,)
    assert deriver.derive(view, interfaces) == direct.derive(view, interfaces)


def test_text_that_is_not_sql_is_an_answer_and_not_a_crash(deriver: LimitedDeriver) -> None:
    outcome = deriver.upstreams(a_view("SELEC nonsense FROM"))

    assert isinstance(outcome, Failed)
    assert outcome.status is Status.BROKEN


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

    with limited(options) as child:
        known = child.derive(relation, {})
        failed = child.derive(failing, {})

    assert known == DirectDeriver(options).derive(relation, {})
    assert isinstance(known, Derived)
    assert isinstance(failed, Failed)
    assert failed.status is Status.UNSUPPORTED
    assert "c.Failing" in failed.reason
    assert child.inputs_hash(relation, {}) != child.inputs_hash(failing, {})


def a_view_whose_type_doubles(times: int) -> Relation:
    """A short text whose type has two to the power of ``times`` fields."""
    steps = "".join(
        f", c{n} AS (SELECT struct(x.a AS p, x.a AS q) AS a FROM c{n - 1} x)"
        for n in range(1, times + 1)
    )
    return a_view(f"WITH c0 AS (SELECT a FROM d.t){steps} SELECT a FROM c{times}")


@pytest.mark.thorough
def test_a_short_text_of_a_huge_type_kills_a_child_and_not_its_parent() -> None:
    table = DirectDeriver(Options()).derive(TABLE, {})
    assert isinstance(table, Derived)

    with limited(Options(), Limits(timeout_seconds=2.0)) as child, pytest.raises(DerivationCrashed):
        child.derive(a_view_whose_type_doubles(40), {T: table.derivation.interface})


@pytest.mark.thorough
@pytest.mark.parametrize(
    "relation",
    [
        Relation(T, (Column("a", parse_type("array<" * 199 + "int" + ">" * 199)),)),
        Relation(T, (Column("a", STRING, "\ud800"),)),
        Relation(T, (Column("\ud800", STRING),)),
        Relation(T, tuple(Column(f"c{n}", STRING, "x" * 250) for n in range(20_000))),
    ],
    ids=["deep type", "comment not Unicode", "name not Unicode", "text above the bound"],
)
def test_what_the_child_answers_can_be_read_back(
    deriver: LimitedDeriver, relation: Relation
) -> None:
    outcome = deriver.derive(relation, {})

    match outcome:
        case Failed(status, reason):
            assert status is Status.UNSUPPORTED
            assert len(reason) < 1_000
        case Derived(derivation):
            assert derivation_from_json(derivation_to_json(derivation)) == derivation


@pytest.mark.thorough
def test_options_of_every_kind_reach_the_processes() -> None:
    options = Options(udfs=MappingProxyType({"a.B": Returns(STRING)}))

    handler = pickle.loads(pickle.dumps(derivation_handler(options)))

    assert handler.argument == options
