"""The work queue in SQL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import (
    Boolean,
    ColumnElement,
    Connection,
    Float,
    and_,
    bindparam,
    case,
    delete,
    func,
    null,
    or_,
    select,
    update,
)

from publisher.state.records import Claim, Urgency, WorkRecord, WorkRequest
from publisher.state.sql.keys import name_of
from publisher.state.sql.statements import (
    EMPTY_TEXT,
    ONE,
    ZERO,
    Columns,
    greater,
    lesser,
    tick,
    upsert,
)
from publisher.state.sql.tables import WORK

_INITIAL = {
    "attempts": ZERO,
    "retries": ZERO,
    "lease_until": ZERO,
    "fence": ZERO,
    "last_error": EMPTY_TEXT,
}


def _request_changes(new: Columns) -> dict[str, ColumnElement[Any]]:
    raises_event_id = or_(WORK.c.min_event_id.is_(None), new.min_event_id > WORK.c.min_event_id)
    return {
        "generation": new.generation,
        "min_event_id": case((raises_event_id, new.min_event_id), else_=WORK.c.min_event_id),
        "reread_at": func.coalesce(new.reread_at, WORK.c.reread_at),
        "urgency": lesser(new.urgency, WORK.c.urgency),
    }


_REQUEST = upsert(
    WORK,
    lambda new: {**_request_changes(new), "not_before": lesser(new.not_before, WORK.c.not_before)},
).values(_INITIAL)

_REQUEST_WHEN_QUIET = upsert(
    WORK,
    lambda new: {
        **_request_changes(new),
        "not_before": lesser(new.not_before, WORK.c.first_asked + bindparam("max_wait")),
    },
).values(_INITIAL)

_DUE = (
    select(
        WORK.c.key,
        WORK.c.generation,
        WORK.c.attempts,
        WORK.c.retries,
        WORK.c.min_event_id,
        WORK.c.reread_at,
    )
    .where(WORK.c.not_before <= bindparam("now"), WORK.c.lease_until <= bindparam("now"))
    .order_by(WORK.c.urgency, WORK.c.not_before, WORK.c.key)
    .limit(bindparam("limit"))
)

_CLAIM = (
    update(WORK)
    .where(WORK.c.key == bindparam("due_key"))
    .values(
        fence=bindparam("fence"),
        lease_until=bindparam("lease_until"),
        attempts=WORK.c.attempts + ONE,
    )
)

_CLAIMED = and_(WORK.c.key == bindparam("claimed_key"), WORK.c.fence == bindparam("claimed_fence"))

_SAME_GENERATION = WORK.c.generation == bindparam("claimed_generation")

_UNTIL = bindparam("until", type_=Float)

_HOLDS = select(WORK.c.key).where(_CLAIMED)

_CLEAR = delete(WORK).where(_CLAIMED, _SAME_GENERATION)

_ENDED = {"lease_until": ZERO, "attempts": ZERO, "retries": ZERO, "last_error": EMPTY_TEXT}

_RELEASE = (
    update(WORK)
    .where(_CLAIMED)
    .values(_ENDED | {"fence": bindparam("next_fence"), "first_asked": WORK.c.not_before})
)

_CLEAR_UNTIL = (
    update(WORK)
    .where(_CLAIMED)
    .values(
        _ENDED
        | {
            "fence": bindparam("next_fence"),
            "reread_at": null(),
            "not_before": case(
                (or_(_SAME_GENERATION, WORK.c.not_before > _UNTIL), _UNTIL),
                else_=WORK.c.not_before,
            ),
        }
    )
)

_DEFER = (
    update(WORK)
    .where(_CLAIMED)
    .values(
        lease_until=ZERO,
        retries=WORK.c.retries + ONE,
        last_error=bindparam("last_error"),
        fence=bindparam("next_fence"),
        attempts=case((bindparam("counts_as_attempt", type_=Boolean), WORK.c.attempts), else_=ZERO),
        not_before=case((_SAME_GENERATION, _UNTIL), else_=WORK.c.not_before),
    )
)

_RENEW = update(WORK).where(_CLAIMED).values(lease_until=bindparam("lease_until"))

_RESET_ATTEMPTS = update(WORK).where(_CLAIMED).values(attempts=ZERO)

_DUE_AT = select(func.min(greater(WORK.c.lease_until, WORK.c.not_before)))

_OUTSTANDING = select(
    WORK.c.key,
    WORK.c.not_before,
    WORK.c.lease_until,
    WORK.c.attempts,
    WORK.c.retries,
    WORK.c.last_error,
    WORK.c.urgency,
).order_by(WORK.c.urgency, WORK.c.not_before, WORK.c.key)

_RESET_EVENT_IDS = (
    update(WORK).where(WORK.c.min_event_id > bindparam("current")).values(min_event_id=null())
)


class SqlWorkQueue:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def request(self, requests: Iterable[WorkRequest]) -> None:
        rows = self._rows(requests)
        if rows:
            self._connection.execute(_REQUEST, rows)

    def request_when_quiet(self, requests: Iterable[WorkRequest], max_wait_seconds: float) -> None:
        rows = [{**row, "max_wait": max_wait_seconds} for row in self._rows(requests)]
        if rows:
            self._connection.execute(_REQUEST_WHEN_QUIET, rows)

    def _rows(self, requests: Iterable[WorkRequest]) -> list[dict[str, object]]:
        requests = list(requests)
        if not requests:
            return []
        generation = tick(self._connection)
        return [
            {
                "key": str(request.relation),
                "generation": generation,
                "min_event_id": request.min_event_id,
                "not_before": request.not_before,
                "first_asked": request.not_before,
                "reread_at": request.reread_at,
                "urgency": int(request.urgency),
            }
            for request in requests
        ]

    def claim(self, now: float, lease_seconds: float, limit: int) -> Sequence[Claim]:
        due = self._connection.execute(_DUE, {"now": now, "limit": limit}).all()
        if not due:
            return ()
        # Work that may have ended its process runs alone, so that no other work fails with it.
        chosen = due[:1] if due[0].attempts else [row for row in due if not row.attempts]
        fence = tick(self._connection)
        lease_until = now + lease_seconds
        self._connection.execute(
            _CLAIM,
            [{"due_key": row.key, "fence": fence, "lease_until": lease_until} for row in chosen],
        )
        return [
            Claim(
                relation=name_of(row.key),
                generation=row.generation,
                fence=fence,
                claimed_at=now,
                lease_until=lease_until,
                attempts=row.attempts + 1,
                retries=row.retries,
                min_event_id=row.min_event_id,
                reread_at=row.reread_at,
            )
            for row in chosen
        ]

    def holds(self, claim: Claim) -> bool:
        return self._connection.execute(_HOLDS, _claimed(claim)).first() is not None

    def clear(self, claim: Claim) -> bool:
        row = _claimed(claim)
        if self._connection.execute(_CLEAR, row).rowcount:
            return True
        row["next_fence"] = tick(self._connection)
        return self._connection.execute(_RELEASE, row).rowcount > 0

    def clear_until(self, claim: Claim, not_before: float) -> bool:
        row = {
            **_claimed(claim),
            "until": not_before,
            "next_fence": tick(self._connection),
        }
        return self._connection.execute(_CLEAR_UNTIL, row).rowcount > 0

    def defer(self, claim: Claim, until: float, reason: str, *, counts_as_attempt: bool) -> bool:
        row = {
            **_claimed(claim),
            "until": until,
            "last_error": reason,
            "counts_as_attempt": counts_as_attempt,
            "next_fence": tick(self._connection),
        }
        return self._connection.execute(_DEFER, row).rowcount > 0

    def renew(self, claims: Iterable[Claim], lease_until: float) -> None:
        rows = [{**_claimed(claim), "lease_until": lease_until} for claim in claims]
        if rows:
            self._connection.execute(_RENEW, rows)

    def reset_attempts(self, claims: Iterable[Claim]) -> None:
        rows = [_claimed(claim) for claim in claims]
        if rows:
            self._connection.execute(_RESET_ATTEMPTS, rows)

    def due_at(self) -> float | None:
        due: float | None = self._connection.execute(_DUE_AT).scalar_one()
        return due

    def outstanding(self) -> Sequence[WorkRecord]:
        return [
            WorkRecord(
                relation=name_of(row.key),
                not_before=row.not_before,
                lease_until=row.lease_until,
                attempts=row.attempts,
                retries=row.retries,
                last_error=row.last_error,
                urgency=Urgency(row.urgency),
            )
            for row in self._connection.execute(_OUTSTANDING)
        ]

    def reset_event_ids(self, current: int) -> None:
        self._connection.execute(_RESET_EVENT_IDS, {"current": current})


def _claimed(claim: Claim) -> dict[str, object]:
    return {
        "claimed_key": str(claim.relation),
        "claimed_fence": claim.fence,
        "claimed_generation": claim.generation,
    }
