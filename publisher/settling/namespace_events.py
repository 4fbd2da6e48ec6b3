"""Remembers the newest event of each namespace while a replica of the catalog may not show it.

An event of a whole namespace requests only known relations. If a late, older event then names a new
relation, its reading must reflect the newer event, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace

from lakeschema.catalog.identifiers import Namespace
from publisher.policy import Policy
from publisher.state.protocol import Transaction
from publisher.state.records import Claim

PREFIX = "namespace-event/"  # without "@", so it is not shown

MAX_REMEMBERED = 1000
"""The limit for a flood of events with invented namespaces."""


def remember_namespace_events(
    tx: Transaction, event_ids: Mapping[Namespace, int], now: float, policy: Policy
) -> None:
    """Remembers the newest event of each namespace, and forgets those that every replica shows."""
    if not event_ids:
        return
    kept = 0
    for key, text in tx.journal.notes(PREFIX).items():
        _, heard_at = json.loads(text)
        if heard_at <= now - policy.max_lag_seconds:
            tx.journal.write_note(key, "")
        else:
            kept += 1
    tx.journal.forget_empty_notes(PREFIX)
    for namespace, event_id in event_ids.items():
        newest = _event_of(tx, namespace, now, policy)
        if kept < MAX_REMEMBERED and (newest is None or newest < event_id):
            tx.journal.write_note(_key(namespace), json.dumps([event_id, now]))
            kept += newest is None


def demand_namespace_events(
    tx: Transaction, claims: Iterable[Claim], now: float, policy: Policy
) -> list[Claim]:
    """The claims; each now needs an answer that reflects the newest event of its namespace."""
    held = [*claims]
    newest = {
        namespace: event_id
        for namespace in {claim.relation.place for claim in held}
        if (event_id := _event_of(tx, namespace, now, policy)) is not None
    }
    return [_demand(claim, newest.get(claim.relation.place)) for claim in held]


def _demand(claim: Claim, event_id: int | None) -> Claim:
    if event_id is None or event_id <= (claim.min_event_id or -1):
        return claim
    return replace(claim, min_event_id=event_id)


def _event_of(tx: Transaction, namespace: Namespace, now: float, policy: Policy) -> int | None:
    text = tx.journal.note(_key(namespace))
    if not text:
        return None
    event_id, heard_at = json.loads(text)
    return event_id if heard_at > now - policy.max_lag_seconds else None


def _key(namespace: Namespace) -> str:
    return f"{PREFIX}{namespace}"
