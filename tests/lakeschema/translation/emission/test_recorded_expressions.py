"""Expressions that engines were asked for, written for the other engines: any other error is a fault."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest

from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, Relation, ViewText
from lakeschema.catalog.trino_types import parse_trino_type, print_trino_type
from lakeschema.translation.derivation import derive, derive_view
from lakeschema.translation.emission.spark_view import spark_view
from lakeschema.translation.emission.trino.query import TrinoQuery
from lakeschema.translation.emission.trino.view import trino_view
from lakeschema.translation.errors import TranslationError
from lakeschema.translation.interface import Interface
from lakeschema.translation.pig_scripts import view_script
from tests.lakeschema.translation.asked_types import REFUSED, Engine, recorded, table_ddl
from tests.lakeschema.translation.relations import DEFAULT, derived_in

TABLE = RelationName.of("default", "t")
VIEW = RelationName.of("default", "v")
ONE_IN = 7


def views(engine: Engine) -> Iterator[tuple[str, Mapping[RelationName, Relation]]]:
    """A view of each, of those that the engine accepts."""
    accepted = [q for q, answer in recorded(engine).items() if answer != REFUSED]
    for question in accepted[::ONE_IN]:
        ddl = [
            table_ddl(engine.dialect),
            f"CREATE VIEW v AS SELECT {question} AS x FROM t",
        ]
        relations = relations_from_ddl(ddl, engine.dialect)
        view = relations[VIEW].view
        assert view is not None
        recorded_settings = replace(view, sql_configs=engine.settings)
        yield question, {**relations, VIEW: replace(relations[VIEW], view=recorded_settings)}


def tables(engine: Engine) -> Mapping[RelationName, Interface]:
    created = relations_from_ddl([table_ddl(engine.dialect)], engine.dialect)
    return {TABLE: derived_in(created, TABLE).interface}


def for_trino(engine: Engine) -> Iterator[tuple[str, TrinoQuery]]:
    interfaces = tables(engine)
    for question, relations in views(engine):
        try:
            yield question, trino_view(relations[VIEW], interfaces, DEFAULT)
        except TranslationError:
            continue


def as_view(sql: str) -> Relation:
    return Relation(VIEW, (), view=ViewText(Dialect.TRINO, sql, sql, ("default",), ""))


@pytest.mark.parametrize("engine", Engine)
def test_what_is_written_for_trino_is_read_as_trino_with_the_types_that_it_says(
    engine: Engine,
) -> None:
    interfaces, wrong, written = tables(engine), {}, 0
    for question, query in for_trino(engine):
        try:
            _, plan = derive_view(as_view(query.sql), interfaces, DEFAULT)
        except TranslationError:
            continue
        written += 1
        found = [print_trino_type(column.type) for column in plan.columns]
        said = [print_trino_type(parse_trino_type(type_)) for type_ in query.types]
        if found != said:
            wrong[question] = (query.sql, found, said)

    assert wrong == {}
    assert written > 100


@pytest.mark.parametrize("engine", Engine)
def test_what_is_written_for_trino_goes_back_to_spark_or_says_why_not(engine: Engine) -> None:
    interfaces, written = tables(engine), 0
    for _, query in for_trino(engine):
        try:
            back = spark_view(as_view(query.sql), interfaces, DEFAULT)
        except TranslationError:
            continue
        written += back.sql.startswith("SELECT ")

    assert written > 100


def test_hives_expressions_are_written_for_pig_or_refused_with_the_reason() -> None:
    interfaces, written = tables(Engine.HIVE), 0
    for _, relations in views(Engine.HIVE):
        try:
            derivations = {
                TABLE: derived_in(relations, TABLE),
                VIEW: derive(relations[VIEW], interfaces, DEFAULT),
            }
            script = view_script(VIEW, relations, derivations, DEFAULT)
        except TranslationError:
            continue
        written += script.statements[-1].startswith(f"{script.alias} = ")

    assert written > 100
