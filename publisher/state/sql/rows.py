"""Converts rows of the state's tables to records."""

from __future__ import annotations

import json
from collections import namedtuple
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

from lakeschema.translation.model.outcome import Status
from publisher.state.records import (
    NO_INTERFACE,
    FilledColumn,
    FillingRecord,
    Inputs,
    Output,
    Publication,
    RelationRecord,
    VersionRecord,
    VersionStatus,
)
from publisher.state.sql.keys import name_of

Row: TypeAlias = Any
"""A named tuple. It has no static type, because its columns are known only at run time."""


_named_tuple: Any = namedtuple  # noqa: PYI024


@lru_cache
def row_maker(columns: tuple[str, ...]) -> Callable[[tuple[Any, ...]], Row]:
    """Returns a function that makes a row from a list of values in the order of the columns."""
    make: Callable[[tuple[Any, ...]], Row] = _named_tuple("Row", columns)._make
    return make


def relation_record(row: Row) -> RelationRecord:
    """A record from a row of ``relation`` and ``schema``."""
    facts, seen = row.derived_facts_hash, row.interface_hash
    return RelationRecord(
        name=name_of(row.name),
        facts_hash=row.facts_hash,
        read_event_id=row.read_event_id,
        missing_since=row.missing_since,
        status=Status(row.status),
        stale=bool(row.stale),
        reason=row.reason,
        inputs=None if facts is None else Inputs(facts, row.inputs_hash),
        output=None
        if seen.startswith(NO_INTERFACE)
        else Output(seen, row.content_hash, row.fingerprint),
        published_hash=row.published_hash,
        yanked=bool(row.yanked),
        index_check_due=bool(row.index_check_due),
        incarnation=row.incarnation,
        republish_after=row.republish_after,
        read_at=row.read_at,
        kind=row.kind,
        owner=row.owner,
    )


def version_record(row: Row) -> VersionRecord:
    """A record from a row of ``version``."""
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
        runtime=row.runtime,
    )


def publication(row: Row) -> Publication:
    """A record from a part of a row of ``version``."""
    return Publication(
        row.sequence,
        row.distribution,
        row.number,
        name_of(row.relation),
        row.change,
        tuple(json.loads(row.reasons)),
        row.created_at,
        row.wheel_sha256,
        row.previous or "",
        row.dropped_at,
    )


def filling_record(row: Row) -> FillingRecord:
    """A record from a row of ``filling``."""
    return FillingRecord(
        name_of(row.target),
        name_of(row.source) if row.source else None,
        row.mark,
        row.statement,
        row.user,
        tuple(FilledColumn(*each) for each in json.loads(row.columns)),
        row.first_at,
        row.last_at,
    )
