"""The ledger of version numbers in SQL."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, text

from publisher.state.records import VersionRecord, VersionStatus
from publisher.state.sql.statements import chunks, name_of, with_names

_COLUMNS = """
    sequence, distribution, number, relation, status, content_hash, schema_text, wheel_sha256,
    filename, change, reasons, created_at, surface_hash
"""

_HISTORY = with_names(
    f"SELECT {_COLUMNS} FROM version WHERE distribution IN :names ORDER BY sequence"  # noqa: S608
)

_OPEN = with_names(
    f"SELECT {_COLUMNS} FROM version WHERE distribution IN :names AND status = 'RESERVED'"  # noqa: S608
)

_EVERY = text(f"SELECT {_COLUMNS} FROM version ORDER BY sequence")  # noqa: S608

_NEWEST = text("""
    SELECT MAX(sequence) AS newest, SUM(CASE WHEN status = 'RESERVED' THEN 1 ELSE 0 END) AS open
    FROM version WHERE distribution = :distribution
""")

_INSERT = """
    INSERT INTO version (distribution, number, relation, status, content_hash, schema_text,
                         wheel_sha256, filename, wheel, change, reasons, created_at, surface_hash)
    VALUES (:distribution, :number, :relation, :status, :content_hash, :schema_text,
            :wheel_sha256, :filename, :wheel, :change, :reasons, :created_at, :surface_hash)
"""

_RESERVE = text(_INSERT)

_ADOPT = text(_INSERT + " ON CONFLICT (distribution, number) DO NOTHING")

_WHEEL = text("""
    SELECT wheel FROM version
    WHERE distribution = :distribution AND number = :number AND status = 'RESERVED'
""")

_END = text("""
    UPDATE version SET status = :status, wheel = NULL
    WHERE distribution = :distribution AND number = :number AND status = 'RESERVED'
""")


class SqlVersionLedger:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def history(self, distributions: Iterable[str]) -> Mapping[str, Sequence[VersionRecord]]:
        found: dict[str, list[VersionRecord]] = {name: [] for name in distributions}
        for chunk in chunks(found):
            for row in self._connection.execute(_HISTORY, {"names": chunk}):
                found[row.distribution].append(_version(row))
        return found

    def reserve(self, version: VersionRecord, wheel: bytes, after: int | None) -> bool:
        newest = self._connection.execute(_NEWEST, {"distribution": version.distribution}).one()
        if newest.open or newest.newest != after:
            return False
        self._connection.execute(
            _RESERVE, {**_row(version), "status": VersionStatus.RESERVED.value, "wheel": wheel}
        )
        return True

    def open_reservations(self, distributions: Iterable[str]) -> Sequence[VersionRecord]:
        return [
            _version(row)
            for chunk in chunks(distributions)
            for row in self._connection.execute(_OPEN, {"names": chunk})
        ]

    def reserved_wheel(self, distribution: str, number: str) -> bytes | None:
        row = {"distribution": distribution, "number": number}
        wheel: bytes | None = self._connection.execute(_WHEEL, row).scalar_one_or_none()
        return wheel

    def confirm(self, distribution: str, number: str) -> None:
        self._end(distribution, number, VersionStatus.PUBLISHED)

    def mark_unusable(self, distribution: str, number: str) -> None:
        self._end(distribution, number, VersionStatus.CONFLICT)

    def _end(self, distribution: str, number: str, status: VersionStatus) -> None:
        row = {"distribution": distribution, "number": number, "status": status.value}
        self._connection.execute(_END, row)

    def adopt(self, versions: Sequence[VersionRecord]) -> None:
        rows = [
            {**_row(version), "status": VersionStatus.PUBLISHED.value, "wheel": None}
            for version in versions
        ]
        if rows:
            self._connection.execute(_ADOPT, rows)

    def every_version(self) -> Sequence[VersionRecord]:
        return [_version(row) for row in self._connection.execute(_EVERY)]


def _row(version: VersionRecord) -> dict[str, object]:
    return {
        "distribution": version.distribution,
        "number": version.number,
        "relation": str(version.relation),
        "content_hash": version.content_hash,
        "schema_text": version.schema_text,
        "wheel_sha256": version.wheel_sha256,
        "filename": version.filename,
        "change": version.change,
        "reasons": json.dumps(version.reasons),
        "created_at": version.created_at,
        "surface_hash": version.surface_hash,
    }


def _version(row: Row[Any]) -> VersionRecord:
    return VersionRecord(
        distribution=row.distribution,
        number=row.number,
        relation=name_of(row.relation),
        status=VersionStatus(row.status),
        content_hash=row.content_hash,
        schema_text=row.schema_text,
        wheel_sha256=row.wheel_sha256,
        filename=row.filename,
        change=row.change,
        reasons=tuple(json.loads(row.reasons)),
        created_at=row.created_at,
        sequence=row.sequence,
        surface_hash=row.surface_hash,
    )
