"""Derives usage tables from a log's counts, with the same result on one machine and on Spark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Final, get_type_hints

from lakeschema.analysis.catalog import NO_CATALOGS, CatalogNames, KnownTable
from lakeschema.analysis.conventions import Conventions
from lakeschema.analysis.limits import GIVEN_UP, LIMITS
from lakeschema.analysis.log import LogAnalysis
from lakeschema.analysis.statements_logged import may_define
from lakeschema.analysis.timeline import timeline_of
from lakeschema.analysis.tracing import EVERY_COLUMN
from lakeschema.analysis.usage.counting import Count, Counts, Tally
from lakeschema.analysis.usage.disuse import Unused, days_before, unused_since
from lakeschema.analysis.usage.flows import Flow, Reach, dataflow_graph
from lakeschema.analysis.usage.joining import JoinedTables, join_clusters
from lakeschema.analysis.usage.layout import Advice, layout_advice
from lakeschema.analysis.usage.limited import Rows, rows_within_limits
from lakeschema.analysis.usage.repetition import Repeated, what_to_materialise
from lakeschema.analysis.usage.running import Ran
from lakeschema.analysis.usage.telling import ToTell, whom_to_tell
from lakeschema.catalog.identifiers import RelationName
from lakeschema.isolation.limits import Limits


@dataclass(frozen=True, slots=True)
class TableUse:
    """One use of a table.

    ``access`` is a value of ``table_access``; ``day`` is "" if the log does not have it.
    """

    relation: str
    access: str
    user: str
    day: str
    statements: int


@dataclass(frozen=True, slots=True)
class ColumnUse:
    relation: str
    column: str
    clause: str
    statements: int
    users: int
    last_day: str


DERIVED: Final[Mapping[str, type]] = MappingProxyType(
    {
        "table_usage": TableUse,
        "column_usage_by_clause": ColumnUse,
        "layout_advice": Advice,
        "join_clusters": JoinedTables,
        "unused_since": Unused,
        "dataflow": Flow,
        "materialise": Repeated,
        "whom_to_tell": ToTell,
    }
)
"""The derived tables, with the class of their rows."""


@dataclass(frozen=True, slots=True)
class Question:
    """The inputs of the derived tables besides the log.

    Attributes:
        known: the catalog, with views' reads.
        owners: the owners of relations, if known.
        sizes: the sizes of tables, in any one unit.
        days: a relation is unused if nobody read it for this many days before the last day.
        today: the last day; by default the log's.
        about: the change to tell people about: a relation, and its changed column or ``*``.
        min_joins: the least number of statements with which a pair of columns connects two tables.
    """

    known: Mapping[RelationName, KnownTable] = field(default_factory=lambda: MappingProxyType({}))
    owners: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    sizes: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    days: int = 90
    today: str = ""
    about: tuple[str, str] | None = None
    min_joins: int = 1


def derived_tables(counts: Counts, question: Question) -> Mapping[str, Sequence[Any]]:
    """Rows by table, with the names in ``DERIVED``; ``whom_to_tell`` is empty without ``about``."""
    known = question.known
    told: Sequence[ToTell] = ()
    if question.about is not None:
        reach = Reach(counts["flows"], counts["column_flows"], known)
        told = whom_to_tell(counts, reach.of(*question.about), question.owners)
    return {
        "table_usage": [TableUse(*_four(c), c.statements) for c in counts["table_usage"]],
        "column_usage_by_clause": [
            ColumnUse(*_three(c), c.statements, c.users, c.last_day)
            for c in counts["column_usage_by_clause"]
        ],
        "layout_advice": layout_advice(counts["column_usage_by_clause"], counts["reads"], known),
        "join_clusters": join_clusters(counts["joined"], question.min_joins),
        "unused_since": _unused(counts, question),
        "dataflow": dataflow_graph(counts["flows"], known),
        "materialise": what_to_materialise(counts["repeated"], counts["writes"], question.sizes),
        "whom_to_tell": told,
    }


def _unused(counts: Counts, question: Question) -> Sequence[Unused]:
    today = question.today or max((c.last_day for c in counts["table_usage"]), default="")
    # Without any day, only relations that were never read are unused.
    since = days_before(today, question.days) if today else "0001-01-01"
    return unused_since(question.known, counts["reads"], counts["column_readers"], since)


def _three(count: Count) -> tuple[str, str, str]:
    first, second, third = count.keys
    return first, second, third


def _four(count: Count) -> tuple[str, str, str, str]:
    first, second, third, fourth = count.keys
    return first, second, third, fourth


@dataclass(frozen=True, slots=True)
class CountedLog:
    """A log's counts, and its statements that failed.

    Attributes:
        failures: numbers of unreadable statements or parts of them, by kind of error.
        given_up: places in the log, from 0, of statements that exceeded the limits.
    """

    counts: Counts
    statements: int
    failures: Mapping[str, int]
    given_up: Sequence[int] = ()


def count_log(
    log: Sequence[Ran],
    known: Mapping[RelationName, KnownTable],
    conventions: Conventions | None = None,
) -> CountedLog:
    """Counts a whole log on one machine; the statements must be in order of positions."""
    definitions = (each.statement for each in log if may_define(each.statement.sql))
    analysis = LogAnalysis(timeline_of(definitions, known), conventions)
    return _counted(log, (analysis.found(each.statement).rows for each in log))


def count_log_within_limits(
    log: Sequence[Ran],
    known: Mapping[RelationName, KnownTable],
    limits: Limits = LIMITS,
    catalogs: CatalogNames = NO_CATALOGS,
) -> CountedLog:
    """Like ``count_log``, in a limited process; ``catalogs`` has the catalogs by names in statements."""
    statements = (each.statement for each in log)
    return _counted(log, rows_within_limits(statements, known, limits, catalogs))


def _counted(log: Sequence[Ran], found: Iterable[Rows]) -> CountedLog:
    tally = Tally()
    failures: dict[str, int] = {}
    given_up: list[int] = []
    for place, (each, rows) in enumerate(zip(log, found, strict=True)):
        tally.add(each, rows)
        for table, values in rows:
            if table == "failures":
                failures[values[0]] = failures.get(values[0], 0) + 1
                if values[0] == GIVEN_UP:
                    given_up.append(place)
    return CountedLog(tally.counts(), len(log), failures, given_up)


def row_of(value: Any) -> dict[str, Any]:
    """A row of a derived table by columns, as for JSON and Parquet."""
    shown = {each.name: getattr(value, each.name) for each in fields(value)}
    return {name: list(v) if isinstance(v, tuple) else v for name, v in shown.items()}


def columns_of(table: str) -> Mapping[str, type]:
    """The columns of a derived table, with their types."""
    return get_type_hints(DERIVED[table])


def place_of(name: RelationName, counts: Counts, known: Iterable[RelationName]) -> tuple[str, str]:
    """The value of ``Question.about`` for a name of a relation or a column.

    The relation is in the catalog or in the log.
    """
    relations = {str(each) for each in known}
    relations.update(key for flow in counts["flows"] for key in flow.keys)
    relations.update(use.keys[0] for use in counts["reads"])
    if str(name) not in relations and name.namespace:
        relation = str(RelationName(name.namespace[:-1], name.namespace[-1], name.catalog))
        if relation in relations:
            return relation, name.name
    return str(name), EVERY_COLUMN
