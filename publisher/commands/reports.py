"""The results of commands as values, which are made from the state and shown by an ``Output``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lakeschema.avro.errors import MalformedAvroSchema
from lakeschema.avro.legal_names import ORIGINAL_NAME
from lakeschema.avro.model import Record
from lakeschema.avro.omissions import omissions_of
from lakeschema.avro.parsing import parse_schema
from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.catalog.session_commands import Answer
from publisher.daemon.definitions import Unanswered
from publisher.daemon.inspection import Explanation, explanation
from publisher.lineage.summaries import LineageSummary, own_lineage
from publisher.publishing.index_comparison import held_packages
from publisher.publishing.retention import FileChange
from publisher.selection import Selection
from publisher.settling.comparison import SnapshotReport
from publisher.settling.conditions import Condition, absence_of, condition, withheld_because
from publisher.settling.deletions import deletions_held
from publisher.state.protocol import Transaction
from publisher.state.records import RelationRecord, VersionRecord


@dataclass(frozen=True, slots=True)
class SeenColumn:
    """A column of a table whose columns differ between Hive and Spark.

    Attributes:
        hive: the column's type in Hive; "" if Hive does not have the column.
        spark: the column's type in Spark; "" if Spark does not have the column.
        package: the column's name in the newest package.
    """

    name: str
    hive: str
    spark: str
    package: str


@dataclass(frozen=True, slots=True)
class RelationReport:
    """One relation and its neighbours.

    Attributes:
        dependents: each direct dependent, with its status.
        withheld_because: why the relation is not published; "" if nothing withholds it.
        condition: the meaning of the relation's status, and what to do.
        omitted: the columns that the newest version leaves out, with their types and the reasons.
        seen: the columns in each engine, if they differ between Hive and Spark.
        not_read: why the catalog did not answer; "" if it answered, or was not read.
        lineage: the sources of the columns; None for a table, or if the relation was never derived.
    """

    name: RelationName
    explanation: Explanation
    dependents: Sequence[tuple[RelationName, str]]
    withheld_because: str
    condition: Condition
    omitted: Sequence[str] = ()
    lineage: LineageSummary | None = None
    seen: Sequence[SeenColumn] = ()
    not_read: str = ""

    @property
    def upstreams(self) -> Sequence[tuple[RelationName, str]]:
        """Each direct upstream, with its status."""
        records = self.explanation.upstream_records
        return [(e.upstream, _status(records.get(e.upstream))) for e in self.explanation.upstreams]


@dataclass(frozen=True, slots=True)
class Retirement:
    """A file that the retention settings yank or unyank.

    ``is_done`` is False in a dry run, and if the index cannot yank.
    """

    change: FileChange
    is_done: bool


@dataclass(frozen=True, slots=True)
class ResyncReport:
    """The result of ``resync``: the relation to read again, or the differences that a snapshot found."""

    found: RelationName | SnapshotReport


def relation_report(
    tx: Transaction,
    name: RelationName,
    distribution: str,
    selection: Selection,
    facts: Relation | Unanswered | None,
) -> RelationReport | None:
    """The report on a relation; None for an unknown relation.

    ``facts`` are the catalog's present facts; None if the catalog does not have the relation.
    """
    found = explanation(tx, name, distribution)
    if found.record is None and not found.versions and found.work is None:
        return None
    records = tx.graph.records(found.dependents)
    dependents = [(n, _status(records.get(n))) for n in found.dependents]
    withheld = withheld_because(found.record, selection)
    schema = _newest_schema(found.versions)
    return RelationReport(
        name,
        found,
        dependents,
        withheld,
        condition(
            found.record,
            withheld,
            found.failing_upstreams,
            found.work,
            absence_of(distribution, found.versions, held_packages(tx)),
            deletions_held(tx, name) if facts is None else None,
        ),
        () if schema is None else tuple(map(str, omissions_of(schema))),
        own_lineage(tx, name),
        _seen(facts, schema),
        facts.reason if isinstance(facts, Unanswered) else "",
    )


def _status(record: RelationRecord | None) -> str:
    return "UNKNOWN" if record is None else record.status.value


def _newest_schema(versions: Sequence[VersionRecord]) -> Record | None:
    text = next((v.schema_text for v in reversed(versions) if v.schema_text), None)
    try:
        schema = None if text is None else parse_schema(text)
    except MalformedAvroSchema:
        return None
    return schema if isinstance(schema, Record) else None


def _seen(facts: Relation | Unanswered | None, schema: Record | None) -> Sequence[SeenColumn]:
    if not isinstance(facts, Relation):
        return ()
    hives = {column.name.lower(): column for column in facts.hive_columns}
    if not hives:
        return ()
    sparks = {c.name.lower(): c for c in (*facts.columns, *facts.partition_columns)}
    fields = () if schema is None else schema.fields
    packaged = {str(f.properties.get(ORIGINAL_NAME, f.name)).lower(): f.name for f in fields}
    return tuple(
        SeenColumn(
            (sparks.get(key) or hives[key]).name,
            print_type(hives[key].type) if key in hives else "",
            print_type(sparks[key].type) if key in sparks else "",
            packaged.get(key, ""),
        )
        for key in {**sparks, **hives}
    )


@dataclass(frozen=True, slots=True)
class UsageReport:
    """The results of a query log.

    Attributes:
        failures: the number of statements or parts that could not be read, by kind of error.
        given_up: places of statements that exceeded the limits.
        tables: the rows of each table to show, by column.
    """

    statements: int
    failures: Mapping[str, int]
    given_up: Sequence[str]
    tables: Mapping[str, Sequence[Mapping[str, Any]]]


@dataclass(frozen=True, slots=True)
class SessionAnswer:
    """The answer to a statement about names.

    Attributes:
        texts: each listed or resolved name as a person may write it; "" if there is no such text.
    """

    answer: Answer
    texts: Sequence[str] = ()
