"""Chooses the masks, filters and tags that policies give a relation.

Patterns with ``*`` only match tables; a view inherits the masks of its tables. A rule applies to a
view if it names the view exactly, or a property or tag that the view itself declares.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, assert_never

from lakeschema.avro.definitions import parts
from lakeschema.avro.model import Field, NamedSchema, Record, Reference
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Column, Relation
from lakeschema.translation.model.errors import CannotEnforce
from lakeschema.translation.model.interface import Interface
from lakeschema.translation.model.patterns import match_pattern
from lakeschema.translation.policies.masks import mask_problem
from lakeschema.translation.policies.rules import (
    ConstantMask,
    DroppedColumn,
    HashMask,
    Mask,
    NullMask,
    PartialMask,
    Policies,
    RowFilter,
    Rule,
    ShownColumn,
)

TAGS_PROPERTY: Final = "policy.tags."
"""The prefix of a table property that lists a column's tags; the column's name follows."""

_FIELD_TAGS: Final = "tags"


@dataclass(frozen=True, slots=True)
class Chosen:
    """The policies chosen for one relation.

    Attributes:
        masks: the masks of columns, by place among all columns of the relation's interface.
        conditions: SQL over the unmasked columns; rows that meet all conditions are kept.
        tags: the tags of columns that have any, by place.
    """

    masks: Mapping[int, Mask]
    conditions: tuple[str, ...]
    tags: Mapping[int, frozenset[str]]

    @property
    def is_empty(self) -> bool:
        return not self.masks and not self.conditions


def choose(policies: Policies, relation: Relation, interface: Interface) -> Chosen:
    """Chooses a relation's policies for one reader.

    Raises:
        CannotEnforce: a rule or a tag names a column that does not exist, or a mask does not fit.
    """
    columns = _columns(interface)
    names = [column.name.lower() for column in columns]
    tags = _tags(policies, relation, interface, names)
    matching = [rule for rule in policies.rules if _is_about(rule, relation)]
    for rule in matching:
        _check_names(rule, relation.name, names)
    masks: dict[int, Mask] = {}
    for place, column in enumerate(columns):
        mask = _first(matching, relation, names[place], tags.get(place, frozenset()))
        if mask is not None:
            problem = mask_problem(mask, column.type)
            if problem is not None:
                raise CannotEnforce(f"{relation.name}.{column.name}", problem)
            masks[place] = mask
    conditions = tuple(r.action.condition for r in matching if isinstance(r.action, RowFilter))
    return Chosen(masks, conditions, tags)


def mask_name(mask: Mask) -> str:
    """The mask's name in rules."""
    match mask:
        case NullMask():
            return "null"
        case HashMask():
            return "hash"
        case PartialMask():
            return "partial"
        case ConstantMask():
            return "constant"
        case DroppedColumn():
            return "drop"
        case _:
            assert_never(mask)


def _columns(interface: Interface) -> Sequence[Column]:
    return [
        interface.columns[place] if isinstance(place, int) else place.column
        for place in interface.places
    ]


def _first(
    rules: Iterable[Rule], relation: Relation, name: str, tags: frozenset[str]
) -> Mask | None:
    """The mask of the first rule that applies to the column."""
    for rule in rules:
        if isinstance(rule.action, RowFilter):
            continue
        named = not rule.columns or _matches(rule.columns, name)
        tagged = not rule.tag or rule.tag in tags
        if named and tagged and _declares(rule, relation):
            return None if isinstance(rule.action, ShownColumn) else rule.action
    return None


def _declares(rule: Rule, relation: Relation) -> bool:
    """Whether the rule applies to a view's columns: by the view's name, its property, or its tag."""
    return not relation.is_view or bool(rule.tables or rule.table_property is not None or rule.tag)


def _is_about(rule: Rule, relation: Relation) -> bool:
    if rule.table_property is not None:
        name, value = rule.table_property
        found = {key.lower(): text for key, text in relation.properties.items()}.get(name.lower())
        if found is None or value not in {None, found.strip()}:
            return False
    if not rule.tables:
        return True
    own = relation.is_view and rule.table_property is None
    patterns = [p for p in rule.tables if "*" not in p] if own else rule.tables
    return _matches(patterns, _dotted(relation.name))


def _check_names(rule: Rule, relation: RelationName, names: Sequence[str]) -> None:
    """Refuses unknown names of columns: a misspelt name would leave a column unmasked."""
    if _dotted(relation) not in rule.tables:
        return
    for column in rule.columns:
        if "*" not in column and column not in names:
            raise CannotEnforce(f"{relation}.{column}", "there is no such column")


def _tags(
    policies: Policies, relation: Relation, interface: Interface, names: Sequence[str]
) -> Mapping[int, frozenset[str]]:
    found: dict[int, set[str]] = {}
    for column, tag in (*_own_tags(relation), *_exact_tags(policies, relation.name)):
        if column not in names:
            raise CannotEnforce(
                f"{relation.name}.{column}", f"tag {tag!r} names a column that does not exist"
            )
        found.setdefault(names.index(column), set()).add(tag)
    if not relation.is_view:
        for place, name in enumerate(names):
            whole = f"{_dotted(relation.name)}.{name}"
            by_pattern = {t for t, named in policies.tags.items() if _matches(named, whole)}
            found.setdefault(place, set()).update(by_pattern)
        known = interface.definitions
        for place, index in enumerate(interface.places):
            if isinstance(index, int):
                found[place] |= _field_tags(interface.schema.fields[index], known)
    return {place: frozenset(tags) for place, tags in found.items() if tags}


def _own_tags(relation: Relation) -> Sequence[tuple[str, str]]:
    """Each tag in a relation's properties, with its column, as pairs of column and tag."""
    return [
        (key[len(TAGS_PROPERTY) :].lower(), tag.strip())
        for key, text in relation.properties.items()
        if key.lower().startswith(TAGS_PROPERTY)
        for tag in text.split(",")
        if tag.strip()
    ]


def _exact_tags(policies: Policies, relation: RelationName) -> Sequence[tuple[str, str]]:
    start = f"{_dotted(relation)}."
    return [
        (pattern.removeprefix(start), tag)
        for tag, patterns in policies.tags.items()
        for pattern in patterns
        if "*" not in pattern and pattern.startswith(start)
    ]


def _field_tags(field: Field, known: Mapping[str, NamedSchema]) -> frozenset[str]:
    """The tags of an Avro field and its nested fields: entries of ``"tags"``, and true properties."""
    found: set[str] = set()
    seen: set[str] = set()
    fields = [field]
    while fields:
        each = fields.pop()
        listed = each.properties.get(_FIELD_TAGS)
        if isinstance(listed, list):
            found.update(tag for tag in listed if isinstance(tag, str))
        found.update(name for name, value in each.properties.items() if value is True)
        for part in parts(each.type):
            record = known[part.full_name] if isinstance(part, Reference) else part
            if isinstance(record, Record) and record.full_name not in seen:
                seen.add(record.full_name)
                fields.extend(record.fields)
    return frozenset(found)


def _matches(patterns: Iterable[str], text: str) -> bool:
    return any(match_pattern(pattern, text) is not None for pattern in patterns)


def _dotted(name: RelationName) -> str:
    """The name with dots: ``sales.orders``, or ``prod:sales.orders`` in another catalog."""
    catalog = f"{name.catalog}:" if name.catalog else ""
    return f"{catalog}{'.'.join(name.parts)}".lower()
