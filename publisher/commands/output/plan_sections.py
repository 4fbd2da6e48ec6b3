"""Turns a plan into titled tables of plain words, for text and Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lakeschema.catalog.identifiers import RelationName
from publisher.commands.audience.values import FillHit, Hit, QueryEffect, QueryHit
from publisher.commands.output.times import shown_time
from publisher.commands.planning.values import Cause, Failing, Fate, Plan, PlannedRelation

_MAX_NAMES = 20
_URGENCY = {effect: place for place, effect in enumerate(QueryEffect)}


@dataclass(frozen=True, slots=True)
class Section:
    """A titled table. ``rows`` have a cell for each heading; a cell may have several lines."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]


def headline(plan: Plan) -> str:
    """The plan in one sentence."""
    if plan.is_empty:
        return "nothing would change"
    levels = Counter(version.change for version in plan.versions)
    parts = []
    if plan.broken:
        parts.append(f"{_count(len(plan.broken), 'relation')} would break")
    queries = {q.where for hit in plan.hits for q in hit.queries if q.effect is QueryEffect.BREAKS}
    if queries:
        noun = "logged query" if len(queries) == 1 else "logged queries"
        parts.append(f"{len(queries)} {noun} would break")
    if plan.versions:
        shown = ", ".join(
            f"{levels[k]} {k}" for k in ("first", "major", "minor", "patch") if levels[k]
        )
        parts.append(f"{_count(len(plan.versions), 'version')} would be published ({shown})")
    fates = Counter(dropped.fate.value for dropped in plan.dropped_packages)
    parts += [f"{_count(number, 'package')} would be {fate}" for fate, number in fates.items()]
    if plan.mended:
        parts.append(f"{_count(len(plan.mended), 'relation')} could be derived again")
    if plan.failing:
        parts.append(f"{_count(len(plan.failing), 'new relation')} would get no package")
    if plan.offered_again:
        parts.append(f"{_count(len(plan.offered_again), 'package')} would be offered again")
    if plan.withheld:
        parts.append(f"{_count(len(plan.withheld), 'package')} would get no further versions")
    return "; ".join(parts)


def sections(plan: Plan) -> Sequence[Section]:
    """The sections that have rows, the most urgent first."""
    found = (
        Section("would break", _FAILING, _failing(plan.broken)),
        Section(
            "relations concerned",
            ("relation", "what", "columns", "statements", "dependents"),
            [_relation(each) for each in plan.relations],
        ),
        Section("versions that would be published", _VERSIONS, _versions(plan)),
        Section(
            "packages of relations that would be gone",
            ("relation", "package", "versions", "what"),
            [
                (str(d.relation), d.distribution, ", ".join(d.versions), d.why)
                for d in plan.dropped_packages
            ],
        ),
        Section(
            "who is hit",
            ("relation", "package", "downloads", "lock files", "queries", "fills"),
            [_hit(each) for each in plan.hits],
        ),
        Section("relations without a package", _FAILING, _failing(plan.failing)),
        Section("could be derived again", ("relation",), _names(plan.mended)),
        Section("packages that would be offered again", ("relation",), _names(plan.offered_again)),
        Section("packages without further versions", ("relation",), _names(plan.withheld)),
        Section("failing already", _FAILING, _failing(plan.already_failing)),
    )
    return [section for section in found if section.rows]


_FAILING = ("relation", "status", "reason", "because of", "package stays at")
_VERSIONS = ("relation", "package", "from", "to", "change", "reasons", "dependents", "because of")


def _failing(found: Iterable[Failing]) -> Sequence[Sequence[str]]:
    return [
        (str(f.relation), f.status, f.reason, _causes(f.causes), f.published or "") for f in found
    ]


def _versions(plan: Plan) -> Sequence[Sequence[str]]:
    return [
        (
            str(v.relation),
            v.distribution,
            v.newest or "",
            v.number,
            v.change,
            "\n".join(v.reasons),
            _several(v.dependents),
            _causes(v.causes),
        )
        for v in plan.versions
    ]


def _hit(hit: Hit) -> Sequence[str]:
    queries = sorted(hit.queries, key=lambda query: (_URGENCY[query.effect], -query.times))
    return (
        str(hit.relation),
        hit.distribution,
        "" if hit.downloads is None else str(hit.downloads),
        _lines([f"{pin.file} ({pin.pinned}): {pin.effect.value}" for pin in hit.pins]),
        _lines([_query(query) for query in queries]),
        _lines([_fill(fill) for fill in hit.fills]),
    )


def _fill(fill: FillHit) -> str:
    user = f", by {fill.user}" if fill.user else ""
    why = f": {fill.why}" if fill.why else ""
    return f"{fill.table}, last {shown_time(fill.last_at)}{user}{why}"


def _query(query: QueryHit) -> str:
    times = "" if query.times == 1 else f", {query.times} times"
    users = f", by {', '.join(query.users)}" if query.users else ""
    return f"{query.effect.value}: {query.where}{times}{users}: {query.why}"


def _relation(planned: PlannedRelation) -> Sequence[str]:
    what = planned.fate.value
    if planned.fate is Fate.RENAMED:
        what = f"renamed to {planned.new_name}"
    return (
        str(planned.relation),
        what,
        "\n".join(map(str, planned.columns)),
        "\n".join(planned.statements),
        _dependents(planned),
    )


def _dependents(planned: PlannedRelation) -> str:
    before, after = planned.dependents_before, planned.dependents_after
    if before == after:
        return _several(before)
    lost = [f"no longer {name}" for name in before if name not in after]
    gained = [f"newly {name}" for name in after if name not in before]
    kept = [str(name) for name in before if name in after]
    return _lines([*lost, *gained, *kept])


def _names(names: Iterable[RelationName]) -> Sequence[Sequence[str]]:
    return [(str(name),) for name in names]


def _causes(causes: Iterable[Cause]) -> str:
    return _lines([str(cause) for cause in causes])


def _several(names: Sequence[RelationName]) -> str:
    return _lines([str(name) for name in names])


def _lines(lines: Sequence[str]) -> str:
    more = len(lines) - _MAX_NAMES
    return "\n".join([*lines[:_MAX_NAMES], *([f"and {more} more"] if more > 0 else [])])


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
