"""Resolves a view into its plan, with the columns that the view's engine gives it.

If a view's tables have changed, its columns depend on the engine. Hive runs the expanded text.
Spark runs the original text and fits the result to the stored columns, by ``view.schemaMode``.
With ``view_evolution`` FOLLOW, the stars of the original text are expanded again instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from lakeschema.catalog.column_types import ColumnType, UnknownType, map_type, print_type
from lakeschema.catalog.relations import Column, Dialect, Relation, SchemaMode, ViewText
from lakeschema.translation.functions.casts import can_cast, can_up_cast, nullable_inside
from lakeschema.translation.functions.coercion import equal_apart_from_nulls
from lakeschema.translation.functions.semantics import Semantics, semantics_of
from lakeschema.translation.functions.settings import refuse_unsupported
from lakeschema.translation.functions.udfs import declared_functions
from lakeschema.translation.model.errors import (
    AmbiguousColumn,
    MalformedSql,
    TypeMismatch,
    UnknownColumn,
)
from lakeschema.translation.model.interface import NullOrder, Options, ViewEvolution
from lakeschema.translation.plan.expressions import Cast, RowExpression
from lakeschema.translation.plan.relations import UNNAMED, Plan, Project, references
from lakeschema.translation.resolution.context import Context, OpenRelation
from lakeschema.translation.resolution.names import names_in
from lakeschema.translation.resolution.naming import rename_columns
from lakeschema.translation.resolution.queries import resolve_query
from lakeschema.translation.resolution.routines import routines_of, spelling_of
from lakeschema.translation.resolution.scans import as_spark_scans
from lakeschema.translation.resolution.trino_catalogs import without_catalogs
from lakeschema.translation.resolution.trino_views import fit_to_trinos
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.parsing import parse_query


@dataclass(frozen=True, slots=True)
class ResolvedView:
    """A resolved view.

    ``comments`` are the comments of declared columns, by position; None means an inherited comment.
    """

    query: tree.Query
    plan: Plan
    comments: tuple[str | None, ...]


def view_query(relation: Relation, view: ViewText, options: Options) -> tree.Query:
    """The syntax tree of the expanded or original text, as the deployment's options choose."""
    text = view.original_text if _follows(options) and view.original_text else view.text
    spelling = spelling_of(view)
    if options.nulls is NullOrder.FIRST:
        spelling = replace(spelling, nulls_are_small=True)
    query = parse_query(text, view.dialect, options.max_sql_bytes, spelling)
    if view.dialect is Dialect.TRINO:
        return without_catalogs(query, options.trino_catalogs)
    return _without_lowering(query, relation)


def resolve_view(
    relation: Relation, view: ViewText, open_relation: OpenRelation, options: Options
) -> ResolvedView:
    """The view's plan; ``open_relation`` decides whether upstream views are expanded.

    Raises:
        TranslationError: see ``resolve_query``; ``TypeMismatch`` or ``UnknownColumn`` if the view's
            engine can no longer read it.
    """
    refuse_unsupported(view)
    semantics = semantics_of(view)
    context = Context(
        semantics,
        names_in(view, relation.name.catalog, options),
        declared_functions(relation, options),
        open_relation,
        resolve_query,
        routines=routines_of(view),
    )
    query = view_query(relation, view, options)
    plan = resolve_query(query, context)
    plan = _fit_columns(plan, relation, view, semantics, options)
    _check_names(plan)
    return ResolvedView(query, plan, _comments(plan, relation.every_column))


def _follows(options: Options) -> bool:
    return options.view_evolution is ViewEvolution.FOLLOW


def _without_lowering(query: tree.Query, relation: Relation) -> tree.Query:
    """The query without Hive's lower-casing wrapper: SELECT `a` AS `x` FROM (…) `db.view`.

    Hive writes it around the query for declared columns, all in lower case. An alias that only
    lower-cases a name is dropped, so that the name keeps its letter case.
    """
    if not isinstance(query, tree.Select) or not isinstance(query.source, tree.FromQuery):
        return query
    dotted = ".".join(relation.name.parts)
    if (query.source.alias or "").lower() not in {dotted, relation.name.name}:
        return query
    return replace(query, items=tuple(_item(item) for item in query.items))


def _item(item: tree.SelectItem) -> tree.SelectItem:
    name = item.expression
    if isinstance(name, tree.Name) and item.aliases == (name.parts[-1].lower(),):
        return tree.SelectItem(name)
    return item


def _fit_columns(
    plan: Plan, relation: Relation, view: ViewText, semantics: Semantics, options: Options
) -> Plan:
    if view.dialect is Dialect.TRINO and relation.columns:
        return fit_to_trinos(plan, relation)
    if _follows(options):
        ordered = _with_last(plan, relation.partition_columns)
        return _follow_tables(ordered, relation, view, options)
    if view.schema_mode is SchemaMode.EVOLUTION:
        return plan
    if view.schema_mode is SchemaMode.BY_POSITION:
        return _fit_by_position(plan, relation, view, semantics)
    if not relation.columns:
        return _with_last(plan, relation.partition_columns)
    if view.dialect is Dialect.SPARK and view.query_columns:
        return _fit_to_stored(plan, relation, view, semantics)
    return _rename_as_declared(plan, relation)


def _rename_as_declared(plan: Plan, relation: Relation) -> Plan:
    """The query's columns under the declared names, by position."""
    declared = relation.every_column
    if len(declared) != len(plan.columns):
        raise TypeMismatch(
            f"the view has {len(declared)} columns, but its query returns {len(plan.columns)}",
            hint="an underlying table has gained or lost columns since; recreate the view",
        )
    return _rename(plan, [_name(d, c.name) for d, c in zip(declared, plan.columns, strict=True)])


