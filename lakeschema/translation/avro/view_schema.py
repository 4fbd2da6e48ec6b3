"""A resolved view → its record: output names, aliases of old names, declared comments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from lakeschema.avro.model import Field, Json, Record
from lakeschema.catalog.relations import Relation
from lakeschema.translation.avro.names import ORIGINAL_NAME, legal_name, name_properties
from lakeschema.translation.avro.placement import place_types
from lakeschema.translation.avro.types import avro_type, without_intervals
from lakeschema.translation.avro.vanilla_hive import apply_options
from lakeschema.translation.interface import Options
from lakeschema.translation.plan.relations import Columns


def view_schema(
    relation: Relation,
    columns: Columns,
    templates: Sequence[Field],
    comments: Sequence[str | None],
    options: Options,
) -> Record:
    """The view's record; ``templates`` are the columns' fields under their base names."""
    names = [legal_name(column.name) for column in columns]
    taken = {name.lower() for name in names}
    fields: list[Field] = []
    for column, name, template, comment in zip(columns, names, templates, comments, strict=True):
        if without_intervals(column.type) != column.type:
            avro_type(column.type, name=name, namespace="", options=options)
        aliases = _aliases(template, name, taken)
        fields.append(
            replace(
                template,
                name=name,
                aliases=aliases,
                doc=comment or template.doc,
                properties=_named(template.properties, column.name, name),
            )
        )
    return apply_options(place_types(relation.name, fields, relation.comment or None), options)


def _aliases(template: Field, name: str, taken: set[str]) -> tuple[str, ...]:
    """The old name becomes an alias, and old aliases stay, unless anything else has the name."""
    kept: list[str] = []
    for alias in (template.name, *template.aliases):
        if alias and alias != name and alias.lower() not in taken:
            taken.add(alias.lower())
            kept.append(alias)
    return tuple(kept)


def _named(properties: Mapping[str, Json], written: str, legal: str) -> Mapping[str, Json]:
    own = {key: value for key, value in properties.items() if key != ORIGINAL_NAME}
    return MappingProxyType({**own, **name_properties(written, legal)})
