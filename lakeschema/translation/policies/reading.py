"""Reads policies from the values of TOML and JSON documents, and checks them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from types import MappingProxyType
from typing import Any, Final

from lakeschema.translation.policies.rules import (
    ColumnAction,
    ConstantMask,
    DroppedColumn,
    HashMask,
    NullMask,
    PartialMask,
    Policies,
    RowFilter,
    Rule,
    ShownColumn,
)

MAX_RULES: Final = 10_000
_MASKS: Final = ("null", "hash", "partial", "constant", "none")
_PARAMETERS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "hash": frozenset({"salt"}),
        "partial": frozenset({"keep_first", "keep_last"}),
        "constant": frozenset({"value"}),
    }
)
_ACTIONS: Final = ("mask", "drop", "filter")
_SELECTORS: Final = ("tables", "property", "columns", "tag", "groups", "except_groups")
_KEYS: Final = frozenset({*_ACTIONS, *_SELECTORS, *frozenset().union(*_PARAMETERS.values())})


class InvalidPolicies(ValueError):
    """The error for invalid policies. ``place`` is the path of the wrong part: ``rules[2].mask``."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(place, problem)
        self.place = place
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.place}: {self.problem}"


def read_policies(value: object) -> Policies:
    """The policies of an object with any of ``groups``, ``tags`` and ``rules``.

    Raises:
        InvalidPolicies: a part of it is invalid.
    """
    found = _object("policies", value, frozenset({"groups", "tags", "rules"}))
    groups = frozenset(_texts("groups", found.get("groups", [])))
    tags = found.get("tags", {})
    if not isinstance(tags, Mapping):
        raise InvalidPolicies("tags", "expected a table: a tag and the columns that have it")
    rules = found.get("rules", [])
    if not isinstance(rules, list) or len(rules) > MAX_RULES:
        raise InvalidPolicies("rules", f"expected a list of at most {MAX_RULES:,} rules")
    return Policies(
        groups,
        MappingProxyType({tag: _columns_of(tag, named) for tag, named in tags.items()}),
        tuple(_rule(f"rules[{i}]", rule, groups) for i, rule in enumerate(rules)),
    )


def _columns_of(tag: str, named: object) -> tuple[str, ...]:
    place = f"tags.{tag}"
    patterns = _texts(place, named, lower=True)
    for pattern in patterns:
        if pattern.count(".") < 2:
            raise InvalidPolicies(place, f"expected database.table.column, got {pattern!r:.100}")
    return patterns


def _rule(place: str, value: object, known: frozenset[str]) -> Rule:
    found = _object(place, value, _KEYS)
    actions = [key for key in _ACTIONS if key in found]
    if len(actions) != 1:
        raise InvalidPolicies(place, "expected exactly one of mask, drop, filter")
    action = _action(place, actions[0], found)
    rule = Rule(
        action,
        _texts(f"{place}.tables", found.get("tables", []), lower=True),
        _property(place, found.get("property")),
        _texts(f"{place}.columns", found.get("columns", []), lower=True),
        _tag(place, found.get("tag")),
        _groups(f"{place}.groups", found.get("groups", []), known),
        _groups(f"{place}.except_groups", found.get("except_groups", []), known),
    )
    _check_selectors(place, rule, found)
    return rule


def _check_selectors(place: str, rule: Rule, found: Mapping[str, Any]) -> None:
    for key in ("tables", "columns", "groups", "except_groups"):
        # An empty list would mean "any", which its author may not have meant.
        if found.get(key) == []:
            raise InvalidPolicies(f"{place}.{key}", "expected a list that is not empty")
    for table in rule.tables:
        if "*" not in table and "." not in table.strip("."):
            problem = f"expected database.table, got {table!r:.100}"
            raise InvalidPolicies(f"{place}.tables", problem)
    if rule.groups and rule.except_groups:
        raise InvalidPolicies(place, "expected groups or except_groups, not both")
    if isinstance(rule.action, RowFilter):
        if rule.columns or rule.tag:
            raise InvalidPolicies(place, "a filter applies to rows: expected no columns and no tag")
        if not rule.tables and rule.table_property is None:
            raise InvalidPolicies(place, "expected tables or property, to select the filtered rows")
    elif not rule.columns and not rule.tag:
        raise InvalidPolicies(place, "expected columns or tag, to select the masked columns")


