from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import (
    and_,
    bindparam,
    case,
    func,
    insert,
    not_,
    null,
    select,
    update,
)

from publisher.state.protocol import NONE_KNOWN
from publisher.state.records import VersionRecord, VersionStatus
from publisher.state.sql.connection import SqlConnection
from publisher.state.sql.keys import chunks
from publisher.state.sql.rows import version_record
from publisher.state.sql.statements import KEYS, insert_unless_present
from publisher.state.sql.tables import IS_CONFLICT, IS_RESERVED, VERSION

# All columns except the large ones, which are read for one version at a time.
_LARGE = ("wheel", "provenance")
_VERSIONS = select(*(column for column in VERSION.c if column.name not in _LARGE))

_EVERY = _VERSIONS.order_by(VERSION.c.sequence)

_HISTORY = _EVERY.where(VERSION.c.distribution.in_(KEYS))

_OPEN = _VERSIONS.where(VERSION.c.distribution.in_(KEYS), IS_RESERVED)

_CONFLICTS = _EVERY.where(IS_CONFLICT)

_NEWEST = select(
    func.max(VERSION.c.sequence).label("newest"),
    func.sum(case((IS_RESERVED, 1), else_=0)).label("open"),
).where(VERSION.c.distribution == bindparam("distribution"))

_RESERVE = insert(VERSION)

_ADOPT = insert_unless_present(VERSION, "distribution", "number")

_IS_OPEN = and_(
    VERSION.c.distribution == bindparam("of_distribution"),
    VERSION.c.number == bindparam("of_number"),
    IS_RESERVED,
)

_WHEEL = select(VERSION.c.wheel).where(_IS_OPEN)

_IS_SETTLED = and_(
    VERSION.c.distribution == bindparam("of_distribution"),
    VERSION.c.number == bindparam("of_number"),
    not_(IS_RESERVED),
)

_PROVENANCE = select(VERSION.c.provenance).where(_IS_SETTLED)

_REVISE = update(VERSION).where(_IS_SETTLED).values(status=bindparam("revised"))

_RECOGNISE = update(VERSION).where(_IS_SETTLED, IS_CONFLICT).values(provenance="")

_DISTRIBUTIONS = select(VERSION.c.distribution).distinct()

_END = update(VERSION).where(_IS_OPEN).values(status=bindparam("end"), wheel=null())


class SqlVersionLedger:
    def __init__(self, connection: SqlConnection) -> None:
        self._connection = connection

    def history(self, distributions: Iterable[str]) -> Mapping[str, Sequence[VersionRecord]]:
        found: dict[str, list[VersionRecord]] = {name: [] for name in distributions}
        for chunk in chunks(found):
            for row in self._connection.execute(_HISTORY, {"keys": chunk}):
                found[row.distribution].append(version_record(row))
        return found

    def reserve(
        self, version: VersionRecord, wheel: bytes, after: int | None, provenance: str = ""
    ) -> bool:
        newest = self._connection.execute(_NEWEST, {"distribution": version.distribution}).one()
        if newest.open or newest.newest != after:
            return False
        row = {**_row(version), "wheel": wheel, "provenance": provenance}
        self._connection.execute(_RESERVE, {**row, "status": VersionStatus.RESERVED.value})
        return True

    def open_reservations(self, distributions: Iterable[str]) -> Sequence[VersionRecord]:
        return [
            version_record(row)
            for chunk in chunks(distributions)
            for row in self._connection.execute(_OPEN, {"keys": chunk})
        ]

    def reserved_wheel(self, distribution: str, number: str) -> bytes | None:
        row = {"of_distribution": distribution, "of_number": number}
        wheel: bytes | None = self._connection.execute(_WHEEL, row).scalar_one_or_none()
        return wheel

    def confirm(self, distribution: str, number: str) -> None:
        self._end(distribution, number, VersionStatus.PUBLISHED)

    def mark_unusable(self, distribution: str, number: str) -> None:
        self._end(distribution, number, VersionStatus.CONFLICT)

    def _end(self, distribution: str, number: str, status: VersionStatus) -> None:
        row = {"of_distribution": distribution, "of_number": number, "end": status.value}
        self._connection.execute(_END, row)

    def recognise(self, version: VersionRecord) -> None:
        row = {**_row(version), "status": version.status.value}
        key = {"of_distribution": version.distribution, "of_number": version.number}
        self._connection.execute(_RECOGNISE, {**row, **key})

    def revise(self, distribution: str, number: str, status: VersionStatus) -> None:
        row = {"of_distribution": distribution, "of_number": number, "revised": status.value}
        self._connection.execute(_REVISE, row)

    def provenance(self, distribution: str, number: str) -> str:
        row = {"of_distribution": distribution, "of_number": number}
        return self._connection.execute(_PROVENANCE, row).scalar_one_or_none() or ""

    def distributions(self) -> Sequence[str]:
        return self._connection.execute(_DISTRIBUTIONS).scalars()

    def adopt(
        self, versions: Sequence[VersionRecord], provenances: Mapping[str, str] = NONE_KNOWN
    ) -> None:
        rows = [
            {
                **_row(version),
                "status": version.status.value,
                "wheel": None,
                "provenance": provenances.get(version.number, ""),
            }
            for version in versions
        ]
        self._connection.execute_each(_ADOPT, rows)

    def every_version(self) -> Sequence[VersionRecord]:
        return [version_record(row) for row in self._connection.execute(_EVERY)]

    def conflicts(self) -> Sequence[VersionRecord]:
        return [version_record(row) for row in self._connection.execute(_CONFLICTS)]


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
        "runtime": version.runtime,
    }
