"""Reports as JSON Lines for programs: one object a line, times in UTC as ISO 8601."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, TextIO

from codegen.changelog import changelog_to_json
from lakeschema.catalog.identifiers import RelationName
from publisher.commands.checked_pins import CheckedPin
from publisher.commands.coverage import Coverage
from publisher.commands.output.session_answers import answer_json
from publisher.commands.output.times import shown_time
from publisher.commands.registering.registration import Registered
from publisher.commands.reports import (
    RelationReport,
    ResyncReport,
    Retirement,
    SessionAnswer,
    UsageReport,
)
from publisher.commands.snapshot import DryRun, SnapshotOutcome
from publisher.commands.verify import Verification
from publisher.daemon.inspection import EngineStatus
from publisher.daemon.noted import Noted
from publisher.daemon.probes import Probe
from publisher.lineage.lineage_json import summary_json, traced_json
from publisher.lineage.values import Traced
from publisher.publishing.index_comparison import IndexReport, release_of
from publisher.settings.effective import EffectiveSetting
from publisher.settling.comparison import SnapshotReport
from publisher.settling.conditions import shown_status
from publisher.settling.deletions import HeldDeletions
from publisher.state.records import RelationRecord, StoredDeadLetter, VersionRecord, WorkRecord


class JsonLines:
    """Writes JSON Lines; flushes each line, so that the reader of a pipe sees it at once."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def snapshot(self, outcome: SnapshotOutcome | DryRun) -> None:
        match outcome:
            case DryRun():
                self._print(_dry_run(outcome))
            case SnapshotOutcome():
                self._print(_snapshot(outcome))

    def status(self, status: EngineStatus) -> None:
        self._print(
            {
                "relations": dict(status.relations),
                "versions": status.versions,
                "work": [_work(work) for work in status.work],
                "troubled": [_relation(record) for record in status.troubled],
                "conflicts": [_version(version) for version in status.conflicts],
                "dead_letters": status.dead_letters,
                "worked_on": status.is_worked_on,
                **_noted(Noted.read(status.notes)),
            }
        )

    def coverage(self, coverage: Coverage) -> None:
        self._print(
            {
                "relations": coverage.known,
                "covered": coverage.covered,
                "reasons": [
                    {
                        "status": reason.status.value,
                        "reason": reason.text,
                        "relations": reason.relations,
                        "examples": [str(name) for name in reason.examples],
                    }
                    for reason in coverage.reasons
                ],
            }
        )

    def relation(self, report: RelationReport) -> None:
        found = report.explanation
        self._print(
            {
                "relation": _relation(found.record) if found.record else None,
                "meaning": report.condition.meaning,
                "remedy": report.condition.remedy,
                "withheld": bool(report.withheld_because),
                "omitted": list(report.omitted),
                **({"seen": [asdict(each) for each in report.seen]} if report.seen else {}),
                "lineage": None if report.lineage is None else summary_json(report.lineage),
                "upstreams": [
                    {"relation": str(name), "status": status} for name, status in report.upstreams
                ],
                "dependents": [str(name) for name, _ in report.dependents],
                "versions": [_version(version) for version in found.versions],
                "work": _work(found.work) if found.work else None,
            }
        )

    def lineage(self, traced: Traced) -> None:
        self._print(traced_json(traced))

    def usage(self, report: UsageReport) -> None:
        """Writes the log's figures first, then a line for each row with the name of its table."""
        self._print(
            {
                "table": "log",
                "statements": report.statements,
                "failures": dict(report.failures),
                "given_up": list(report.given_up),
            }
        )
        for name, rows in report.tables.items():
            for row in rows:
                self._print({"table": name, **row})

    def verification(self, verification: Verification) -> None:
        for drift in (*verification.drifts, *verification.gaps):
            self._print(
                {
                    "relation": str(drift.relation),
                    "distribution": drift.distribution,
                    "reason": drift.reason,
                    "never_published": drift.is_gap,
                }
            )
        for statement in verification.unapplied:
            self._print({"unapplied": str(statement)})

    def pins(self, checked: Sequence[CheckedPin]) -> None:
        for pin in checked:
            self._print(
                {
                    "distribution": pin.distribution,
                    "pinned": pin.pinned,
                    "newest": pin.newest,
                    "status": pin.status,
                    "why": pin.why,
                    "newer": changelog_to_json(pin.releases),
                }
            )

    def retirement(self, retirement: Retirement) -> None:
        change = retirement.change
        self._print(
            {
                "distribution": change.distribution,
                "version": change.file.version,
                "file": change.file.filename,
                "action": "offer again" if change.reason is None else "yank",
                "done": retirement.is_done,
            }
        )

    def nothing_to_retire(self) -> None:
        """Prints nothing."""

    def dead_letters(self, letters: Sequence[StoredDeadLetter]) -> None:
        for letter in letters:
            self._print(_dead_letter(letter))

    def resync(self, report: ResyncReport) -> None:
        match report.found:
            case SnapshotReport() as found:
                counts = {"differing": found.differing, "missing": found.missing}
                self._print({"listed": found.listed, **counts, "held": dict(found.held)})
            case RelationName() as name:
                self._print({"relation": str(name), "requested": True})

    def confirmed_deletions(self, confirmed: Sequence[HeldDeletions]) -> None:
        for held in confirmed:
            self._print({"namespace": held.namespace, "held": held.reason, "confirmed": True})

    def confirmed_changes(self, reason: str) -> None:
        self._print({"held_changes": reason, "confirmed": True})

    def index(self, report: IndexReport) -> None:
        self._print(
            {
                "checked": report.checked,
                "differing": [str(name) for name in report.differing],
                "adopted": [str(name) for name in report.adopted],
                "held": list(report.held),
                "foreign": list(report.foreign),
                "failed": dict(report.failed),
            }
        )

    def settings(self, found: Sequence[EffectiveSetting], meanings: Mapping[str, str]) -> None:
        for each in found:
            shown = {"key": each.key, "value": each.value, "origin": each.origin}
            said = {"meaning": meanings[each.key]} if each.key in meanings else {}
            self._print(shown | said)

    def probe(self, probe: Probe) -> None:
        self._print({"part": probe.part, "usable": probe.is_usable, "found": probe.found})

    def part(self, title: str) -> None:
        """Prints nothing: programs recognise each line by its keys."""

    def to_do(self, lines: Sequence[str]) -> None:
        self._print({"to_do": list(lines)})

    def registered(self, views: Sequence[Registered]) -> None:
        for each in views:
            self._print(
                {
                    "view": str(each.view),
                    "place": each.place or None,
                    "outcome": each.change.value,
                    "reason": each.reason or None,
                    "hint": each.hint or None,
                }
            )

    def republished(self, names: Sequence[RelationName]) -> None:
        for name in names:
            self._print({"relation": str(name), "marked": True})

    def session_answer(self, report: SessionAnswer) -> None:
        """Writes a line for each listed catalog or name, and one line for any other answer."""
        for line in answer_json(report):
            self._print(line)

    def _print(self, value: Mapping[str, Any]) -> None:
        print(json.dumps(value, default=str), file=self._stream, flush=True)


