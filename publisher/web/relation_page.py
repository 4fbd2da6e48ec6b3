"""One relation's page for operators, published or not: its problem first, then its data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from publisher.web.addresses import Link, package_link, relation_link
from publisher.web.details import OutstandingWork, RelatedRelations, RelationDetails, VersionLine
from publisher.web.rendering import render

_GOOD: Final = frozenset({"OK"})
_BAD: Final = frozenset({"BROKEN", "UNSUPPORTED", "UNREACHABLE", "CYCLE", "QUARANTINED"})


@dataclass(frozen=True, slots=True)
class Time:
    """``machine_readable`` is empty if the time is unknown."""

    machine_readable: str
    text: str


@dataclass(frozen=True, slots=True)
class RelatedLink:
    relation: Link
    status: str


@dataclass(frozen=True, slots=True)
class RelatedList:
    heading: str
    items: tuple[RelatedLink, ...]
    more: int


@dataclass(frozen=True, slots=True)
class VersionView:
    number: str
    status: str
    change: str
    created: Time
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WorkView:
    """``next_try``: None during an attempt."""

    waits_since: Time
    next_try: Time | None
    failures: int
    retries: int
    last_error: str


@dataclass(frozen=True, slots=True)
class RelationView:
    """``status_class`` is the CSS class of the status."""

    details: RelationDetails
    status_class: str
    package: Link
    work: WorkView | None
    related: tuple[RelatedList, ...]
    versions: tuple[VersionView, ...]


@dataclass(frozen=True, slots=True)
class UnknownRelationView:
    name: str
    similar: tuple[Link, ...]


def relation_page(details: RelationDetails, *, has_package_page: bool) -> bytes:
    name = details.distribution
    view = RelationView(
        details=details,
        status_class=_status_class(details.status),
        package=package_link(name) if has_package_page else Link(name),
        work=None if details.work is None else _work_view(details.work),
        related=(_related("Reads", details.reads), _related("Read by", details.read_by)),
        versions=tuple(map(_version_view, details.versions)),
    )
    return render("relation.html", view)


def unknown_relation_page(name: str, similar: Sequence[str]) -> bytes:
    view = UnknownRelationView(name, tuple(map(relation_link, similar)))
    return render("unknown_relation.html", view)


def _status_class(status: str) -> str:
    if status in _GOOD:
        return "good"
    return "bad" if status in _BAD else "soft"


def _related(heading: str, related: RelatedRelations) -> RelatedList:
    items = tuple(RelatedLink(relation_link(r.relation), r.status) for r in related.relations)
    return RelatedList(f"{heading} ({related.total})", items, related.total - len(items))


def _version_view(version: VersionLine) -> VersionView:
    created = _time(version.created_at) if version.created_at else Time("", "")
    return VersionView(version.number, version.status, version.change, created, version.reasons)


def _work_view(work: OutstandingWork) -> WorkView:
    return WorkView(
        waits_since=_time(work.waits_since),
        next_try=None if work.is_in_progress else _time(work.due_at),
        failures=work.failures,
        retries=work.retries,
        last_error=work.last_error,
    )


def _time(epoch_seconds: float) -> Time:
    try:
        moment = datetime.fromtimestamp(epoch_seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return Time("", "")
    return Time(moment.strftime("%Y-%m-%dT%H:%M:%SZ"), moment.strftime("%Y-%m-%d %H:%M:%S UTC"))
