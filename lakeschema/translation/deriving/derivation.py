"""Derives a relation's interface and lineage from its facts and its upstreams' interfaces. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from lakeschema.avro.definitions import definitions as definitions_of
from lakeschema.avro.model import Record, is_nullable
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.letter_case import have_capitals
from lakeschema.catalog.relations import Column, Dialect, Relation, ViewText
from lakeschema.translation.avro.base_table import base_table_interface
from lakeschema.translation.avro.derive import SchemaDeriver
from lakeschema.translation.avro.representations import with_differences
from lakeschema.translation.avro.trino_types import without_intervals
from lakeschema.translation.avro.vanilla_hive import as_hive_sees
from lakeschema.translation.avro.view_schema import view_schema
from lakeschema.translation.model.clauses import Clause
from lakeschema.translation.model.errors import (
    UnreachableSchema,
    UnreadableRelation,
    UnsupportedConstruct,
    errors_of,
)
from lakeschema.translation.model.interface import (
    ColumnLineage,
    Derivation,
    Influence,
    Interface,
    Options,
)
from lakeschema.translation.model.nullability import with_nullability
from lakeschema.translation.plan.influences import Influences
from lakeschema.translation.plan.lineage import Lineage
from lakeschema.translation.plan.origins import Origins
from lakeschema.translation.plan.relations import Plan
from lakeschema.translation.resolution.names import names_in
from lakeschema.translation.resolution.scans import open_interfaces
from lakeschema.translation.resolution.upstreams import relations_read
from lakeschema.translation.resolution.views import ResolvedView, resolve_view, view_query

_DEFAULT_OPTIONS = Options()
_MAX_INFLUENCES = 50_000
"""The maximum number of influences of one view; a text of one megabyte can have millions."""


def upstreams_of(
    relation: Relation, options: Options = _DEFAULT_OPTIONS
) -> tuple[RelationName, ...]:
    """The relations that a view's text reads, in order of first mention.

    Raises:
        TranslationError: the text cannot be read.
    """
    _check_readable(relation)
    view = relation.view
    if view is None:
        return ()
    with errors_of(relation.name):
        query = view_query(relation, view, options)
        return relations_read(query, view, names_in(view, relation.name.catalog, options))


def derive(
    relation: Relation, upstreams: Mapping[RelationName, Interface], options: Options
) -> Derivation:
    """The relation's interface.

    Raises:
        TranslationError: the relation cannot be derived. The error has the relation's name, and the
            position in the text if it is known.
    """
    if relation.view is not None:
        return derive_view(relation, upstreams, options)[0]
    _check_readable(relation)
    return Derivation(base_table_interface(relation, options), (), ())


def derive_view(
    relation: Relation, upstreams: Mapping[RelationName, Interface], options: Options
) -> tuple[Derivation, Plan]:
    """A view's derivation, and its plan over scans of its upstreams.

    Raises:
        TranslationError: as in ``derive``.
    """
    view = relation.view
    if relation.unread is not None:
        raise UnsupportedConstruct(
            f"the dialect {relation.unread.dialect or 'of no query'}",
            "only the view's columns are known",
            relation=relation.name,
        )
    if view is None:
        raise ValueError(f"{relation.name} is a table")
    _check_readable(relation)
    with errors_of(relation.name):
        return _derive_view_text(relation, view, upstreams, options)


def _check_readable(relation: Relation) -> None:
    if relation.unreadable is not None and relation.schema_pointer is not None:
        raise UnreachableSchema(
            relation.schema_pointer.format.value, relation.unreadable, relation=relation.name
        )
    if relation.unreadable is not None:
        raise UnreadableRelation(relation.unreadable, relation=relation.name)


def _resolve(
    relation: Relation,
    view: ViewText,
    upstreams: Mapping[RelationName, Interface],
    options: Options,
) -> ResolvedView:
    return resolve_view(relation, view, open_interfaces(upstreams, view.dialect), options)


def _derive_view_text(
    relation: Relation,
    view: ViewText,
    upstreams: Mapping[RelationName, Interface],
    options: Options,
) -> tuple[Derivation, Plan]:
    if view.dialect is not Dialect.SPARK:
        upstreams = {name: as_hive_sees(interface) for name, interface in upstreams.items()}
    resolved = _resolve(relation, view, upstreams, options)
    plan, lineage = resolved.plan, Lineage()
    if view.dialect is Dialect.SPARK and options.local_timestamps:
        # The option is for Hive's timestamps. Spark's timestamps are always instants.
        options = replace(options, local_timestamps=False)
    templates = SchemaDeriver(upstreams, options, lineage).fields(plan)
    if view.dialect is Dialect.TRINO:
        templates = without_intervals(plan.columns, templates)
    schema, omitted = view_schema(relation, plan.columns, templates, resolved.comments, options)
    schema = with_differences(schema, relation, options)
    left_out = {each.position for each in omitted}
    kept = [place for place in range(len(plan.columns)) if place not in left_out]
    columns = _columns(plan, kept, schema, resolved)
    keeps_case = view.dialect is Dialect.SPARK and have_capitals(columns)
    interface = Interface(relation.name, columns, schema, omitted, keeps_case)
    sources = lineage.columns(plan)
    names = [field.name for field in schema.fields]
    found = _influences(names, plan, kept, lineage)
    if found is not None:
        rows, traced = found
    else:
        rows, traced = None, tuple(map(ColumnLineage, names, (sources[at] for at in kept)))
    return Derivation(
        interface,
        relations_read(resolved.query, view, names_in(view, relation.name.catalog, options)),
        traced,
        rows,
    ), plan


def _influences(
    names: Sequence[str], plan: Plan, kept: Sequence[int], lineage: Lineage
) -> tuple[tuple[Influence, ...], tuple[ColumnLineage, ...]] | None:
    """The influences on the view's rows, and the columns' lineage with influences on values.

    None if there are too many. Nothing is refused for that, because no schema depends on them.
    """
    try:
        influences, origins = Influences(lineage), Origins()
        rows = tuple(influences.of_view(plan))
        indirect = influences.columns(plan)
        chosen_by = _conditions(plan, lineage)
        columns = []
        for name, place in zip(names, kept, strict=True):
            origin = origins.of(plan, place)
            decided = tuple(dict.fromkeys((*chosen_by[place], *indirect[place])))
            sources = lineage.columns(plan)[place]
            columns.append(
                ColumnLineage(name, sources, decided, origin.text, origin.transformation)
            )
    except RecursionError:
        return None
    count = len(rows) + sum(len(column.indirect) for column in columns)
    return None if count > _MAX_INFLUENCES else (rows, tuple(columns))


def _conditions(plan: Plan, lineage: Lineage) -> Sequence[Sequence[Influence]]:
    """The sources that only a column's conditions read, for each column."""
    if not lineage.chooses:
        return [()] * len(plan.columns)
    values = Lineage(with_conditions=False).columns(plan)
    return [
        [Influence(Clause.CONDITION, source) for source in sources if source not in made_of]
        for sources, made_of in zip(lineage.columns(plan), map(set, values), strict=True)
    ]


def _columns(
    plan: Plan, kept: Sequence[int], schema: Record, resolved: ResolvedView
) -> tuple[Column, ...]:
    """The view's columns.

    ``kept`` are the places of the schema's fields among the plan's columns.
    """
    known = definitions_of(schema)
    return tuple(
        Column(
            plan.columns[place].name,
            with_nullability(plan.columns[place].type, field.type, known),
            resolved.comments[place],
            is_nullable(field.type),
        )
        for place, field in zip(kept, schema.fields, strict=True)
    )
