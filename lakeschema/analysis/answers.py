"""Analyses as JSON, each in one stable form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from lakeschema.analysis.catalog import as_text
from lakeschema.analysis.catalog_updates import CatalogUpdate
from lakeschema.analysis.column_access import column_access
from lakeschema.analysis.column_lineage import RelationLineage, column_lineage
from lakeschema.analysis.conventions import Conventions
from lakeschema.analysis.defence import DEFAULT_RULES, Violation, defence
from lakeschema.analysis.grants import Grants, Need
from lakeschema.analysis.influences import Influence
from lakeschema.analysis.joins import joins
from lakeschema.analysis.permissions import Views, permissions
from lakeschema.analysis.scripts import Analysed
from lakeschema.analysis.table_access import table_access
from lakeschema.analysis.table_lineage import table_lineage
from lakeschema.analysis.tracing import BaseColumn


@dataclass(frozen=True, slots=True)
class Chosen:
    """The choices of a request, apart from its analyses.

    Attributes:
        rules: the rules of the analysis ``defence`` that are turned on.
        grants: the grants to check; None if the request has none, so that no privilege is missing.
    """

    conventions: Conventions
    rules: frozenset[str] = DEFAULT_RULES
    views: Views = Views.ITSELF
    grants: Grants | None = None
    user: str = ""


def column_json(column: BaseColumn) -> dict[str, Any]:
    """A column as JSON; ``relation`` is null if it is uncertain which relation has the column."""
    source = None if column.source is None else as_text(column.source)
    found: dict[str, Any] = {"relation": source, "column": column.column}
    if column.path:
        found["path"] = list(column.path)
    return found


def _influence_json(influence: Influence) -> dict[str, Any]:
    clause, column = influence
    return {"clause": clause.value, **column_json(column)}


def _lineage_json(lineage: RelationLineage) -> dict[str, Any]:
    return {
        "target": None if lineage.target is None else as_text(lineage.target),
        "columns": [
            {
                "column": column.column,
                "direct": [column_json(each) for each in column.direct],
                "indirect": [_influence_json(each) for each in column.indirect],
            }
            for column in lineage.columns
        ],
        "rows": [_influence_json(each) for each in lineage.rows],
    }


def _update_json(update: CatalogUpdate) -> dict[str, Any]:
    found: dict[str, Any] = {
        "change": update.change.value,
        "relation": None if update.relation is None else str(update.relation),
        "columns": None if update.columns is None else list(update.columns),
    }
    if update.new_name is not None:
        found["new_name"] = str(update.new_name)
    if update.reason:
        found["reason"] = update.reason
    return found


def _table_access(analysed: Analysed, chosen: Chosen) -> Any:
    assert analysed.resolved is not None
    return [
        {"relation": as_text(source), "access": access.value}
        for access, source in table_access(analysed.resolved, chosen.conventions)
    ]


def _column_access(analysed: Analysed, chosen: Chosen) -> Any:
    assert analysed.resolved is not None
    return [
        {"clause": clause.value, **column_json(column)}
        for column, clause in column_access(analysed.resolved, chosen.conventions)
    ]


def _joins(analysed: Analysed, chosen: Chosen) -> Any:
    assert analysed.resolved is not None
    return [
        [column_json(first), column_json(second)]
        for first, second in joins(analysed.resolved, chosen.conventions)
    ]


def _table_lineage(analysed: Analysed, chosen: Chosen) -> Any:
    assert analysed.resolved is not None
    return {
        as_text(target): [as_text(source) for source in sources]
        for target, sources in table_lineage(analysed.resolved, chosen.conventions).items()
    }


def _column_lineage(analysed: Analysed, chosen: Chosen) -> Any:
    assert analysed.resolved is not None
    return [_lineage_json(each) for each in column_lineage(analysed.resolved, chosen.conventions)]


def _catalog_updates(analysed: Analysed, chosen: Chosen) -> Any:
    del chosen
    return [_update_json(update) for update in analysed.updates]


def violation_json(violation: Violation) -> dict[str, Any]:
    found: dict[str, Any] = {
        "rule": violation.rule,
        "severity": violation.severity.value,
        "message": violation.message,
    }
    if violation.position is not None:
        found["line"] = violation.position.line
        found["column"] = violation.position.column
    if violation.hint:
        found["hint"] = violation.hint
    return found


def _defence(analysed: Analysed, chosen: Chosen) -> Any:
    return [violation_json(each) for each in defence(analysed, chosen.rules)]


def need_json(need: Need) -> dict[str, Any]:
    found: dict[str, Any] = {"privilege": need.privilege.value, "relation": str(need.relation)}
    if need.columns:
        found["columns"] = list(need.columns)
    return found


def _permissions(analysed: Analysed, chosen: Chosen) -> Any:
    needs = permissions(analysed, chosen.views)
    found = {"needs": [need_json(need) for need in needs]}
    if chosen.grants is not None:
        missing = chosen.grants.missing(chosen.user, needs)
        found["missing"] = [need_json(need) for need in missing]
    return found


_DEFENCE: Final = "defence"

ANALYSES: Final[Mapping[str, Callable[[Analysed, Chosen], Any]]] = MappingProxyType(
    {
        "table_access": _table_access,
        "column_access": _column_access,
        "joins": _joins,
        "table_lineage": _table_lineage,
        "column_lineage": _column_lineage,
        "catalog_updates": _catalog_updates,
        _DEFENCE: _defence,
        "permissions": _permissions,
    }
)
"""The analyses of one statement, by name."""


def statement_json(analysed: Analysed, asked: tuple[str, ...], chosen: Chosen) -> dict[str, Any]:
    """The answer for one statement: its verb and the requested analyses, or an error."""
    if analysed.resolved is None:
        error = analysed.error
        assert error is not None
        found: dict[str, Any] = {
            "text": analysed.text,
            "error": {"type": type(error).__name__, "message": error.message},
        }
        if error.position is not None:
            found["error"]["line"] = error.position.line
            found["error"]["column"] = error.position.column
        if error.hint:
            found["error"]["hint"] = error.hint
        if _DEFENCE in asked:
            found[_DEFENCE] = _defence(analysed, chosen)
        return found
    answers = {name: ANALYSES[name](analysed, chosen) for name in asked}
    within = {"procedure": analysed.procedure} if analysed.procedure else {}
    return {"verb": analysed.resolved.verb, **within, **answers}
