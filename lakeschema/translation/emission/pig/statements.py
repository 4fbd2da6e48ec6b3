"""Builds a script: its statements, aliases, and the relations that the aliases name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from lakeschema.catalog.column_types import (
    TIMESTAMP,
    ArrayType,
    ColumnType,
    MapType,
    StructType,
    print_type,
)
from lakeschema.translation.emission.pig.expressions import ExpressionWriter, Field, output
from lakeschema.translation.emission.pig.functions import PigFunctions
from lakeschema.translation.emission.pig.names import Aliases, field_names, is_legal, topic
from lakeschema.translation.emission.pig.texts import scalar_type, type_text
from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.plan.relations import Aggregate, Plan


@dataclass(frozen=True, slots=True)
class Relation:
    """The relation that an alias names.

    Attributes:
        topics: the tables that it is made from.
        joined: whether its fields still have the names of their sides, such as ``a::c``.
        reordered: whether Pig stores its fields in another order, so that FLATTEN would return that
            order.
    """

    alias: str
    fields: tuple[Field, ...]
    topics: tuple[str, ...]
    joined: bool = False
    reordered: bool = False

    @property
    def topic(self) -> str:
        return topic(self.topics)


@dataclass(frozen=True, slots=True)
class Item:
    """A field to generate: its text, its wanted name, its type."""

    text: str
    name: str
    type: ColumnType


class Statements:
    """Collects the statements of one script."""

    def __init__(self, taken: Iterable[str] = (), *, plain_values: bool = False) -> None:
        self.plain_values = plain_values
        self.aliases = Aliases(taken)
        self.functions = PigFunctions(self.aliases)
        self._written: list[tuple[str, str]] = []

    def over(self, fields: Sequence[Field]) -> ExpressionWriter:
        return ExpressionWriter(fields, self.functions, self.plain_values)

    def add(self, wanted: str, text: str) -> str:
        """Adds a statement and returns its alias."""
        alias = self.aliases.fresh(wanted)
        self._written.append((alias, text))
        return alias

    def texts(self, last: str, name: str) -> tuple[str, ...]:
        """All statements, with the alias ``last`` renamed; no statement reads it."""
        return tuple(
            f"{name if alias == last else alias} = {text};" for alias, text in self._written
        )

    def ends_with(self, alias: str) -> bool:
        return bool(self._written) and self._written[-1][0] == alias

    def generate(
        self, below: Relation, items: Sequence[Item], kind: str = "columns", nested: str = ""
    ) -> Relation:
        """Adds a FOREACH whose fields have the wanted names, as far as these are legal."""
        names = field_names([item.name for item in items])
        shown = ", ".join(
            output(item.text, name, item.type) for item, name in zip(items, names, strict=True)
        )
        body = f"{{ {nested} GENERATE {shown}; }}" if nested else f"GENERATE {shown}"
        alias = self.add(f"{below.topic}_{kind}", f"FOREACH {below.alias} {body}")
        fields = tuple(Field(n, item.type) for n, item in zip(names, items, strict=True))
        return Relation(alias, fields, below.topics)

    def declared(self, below: Relation) -> Relation:
        """The relation with typed maps: Pig does not know the type of a loaded map."""
        if not any(_holds_map(field.type) for field in below.fields):
            return below
        shown = (
            f"{f.text} AS {f.text}:{type_text(f.type)}" if _holds_map(f.type) else f.text
            for f in below.fields
        )
        text = f"FOREACH {below.alias} GENERATE {', '.join(shown)}"
        return Relation(self.add(f"{below.topic}_declared", text), below.fields, below.topics)

    def filtered(self, below: Relation, condition: str, kind: str = "filtered") -> Relation:
        shown = _without_parentheses(condition)
        alias = self.add(f"{below.topic}_{kind}", f"FILTER {below.alias} BY {shown}")
        return replace(below, alias=alias)

    def renamed(self, relation: Relation) -> Relation:
        """The relation with simple field names in this order."""
        if not (relation.joined or relation.reordered):
            return relation
        items = [Item(f.text, _own_name(f.text, i), f.type) for i, f in enumerate(relation.fields)]
        return self.generate(relation, items)

    def named(self, relation: Relation) -> Relation:
        """The relation with fields that can all be read by name, as grouping requires."""
        if not relation.joined and all(is_legal(field.text) for field in relation.fields):
            return relation
        return self.renamed(Relation(relation.alias, relation.fields, relation.topics, joined=True))


def _holds_map(type_: ColumnType) -> bool:
    match type_:
        case MapType():
            return True
        case ArrayType(element):
            return _holds_map(element)
        case StructType(fields):
            return any(_holds_map(field.type) for field in fields)
        case _:
            return False


def check_group(type_: ColumnType, statements: Statements, what: str) -> None:
    """Raises ``UnsupportedConstruct`` unless Pig and Hive group values of the type alike."""
    if scalar_type(type_) is None or (type_ == TIMESTAMP and not statements.plain_values):
        raise UnsupportedConstruct(f"{what} of {print_type(type_)} for Pig")


def one_key(side: Relation) -> str:
    """A key that all rows share; it reads a field, since Pig fails if it prunes all fields."""
    return f"({side.fields[0].text} is null ? 1 : 1)"


def sides(left: Relation, right: Relation) -> tuple[Field, ...]:
    found = []
    for offset, side in ((0, left), (len(left.fields), right)):
        for place, field in enumerate(side.fields, offset):
            legal = is_legal(field.text)
            found.append(Field(f"{side.alias}::{field.text}" if legal else f"${place}", field.type))
    return tuple(found)


def _own_name(text: str, place: int) -> str:
    name = text.rpartition("::")[2]
    return name if is_legal(name) else f"c{place}"


_WHOLE = re.compile(r"\((.*)\)", re.DOTALL)


def _without_parentheses(condition: str) -> str:
    """The condition without parentheses around its whole text."""
    found = _WHOLE.fullmatch(condition)
    if found is None:
        return condition
    depth, quoted, escaped = 0, False, False
    for character in found[1]:
        if escaped:
            escaped = False
        elif character == "\\":
            escaped = True
        elif character == "'":
            quoted = not quoted
        elif not quoted and character in "()":
            depth += 1 if character == "(" else -1
            if depth < 0:
                return condition
    return found[1]


class Writer(Protocol):
    """The interface of the writer of whole plans, for the modules that each write one kind of node."""

    @property
    def statements(self) -> Statements: ...

    def rows(self, plan: Plan) -> Relation: ...

    def table_of(self, plan: Plan) -> Relation | None:
        """The rows of any table that the plan reads, directly or through its inputs; None without a table."""

    def is_orderless(self, plan: Aggregate, place: int) -> bool:
        """Whether the order of the elements that the aggregate collects does not affect the rows."""

    def again(self, plan: Plan) -> Relation:
        """The rows under a separate alias, for a self-join."""
