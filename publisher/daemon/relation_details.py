"""One relation from the state and the catalog, as values for its page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lakeschema.avro.errors import MalformedAvroSchema
from lakeschema.avro.model import Record
from lakeschema.avro.omissions import omissions_of
from lakeschema.avro.parsing import parse_schema
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from publisher.daemon.definitions import Definitions, Unanswered
from publisher.lineage.summaries import FilledFrom, filled_from, filled_tables
from publisher.publishing.history import newest_published
from publisher.publishing.index_comparison import held_packages
from publisher.redaction import SECRETS
from publisher.selection import Selection
from publisher.settling.conditions import absence_of, condition, shown_status, withheld_because
from publisher.settling.deletions import HeldDeletions, deletions_held
from publisher.settling.deriving import derivation_from_text
from publisher.state.protocol import State, Transaction
from publisher.state.records import RelationRecord, VersionRecord, WorkRecord
from publisher.web.details import (
    Definition,
    FieldList,
    OutstandingWork,
    RelatedRelation,
    RelatedRelations,
    RelationDetails,
    VersionLine,
)
from publisher.web.fields import field_rows

_MAX_RELATED: Final = 200
_MAX_VERSIONS: Final = 50
_MAX_FIELDS: Final = 1_000
_MAX_OMITTED: Final = 100


@dataclass(frozen=True, slots=True)
class _Stored:
    """A relation's data in the state, read at once."""

    record: RelationRecord | None
    failing: Sequence[RelationName]
    derivation: str | None
    reads: RelatedRelations
    read_by: RelatedRelations
    versions: Sequence[VersionRecord]
    provenance: str
    work: WorkRecord | None
    held: frozenset[str]
    deletion: HeldDeletions | None
    filled_from: tuple[FilledFrom, ...]
    fills: tuple[RelationName, ...]


@dataclass(frozen=True, slots=True)
class DetailsReader:
    state: State
    definitions: Definitions
    selection: Selection

    def read(self, name: RelationName, distribution: str, now: float) -> RelationDetails | None:
        """None if nothing is known; ``now`` is on the clock for due work."""
        stored = self.state.read(lambda tx: _read(tx, name, distribution))
        record = stored.record
        if record is None and not stored.versions and stored.work is None:
            return None
        withheld = withheld_because(record, self.selection)
        absence = absence_of(distribution, stored.versions, stored.held)
        facts = self.definitions.read(name)
        deletion = stored.deletion if facts is None else None
        found = condition(record, withheld, stored.failing, stored.work, absence, deletion)
        return RelationDetails(
            relation=str(name),
            status="UNKNOWN" if record is None else shown_status(record),
            meaning=found.meaning,
            reason="" if record is None else record.reason,
            remedy=found.remedy,
            distribution=distribution if stored.versions else "",
            definition=_definition(facts, stored),
            fields=_fields(stored),
            reads=stored.reads,
            read_by=stored.read_by,
            versions=tuple(_version(v) for v in stored.versions[: -_MAX_VERSIONS - 1 : -1]),
            more_versions=max(0, len(stored.versions) - _MAX_VERSIONS),
            work=None if stored.work is None else _work(stored.work, now),
            filled_from=stored.filled_from,
            fills=tuple(map(str, stored.fills)),
        )


def _read(tx: Transaction, name: RelationName, distribution: str) -> _Stored:
    upstreams = [edge.upstream for edge in tx.graph.edges_of([name])[name]]
    records = tx.graph.records(upstreams)
    dependents, dependent_count = tx.graph.some_dependents(name, _MAX_RELATED)
    versions = tx.versions.history([distribution])[distribution]
    newest = newest_published(versions)
    return _Stored(
        record=tx.graph.records([name]).get(name),
        failing=[each for each in upstreams if each in records and records[each].has_failed],
        derivation=tx.graph.derivations([name]).get(name),
        reads=_related(upstreams[:_MAX_RELATED], records, len(upstreams)),
        read_by=_related(dependents, tx.graph.records(dependents), dependent_count),
        versions=versions,
        provenance=tx.versions.provenance(distribution, newest.number) if newest else "",
        work=tx.work.of(name),
        held=held_packages(tx),
        deletion=deletions_held(tx, name),
        filled_from=filled_from(tx, name),
        fills=filled_tables(tx, name),
    )


def _related(
    names: Sequence[RelationName], records: Mapping[RelationName, RelationRecord], total: int
) -> RelatedRelations:
    relations = tuple(
        RelatedRelation(str(name), records[name].status.value if name in records else "UNKNOWN")
        for name in names
    )
    return RelatedRelations(relations, total)


def _definition(answer: Relation | Unanswered | None, stored: _Stored) -> Definition:
    match answer:
        case Relation(unreadable=str(why)):
            return _published_definition(stored, f"The catalog cannot give it: {why}.")
        case Relation(view=None):
            return Definition("table", "", "A table, in the catalog now.")
        case Relation(view=view) if view is not None:
            return Definition("view", view.original_text, "As the catalog has it now.")
        case Unanswered(reason):
            return _published_definition(stored, f"{reason[:1].upper()}{reason[1:]}.")
        case _:
            return _published_definition(stored, "The catalog does not have it now.")


def _published_definition(stored: _Stored, why: str) -> Definition:
    """The definition of the newest version, if the catalog gives no current one."""
    newest = newest_published(stored.versions)
    stated = _provenance(stored.provenance)
    text = SECRETS.redact(str(stated.get("view_text") or ""))
    if newest is not None and text:
        return Definition("view", text, f"The definition of version {newest.number}. {why}")
    kind = stated.get("kind") or ("view" if stored.reads.total else "unknown")
    return Definition(str(kind), "", why)


def _provenance(text: str) -> Mapping[str, object]:
    try:
        stated = json.loads(text or "{}")
    except ValueError:
        return {}
    return stated if isinstance(stated, dict) else {}


def _fields(stored: _Stored) -> FieldList | None:
    """The fields of the last derivation, or else of the newest version."""
    if stored.derivation is not None:
        schema = derivation_from_text(stored.derivation).interface.schema
        return _field_list(schema, "From the last derivation.")
    newest = newest_published(stored.versions)
    if newest is None or newest.schema_text is None:
        return None
    try:
        published = parse_schema(newest.schema_text)
    except MalformedAvroSchema:
        return None
    if not isinstance(published, Record):
        return None
    return _field_list(
        published, f"From version {newest.number}: the relation cannot be derived now."
    )


def _field_list(schema: Record, source: str) -> FieldList:
    rows = field_rows(schema)
    omitted = tuple(map(str, omissions_of(schema)))[:_MAX_OMITTED]
    return FieldList(rows[:_MAX_FIELDS], max(0, len(rows) - _MAX_FIELDS), omitted, source)


def _version(version: VersionRecord) -> VersionLine:
    return VersionLine(
        number=version.number,
        status=version.status.value,
        change=version.change,
        reasons=version.reasons,
        created_at=version.created_at,
    )


def _work(work: WorkRecord, now: float) -> OutstandingWork:
    return OutstandingWork(
        waits_since=work.first_asked,
        due_at=work.not_before,
        is_in_progress=work.lease_until > now,
        failures=work.failures,
        retries=work.retries,
        last_error=work.last_error,
    )
