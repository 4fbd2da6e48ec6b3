"""Columns of Trino's queries as text, which tests of Trino compare."""

from __future__ import annotations

from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Column, Dialect, Relation, ViewText
from lakeschema.catalog.trino_types import parse_trino_type, print_trino_type
from lakeschema.translation.deriving.derivation import derive_view
from lakeschema.translation.deriving.with_upstreams import derive_with_upstreams
from lakeschema.translation.model.interface import Derivation, Interface, Options
from lakeschema.translation.plan.relations import Plan

TABLES = """
CREATE TABLE n (ti TINYINT, si SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, p DECIMAL(10,2),
  b BOOLEAN);
CREATE TABLE s (s STRING, v VARCHAR(5), c CHAR(4), y BINARY);
CREATE TABLE m (d DATE, t TIMESTAMP);
CREATE TABLE a (k INT, a ARRAY<INT>, x ARRAY<STRING>, o MAP<STRING,BIGINT>,
  r STRUCT<g:INT,h:STRING>, q ARRAY<STRUCT<g:INT,h:STRING>>)
"""
VIEW = RelationName.of("default", "v")


def interfaces() -> dict[RelationName, Interface]:
    relations = relations_from_ddl([TABLES])
    return {
        name: derive_with_upstreams(name, relations, Options())[name].interface
        for name in relations
    }


_INTERFACES = interfaces()


def view(text: str, *columns: tuple[str, str]) -> Relation:
    """A view with this text and, if it is stored, these columns: names and Trino's types."""
    stored = tuple(Column(name, parse_trino_type(type_)) for name, type_ in columns)
    return Relation(VIEW, stored, view=ViewText(Dialect.TRINO, text, text, ("default",), "hive"))


def derived(relation: Relation, options: Options | None = None) -> tuple[Derivation, Plan]:
    return derive_view(relation, _INTERFACES, options or Options())


def columns(text: str) -> list[str]:
    """``name type``, with a question mark where null is possible."""
    _, plan = derived(view(text))
    return [f"{c.name} {print_trino_type(c.type)}{'?' if c.nullable else ''}" for c in plan.columns]


def type_of(expression: str, table: str) -> str:
    """The type of one expression over a table."""
    (found,) = columns(f"SELECT {expression} AS x FROM {table}")
    return found.removeprefix("x ")
