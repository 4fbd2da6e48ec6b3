"""Reads one relation from the state and the catalog, as values for its page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from codegen.naming import distribution_name
from lakeschema.avro.errors import MalformedAvroSchema
from lakeschema.avro.model import Record
from lakeschema.avro.omissions import omissions_of
from lakeschema.avro.parsing import parse_schema
from lakeschema.catalog.errors import MalformedName
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation, UnreadText
from lakeschema.translation.model.outcome import Status
from publisher.daemon.definitions import Definitions, Unanswered
from publisher.daemon.faults import failing_word, losses, meant_columns
from publisher.lineage.neighbourhood import Neighbourhood, neighbourhood
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
    MAX_CONE,
    Definition,
    FieldList,
    Loss,
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
    around: Neighbourhood
    cone: int
    losses: tuple[Loss, ...]
    meant: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DetailsReader:
    """Reads details. ``prefix`` is that of packages; ``RelationDetails`` explains ``hears_statements``."""

    state: State
    definitions: Definitions
    selection: Selection
    prefix: str
    hears_statements: bool

    def read(self, name: RelationName, distribution: str, now: float) -> RelationDetails | None:
        """The details of a relation; None if it is unknown.

        ``now`` is a time on the clock that says when work is due.
        """
        stored = self.state.read(lambda tx: self._read(tx, name, distribution))
        if stored is None:
            return None
        record = stored.record
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
            around=stored.around,
            owner="" if record is None else record.owner,
            cone=stored.cone,
            are_yanked=record is not None and record.yanked,
            meant=stored.meant,
            losses=stored.losses,
            hears_statements=self.hears_statements,
        )

    def _distribution(self, name: RelationName) -> str:
        return distribution_name(name, self.prefix)

    def _read(self, tx: Transaction, name: RelationName, distribution: str) -> _Stored | None:
        record = tx.graph.records([name]).get(name)
        versions = tx.versions.history([distribution])[distribution]
        work = tx.work.of(name)
        if record is None and not versions and work is None:
            return None
        upstreams = [edge.upstream for edge in tx.graph.edges_of([name])[name]]
        records = tx.graph.records(upstreams)
        dependents, dependent_count = tx.graph.some_dependents(name, _MAX_RELATED)
        is_broken = record is not None and record.status is Status.BROKEN
        lost = losses(tx, upstreams, self._distribution) if is_broken else ()
        around = neighbourhood(tx, name, upstream=1, downstream=1)
        newest = newest_published(versions)
        provenance = tx.versions.provenance(distribution, newest.number) if newest else ""
        reads = _related(upstreams[:_MAX_RELATED], _statuses(records), len(upstreams))
        if newest is not None and record is not None and record.status is Status.MISSING:
            reads = _as_published(tx, provenance, newest.number)
        return _Stored(
            record=record,
            failing=[each for each in upstreams if each in records and records[each].has_failed],
            derivation=tx.graph.derivations([name]).get(name),
            reads=reads,
            read_by=_related(dependents, _statuses_near(tx, dependents, around), dependent_count),
            versions=versions,
            provenance=provenance,
            work=work,
            held=held_packages(tx),
            deletion=deletions_held(tx, name),
            filled_from=filled_from(tx, name),
            fills=filled_tables(tx, name),
            around=around,
            cone=MAX_CONE if dependent_count >= MAX_CONE else tx.graph.count_cone(name, MAX_CONE),
            losses=lost,
            meant=meant_columns(tx, record.reason, upstreams, lost)
            if is_broken and record is not None
            else (),
        )


def _as_published(tx: Transaction, provenance: str, number: str) -> RelatedRelations:
    """The relations that a version of a dropped relation read."""
    stated = _provenance(provenance).get("upstreams")
    try:
        names = [RelationName.from_key(name) for name in stated] if isinstance(stated, dict) else []
    except MalformedName:
        # Another program may have uploaded the version.
        names = []
    records = tx.graph.records(names[:_MAX_RELATED])
    return replace(_related(names[:_MAX_RELATED], _statuses(records), len(names)), as_of=number)


def _statuses(records: Mapping[RelationName, RelationRecord]) -> Mapping[RelationName, str]:
    return {name: record.status.value for name, record in records.items()}


def _statuses_near(
    tx: Transaction, names: Sequence[RelationName], around: Neighbourhood
) -> Mapping[RelationName, str]:
    """The statuses of ``names``; only reads the statuses that ``around`` does not contain."""
    near = {each.name: each.status for each in around.relations}
    return {**_statuses(tx.graph.records(name for name in names if name not in near)), **near}


def _related(
    names: Sequence[RelationName], statuses: Mapping[RelationName, str], total: int
) -> RelatedRelations:
    relations = tuple(RelatedRelation(str(name), statuses.get(name, "UNKNOWN")) for name in names)
    return RelatedRelations(relations, total)


def _definition(answer: Relation | Unanswered | None, stored: _Stored) -> Definition:
    match answer:
        case Relation(unreadable=str(why)):
            return _published_definition(stored, f"The catalog cannot give it: {why}.")
        case Relation(unread=UnreadText(dialect, text)):
            why = f"Its text is for {dialect}, which is not read" if text else "It has no text"
            return Definition(
                "view", text, f"{why}: its columns are those that the catalog states."
            )
        case Relation(view=None):
            return Definition("table", "", "A table, in the catalog now.")
        case Relation(view=view) if view is not None:
            # The reason speaks of the text that is executed.
            record, is_written = stored.record, view.text == view.original_text
            reason = "" if record is None or record.stale or not is_written else record.reason
            return Definition(
                "view",
                view.original_text,
                "As the catalog has it now.",
                failing_word(reason, view.original_text),
            )
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
        wheel_sha256=version.wheel_sha256 or "",
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
