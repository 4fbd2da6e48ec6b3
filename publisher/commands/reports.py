"""What the loop knows, as JSON for people and scripts."""

from __future__ import annotations

import base64
from typing import Any

from publisher.daemon.inspection import EngineStatus, Explanation
from publisher.publishing.retention import Change
from publisher.state.records import RelationRecord, StoredDeadLetter, VersionRecord, WorkRecord


def status_report(status: EngineStatus) -> dict[str, Any]:
    return {
        "relations": dict(status.relations),
        "versions": status.versions,
        "work": [_work(work) for work in status.work],
        "troubled": [_relation(record) for record in status.troubled],
        "conflicts": [_version(version) for version in status.conflicts],
        "dead_letters": len(status.dead_letters),
        "notes": dict(status.notes),
    }


def explain_report(explanation: Explanation) -> dict[str, Any] | None:
    """None where nothing at all is known of the relation."""
    if explanation.record is None and not explanation.versions and explanation.work is None:
        return None
    return {
        "relation": _relation(explanation.record) if explanation.record else None,
        "withheld": explanation.record is not None and explanation.record.withheld,
        "upstreams": [
            {
                "relation": str(edge.upstream),
                "status": (
                    explanation.upstream_records[edge.upstream].status.value
                    if edge.upstream in explanation.upstream_records
                    else "UNKNOWN"
                ),
            }
            for edge in explanation.upstreams
        ],
        "dependents": [str(name) for name in explanation.dependents],
        "versions": [_version(version) for version in explanation.versions],
        "work": _work(explanation.work) if explanation.work else None,
    }


def retention_report(change: Change, *, done: bool) -> dict[str, Any]:
    return {
        "distribution": change.distribution,
        "version": change.file.version,
        "file": change.file.filename,
        "action": "offer again" if change.reason is None else "yank",
        "done": done,
    }


def dead_letter_report(letter: StoredDeadLetter) -> dict[str, Any]:
    """The payload in base 64: it is untrusted input, and may not be text at all."""
    return {
        "id": letter.id,
        "source": letter.source,
        "reason": letter.reason,
        "namespace": letter.namespace,
        "received_at": letter.received_at,
        "payload_base64": base64.b64encode(letter.payload).decode("ascii"),
    }


def _relation(record: RelationRecord) -> dict[str, Any]:
    return {
        "relation": str(record.name),
        "status": "STALE" if record.stale else record.status.value,
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
    }


def _work(work: WorkRecord) -> dict[str, Any]:
    return {
        "relation": str(work.relation),
        "due_at": work.not_before,
        "attempts": work.attempts,
        "retries": work.retries,
        "last_error": work.last_error,
    }
