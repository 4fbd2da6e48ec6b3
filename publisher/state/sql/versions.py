from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from sqlalchemy import (
    Text,
    and_,
    bindparam,
    case,
    func,
    insert,
    literal_column,
    not_,
    null,
    select,
    update,
)

from publisher.state.protocol import NONE_KNOWN
from publisher.state.records import Publication, PublishedVersion, VersionRecord, VersionStatus
from publisher.state.sql.connection import SqlConnection
from publisher.state.sql.dialects import Truncated
from publisher.state.sql.keys import chunks, name_of
from publisher.state.sql.rows import Row, publication, version_record
from publisher.state.sql.statements import KEYS, insert_unless_present
from publisher.state.sql.tables import (
    IS_CONFLICT,
    IS_PUBLISHED,
    IS_RESERVED,
    RELATION,
    VERSION,
)

# All columns except the large columns, which are read for one version at a time.
_LARGE = ("wheel", "provenance")
_VERSIONS = select(*(column for column in VERSION.c if column.name not in _LARGE))

_EVERY = _VERSIONS.order_by(VERSION.c.sequence)

_HISTORY = _EVERY.where(VERSION.c.distribution.in_(KEYS))

_OPEN = _VERSIONS.where(VERSION.c.distribution.in_(KEYS), IS_RESERVED)

_CONFLICTS = _EVERY.where(IS_CONFLICT)

_OLDER = VERSION.alias("older")

_PREVIOUS = (
    select(_OLDER.c.number)
    .where(
        _OLDER.c.distribution == VERSION.c.distribution,
        _OLDER.c.status == literal_column(f"'{VersionStatus.PUBLISHED.value}'", Text),
        _OLDER.c.sequence < VERSION.c.sequence,
    )
    .order_by(_OLDER.c.sequence.desc())
    .limit(1)
    .scalar_subquery()
)

_DROPPED_AT = (
    select(RELATION.c.missing_since)
    .where(RELATION.c.name == VERSION.c.relation, RELATION.c.yanked == 1)
    .scalar_subquery()
)

_PUBLISHED = (
    select(
        VERSION.c.sequence,
        VERSION.c.distribution,
        VERSION.c.number,
        VERSION.c.relation,
        VERSION.c.change,
        VERSION.c.reasons,
        VERSION.c.created_at,
        VERSION.c.wheel_sha256,
        _PREVIOUS.label("previous"),
        _DROPPED_AT.label("dropped_at"),
    )
    .where(IS_PUBLISHED, VERSION.c.sequence < bindparam("before"))
    .order_by(VERSION.c.sequence.desc())
    .limit(bindparam("limit"))
)

_PUBLISHED_OF = _PUBLISHED.where(VERSION.c.distribution == bindparam("distribution"))

_NO_SEQUENCE: Final = 2**63 - 1

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

_LISTED = select(
    VERSION.c.distribution,
    VERSION.c.number,
    VERSION.c.relation,
    VERSION.c.wheel_sha256,
    VERSION.c.change,
    VERSION.c.created_at,
    VERSION.c.sequence,
)

_NEWEST_PUBLISHED = _LISTED.where(
    VERSION.c.sequence.in_(
        select(func.max(VERSION.c.sequence))
        .where(VERSION.c.distribution.in_(KEYS), IS_PUBLISHED)
        .group_by(VERSION.c.distribution)
    )
)

_LATEST = (
    _LISTED.where(IS_PUBLISHED)
    .order_by(VERSION.c.created_at.desc(), VERSION.c.sequence.desc())
    .limit(bindparam("limit"))
)

_HOUR = Truncated((VERSION.c.created_at - bindparam("since")) / literal_column("3600.0"))

_BY_HOUR = (
    select(_HOUR.label("hour"), func.count().label("number"))
    .where(
        VERSION.c.created_at >= bindparam("since"),
        VERSION.c.created_at < bindparam("until"),
        IS_PUBLISHED,
    )
    .group_by(literal_column("1"))
)

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

    def published(
        self, limit: int, before: int | None = None, distribution: str | None = None
    ) -> Sequence[Publication]:
        values: dict[str, object] = {
            "limit": limit,
            "before": _NO_SEQUENCE if before is None else before,
        }
        if distribution is None:
            rows = self._connection.execute(_PUBLISHED, values)
        else:
            rows = self._connection.execute(_PUBLISHED_OF, {**values, "distribution": distribution})
        return [publication(row) for row in rows]

    def every_version(self) -> Sequence[VersionRecord]:
        return [version_record(row) for row in self._connection.execute(_EVERY)]

    def conflicts(self) -> Sequence[VersionRecord]:
        return [version_record(row) for row in self._connection.execute(_CONFLICTS)]

    def newest(self, distributions: Iterable[str]) -> Mapping[str, PublishedVersion]:
        return {
            row.distribution: _published(row)
            for chunk in chunks(distributions)
            for row in self._connection.execute(_NEWEST_PUBLISHED, {"keys": chunk})
        }

    def latest(self, limit: int) -> Sequence[PublishedVersion]:
        return [_published(row) for row in self._connection.execute(_LATEST, {"limit": limit})]

    def published_by_hour(self, since: float, until: float) -> Mapping[int, int]:
        found = self._connection.execute(_BY_HOUR, {"since": since, "until": until})
        return {row.hour: row.number for row in found}


def _published(row: Row) -> PublishedVersion:
    return PublishedVersion(
        row.distribution,
        row.number,
        name_of(row.relation),
        row.wheel_sha256,
        row.change,
        row.created_at,
        row.sequence,
    )


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
