"""Makes a view's record, with output names, aliases for old names, and declared comments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from lakeschema.avro.legal_names import ORIGINAL_NAME, legal_name
from lakeschema.avro.model import Field, Json, Record
from lakeschema.avro.omissions import with_omissions
from lakeschema.catalog.relations import Column, Relation
from lakeschema.translation.avro.inexpressible import (
    omissions,
    omitted_column,
    placeholder_in,
)
from lakeschema.translation.avro.names import name_properties
from lakeschema.translation.avro.placement import place_types
from lakeschema.translation.avro.vanilla_hive import apply_options
from lakeschema.translation.model.interface import OmittedColumn, Options
from lakeschema.translation.plan.relations import Columns


def view_schema(
    relation: Relation,
    columns: Columns,
    templates: Sequence[Field],
    comments: Sequence[str | None],
    options: Options,
) -> tuple[Record, tuple[OmittedColumn, ...]]:
    """The view's record and omitted columns; ``templates`` are the fields under their base names."""
    omitted = tuple(_omitted(columns, templates, comments))
    left_out = {each.position for each in omitted}
    kept = [place for place in range(len(columns)) if place not in left_out]
    columns = tuple(columns[place] for place in kept)
    templates = [templates[place] for place in kept]
    comments = [comments[place] for place in kept]
    names = [legal_name(column.name) for column in columns]
    taken = {name.lower() for name in names}
    fields: list[Field] = []
    for column, name, template, comment in zip(columns, names, templates, comments, strict=True):
        aliases = _aliases(template, name, taken)
        doc = comment or template.doc
        properties = _named(template.properties, column.name, name)
        type_, default, order = template.type, template.default, template.order
        fields.append(Field(name, type_, default, doc, aliases, order, properties))
    record = apply_options(place_types(relation.name, fields, relation.comment or None), options)
    return with_omissions(record, omissions(omitted)), omitted


def _omitted(
    columns: Columns, templates: Sequence[Field], comments: Sequence[str | None]
) -> Iterator[OmittedColumn]:
    parts = zip(columns, templates, comments, strict=True)
    for position, (column, template, comment) in enumerate(parts):
        found = placeholder_in(template.type)
        if found is not None:
            shown = Column(column.name, column.type, comment, column.nullable)
            yield omitted_column(position, shown, found.part, found.reason)


def _aliases(template: Field, name: str, taken: set[str]) -> tuple[str, ...]:
    """Old names and aliases of the template, except names that another column has.

    An alias that is the name in another letter case is the column's own.
    """
    kept: list[str] = []
    for alias in (template.name, *template.aliases):
        is_own = alias.lower() == name.lower() and alias in template.aliases
        if alias and alias != name and (is_own or alias.lower() not in taken):
            taken.add(alias.lower())
            kept.append(alias)
    return tuple(kept)


def _named(properties: Mapping[str, Json], written: str, legal: str) -> Mapping[str, Json]:
    if not properties and written == legal:
        return properties
    own = {key: value for key, value in properties.items() if key != ORIGINAL_NAME}
    return MappingProxyType({**own, **name_properties(written, legal)})
