"""Checks fields' defaults, JSON values, against schemas (specification, "Complex Types, Records").

A union's default belongs to the first branch that it fits (specification 1.12; up to 1.11, it had
to fit the union's first branch).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import assert_never

from lakeschema.avro.float_defaults import is_not_finite
from lakeschema.avro.model import (
    Array,
    EnumSchema,
    Fixed,
    Json,
    MapSchema,
    NamedSchema,
    NoDefault,
    Primitive,
    Record,
    Reference,
    Schema,
    Union,
)

_INT_RANGE = range(-(2**31), 2**31)
_LONG_RANGE = range(-(2**63), 2**63)
_LARGEST_DOUBLE = 1.7976931348623157e308


class Defaults:
    """Checks defaults against the types of one schema.

    A value is tried once against each record. Otherwise a union of two records that contain the
    union again would take time exponential in the value's depth.
    """

    def __init__(self, definitions: Mapping[str, NamedSchema]) -> None:
        self._definitions = definitions
        # The entries keep the values alive, so that no id is reused.
        self._tried: dict[tuple[int, str], tuple[Json, bool]] = {}

    def fits(self, value: Json, schema: Schema) -> bool:
        """Whether the JSON of a default is a value of the schema.

        A record's value may leave out fields that have defaults.
        """
        match schema:
            case Primitive(name):
                return _fits_primitive(value, name)
            case Reference(full_name):
                return self.fits(value, self._definitions[full_name])
            case Union(branches):
                return any(self.fits(value, branch) for branch in branches)
            case Array(items):
                return isinstance(value, list) and all(self.fits(item, items) for item in value)
            case MapSchema(values):
                return isinstance(value, dict) and all(
                    self.fits(item, values) for item in value.values()
                )
            case EnumSchema(symbols=symbols):
                return isinstance(value, str) and value in symbols
            case Fixed(size=size):
                return isinstance(value, str) and _is_bytes(value) and len(value) == size
            case Record():
                return isinstance(value, dict) and self._fits_record(value, schema)
            case _:
                assert_never(schema)

    def fits_field(self, value: Json, schema: Schema) -> bool:
        """Whether the default of a field with this type is valid."""
        return is_not_finite(value, schema) or self.fits(value, schema)

    def branch(self, value: Json, union: Union) -> Schema:
        """The branch to which a union's default belongs: the first branch that it fits.

        Raises:
            ValueError: the default fits no branch.
        """
        for branch in union.branches:
            if self.fits(value, branch):
                return branch
        raise ValueError("the default fits no branch of its union")

    def endless(self) -> frozenset[tuple[str, str]]:
        """Fields whose default can never be completed, as pairs of record and field.

        In ``record R {R next = {}}`` the default leaves out ``next``, whose default leaves out ``next`` again.
        """
        relies_on: dict[tuple[str, str], tuple[tuple[str, str], ...]] = {}
        for record in self._definitions.values():
            if not isinstance(record, Record):
                continue
            for field in record.fields:
                # Only objects can leave anything out, directly or inside lists.
                if isinstance(field.default, dict | list):
                    left_out = tuple(self._left_out(field.default, field.type))
                    if left_out:
                        relies_on[record.full_name, field.name] = left_out
        if not relies_on:
            return frozenset()
        order = TopologicalSorter(relies_on)
        try:
            order.prepare()
        except CycleError:
            pass
        else:
            return frozenset()
        # Entries that are never ready are on a cycle, or lead to one.
        while ready := order.get_ready():
            order.done(*ready)
            for key in ready:
                relies_on.pop(key, None)
        return frozenset(relies_on)

    def _fits_record(self, value: dict[str, Json], record: Record) -> bool:
        key = (id(value), record.full_name)
        known = self._tried.get(key)
        if known is not None:
            return known[1]
        answer = all(
            self.fits(value[field.name], field.type)
            if field.name in value
            else not isinstance(field.default, NoDefault)
            for field in record.fields
        )
        self._tried[key] = (value, answer)
        return answer

    def _left_out(self, value: Json, schema: Schema) -> Iterator[tuple[str, str]]:
        """The fields that records in ``value`` leave to their defaults."""
        match schema:
            case Reference(full_name):
                yield from self._left_out(value, self._definitions[full_name])
            case Union():
                yield from self._left_out(value, self.branch(value, schema))
            case Array(items) if isinstance(value, list):
                for item in value:
                    yield from self._left_out(item, items)
            case MapSchema(values) if isinstance(value, dict):
                for item in value.values():
                    yield from self._left_out(item, values)
            case Record(fields=fields) if isinstance(value, dict):
                for field in fields:
                    if field.name in value:
                        yield from self._left_out(value[field.name], field.type)
                    else:
                        yield schema.full_name, field.name
            case _:
                pass


def _fits_primitive(value: Json, name: str) -> bool:
    match name:
        case "null":
            return value is None
        case "boolean":
            return isinstance(value, bool)
        case "int":
            return type(value) is int and value in _INT_RANGE
        case "long":
            return type(value) is int and value in _LONG_RANGE
        case "float" | "double":
            # Integers are compared exactly, however long. Values beyond a float's range become
            # infinite, as in Java.
            return (
                isinstance(value, int | float)
                and not isinstance(value, bool)
                and abs(value) <= _LARGEST_DOUBLE
            )
        case "string":
            return isinstance(value, str)
        case "bytes":
            return _is_bytes(value)
        case _:
            raise AssertionError(name)


def _is_bytes(value: Json) -> bool:
    return isinstance(value, str) and all(ord(character) < 256 for character in value)
