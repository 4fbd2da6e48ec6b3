"""Recorded expressions, written for other engines: written or refused; any other error is a fault."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import pytest

from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.deriving.derivation import derive
from lakeschema.translation.emission.spark.view import spark_view
from lakeschema.translation.emission.trino.query import TrinoQuery
from lakeschema.translation.emission.trino.view import trino_view
from lakeschema.translation.model.errors import TranslationError
from lakeschema.translation.model.interface import Interface
from lakeschema.translation.products.pig_scripts import view_script
from tests.lakeschema.translation.asked_types import REFUSED, Engine, recorded, table_ddl
from tests.lakeschema.translation.emission.trino.read_back import as_view, read_back
from tests.lakeschema.translation.relations import DEFAULT, derived_in

TABLE = RelationName.of("default", "t")
VIEW = RelationName.of("default", "v")


@dataclass(frozen=True)
class Sample:
    """Every so many of the expressions that an engine accepts."""

    engine: Engine
    one_in: int

    def __str__(self) -> str:
        return f"{self.engine.value}, one in {self.one_in}"

    @property
    def least_written(self) -> int:
        return 700 // self.one_in

    def views(self) -> Iterator[tuple[str, Mapping[RelationName, Relation]]]:
        """A view of each."""
        dialect = self.engine.dialect
        accepted = [q for q, answer in recorded(self.engine).items() if answer != REFUSED]
        for question in accepted[:: self.one_in]:
            view = f"CREATE VIEW v AS SELECT {question} AS x FROM t"
            relations = relations_from_ddl([table_ddl(dialect), view], dialect)
            text = relations[VIEW].view
            assert text is not None
            with_settings = replace(text, sql_configs=self.engine.settings)
            yield question, {**relations, VIEW: replace(relations[VIEW], view=with_settings)}

    def interfaces(self) -> Mapping[RelationName, Interface]:
        dialect = self.engine.dialect
        created = relations_from_ddl([table_ddl(dialect)], dialect)
        return {TABLE: derived_in(created, TABLE).interface}


def samples(*engines: Engine) -> list[object]:
    """A tenth of what a thorough run writes is written by each run."""
    quick = [Sample(engine, 70) for engine in engines]
    thorough = [Sample(engine, 7) for engine in engines]
    return [*quick, *(pytest.param(each, marks=pytest.mark.thorough) for each in thorough)]


@dataclass(frozen=True)
class ForTrino:
    """What is written of a sample; what Trino lacks is left out."""

    sample: Sample
    queries: Mapping[str, TrinoQuery]
    interfaces: Mapping[RelationName, Interface]


@pytest.fixture(scope="module", params=samples(*Engine), ids=str)
def for_trino(request: pytest.FixtureRequest) -> ForTrino:
    sample: Sample = request.param
    interfaces, queries = sample.interfaces(), {}
    for question, relations in sample.views():
        try:
            queries[question] = trino_view(relations[VIEW], interfaces, DEFAULT)
        except TranslationError:
            continue
    return ForTrino(sample, queries, interfaces)


@pytest.mark.thorough
def test_what_is_written_for_trino_is_read_as_trino_with_the_types_that_it_says(
    for_trino: ForTrino,
) -> None:
    wrong: dict[str, tuple[str, object]] = {}
    for question, query in for_trino.queries.items():
        try:
            types = read_back(query, VIEW, for_trino.interfaces)
        except TranslationError as error:
            wrong[question] = (query.sql, error)
            continue
        if types.found != types.said:
            wrong[question] = (query.sql, types)

    assert wrong == {}
    assert len(for_trino.queries) > for_trino.sample.least_written


def test_what_is_written_for_trino_goes_back_to_spark_or_says_why_not(for_trino: ForTrino) -> None:
    written = 0
    for query in for_trino.queries.values():
        try:
            back = spark_view(as_view(VIEW, query.sql), for_trino.interfaces, DEFAULT)
        except TranslationError:
            continue
        written += back.sql.startswith("SELECT ")

    assert written > for_trino.sample.least_written


@pytest.mark.parametrize("sample", samples(Engine.HIVE), ids=str)
def test_hives_expressions_are_written_for_pig_or_refused_with_the_reason(sample: Sample) -> None:
    interfaces, written = sample.interfaces(), 0
    for _, relations in sample.views():
        try:
            derivations = {
                TABLE: derived_in(relations, TABLE),
                VIEW: derive(relations[VIEW], interfaces, DEFAULT),
            }
            script = view_script(VIEW, relations, derivations, DEFAULT)
        except TranslationError:
            continue
        written += script.statements[-1].startswith(f"{script.alias} = ")

    assert written > sample.least_written