def _noted(noted: Noted) -> dict[str, Any]:
    snapshots = [
        {key: value for key, value in asdict(found).items() if key != "catalogs" or value}
        for found in noted.last_snapshots
    ]
    return {
        "last_snapshots": [{**s, "ended_at": shown_time(s["ended_at"])} for s in snapshots],
        "snapshot_due": noted.snapshot_due or None,
        "indexes": [asdict(found) for found in noted.compared_indexes],
        "held_packages": [
            {"catalog": found.catalog, "held": held, "release": release_of(held)}
            for found in noted.compared_indexes
            for held in found.held
        ],
        "retention": noted.retention or None,
        "held_deletions": [
            {"namespace": held.namespace, "held": held.reason, "confirmed": held.is_confirmed}
            for held in noted.held_deletions
        ],
        "held_changes": [
            {"catalog": catalog, "held": why, "confirmed": not why}
            for catalog, why in noted.held_changes.items()
        ],
        "not_listed": dict(noted.not_listed),
        "removed_catalogs": dict(noted.removed),
        "services": [
            {
                "started_at": shown_time(each.started_at),
                "said_at": shown_time(each.said_at),
                "troubles": dict(each.troubles),
            }
            for each in noted.services
        ],
    }


def _snapshot(outcome: SnapshotOutcome) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "runner": outcome.runner,
        "listed": outcome.listed,
        "differing": outcome.differing,
        "missing": outcome.missing,
    }
    if outcome.held:
        shown["held"] = dict(outcome.held)
    if outcome.on_executors is not None:
        shown["derived_on_executors"] = outcome.on_executors.derived
        shown["waves"] = outcome.on_executors.waves
    if outcome.held_changes:
        shown["held_changes"] = outcome.held_changes
    if outcome.undone:
        shown["undone"] = [_work(work) for work in outcome.undone]
    if outcome.unapplied:
        shown["unapplied"] = [str(statement) for statement in outcome.unapplied]
    if outcome.seconds:
        shown["seconds"] = dict(outcome.seconds)
    return {**shown, "counters": dict(outcome.counters)}


def _dry_run(outcome: DryRun) -> dict[str, Any]:
    return {
        "runner": "dry-run",
        "listed": outcome.listed,
        "differing": [str(name) for name in outcome.differing],
        "missing": [str(name) for name in outcome.missing],
        "errors": {str(name): reason for name, reason in outcome.errors.items()},
    }


def _dead_letter(letter: StoredDeadLetter) -> dict[str, Any]:
    """A dead letter as JSON. The payload is in base 64: it is untrusted and may not be text."""
    shown = {
        "id": letter.id,
        "source": letter.source,
        "reason": letter.reason,
        "namespace": None if letter.namespace is None else letter.namespace.levels,
        "received_at": shown_time(letter.received_at),
        "payload_base64": base64.b64encode(letter.payload).decode("ascii"),
    }
    is_whole = letter.payload_length == len(letter.payload)
    return shown if is_whole else {**shown, "payload_length": letter.payload_length}


def _relation(record: RelationRecord) -> dict[str, Any]:
    return {
        "relation": str(record.name),
        "status": shown_status(record),
        "reason": record.reason,
    }


def _version(version: VersionRecord) -> dict[str, Any]:
    return {
        "distribution": version.distribution,
        "number": version.number,
        "status": version.status.value,
        "change": version.change,
        "reasons": list(version.reasons),
        "sha256": version.wheel_sha256,
        "created_at": shown_time(version.created_at) if version.created_at else None,
    }


def _work(work: WorkRecord) -> dict[str, Any]:
    return {
        "relation": str(work.relation),
        "due_at": shown_time(work.not_before),
        "attempts": work.attempts,
        "retries": work.retries,
        "last_error": work.last_error,
    }
