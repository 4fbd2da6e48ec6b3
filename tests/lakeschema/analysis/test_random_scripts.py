"""Random scripts in DuckDB: a table changes with a source's rows only if the dataflow names the source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pytest

from lakeschema.analysis import batch
from lakeschema.analysis.catalog import as_text
from lakeschema.analysis.dataflow import Dataflow, cumulative
from lakeschema.analysis.log import LogAnalysis
from lakeschema.analysis.statements_logged import LoggedStatement
from lakeschema.analysis.timeline import timeline_of
from tests.effort import examples
from tests.lakeschema.analysis.random_scripts import SCHEMA, SOURCES, moved_tables, random_script

SCRIPTS = 100
PRECISION = 0.95


def dataflow_of(statements: Sequence[str]) -> Mapping[str, frozenset[str]]:
    """Names without their namespace: in these scripts no two relations have the same one."""
    sql = ";\n".join(statements)
    reply = batch.answer(
        {"sql": sql, "dialect": "duckdb", "namespace": [SCHEMA], "ask": ["dataflow"]}
    )
    assert not [s for s in reply["result"]["statements"] if "error" in s]
    dataflow: Mapping[str, Sequence[str]] = reply["result"]["dataflow"]
    return _names(dataflow)


def _names(dataflow: Mapping[str, Iterable[str]]) -> Mapping[str, frozenset[str]]:
    return {
        target.rpartition(".")[2]: frozenset(source.rpartition(".")[2] for source in sources)
        for target, sources in dataflow.items()
    }


def _bare(dataflow: Dataflow) -> Mapping[str, frozenset[str]]:
    return _names({as_text(target): map(as_text, sources) for target, sources in dataflow.items()})


@pytest.mark.seeded
def test_tables_change_with_the_sources_of_their_dataflow(first_seed: int) -> None:
    told = shown = 0
    for seed in range(first_seed, first_seed + examples(SCRIPTS)):
        statements = random_script(seed)
        dataflow = dataflow_of(statements)
        for name, moved in moved_tables(statements, seed, dataflow).items():
            sources = dataflow[name] & {*SOURCES}
            assert moved <= sources, (seed, name, statements)
            told += len(sources)
            shown += len(moved)

    assert shown >= PRECISION * told


@pytest.mark.seeded
def test_parts_of_a_log_come_to_the_dataflow_of_the_whole_script(first_seed: int) -> None:
    for seed in range(first_seed, first_seed + examples(SCRIPTS)):
        logged = [
            LoggedStatement(position, sql, "duckdb", "one", (SCHEMA,))
            for position, sql in enumerate(random_script(seed), 1)
        ]
        analysis = LogAnalysis(timeline_of(logged, {}))
        half = len(logged) // 2

        parts = [
            cumulative(analysis.found(each).dataflow for each in part)
            for part in (logged[:half], logged[half:])
        ]

        assert _tables(_bare(cumulative(parts))) == _tables(dataflow_of([s.sql for s in logged]))


def _tables(dataflow: Mapping[str, frozenset[str]]) -> Mapping[str, frozenset[str]]:
    """Without the views, which a log's statements do not fill."""
    return {name: sources for name, sources in dataflow.items() if not name.startswith("v")}
