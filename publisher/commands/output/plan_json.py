"""Writes a plan as one JSON object. Within one ``format``, keys are only added."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lakeschema.catalog.identifiers import RelationName
from publisher.commands.audience.values import Hit
from publisher.commands.output.times import shown_time
from publisher.commands.planning.values import (
    Cause,
    DroppedPackage,
    Failing,
    Plan,
    PlannedRelation,
    PlannedVersion,
)

FORMAT = 1


def plan_to_json(plan: Plan) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "breaks": plan.breaks,
        "relations": [_relation(each) for each in plan.relations],
        "versions": [_version(each) for each in plan.versions],
        "broken": [_failing(each) for each in plan.broken],
        "failing": [_failing(each) for each in plan.failing],
        "already_failing": [_failing(each) for each in plan.already_failing],
        "mended": _names(plan.mended),
        "dropped_packages": [_dropped(each) for each in plan.dropped_packages],
        "offered_again": _names(plan.offered_again),
        "withheld": _names(plan.withheld),
        "hits": [_hit(each) for each in plan.hits],
    }


def _relation(planned: PlannedRelation) -> dict[str, Any]:
    return {
        "relation": str(planned.relation),
        "fate": planned.fate.value,
        "new_name": None if planned.new_name is None else str(planned.new_name),
        "statements": list(planned.statements),
        "columns": [
            {"column": c.column, "before": c.before, "after": c.after, "note": c.note}
            for c in planned.columns
        ],
        "dependents_before": _names(planned.dependents_before),
        "dependents_after": _names(planned.dependents_after),
    }


def _version(planned: PlannedVersion) -> dict[str, Any]:
    return {
        "relation": str(planned.relation),
        "distribution": planned.distribution,
        "from": planned.newest,
        "to": planned.number,
        "change": planned.change,
        "reasons": list(planned.reasons),
        "dependents": _names(planned.dependents),
        "causes": _causes(planned.causes),
    }


def _failing(failing: Failing) -> dict[str, Any]:
    return {
        "relation": str(failing.relation),
        "status": failing.status,
        "reason": failing.reason,
        "causes": _causes(failing.causes),
        "published": failing.published,
    }


def _dropped(dropped: DroppedPackage) -> dict[str, Any]:
    return {
        "relation": str(dropped.relation),
        "distribution": dropped.distribution,
        "versions": list(dropped.versions),
        "fate": dropped.fate.value,
        "why": dropped.why,
    }


def _hit(hit: Hit) -> dict[str, Any]:
    return {
        "relation": str(hit.relation),
        "distribution": hit.distribution,
        "downloads": hit.downloads,
        "pins": [
            {"file": pin.file, "pinned": pin.pinned, "effect": pin.effect.name.lower()}
            for pin in hit.pins
        ],
        "queries": [
            {
                "where": query.where,
                "times": query.times,
                "users": list(query.users),
                "query": query.text,
                "effect": query.effect.value,
                "why": query.why,
            }
            for query in hit.queries
        ],
        "fills": [
            {
                "table": str(fill.table),
                "statement": fill.statement,
                "user": fill.user or None,
                "last_at": shown_time(fill.last_at),
                "why": fill.why or None,
            }
            for fill in hit.fills
        ],
    }


def _causes(causes: Iterable[Cause]) -> list[dict[str, Any]]:
    return [
        {"relation": str(c.relation), "column": c.column or None, "what": c.what} for c in causes
    ]


def _names(names: Iterable[RelationName]) -> list[str]:
    return [str(name) for name in names]
