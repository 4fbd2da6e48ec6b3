"""Derives the relations of DDL text, for tests of views rather than catalogs."""

from __future__ import annotations

from collections.abc import Mapping

from lakeschema.avro.model import Field, Record
from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, Relation
from lakeschema.translation.deriving.derivation import derive, upstreams_of
from lakeschema.translation.model.interface import Derivation, Interface, Options

DEFAULT = Options()


def derived(
    ddl: str, name: str = "v", dialect: Dialect = Dialect.HIVE, options: Options = DEFAULT
) -> Derivation:
    """The derivation of one relation of the DDL, its upstreams derived first."""
    relations = relations_from_ddl([ddl], dialect)
    return derived_in(relations, RelationName.parse(name, ("default",)), options)


def derived_in(
    relations: Mapping[RelationName, Relation], name: RelationName, options: Options = DEFAULT
) -> Derivation:
    return derive(relations[name], interfaces(relations, name, options), options)


def interfaces(
    relations: Mapping[RelationName, Relation], name: RelationName, options: Options = DEFAULT
) -> Mapping[RelationName, Interface]:
    """The interfaces of a relation's direct upstreams; one that does not exist is left out."""
    return {
        upstream: derived_in(relations, upstream, options).interface
        for upstream in upstreams_of(relations[name], options)
        if upstream in relations
    }


def columns(derivation: Derivation) -> list[tuple[str, str, bool]]:
    """(name, type, nullable) of each column."""
    return [(c.name, print_type(c.type), c.nullable) for c in derivation.interface.columns]


def field(derivation: Derivation, name: str) -> Field:
    schema: Record = derivation.interface.schema
    return next(field for field in schema.fields if field.name == name)


def columns_in(
    relations: Mapping[RelationName, Relation], name: RelationName, options: Options = DEFAULT
) -> str:
    """Names and types in Hive's words, with commas between."""
    columns = derived_in(relations, name, options).interface.columns
    shown = (f"{column.name.lower()} {print_type(column.type)}" for column in columns)
    return ", ".join(shown).replace("`", "")
