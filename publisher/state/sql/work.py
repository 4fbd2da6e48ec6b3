from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    Boolean,
    ColumnElement,
    Float,
    Select,
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

from lakeschema.catalog.identifiers import Namespace, RelationName
from publisher.progress import Retried
from publisher.state.records import Cause, Claim, Urgency, WorkRecord, WorkRequest
from publisher.state.sql.connection import SqlConnection
from publisher.state.sql.keys import chunks, keys_of, name_of
from publisher.state.sql.rows import Row
from publisher.state.sql.statements import (
    EMPTY_TEXT,
    KEYS,
    ONE,
    ZERO,
    Columns,
    lesser,
    tick,
    upsert,
)
from publisher.state.sql.tables import CLAIMABLE_AT, WORK

_INITIAL = {
    "attempts": ZERO,
    "retries": ZERO,
    "lease_until": ZERO,
    "fence": ZERO,
    "last_error": EMPTY_TEXT,
    "failures": ZERO,
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

AGEING_SECONDS = 60.0
"""Work that has been due for longer may precede more urgent work."""

# Selects one urgency, because the index begins with the urgency. Otherwise the database would also
# read work that is not due.
_OLDEST = (
    select(
        WORK.c.key,
        WORK.c.generation,
        WORK.c.attempts,
        WORK.c.retries,
        WORK.c.min_event_id,
        WORK.c.reread_at,
        WORK.c.first_asked,
        WORK.c.failures,
        WORK.c.not_before,
    )
    .where(
        WORK.c.urgency == bindparam("of_urgency"),
        WORK.c.not_before <= bindparam("due_before"),
        WORK.c.lease_until <= bindparam("now"),
    )
    .order_by(WORK.c.not_before, WORK.c.key)
    .limit(bindparam("limit"))
)

# Only work without earlier claims and failures: other work is never claimed in a batch.
_AGED = _OLDEST.where(WORK.c.attempts == ZERO, WORK.c.failures == ZERO)

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
_OWED_AT = bindparam("owed_at", type_=Float)

_HOLDS = select(WORK.c.key).where(_CLAIMED)

_CLEAR = delete(WORK).where(_CLAIMED, _SAME_GENERATION)

_ENDED = {
    "lease_until": ZERO,
    "attempts": ZERO,
    "retries": ZERO,
    "failures": ZERO,
    "last_error": EMPTY_TEXT,
}

_RELEASE = (
    update(WORK)
    .where(_CLAIMED)
    .values(_ENDED | {"fence": bindparam("next_fence"), "first_asked": WORK.c.not_before})
)

# Events and rereads of a newer request stay open. A pending reread stays in the row, because a request
# may cause the work to be done before the reread is due.
_CLEAR_UNTIL = (
    update(WORK)
    .where(_CLAIMED)
    .values(
        _ENDED
        | {
            "fence": bindparam("next_fence"),
            "reread_at": case(
                (
                    or_(_SAME_GENERATION, WORK.c.reread_at.is_(None), WORK.c.reread_at < _OWED_AT),
                    _OWED_AT,
                ),
                else_=WORK.c.reread_at,
            ),
            "min_event_id": case((_SAME_GENERATION, null()), else_=WORK.c.min_event_id),
            "first_asked": case((_SAME_GENERATION, _UNTIL), else_=WORK.c.not_before),
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
        attempts=case((bindparam("has_crashed", type_=Boolean), WORK.c.attempts), else_=ZERO),
        failures=bindparam("failed_times"),
        not_before=case((_SAME_GENERATION, _UNTIL), else_=WORK.c.not_before),
    )
)

_RENEW = update(WORK).where(_CLAIMED).values(lease_until=bindparam("lease_until"))

_SHORTEN_LEASES = update(WORK).where(WORK.c.lease_until > _UNTIL).values(lease_until=_UNTIL)

_RESET_ATTEMPTS = update(WORK).where(_CLAIMED).values(attempts=ZERO)

_RESET_FAILURES = update(WORK).where(WORK.c.key.in_(KEYS)).values(failures=ZERO, retries=ZERO)

_DUE_AT = select(func.min(CLAIMABLE_AT))

# This statement has a separate index, because each scrape of the metrics runs it.
_OLDEST_AT = select(func.min(WORK.c.first_asked)).where(WORK.c.failures == ZERO)

_ATTEMPTS = select(WORK.c.key, WORK.c.retries, WORK.c.failures, WORK.c.last_error).where(
    WORK.c.key.in_(KEYS)
)

_EVERY = select(
    WORK.c.key,
    WORK.c.not_before,
    WORK.c.lease_until,
    WORK.c.attempts,
    WORK.c.retries,
    WORK.c.last_error,
    WORK.c.urgency,
    WORK.c.first_asked,
    WORK.c.failures,
)

_OUTSTANDING = _EVERY.order_by(WORK.c.urgency, WORK.c.not_before, WORK.c.key)

_OUTSTANDING_OF = _EVERY.where(WORK.c.key == bindparam("of_key"))

_FAILING = (
    _EVERY.where(WORK.c.failures > ZERO)
    .order_by(WORK.c.failures.desc(), WORK.c.key)
    .limit(bindparam("limit"))
)

_BETWEEN = (
    select(WORK.c.key)
    .where(WORK.c.key > bindparam("first_key"), WORK.c.key < bindparam("end_key"))
    .order_by(WORK.c.key)
)


class SqlWorkQueue:
    def __init__(self, connection: SqlConnection) -> None:
        self._connection = connection

    def request(self, requests: Iterable[WorkRequest]) -> None:
        rows = self._rows(requests)
        self._connection.execute_each(_REQUEST, rows)

    def request_when_quiet(self, requests: Iterable[WorkRequest], max_wait_seconds: float) -> None:
        rows = [{**row, "max_wait": max_wait_seconds} for row in self._rows(requests)]
        self._connection.execute_each(_REQUEST_WHEN_QUIET, rows)

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
        urgent: list[Row] = []
        for urgency in Urgency:
            urgent += self._due(_OLDEST, urgency, now, now, limit - len(urgent))
        if not urgent:
            return ()
        fence = tick(self._connection)
        chosen = _batch(self._with_aged(urgent, now, limit, fence))
        lease_until = now + lease_seconds
        self._connection.execute_each(
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
                first_asked=row.first_asked,
                failures=row.failures,
            )
            for row in chosen
        ]

    def _with_aged(
        self, urgent: Sequence[Any], now: float, limit: int, fence: int
    ) -> Sequence[Any]:
        """The work to claim, with a part of the aged work.

        If it is the turn of the oldest work, it comes first. Otherwise aged work is a quarter of a full
        batch.
        """
        if _is_turn_of_oldest(fence):
            first = self._oldest(_OLDEST, now, 1)
            return [*first, *_without(urgent, first)][:limit]
        if len(urgent) < limit:
            return urgent
        aged = self._oldest(_AGED, now, limit // 4)
        return [*_without(urgent, aged)[: limit - len(aged)], *aged]

    def _oldest(self, statement: Select[Any], now: float, limit: int) -> Sequence[Any]:
        """Less urgent work that has been due for a long time."""
        aged = [
            row
            for urgency in (Urgency.REFRESH, Urgency.SNAPSHOT)
            for row in self._due(statement, urgency, now, now - AGEING_SECONDS, limit)
        ]
        return sorted(aged, key=lambda row: (row.not_before, row.key))[:limit]

    def _due(
        self, statement: Select[Any], urgency: Urgency, now: float, due_before: float, limit: int
    ) -> Iterable[Row]:
        bounds = {"now": now, "due_before": due_before, "limit": limit}
        return self._connection.execute(statement, {**bounds, "of_urgency": int(urgency)})

    def holds(self, claim: Claim) -> bool:
        return self._connection.execute(_HOLDS, _claimed(claim)).first() is not None

    def clear(self, claim: Claim) -> bool:
        row = _claimed(claim)
        if self._connection.execute(_CLEAR, row).rowcount:
            return True
        row["next_fence"] = tick(self._connection)
        return self._connection.execute(_RELEASE, row).rowcount > 0

    def clear_until(self, claim: Claim, not_before: float, reread_at: float | None = None) -> bool:
        row = {
            **_claimed(claim),
            "until": not_before,
            "owed_at": reread_at,
            "next_fence": tick(self._connection),
        }
        return self._connection.execute(_CLEAR_UNTIL, row).rowcount > 0

    def defer(self, claim: Claim, until: float, reason: str, cause: Cause) -> bool:
        row = {
            **_claimed(claim),
            "until": until,
            "last_error": reason,
            "has_crashed": cause is Cause.CRASH,
            "failed_times": claim.failures + (cause is Cause.OWN),
            "next_fence": tick(self._connection),
        }
        return self._connection.execute(_DEFER, row).rowcount > 0

    def renew(self, claims: Iterable[Claim], lease_until: float) -> None:
        rows = [{**_claimed(claim), "lease_until": lease_until} for claim in claims]
        self._connection.execute_each(_RENEW, rows)

    def shorten_leases(self, until: float) -> None:
        self._connection.execute(_SHORTEN_LEASES, {"until": until})

    def reset_attempts(self, claims: Iterable[Claim]) -> None:
        rows = [_claimed(claim) for claim in claims]
        self._connection.execute_each(_RESET_ATTEMPTS, rows)

    def reset_failures(self, names: Iterable[RelationName]) -> None:
        for chunk in chunks(keys_of(names)):
            self._connection.execute(_RESET_FAILURES, {"keys": chunk})

    def retried(self, claims: Iterable[Claim]) -> Mapping[RelationName, Retried]:
        before = {str(claim.relation): claim.retries for claim in claims}
        return {
            name_of(row.key): Retried(row.last_error, row.failures)
            for chunk in chunks(before)
            for row in self._connection.execute(_ATTEMPTS, {"keys": chunk})
            if row.retries > before[row.key]
        }

    def oldest_at(self) -> float | None:
        oldest: float | None = self._connection.execute(_OLDEST_AT).scalar_one()
        return oldest

    def due_at(self) -> float | None:
        due: float | None = self._connection.execute(_DUE_AT).scalar_one()
        return due

    def outstanding(self) -> Sequence[WorkRecord]:
        return [_outstanding(row) for row in self._connection.execute(_OUTSTANDING)]

    def of(self, name: RelationName) -> WorkRecord | None:
        row = self._connection.execute(_OUTSTANDING_OF, {"of_key": str(name)}).first()
        return None if row is None else _outstanding(row)

    def failing(self, limit: int) -> Sequence[WorkRecord]:
        return [_outstanding(row) for row in self._connection.execute(_FAILING, {"limit": limit})]

    def in_namespace(self, namespace: Namespace) -> Sequence[RelationName]:
        key = str(namespace)
        row = {"first_key": f"{key}.", "end_key": f"{key}/"}  # the character after the point
        names = map(name_of, self._connection.execute(_BETWEEN, row).scalars())
        # Keys of nested namespaces have the same beginning.
        return [name for name in names if name.place == namespace]


def _outstanding(row: Row) -> WorkRecord:
    return WorkRecord(
        relation=name_of(row.key),
        not_before=row.not_before,
        lease_until=row.lease_until,
        attempts=row.attempts,
        retries=row.retries,
        last_error=row.last_error,
        urgency=Urgency(row.urgency),
        first_asked=row.first_asked,
        failures=row.failures,
    )


def _batch(due: Sequence[Any]) -> Sequence[Any]:
    """The work to claim together. Work that failed before is claimed apart: it could delay the rest."""
    if not due or due[0].attempts:
        # Work that was claimed before may have killed its process.
        return due[:1]
    failed = bool(due[0].failures)
    return [row for row in due if not row.attempts and bool(row.failures) is failed]


def _is_turn_of_oldest(fence: int) -> bool:
    """Whether it is the turn of the oldest work: at about every fourth claim.

    ``fence % 4`` would not work: with one request before each claim, all fences are odd. Multiples
    of the golden ratio reach each quarter equally often, for any distance between fences.
    """
    return fence * 0x9E3779B1 % 2**32 < 2**30


def _without(rows: Sequence[Any], taken: Sequence[Any]) -> Sequence[Any]:
    keys = {row.key for row in taken}
    return [row for row in rows if row.key not in keys]


def _claimed(claim: Claim) -> dict[str, object]:
    return {
        "claimed_key": str(claim.relation),
        "claimed_fence": claim.fence,
        "claimed_generation": claim.generation,
    }
