"""What commands found, as values: made of the state, shown by an output."""

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
    """A column of a table whose columns are others in Hive than in Spark.

    Attributes:
        hive: its type there; "" where Hive has no such column.
        spark: likewise.
        package: its name in the newest package.
    """

    name: str
    hive: str
    spark: str
    package: str


@dataclass(frozen=True, slots=True)
class RelationReport:
    """One relation and its neighbours.

    Attributes:
        dependents: each direct one, with its status.
        withheld_because: "" where it is not withheld from publication.
        condition: what its status means, and what to do.
        omitted: columns that its newest version leaves out, each with its type and why.
        seen: what each engine has where Hive and Spark see different columns.
        not_read: why the catalog did not tell what it has now; "" where it did or was not asked.
        lineage: what its columns come from; None of a table, and of what was never derived.
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
        """Each direct one, with its status."""
        records = self.explanation.upstream_records
        return [(e.upstream, _status(records.get(e.upstream))) for e in self.explanation.upstreams]


@dataclass(frozen=True, slots=True)
class Retirement:
    """``is_done`` is False in a dry run, and where the index cannot."""

    change: FileChange
    is_done: bool


@dataclass(frozen=True, slots=True)
class ResyncReport:
    """What will be read again: one relation, or what a snapshot found."""

    found: RelationName | SnapshotReport


def relation_report(
    tx: Transaction,
    name: RelationName,
    distribution: str,
    selection: Selection,
    facts: Relation | Unanswered | None,
) -> RelationReport | None:
    """None where nothing at all is known of the relation; ``facts``: None if the catalog does not have it now."""
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
    """What a query log says.

    Attributes:
        failures: by kind of error, statements or parts of them that could not be read.
        given_up: where statements stand that took more than the limits allow.
        tables: rows of each derived table that is to be shown, by its columns.
    """

    statements: int
    failures: Mapping[str, int]
    given_up: Sequence[str]
    tables: Mapping[str, Sequence[Mapping[str, Any]]]
