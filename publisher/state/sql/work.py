"""The work queue in SQL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, text

from publisher.state.records import Claim, Urgency, WorkRecord, WorkRequest
from publisher.state.sql.statements import name_of, tick

_INSERT = """
    INSERT INTO work (key, generation, min_event_id, not_before, first_asked, attempts, retries,
                      lease_until, fence, reread_at, urgency, last_error)
    VALUES (:key, :generation, :min_event_id, :not_before, :not_before, 0, 0, 0, 0, :reread_at,
            :urgency, '')
    ON CONFLICT (key) DO UPDATE SET
        generation = excluded.generation,
        min_event_id = CASE
            WHEN work.min_event_id IS NULL OR excluded.min_event_id > work.min_event_id
            THEN excluded.min_event_id ELSE work.min_event_id END,
        reread_at = COALESCE(excluded.reread_at, work.reread_at),
        urgency = CASE WHEN excluded.urgency < work.urgency
            THEN excluded.urgency ELSE work.urgency END,
        not_before = """

_REQUEST = text(
    _INSERT
    + """CASE WHEN excluded.not_before < work.not_before
            THEN excluded.not_before ELSE work.not_before END"""
)

_REQUEST_WHEN_QUIET = text(
    _INSERT
    + """CASE WHEN excluded.not_before < work.first_asked + :max_wait
            THEN excluded.not_before ELSE work.first_asked + :max_wait END"""
)

_DUE = text("""
    SELECT key, generation, attempts, retries, min_event_id, reread_at FROM work
    WHERE not_before <= :now AND lease_until <= :now
    ORDER BY urgency, not_before, key LIMIT :limit
""")

_CLAIM = text("""
    UPDATE work SET fence = :fence, lease_until = :lease_until, attempts = attempts + 1
    WHERE key = :key
""")

_HOLDS = text("SELECT 1 FROM work WHERE key = :key AND fence = :fence")

_CLEAR = text("DELETE FROM work WHERE key = :key AND fence = :fence AND generation = :generation")

_GIVE_BACK = text("""
    UPDATE work SET lease_until = 0, attempts = 0, retries = 0, last_error = '', fence = :next,
        first_asked = not_before
    WHERE key = :key AND fence = :fence
""")

_LOOK_AGAIN = text("""
    UPDATE work SET lease_until = 0, attempts = 0, retries = 0, last_error = '', reread_at = NULL,
        fence = :next, not_before = CASE WHEN generation = :generation
            OR not_before > :not_before THEN :not_before ELSE not_before END
    WHERE key = :key AND fence = :fence
""")

_DEFER = text("""
    UPDATE work SET lease_until = 0, retries = retries + 1, last_error = :reason, fence = :next,
        attempts = CASE WHEN :counts_as_attempt = 1 THEN attempts ELSE 0 END,
        not_before = CASE WHEN generation = :generation THEN :until ELSE not_before END
    WHERE key = :key AND fence = :fence
""")

_RENEW = text("UPDATE work SET lease_until = :lease_until WHERE key = :key AND fence = :fence")

_RESET_ATTEMPTS = text("UPDATE work SET attempts = 0 WHERE key = :key AND fence = :fence")

_DUE_AT = text("""
    SELECT MIN(CASE WHEN lease_until > not_before THEN lease_until ELSE not_before END) FROM work
""")

_OUTSTANDING = text("""
    SELECT key, not_before, lease_until, attempts, retries, last_error, urgency FROM work
    ORDER BY urgency, not_before, key
""")

_RESET = text("UPDATE work SET min_event_id = NULL WHERE min_event_id > :current")


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
                "reread_at": request.reread_at,
                "urgency": int(request.urgency),
            }
            for request in requests
        ]

    def claim(self, now: float, lease_seconds: float, limit: int) -> Sequence[Claim]:
        due = self._connection.execute(_DUE, {"now": now, "limit": limit}).all()
        if not due:
            return ()
        # Whatever killed a process is looked at alone, so that it takes nobody with it.
        chosen = due[:1] if due[0].attempts else [row for row in due if not row.attempts]
        fence = tick(self._connection)
        lease_until = now + lease_seconds
        self._connection.execute(
            _CLAIM,
            [{"key": row.key, "fence": fence, "lease_until": lease_until} for row in chosen],
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
        row = {"key": str(claim.relation), "fence": claim.fence}
        return self._connection.execute(_HOLDS, row).first() is not None

    def clear(self, claim: Claim) -> bool:
        row = {
            "key": str(claim.relation),
            "fence": claim.fence,
            "generation": claim.generation,
        }
        if self._connection.execute(_CLEAR, row).rowcount:
            return True
        row["next"] = tick(self._connection)
        return self._connection.execute(_GIVE_BACK, row).rowcount > 0

    def clear_until(self, claim: Claim, not_before: float) -> bool:
        row = {
            "key": str(claim.relation),
            "fence": claim.fence,
            "generation": claim.generation,
            "not_before": not_before,
            "next": tick(self._connection),
        }
        return self._connection.execute(_LOOK_AGAIN, row).rowcount > 0

    def defer(self, claim: Claim, until: float, reason: str, *, counts_as_attempt: bool) -> bool:
        row = {
            "key": str(claim.relation),
            "fence": claim.fence,
            "generation": claim.generation,
            "until": until,
            "reason": reason,
            "counts_as_attempt": int(counts_as_attempt),
            "next": tick(self._connection),
        }
        return self._connection.execute(_DEFER, row).rowcount > 0

    def renew(self, claims: Iterable[Claim], lease_until: float) -> None:
        rows = [
            {"key": str(claim.relation), "fence": claim.fence, "lease_until": lease_until}
            for claim in claims
        ]
        if rows:
            self._connection.execute(_RENEW, rows)

    def reset_attempts(self, claims: Iterable[Claim]) -> None:
        rows = [{"key": str(claim.relation), "fence": claim.fence} for claim in claims]
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
        self._connection.execute(_RESET, {"current": current})
