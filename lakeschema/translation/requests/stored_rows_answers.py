"""Answers requests about stored rows: the refresh of a view, and queries over stored views."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.deriving.with_upstreams import derive_with_upstreams
from lakeschema.translation.model.errors import UnknownRelation
from lakeschema.translation.model.interface import Interface, Options
from lakeschema.translation.plan.explain import explain
from lakeschema.translation.products.pig_scripts import Read, read_with_upstreams
from lakeschema.translation.products.stored_rows import Refresh, RewrittenView, StoredViews
from lakeschema.translation.requests.batch_answers import InvalidRequest
from lakeschema.translation.requests.translated_json import spark_answer, trino_answer
from lakeschema.translation.rewriting.delta_of_inserts import Insertion

TARGETS: Final = ("spark", "trino", "plan")


def refresh_answer(
    request: Mapping[str, Any], name: RelationName, target: str, read: Read, options: Options
) -> dict[str, Any]:
    """The refresh: ``kind`` (append, merge, unchanged), ``stored``, and the rows' query.

    The query is in the target's form.

    Args:
        request: has ``changed``, and may have ``stored``.
        name: a view that ``read`` finds.
        target: the engine.
        read: the facts of relations.
        options: for deriving schemas.

    Raises:
        InvalidRequest: the request is malformed.
        TranslationError: the refresh cannot be written; the message says why.
    """
    _check_target(target, "changed")
    insertions = _insertions(request["changed"])
    stored = _relation("stored", request["stored"]) if "stored" in request else name
    _check_names(name, stored, insertions)
    relations = read_with_upstreams([name], read, options)
    for table, insertion in insertions.items():
        _check_columns(table, insertion, read, options)
    derivations = derive_with_upstreams(name, relations, options)
    refresh = StoredViews(relations, derivations, options).refresh(name, insertions, stored)
    shown: dict[str, Any] = {"kind": _kind(refresh), "stored": str(stored)}
    if refresh is None:
        return shown
    if refresh.keys is not None:
        shown["keys"] = list(refresh.keys)
    return shown | _text(refresh.view, target)


def stored_views_answer(
    request: Mapping[str, Any], name: RelationName, target: str, read: Read, options: Options
) -> dict[str, Any]:
    """The view as the target's query over stored rows of views, and the names of these views.

    The arguments are as in ``refresh_answer``. The request's ``materialized`` lists the stored views.

    Raises:
        InvalidRequest: the request is malformed.
        TranslationError: the query can read none of the stored views; the message says why.
    """
    _check_target(target, "materialized")
    stored = _stored_views(request["materialized"])
    if name in stored:
        raise InvalidRequest(f"'materialized' names {name}, the requested relation")
    relations = read_with_upstreams([name, *stored], read, options)
    for view in stored:
        if view not in relations:
            raise UnknownRelation(view, hint="'materialized' names a view that does not exist")
        if not relations[view].is_view:
            raise InvalidRequest(f"'materialized' names {view}, which is a table")
    derivations = {
        found: derivation
        for each in (*stored, name)
        for found, derivation in derive_with_upstreams(each, relations, options).items()
    }
    query, used = StoredViews(relations, derivations, options).over_stored(name, stored)
    return {**_text(query, target), "materialized": [str(view) for view in used]}


def _stored_views(value: object) -> Mapping[RelationName, RelationName]:
    """The table that stores the rows of each view."""
    match value:
        case list() if value:
            names = [_relation("materialized", view) for view in value]
            return dict(zip(names, names, strict=True))
        case dict() if value:
            return {
                _relation("materialized", view): _relation("materialized", table)
                for view, table in value.items()
            }
        case _:
            raise InvalidRequest(
                "expected 'materialized' to be a non-empty list of views, or an object: view to the table"
                " that has its rows"
            )


def _check_target(target: str, key: str) -> None:
    if target not in TARGETS:
        expected = ", ".join(map(repr, TARGETS))
        raise InvalidRequest(f"expected 'to' to be one of {expected} with {key!r}")


def _kind(refresh: Refresh | None) -> str:
    if refresh is None:
        return "unchanged"
    return "append" if refresh.keys is None else "merge"


def _text(view: RewrittenView, target: str) -> dict[str, Any]:
    match target:
        case "spark":
            return spark_answer(view.spark())
        case "trino":
            return trino_answer(view.trino())
        case "plan":
            return {"plan": explain(view.plan)}
        case _:
            raise ValueError(f"unknown target {target!r}")


def _insertions(changed: object) -> Mapping[RelationName, Insertion]:
    if not isinstance(changed, Mapping) or not changed:
        raise InvalidRequest(
            "expected 'changed' to be a non-empty object: relation to the relation of its inserted rows"
        )
    found: dict[RelationName, Insertion] = {}
    for key, value in changed.items():
        table = _relation("changed", key)
        if table in found:
            raise InvalidRequest(f"'changed' names {table} twice")
        found[table] = _insertion(table, value)
    return found


def _insertion(table: RelationName, value: object) -> Insertion:
    match value:
        case str():
            return Insertion(_relation("changed", value))
        case {"inserted": inserted, **rest} if set(rest) <= {"before"}:
            before = _relation("before", rest["before"]) if rest else None
            return Insertion(_relation("inserted", inserted), before)
        case _:
            raise InvalidRequest(
                f"expected 'changed' to have for {table} the relation of its inserted rows, or an object"
                f" with 'inserted' and optionally 'before', got {value!r:.80}"
            )


def _relation(key: str, value: object) -> RelationName:
    if not isinstance(value, str) or not value:
        raise InvalidRequest(f"expected {key!r} to name a relation, got {value!r:.80}")
    return RelationName.parse(value, current_namespace=("default",))


def _check_names(
    name: RelationName, stored: RelationName, insertions: Mapping[RelationName, Insertion]
) -> None:
    """Refuses a relation that has two roles, because its rows would be counted twice."""
    if name in insertions:
        raise InvalidRequest(f"'changed' names {name}, the relation to refresh")
    for table, insertion in insertions.items():
        own = [table, stored, insertion.inserted]
        own += [] if insertion.before is None else [insertion.before]
        if len(set(own)) < len(own):
            raise InvalidRequest(
                f"{table}, its inserted rows, its earlier rows and the stored rows must be separate relations"
            )


def _check_columns(table: RelationName, insertion: Insertion, read: Read, options: Options) -> None:
    """Checks that the table exists and that its inserted and earlier rows have its columns.

    Raises:
        UnknownRelation: there is no such table; it may be misspelt.
        InvalidRequest: the columns differ.
    """
    known = read_with_upstreams([table], read, options)
    if table not in known:
        raise UnknownRelation(table, hint="'changed' names a relation that does not exist")
    columns = _columns(table, known, options)
    for other in (insertion.inserted, insertion.before):
        if other is None:
            continue
        others = read_with_upstreams([other], read, options)
        if other in others and _columns(other, others, options) != columns:
            raise InvalidRequest(f"the columns of {other} differ from those of {table}")


def _columns(
    name: RelationName, relations: Mapping[RelationName, Relation], options: Options
) -> list[tuple[str, str]]:
    interface: Interface = derive_with_upstreams(name, relations, options)[name].interface
    return [(c.name.lower(), print_type(c.type)) for c in interface.columns]
