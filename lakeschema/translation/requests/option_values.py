"""Reads the values of ``Options`` from requests and settings, and checks them in one place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any, TypeVar

from lakeschema.catalog.column_types import parse_type
from lakeschema.translation.emission.pig.loads import load_problem
from lakeschema.translation.emission.spark.udf_rules import rule_problem
from lakeschema.translation.model.interface import (
    Casing,
    FloatingSums,
    HiveFunctions,
    Inexpressible,
    Nullability,
    NullOrder,
    Overflow,
    PigLoad,
    Returns,
    ReturnsArgument,
    ReturnsRows,
    SparkUdfRule,
    TrinoUdfRule,
    UdfReturn,
    ViewEvolution,
)

E = TypeVar("E", bound=Enum)

_RULE_KEYS = ("class", "dependency", "spark_class", "spark_dependency")


class InvalidOption(ValueError):
    """An invalid value of an option; ``expected`` describes the valid values."""

    def __init__(self, key: str, value: object, expected: str) -> None:
        super().__init__(key, value, expected)
        self.key = key
        self.value = value
        self.expected = expected

    def __str__(self) -> str:
        return f"option {self.key!r} is {self.value!r:.200}: expected {self.expected}"


def option_names() -> tuple[str, ...]:
    return tuple(sorted(_READERS))


def read_option(key: str, value: object) -> Any:
    """The parsed value of the option ``key``, which is one of ``option_names``.

    Raises:
        InvalidOption: the value is invalid.
    """
    return _READERS[key](key, value)


def read_udf(class_name: str, value: object) -> UdfReturn:
    """The stated result of a UDF's class.

    Raises:
        InvalidOption: the value is not an object with exactly one of the keys ``returns``,
            ``returns_argument`` and ``returns_rows``.
        MalformedType: the type's text cannot be parsed.
    """
    match value:
        case {"returns": str(text), **rest} if not rest:
            return Returns(parse_type(text))
        case {"returns_argument": int(index), **rest} if not rest and _is_index(index):
            return ReturnsArgument(index)
        case {"returns_rows": str(text), **rest} if not rest:
            return ReturnsRows(parse_type(text))
        case _:
            expected = (
                "exactly one of returns (a type), returns_argument (an index from 0), "
                "returns_rows (a struct)"
            )
            raise InvalidOption(class_name, value, expected)


def read_spark_rule(value: object) -> SparkUdfRule:
    """A rule of ``spark_udfs``.

    Raises:
        InvalidOption: a key or a value is wrong, or the rule replaces nothing.
    """
    if (
        not isinstance(value, Mapping)
        or "class" not in value
        or not set(value) <= set(_RULE_KEYS)
        or not all(isinstance(text, str) for text in value.values())
    ):
        expected = "an object of strings with 'class' and any of " + ", ".join(
            repr(key) for key in _RULE_KEYS[1:]
        )
        raise InvalidOption("spark_udfs", value, expected)
    rule = SparkUdfRule(
        value["class"],
        value.get("dependency"),
        value.get("spark_class"),
        value.get("spark_dependency"),
    )
    problem = rule_problem(rule)
    if problem is not None:
        raise InvalidOption("spark_udfs", value, f"a valid rule, but {problem}")
    return rule


def _is_index(value: int) -> bool:
    return not isinstance(value, bool) and value >= 0


def _choice(kind: type[E]) -> Callable[[str, object], E]:
    def read(key: str, value: object) -> E:
        for member in kind:
            if member.value == value:
                return member
        raise _not_one_of(key, value, [member.value for member in kind])

    return read


def _flag(key: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise InvalidOption(key, value, "true or false")
    return value


def _unit(key: str, value: object) -> str:
    if value not in _UNITS:
        raise _not_one_of(key, value, _UNITS)
    return str(value)


def _size(key: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise InvalidOption(key, value, "a number of bytes")
    return value


def _rules(key: str, value: object) -> tuple[SparkUdfRule, ...]:
    if not isinstance(value, list):
        raise InvalidOption(key, value, "a list of rules")
    return tuple(map(read_spark_rule, value))


def _trino_rules(key: str, value: object) -> tuple[TrinoUdfRule, ...]:
    if not isinstance(value, list):
        raise InvalidOption(key, value, "a list of rules")
    rules = []
    for rule in value:
        match rule:
            case {"class": str(pattern), "trino_name": str(name), **rest} if not rest:
                rules.append(TrinoUdfRule(pattern, name))
            case _:
                raise InvalidOption(key, rule, "an object with 'class' and 'trino_name'")
    return tuple(rules)


def _catalogs(key: str, value: object) -> Mapping[str, str]:
    if not isinstance(value, Mapping) or not all(
        isinstance(name, str) and isinstance(found, str) for name, found in value.items()
    ):
        raise InvalidOption(key, value, "an object: a catalog's name to that in Trino")
    return MappingProxyType(dict(value))


def _names(key: str, value: object) -> frozenset[str]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise InvalidOption(key, value, "a list of names")
    return frozenset(name.lower() for name in value)


def _loads(key: str, value: object) -> tuple[PigLoad, ...]:
    if not isinstance(value, list):
        raise InvalidOption(key, value, "a list of rules")
    return tuple(map(_load, value))


def _load(value: object) -> PigLoad:
    match value:
        case {"table": str(table), "path": str(path), "loader": str(loader), **rest} if not rest:
            rule = PigLoad(table, path, loader)
        case _:
            expected = "an object of strings with 'table', 'path' and 'loader'"
            raise InvalidOption("pig_loads", value, expected)
    problem = load_problem(rule)
    if problem is not None:
        raise InvalidOption("pig_loads", value, f"a valid rule, but {problem}")
    return rule


def _not_one_of(key: str, value: object, allowed: list[str]) -> InvalidOption:
    return InvalidOption(key, value, f"one of {', '.join(allowed)}")


_UNITS = ["micros", "millis"]
_READERS: Mapping[str, Callable[[str, object], Any]] = {
    "casing": _choice(Casing),
    "nullability": _choice(Nullability),
    "view_evolution": _choice(ViewEvolution),
    "inexpressible": _choice(Inexpressible),
    "strict": _flag,
    "local_timestamps": _flag,
    "timestamp_unit": _unit,
    "max_sql_bytes": _size,
    "spark_udfs": _rules,
    "hive_functions": _choice(HiveFunctions),
    "trino_udfs": _trino_rules,
    "trino_catalogs": _catalogs,
    "spark_catalogs": _names,
    "overflow": _choice(Overflow),
    "nulls": _choice(NullOrder),
    "pig_loads": _loads,
    "pig_plain_values": _flag,
    "floating_sums": _choice(FloatingSums),
}
