"""Lists what a program must change when it goes from one version of a package to another.

Versions are compared by the names and types of their Python classes, so that every sentence is about
code; ``lakeschema.avro.compatibility`` judges the data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from codegen.annotations import Annotations
from codegen.lowering import lower
from codegen.shapes import (
    Attribute,
    DecimalShape,
    DictShape,
    EntriesShape,
    EnumClass,
    EnumReference,
    FixedReference,
    ListShape,
    PackageShape,
    RecordClass,
    RecordReference,
    Scalar,
    Shape,
    UnionShape,
)
from lakeschema.avro.definitions import definitions
from lakeschema.avro.model import Json, NoDefault, Record

_MAX_SHOWN = 60

_UNITS = {
    Scalar.TIMESTAMP_MILLIS: "milliseconds",
    Scalar.TIMESTAMP_MICROS: "microseconds",
    Scalar.LOCAL_MILLIS: "milliseconds",
    Scalar.LOCAL_MICROS: "microseconds",
    Scalar.TIME_MILLIS: "milliseconds",
    Scalar.TIME_MICROS: "microseconds",
}


class Need(Enum):
    """How necessary a change of a program is, in the order of the page."""

    MUST = "must edit"
    CHECK = "check"
    NOTHING = "nothing to edit"


@dataclass(frozen=True, slots=True)
class Edit:
    """A changed field, described in sentences with names of code between backticks.

    Attributes:
        path: the path of the attribute in the new version, or in the old version if it was removed.
        change: what changed, as a sentence without a full stop.
        action: what a program that uses the field must change.
    """

    path: str
    need: Need
    change: str
    action: str


_Edits: TypeAlias = Iterator[Edit]


def edits(old: Record, new: Record) -> tuple[Edit, ...]:
    """The edits from one version's schema to another's, the necessary edits first.

    Raises:
        UnfitSchema: a schema cannot be laid out in Python.
    """
    comparison = _Comparison(old, new)
    found = list(comparison.all())
    order = list(Need)
    return tuple(sorted(found, key=lambda edit: order.index(edit.need)))


class _Comparison:
    def __init__(self, old: Record, new: Record) -> None:
        self._before, self._after = lower(old), lower(new)
        self._old_classes = _by_name(self._before)
        self._new_classes = _by_name(self._after)
        self._aliases = _aliases(new)
        self._types = Annotations(())
        self._met: set[tuple[str, str]] = set()

    def all(self) -> _Edits:
        old, new = self._before.root, self._after.root
        if old.class_name != new.class_name:
            yield Edit(
                new.class_name,
                Need.MUST,
                f"the class `{old.class_name}` is now `{new.class_name}`",
                f"import `{new.class_name}` in place of `{old.class_name}`",
            )
        yield from self._records(old, new, "")

    def _records(self, old: RecordClass, new: RecordClass, path: str) -> _Edits:
        if not self._is_first_meeting(old.class_name, new.class_name):
            return
        before = {each.field: each for each in old.attributes}
        after = {each.field: each for each in new.attributes}
        aliases = self._aliases.get(new.full_name, {})
        renamed = {
            former: after[name]
            for former, name in aliases.items()
            if former in before and former not in after and name not in before
        }
        for field, attribute in before.items():
            now = after.get(field) or renamed.get(field)
            if now is None:
                yield _removed(attribute, path)
            else:
                yield from self._attributes(attribute, now, new, path)
        told = {each.field for each in renamed.values()}
        for field, attribute in after.items():
            if field not in before and field not in told:
                yield self._added(attribute, new, path)

    def _attributes(self, old: Attribute, new: Attribute, owner: RecordClass, path: str) -> _Edits:
        where = _join(path, new.name)
        if old.name != new.name:
            yield Edit(
                where,
                Need.MUST,
                f"`{_join(path, old.name)}` is now `{new.name}`",
                f"read `record.{where}` in place of `record.{_join(path, old.name)}`",
            )
        yield from self._shapes(old.shape, new.shape, where)
        yield from _defaults(old, new, owner, where)

    def _shapes(self, old: Shape, new: Shape, path: str) -> _Edits:
        was_optional, is_optional = _is_optional(old), _is_optional(new)
        if is_optional and not was_optional:
            yield Edit(path, Need.MUST, f"`{path}` is now optional", "handle `None`")
        elif was_optional and not is_optional:
            yield Edit(
                path,
                Need.CHECK,
                f"`{path}` is no longer optional",
                "pass a value wherever you make records; checks for `None` can go",
            )
        yield from self._values(_valued(old), _valued(new), path)

    def _values(self, old: Shape, new: Shape, path: str) -> _Edits:
        match old, new:
            case RecordReference(before), RecordReference(after):
                yield from self._references(before, after, path)
                yield from self._records(self._record(before), self._new_record(after), path)
            case EnumReference(before), EnumReference(after):
                yield from self._references(before, after, path)
                yield from self._enums(before, after, path)
            case ListShape(before), ListShape(after):
                yield from self._shapes(before, after, f"{path}[]")
            case DictShape(before), DictShape(after):
                yield from self._shapes(before, after, f"{path}{{}}")
            case EntriesShape(keys, before), EntriesShape(new_keys, after):
                yield from self._values(keys, new_keys, f"{path}{{key}}")
                yield from self._shapes(before, after, f"{path}{{}}")
            case UnionShape(), UnionShape() if self._types.of(old) == self._types.of(new):
                # The branches have the same Python types, but the parts of these types may differ.
                yield from self._branches(old, new, path)
            case _:
                yield from self._types_of_values(old, new, path)

    def _branches(self, old: UnionShape, new: UnionShape, path: str) -> _Edits:
        before = {self._types.of(branch): branch for branch in old.branches}
        for branch in new.branches:
            yield from self._values(before[self._types.of(branch)], branch, path)

    def _references(self, before: str, after: str, path: str) -> _Edits:
        if before != after and self._is_first_meeting(f"name {before}", after):
            change = f"the class of `{path}` was `{before}`, and is `{after}`"
            yield Edit(path, Need.MUST, change, f"import `{after}` in place of `{before}`")

    def _enums(self, before: str, after: str, path: str) -> _Edits:
        if not self._is_first_meeting(before, after):
            return
        old, new = self._old_classes[before], self._new_classes[after]
        if not isinstance(old, EnumClass) or not isinstance(new, EnumClass):
            return
        then = {symbol: member for member, symbol in old.members}
        now = {symbol: member for member, symbol in new.members}
        gone = [f"`{before}.{member}`" for symbol, member in then.items() if symbol not in now]
        come = [f"`{after}.{member}`" for symbol, member in now.items() if symbol not in then]
        if gone:
            what = f"`{path}` can no longer be {_listed(gone)}"
            yield Edit(path, Need.MUST, what, f"delete uses of {_listed(gone)}")
        if come:
            what = f"`{path}` can also be {_listed(come)}"
            yield Edit(path, Need.CHECK, what, "handle it wherever you tell the members apart")
        moved = [symbol for symbol in then if now.get(symbol, then[symbol]) != then[symbol]]
        for symbol in moved:
            what = f"`{before}.{then[symbol]}` is now `{after}.{now[symbol]}`"
            yield Edit(path, Need.MUST, what, f"write `{after}.{now[symbol]}`")

    def _types_of_values(self, old: Shape, new: Shape, path: str) -> _Edits:
        before, after = self._words(old), self._words(new)
        if before != after:
            yield Edit(
                path,
                Need.MUST,
                f"`{path}` was `{before}`, and is `{after}`",
                f"use it as `{after}`, and pass `{after}` where you make records",
            )
        elif isinstance(old, DecimalShape) and isinstance(new, DecimalShape):
            yield from _decimals(old, new, path)
        elif isinstance(old, FixedReference) and isinstance(new, FixedReference):
            if old.size != new.size:
                what = f"`{path}` has {new.size} bytes, and had {old.size}"
                yield Edit(path, Need.MUST, what, f"pass {new.size} bytes")
        elif isinstance(old, Scalar) and isinstance(new, Scalar) and old is not new:
            yield from _scalars(old, new, path)

    def _added(self, attribute: Attribute, owner: RecordClass, path: str) -> Edit:
        where = _join(path, attribute.name)
        text = self._words(attribute.shape)
        what = f"`{where}` was added as `{text}`"
        if isinstance(attribute.default, NoDefault):
            action = f"pass `{attribute.name}=` wherever you make a `{owner.class_name}`"
            return Edit(where, Need.MUST, f"{what}, without a default", action)
        return Edit(
            where, Need.NOTHING, f"{what}, default `{_shown(attribute.default)}`", "nothing"
        )

    def _words(self, shape: Shape) -> str:
        text = self._types.of(shape)
        return text.replace("_datetime.", "").replace("_decimal.", "").replace("_uuid.", "")

    def _record(self, name: str) -> RecordClass:
        return next(each for each in self._before.records if each.class_name == name)

    def _new_record(self, name: str) -> RecordClass:
        return next(each for each in self._after.records if each.class_name == name)

    def _is_first_meeting(self, old: str, new: str) -> bool:
        is_first = (old, new) not in self._met
        self._met.add((old, new))
        return is_first


def _removed(attribute: Attribute, path: str) -> Edit:
    where = _join(path, attribute.name)
    action = f"delete reads of `record.{where}`, and `{attribute.name}=` where you make records"
    return Edit(where, Need.MUST, f"`{where}` was removed", action)


def _defaults(old: Attribute, new: Attribute, owner: RecordClass, where: str) -> _Edits:
    before, after = old.default, new.default
    if isinstance(after, NoDefault):
        if not isinstance(before, NoDefault):
            what = f"`{where}` has no default any more"
            action = f"pass `{new.name}=` wherever you make a `{owner.class_name}`"
            yield Edit(where, Need.MUST, what, action)
    elif isinstance(before, NoDefault):
        what = f"`{where}` has the default `{_shown(after)}`"
        yield Edit(where, Need.NOTHING, what, "nothing: you may leave it out")
    elif before != after or type(before) is not type(after):
        what = f"the default of `{where}` was `{_shown(before)}`, and is `{_shown(after)}`"
        yield Edit(where, Need.CHECK, what, "pass it where you rely on the former default")


def _decimals(old: DecimalShape, new: DecimalShape, path: str) -> _Edits:
    before, after = (f"decimal({each.precision},{each.scale})" for each in (old, new))
    if before == after:
        return
    what = f"`{path}` was {before}, and is {after}"
    digits = new.precision - new.scale
    if new.scale < old.scale or digits < old.precision - old.scale:
        action = f"pass values with at most {digits} digits before the point and {new.scale} after"
        yield Edit(path, Need.MUST, what, action)
    else:
        yield Edit(path, Need.NOTHING, what, "nothing: your values fit")


def _scalars(old: Scalar, new: Scalar, path: str) -> _Edits:
    what = f"`{path}` was {old.value}, and is {new.value}"
    if {old, new} <= {Scalar.INT, Scalar.LONG, Scalar.FLOAT, Scalar.DOUBLE}:
        is_wider = new in {Scalar.LONG, Scalar.DOUBLE}
        word = "widened" if is_wider else "narrowed"
        what = f"`{path}` was {word} from {old.value} to {new.value}"
        if is_wider:
            yield Edit(path, Need.NOTHING, what, "nothing")
        else:
            yield Edit(path, Need.MUST, what, f"pass only values that fit {new.value}")
    elif old in _UNITS and new in _UNITS and _UNITS[old] != _UNITS[new]:
        what = f"`{path}` has times in {_UNITS[new]}, and had {_UNITS[old]}"
        if _UNITS[new] == "microseconds":
            yield Edit(path, Need.NOTHING, what, "nothing")
        else:
            yield Edit(path, Need.MUST, what, "round the times that you pass to milliseconds")
    elif {old, new} <= {Scalar.UUID_TEXT, Scalar.UUID_FIXED}:
        yield Edit(path, Need.NOTHING, what, "nothing")
    else:
        yield Edit(path, Need.CHECK, what, "check what you pass: local times have no time zone")


def _is_optional(shape: Shape) -> bool:
    return shape is Scalar.NULL or (isinstance(shape, UnionShape) and Scalar.NULL in shape.branches)


def _valued(shape: Shape) -> Shape:
    """The shape without the branch null."""
    if not isinstance(shape, UnionShape):
        return shape
    branches = tuple(branch for branch in shape.branches if branch is not Scalar.NULL)
    return branches[0] if len(branches) == 1 else UnionShape(branches)


def _by_name(shape: PackageShape) -> Mapping[str, object]:
    return {each.class_name: each for each in shape.classes}


def _aliases(root: Record) -> Mapping[str, Mapping[str, str]]:
    """For each record, by its full name, a map from each former name of a field to the current name."""
    return {
        name: {alias: field.name for field in each.fields for alias in field.aliases}
        for name, each in definitions(root).items()
        if isinstance(each, Record)
    }


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return ", ".join(names[:10]) + more


def _shown(value: Json) -> str:
    text = repr(value)
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 1]}…"