def _action(place: str, key: str, found: Mapping[str, Any]) -> ColumnAction | RowFilter:
    value = found[key]
    parameters = {name for names in _PARAMETERS.values() for name in names if name in found}
    allowed = (
        _PARAMETERS.get(value, frozenset()) if key == "mask" and isinstance(value, str) else ()
    )
    for name in sorted(parameters.difference(allowed)):
        raise InvalidPolicies(f"{place}.{name}", "has no meaning with this action")
    if key == "filter":
        if not isinstance(value, str) or not value.strip():
            raise InvalidPolicies(f"{place}.filter", "expected a SQL condition")
        return RowFilter(value)
    if key == "drop":
        if value is not True:
            raise InvalidPolicies(f"{place}.drop", f"expected true, got {value!r:.100}")
        return DroppedColumn()
    return _mask(place, value, found)


def _mask(place: str, name: object, found: Mapping[str, Any]) -> ColumnAction:
    match name:
        case "null":
            return NullMask()
        case "none":
            return ShownColumn()
        case "hash":
            return HashMask(_text(f"{place}.salt", found.get("salt", "")))
        case "partial":
            return _partial(place, found)
        case "constant":
            return _constant(f"{place}.value", found.get("value"))
        case _:
            listed = ", ".join(_MASKS)
            raise InvalidPolicies(f"{place}.mask", f"expected one of {listed}, got {name!r:.100}")


def _partial(place: str, found: Mapping[str, Any]) -> PartialMask:
    chosen = [key for key in ("keep_first", "keep_last") if key in found]
    if len(chosen) != 1:
        raise InvalidPolicies(place, "expected exactly one of keep_first, keep_last")
    kept = found[chosen[0]]
    if not isinstance(kept, int) or isinstance(kept, bool) or not 0 < kept <= 1000:
        raise InvalidPolicies(f"{place}.{chosen[0]}", "expected a number from 1 to 1000")
    return PartialMask(kept, last=chosen[0] == "keep_last")


def _constant(place: str, value: object) -> ConstantMask:
    if isinstance(value, datetime) or not isinstance(value, bool | int | float | str | date):
        raise InvalidPolicies(place, "expected a text, a number, true, false or a date")
    if isinstance(value, str):
        _text(place, value)
    return ConstantMask(value)


def _property(place: str, value: object) -> tuple[str, str | None] | None:
    if value is None:
        return None
    text = _text(f"{place}.property", value)
    name, equals, wanted = text.partition("=")
    if not name.strip():
        raise InvalidPolicies(f"{place}.property", "expected 'name' or 'name=value'")
    return name.strip(), wanted.strip() if equals else None


def _tag(place: str, value: object) -> str:
    if value is None:
        return ""
    text = _text(f"{place}.tag", value)
    if not text:
        raise InvalidPolicies(f"{place}.tag", "expected a tag")
    return text


def _groups(place: str, value: object, known: frozenset[str]) -> frozenset[str]:
    found = frozenset(_texts(place, value))
    for name in sorted(found - known):
        raise InvalidPolicies(place, f"{name!r:.100} is not among the policies' groups")
    return found


def _texts(place: str, value: object, *, lower: bool = False) -> tuple[str, ...]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise InvalidPolicies(place, f"expected a list of texts, got {value!r:.100}")
    found = tuple(_text(place, each) for each in value)
    if not all(found):
        raise InvalidPolicies(place, "expected texts that are not empty")
    return tuple(each.lower() for each in found) if lower else found


def _text(place: str, value: object) -> str:
    if not isinstance(value, str):
        raise InvalidPolicies(place, f"expected a text, got {value!r:.100}")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise InvalidPolicies(place, "an unpaired surrogate, which no engine can read")
    return value


def _object(place: str, value: object, allowed: frozenset[str]) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidPolicies(place, "expected a table")
    for key in value:
        if key not in allowed:
            listed = ", ".join(sorted(allowed))
            raise InvalidPolicies(place, f"unknown key {key!r:.100}; the keys are {listed}")
    return value