def _with_last(plan: Plan, partitions: tuple[Column, ...]) -> Plan:
    """The query's columns, with the partition columns of Hive's materialized view last."""
    place = {column.name.lower(): index for index, column in enumerate(partitions)}
    columns = references(plan)
    ordered = sorted(columns, key=lambda column: place.get(column.name.lower(), -1))
    if ordered == list(columns):
        return plan
    return Project(plan, tuple((column.name, column) for column in ordered))


def _name(declared: Column, name: str) -> str:
    """The declared name; or the query's name, if the declared name is only its lower-case form."""
    return name if declared.name == name.lower() else declared.name


def _rename(plan: Plan, names: list[str]) -> Plan:
    if [column.name for column in plan.columns] == names:
        return plan
    return rename_columns(plan, names)


def _follow_tables(plan: Plan, relation: Relation, view: ViewText, options: Options) -> Plan:
    """The plan of the original text with stars expanded again, under the names that the view declares."""
    stored = relation.every_column
    if len(view.query_columns) == len(stored) and stored:
        renames = {q.lower(): _name(c, q) for q, c in zip(view.query_columns, stored, strict=True)}
    elif len(stored) == len(plan.columns):
        return _rename_as_declared(plan, relation)
    else:
        renames = dict(_wrapper_renames(view, options))
    return _rename(plan, [renames.get(c.name.lower(), c.name) for c in plan.columns])


def _wrapper_renames(view: ViewText, options: Options) -> Mapping[str, str]:
    """The names that the wrapper in Hive's expanded text gives to the original text's columns."""
    if view.text == view.original_text or view.dialect is not Dialect.HIVE:
        return {}
    query = parse_query(view.text, view.dialect, options.max_sql_bytes)
    if not isinstance(query, tree.Select) or not isinstance(query.source, tree.FromQuery):
        return {}
    return {
        item.expression.parts[-1].lower(): item.aliases[0]
        for item in query.items
        if isinstance(item.expression, tree.Name) and item.aliases
    }


def _fit_to_stored(plan: Plan, relation: Relation, view: ViewText, semantics: Semantics) -> Plan:
    """The plan with the stored columns, picked by name and cast to the stored types.

    As in Spark's ``SessionCatalog.fromCatalogTable``.
    """
    if len(view.query_columns) != len(relation.columns):
        raise TypeMismatch("the stored view has different numbers of query and view columns")
    found: dict[str, list[int]] = {}
    for index, column in enumerate(plan.columns):
        found.setdefault(column.name.lower(), []).append(index)
    expected = Counter(name.lower() for name in view.query_columns)
    taken: Counter[str] = Counter()
    read = references(plan)
    items: list[tuple[str, RowExpression]] = []
    for name, stored in zip(view.query_columns, relation.columns, strict=True):
        key = name.lower()
        places = found.get(key, [])
        if len(places) != expected[key]:
            raise UnknownColumn(
                name,
                [c.name for c in plan.columns],
                hint="the query no longer returns the columns that it had when the view was created",
            )
        reference = read[places[taken[key]]]
        taken[key] += 1
        items.append((stored.name, _cast_to_stored(reference, stored, view.schema_mode, semantics)))
    return Project(plan, tuple(items))


def _fit_by_position(plan: Plan, relation: Relation, view: ViewText, semantics: Semantics) -> Plan:
    """The plan with the stored columns, picked by position; further columns are left out.

    As in Iceberg's ``ResolveViews.createViewRelation``.
    """
    read, stored = references(plan), relation.columns
    if len(read) < len(stored):
        raise TypeMismatch(
            f"the view has {len(stored)} columns, but its query returns {len(read)}",
            hint="an underlying table has lost columns since; recreate the view",
        )
    items = (
        (column.name, _cast_to_stored(reference, column, view.schema_mode, semantics))
        for column, reference in zip(stored, read, strict=False)
    )
    return Project(plan, tuple(items))


def _cast_to_stored(
    column: RowExpression, stored: Column, mode: SchemaMode | None, semantics: Semantics
) -> RowExpression:
    if mode is SchemaMode.TYPE_EVOLUTION or isinstance(stored.type, UnknownType):
        return column
    target = map_type(stored.type, as_spark_scans)
    if equal_apart_from_nulls(column.type, target):
        return column
    ansi = replace(semantics, ansi=True)
    allowed = (
        can_cast(column.type, target, ansi)
        if mode is SchemaMode.COMPENSATION
        else can_up_cast(column.type, target)
    )
    if not allowed:
        raise _unreadable(stored, column.type, target)
    return Cast(column, nullable_inside(column.type, target, ansi), column.nullable, implicit=True)


def _unreadable(stored: Column, now: ColumnType, then: ColumnType) -> TypeMismatch:
    return TypeMismatch(
        f"column {stored.name} was {print_type(then)} when the view was created and is now"
        f" {print_type(now)}, which Spark does not convert back",
        hint="recreate the view, or create it WITH SCHEMA EVOLUTION",
    )


def _check_names(plan: Plan) -> None:
    seen: set[str] = set()
    for number, column in enumerate(plan.columns, 1):
        if not column.name or column.name.startswith(UNNAMED):
            raise MalformedSql(
                f"column {number} of the view has no name",
                hint="give the expression an alias; Spark refuses a view without one",
            )
        if column.name.lower() in seen:
            raise AmbiguousColumn(
                column.name, hint="two columns of the view have this name; rename one of them"
            )
        seen.add(column.name.lower())


def _comments(plan: Plan, declared: tuple[Column, ...]) -> tuple[str | None, ...]:
    by_name = {column.name.lower(): column.comment or None for column in declared}
    return tuple(by_name.get(column.name.lower()) for column in plan.columns)
