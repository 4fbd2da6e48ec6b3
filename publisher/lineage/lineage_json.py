"""Lineage as plain JSON values, in the same stable form for the command line and HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from publisher.lineage.summaries import LineageSummary
from publisher.lineage.values import Link, Place, Statement, Traced


def traced_json(traced: Traced) -> dict[str, Any]:
    """The answer as JSON. ``column`` is null for a whole relation and, in links, for its rows.

    A link's ``statement`` is an index into ``statements``.
    """
    said = dict.fromkeys(link.statement for link in traced.links if link.statement is not None)
    numbers = {statement: number for number, statement in enumerate(said)}
    return {
        **_place_json(traced.asked),
        "expression": traced.expressions.get(traced.asked.whole),
        "direction": traced.direction.value,
        "links": [_link_json(link, numbers) for link in traced.links],
        "statements": [statement_json(statement) for statement in said],
        "relations": [
            {
                "relation": str(name),
                "kind": "view" if found.is_view else "table",
                "status": found.status,
                "package": None if found.version is None else found.distribution,
                "version": found.version,
            }
            for name, found in traced.relations.items()
        ],
        "untraced": [str(name) for name in traced.untraced],
        "cut": traced.is_cut,
    }


def summary_json(summary: LineageSummary) -> dict[str, Any]:
    """A summary as JSON; sources have the form for people: ``shop.orders.day (where)``."""
    return {
        "columns": [
            {
                "column": column.column,
                "expression": column.expression or None,
                "direct": list(column.direct),
                "indirect": list(column.indirect),
            }
            for column in summary.columns
        ],
        "rows": list(summary.rows),
        "statements": [
            {"sources": list(map(str, each.sources)), **statement_json(each.statement)}
            for each in summary.statements
        ],
        "fills": list(map(str, summary.fills)),
    }


def statement_json(statement: Statement) -> dict[str, Any]:
    """A statement as JSON; times are in ISO form, in UTC."""
    return {
        "text": statement.text,
        "user": statement.user or None,
        "first_at": _moment(statement.first_at),
        "last_at": _moment(statement.last_at),
    }


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _link_json(link: Link, numbers: Mapping[Statement, int]) -> dict[str, Any]:
    path = {"path": list(link.path)} if link.path else {}
    said = {} if link.statement is None else {"statement": numbers[link.statement]}
    transformation = link.transformation
    return {
        "distance": link.distance,
        "kind": link.kind.value,
        "clause": None if link.clause is None else link.clause.value,
        "source": {**_place_json(link.source), **path},
        "target": _place_json(link.target),
        "transformation": None if transformation is None else transformation.value,
        "expression": link.expression or None,
        **said,
    }


def _place_json(place: Place) -> dict[str, Any]:
    path = {"path": list(place.path)} if place.path else {}
    return {"relation": str(place.relation), "column": place.column, **path}
