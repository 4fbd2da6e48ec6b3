"""Decides what a change of a schema means for users who have earlier versions installed.

It is stricter than Avro's schema resolution. Schema resolution accepts millis → micros and scale 2
→ 4, although readers then silently misread every value.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeAlias, assert_never

from lakeschema.avro.definitions import definitions
from lakeschema.avro.iceberg_ids import replaced_fields
from lakeschema.avro.key_value_maps import map_parts
from lakeschema.avro.model import (
    Array,
    EnumSchema,
    Field,
    Fixed,
    Json,
    LogicalType,
    MapSchema,
    NamedSchema,
    NoDefault,
    Primitive,
    Record,
    Reference,
    Schema,
    Union,
)
from lakeschema.avro.parsing import branch_kind
from lakeschema.avro.printing import to_text


class Level(Enum):
    """How much a version number increases."""

    MAJOR = "major"
    MINOR = "minor"
    PATCH = "patch"
    NONE = "none"


_RANK = {Level.NONE: 0, Level.PATCH: 1, Level.MINOR: 2, Level.MAJOR: 3}


@dataclass(frozen=True, slots=True)
class Change:
    """A change. ``reasons`` are sentences for a changelog, the most severe first."""

    level: Level
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Finding:
    level: Level
    reason: str


_Findings: TypeAlias = Iterator[_Finding]


def compare(previous: Sequence[Schema], new: Schema) -> Change:
    """The change from the last of ``previous``, judged against all of them.

    ``previous`` are the versions of the current major, oldest first. A user who pinned the major
    may have any of them, so a change that breaks one of them needs a new major.

    The cost is linear in the sizes of the schemas, which are untrusted.

    Raises:
        ValueError: ``previous`` is empty.
    """
    if not previous:
        raise ValueError("there is no earlier version to compare with")
    *earlier, latest = previous
    findings = list(_differences(latest, new))
    known = {finding.reason for finding in findings if finding.level is Level.MAJOR}
    for schema in earlier:
        for finding in _differences(schema, new):
            if finding.level is Level.MAJOR and finding.reason not in known:
                known.add(finding.reason)
                reason = f"against an earlier version of this major: {finding.reason}"
                findings.append(_Finding(Level.MAJOR, reason))
    if not findings:
        if to_text(latest) == to_text(new):
            return Change(Level.NONE, ())
        return Change(Level.PATCH, ("the schema is written in another way",))
    findings.sort(key=lambda finding: -_RANK[finding.level])
    return Change(findings[0].level, tuple(finding.reason for finding in findings))


def _differences(old: Schema, new: Schema) -> _Findings:
    before, after = definitions(old), definitions(new)
    has_aliases = any(map(_has_aliases, (*before.values(), *after.values())))
    equal = has_aliases and to_text(_as_java_compares(old)) == to_text(_as_java_compares(new))
    comparison = _Comparison(before, after, equal=equal)
    yield from comparison.types(old, new, "")
    yield from comparison.alias_clashes()


class _Comparison:
    """Walks two schemas in parallel; each pair of named types is compared when first met.

    ``equal``: whether the schemas differ only in parts such as aliases. Java then applies no
    aliases.
    """

    def __init__(
        self, old: Mapping[str, NamedSchema], new: Mapping[str, NamedSchema], *, equal: bool
    ) -> None:
        self._old = old
        self._new = new
        self._equal = equal
        self._met: set[tuple[str, str]] = set()

    def types(self, old: Schema, new: Schema, path: str) -> _Findings:
        old = self._old[old.full_name] if isinstance(old, Reference) else old
        new = self._new[new.full_name] if isinstance(new, Reference) else new
        match old, new:
            case Primitive(), Primitive() if old.name == new.name:
                yield from _logical(old.logical, new.logical, path)
                yield from _properties(old.properties, new.properties, path)
            case Array(), Array():
                yield from _properties(old.properties, new.properties, path)
                yield from self.types(old.items, new.items, f"{path}[]")
            case MapSchema(), MapSchema():
                yield from _properties(old.properties, new.properties, path)
                yield from self.types(old.values, new.values, f"{path}{{}}")
            case Union(), Union():
                yield from self._unions(old, new, path)
            case Union(branches), _ if len(branches) > 1:
                yield from self._unions(old, Union((new,)), path)
            case _, Union(branches) if len(branches) > 1:
                yield from self._unions(Union((old,)), new, path)
            case Record(), Record():
                if self._first_meeting(old, new):
                    yield from _named_type(old, new, "record", path)
                    yield from _replaced_fields(old, new)
                    yield from self._fields(old, new, path)
            case EnumSchema(), EnumSchema():
                if self._first_meeting(old, new):
                    yield from _named_type(old, new, "enum", path)
                    yield from _symbols(old, new, f"enum {_quoted(new.full_name)}")
            case Fixed(), Fixed():
                if self._first_meeting(old, new):
                    what = f"fixed {_quoted(new.full_name)}"
                    yield from _named_type(old, new, "fixed", path)
                    yield from _logical(old.logical, new.logical, path)
                    if old.size != new.size:
                        yield _major(f"{what} changed from {old.size} to {new.size} bytes")
            case _:
                yield _major(f"{_place(path)} changed from {_words(old)} to {_words(new)}")

    def _first_meeting(self, old: NamedSchema, new: NamedSchema) -> bool:
        pair = old.full_name, new.full_name
        met = pair in self._met
        self._met.add(pair)
        return not met

    def alias_clashes(self) -> _Findings:
        """Finds aliases that are the name of another type in the other schema, and so rename it."""
        for mine, others, added in (
            (self._new, self._old, "added"),
            (self._old, self._new, "in earlier versions"),
        ):
            for schema in mine.values():
                same = others.get(schema.full_name)
                on_both = frozenset(same.aliases) if same is not None and self._equal else ()
                for alias in schema.aliases:
                    harmless = alias in on_both and alias in mine
                    if alias in others and alias != schema.full_name and not harmless:
                        yield _major(
                            f"type {_quoted(schema.full_name)} has the alias {_quoted(alias)} "
                            f"{added}, which is the name of another type"
                        )

    def _fields(self, old: Record, new: Record, path: str) -> _Findings:
        before = {field.name: field for field in old.fields}
        after = {field.name: field for field in new.fields}
        renamed = _renames(new)
        for name, field in before.items():
            if name in after and _is_same_leaf(field, after[name]):
                continue
            where = _join_path(path, name)
            if name in after:
                now = after[name]
            elif name in renamed:
                yield _major(_removed(where, renamed[name]))
                now = after[renamed[name]]
                if now.name in before:
                    # From now on the other field has it as an alias.
                    continue
                # The former name among its aliases is already reported.
                now = replace(now, aliases=tuple(a for a in now.aliases if a not in before))
                where = _join_path(path, now.name)
            else:
                yield _major(_removed(where, None))
                continue
            yield from self.types(field.type, now.type, where)
            yield from _field_attributes(field, now, where)
        told = {renamed[name] for name in before if name not in after and name in renamed}
        for name, field in after.items():
            if name not in before and name not in told:
                yield _added(field, _join_path(path, name))
        yield from _field_alias_clashes(before, after, path, equal=self._equal)
        kept = [name for name in before if name in after]
        if kept != [name for name in after if name in before]:
            yield _Finding(Level.MINOR, f"fields of {_record_place(path)} reordered")

    def _unions(self, old: Union, new: Union, path: str) -> _Findings:
        before = {branch_kind(branch): branch for branch in old.branches}
        after = {branch_kind(branch): branch for branch in new.branches}
        gone = [kind for kind in before if kind not in after]
        come = [kind for kind in after if kind not in before]
        for kind, branch in before.items():
            if kind in after:
                inside = path if kind == "null" or len(before) <= 2 else f"{path}<{kind}>"
                yield from self.types(branch, after[kind], inside)
        values_gone, values_come = (
            [kind for kind in kinds if kind != "null"] for kinds in (gone, come)
        )
        if len(values_gone) == len(values_come) == 1:
            # Replacing one branch by another is a change of type if the rest is unchanged.
            yield from self.types(before[values_gone[0]], after[values_come[0]], path)
            gone, come = ([kind for kind in kinds if kind == "null"] for kinds in (gone, come))
        for kind in gone:
            yield _major(_branch_words(path, before[kind], "removed"))
        for kind in come:
            yield _major(_branch_words(path, after[kind], "added"))
        kept = [kind for kind in before if kind in after]
        if kept != [kind for kind in after if kind in before]:
            misread = _promotions_reordered(old, new)
            if misread:
                yield _major(f"branches of {_place(path)} reordered: {misread}")
            else:
                yield _Finding(Level.MINOR, f"branches of {_place(path)} reordered")


def _as_java_compares(schema: Schema) -> Schema:
    """The schema without parts that Java's ``Schema.equals`` ignores.

    These are documentation, aliases and enums' defaults.

    Java applies no aliases between equal schemas. After a change that makes the schemas different,
    an old alias renames the type or field that has this name, although all earlier versions worked.
    """
    match schema:
        case Array(items):
            return replace(schema, items=_as_java_compares(items))
        case MapSchema(values):
            return replace(schema, values=_as_java_compares(values))
        case Union(branches):
            return Union(tuple(map(_as_java_compares, branches)))
        case Record(fields=fields):
            bare = (
                replace(field, type=_as_java_compares(field.type), doc=None, aliases=())
                for field in fields
            )
            return replace(schema, fields=tuple(bare), doc=None, aliases=())
        case EnumSchema():
            return replace(schema, doc=None, aliases=(), default=None)
        case Fixed():
            return replace(schema, doc=None, aliases=())
        case Primitive() | Reference():
            return schema
        case _:
            assert_never(schema)


def _has_aliases(schema: NamedSchema) -> bool:
    fields = schema.fields if isinstance(schema, Record) else ()
    return bool(schema.aliases) or any(field.aliases for field in fields)


def _named_type(old: NamedSchema, new: NamedSchema, kind: str, path: str) -> _Findings:
    what = f"{kind} {_quoted(new.full_name)}"
    if old.full_name != new.full_name:
        before, after = _quoted(old.full_name), _quoted(new.full_name)
        yield _major(f"{_place(path)}: {kind} {before} renamed to {after}")
    yield from _changed_doc(old.doc, new.doc, what)
    yield from _changed_aliases(old.aliases, new.aliases, what)
    yield from _properties(old.properties, new.properties, path)


def _symbols(old: EnumSchema, new: EnumSchema, what: str) -> _Findings:
    before, after = frozenset(old.symbols), frozenset(new.symbols)
    for symbol in old.symbols:
        if symbol not in after:
            yield _major(f"{what}: symbol {_short(symbol)} removed")
    for symbol in new.symbols:
        if symbol in before:
            continue
        added = f"{what}: symbol {_short(symbol)} added"
        if old.default is None:
            yield _major(f"{added}, and the enum had no default to read it as")
        else:
            yield _Finding(Level.MINOR, f"{added}; older readers read {_short(old.default)}")
    kept = [symbol for symbol in old.symbols if symbol in after]
    if kept != [symbol for symbol in new.symbols if symbol in before]:
        yield _Finding(Level.MINOR, f"{what}: symbols reordered")
    yield from _enum_default(old.default, new.default, what)


def _enum_default(old: str | None, new: str | None, what: str) -> _Findings:
    if old == new:
        return
    if new is None:
        yield _major(f"{what}: default {_short(old or '')} removed")
    elif old is None:
        yield _Finding(Level.MINOR, f"{what}: default {_short(new)} added")
    else:
        yield _Finding(Level.MINOR, f"{what}: default changed from {_short(old)} to {_short(new)}")


def _is_same_leaf(old: Field, new: Field) -> bool:
    """Whether two fields of unnamed types are certainly equal, as most fields of two versions are.

    This is much cheaper than a search for differences. Uncertain fields are compared as usual.
    """
    return (
        old.type == new.type
        and old.default is new.default
        and old.doc == new.doc
        and old.aliases == new.aliases
        and old.order == new.order
        and not old.properties
        and not new.properties
        and _is_leaf(old.type)
        and _is_leaf(new.type)
    )


def _is_leaf(schema: Schema) -> bool:
    """Whether the schema is a primitive, or a union of primitives, without properties.

    Properties may be equal but printed differently.
    """
    match schema:
        case Primitive():
            return not schema.properties
        case Union(branches):
            return all(isinstance(b, Primitive) and not b.properties for b in branches)
        case _:
            return False


def _field_attributes(old: Field, new: Field, where: str) -> _Findings:
    what = f"field {_quoted(where)}"
    yield from _changed_doc(old.doc, new.doc, what)
    yield from _changed_aliases(old.aliases, new.aliases, what)
    yield from _properties(old.properties, new.properties, where)
    if old.order != new.order:
        yield _Finding(Level.MINOR, f"{what}: sort order changed from {old.order} to {new.order}")
    if isinstance(new.default, NoDefault):
        if not isinstance(old.default, NoDefault):
            yield _major(f"{what}: default {_short(_value(old.default))} removed")
    elif isinstance(old.default, NoDefault):
        yield _Finding(Level.MINOR, f"{what}: default {_short(_value(new.default))} added")
    elif _value(old.default) != _value(new.default):
        yield _Finding(
            Level.MINOR,
            f"{what}: default changed from {_short(_value(old.default))} to {_short(_value(new.default))}",
        )


def _added(field: Field, where: str) -> _Finding:
    what = f"field {_quoted(where)} added: {_words(field.type)}"
    if isinstance(field.default, NoDefault):
        return _major(f"{what}, without a default to read older data with")
    return _Finding(Level.MINOR, f"{what}, default {_short(_value(field.default))}")


def _renames(record: Record) -> Mapping[str, str]:
    """Each alias of a field, with the first field that has it."""
    found: dict[str, str] = {}
    for field in record.fields:
        for alias in field.aliases:
            found.setdefault(alias, field.name)
    return found


def _removed(where: str, renamed: str | None) -> str:
    if renamed is not None:
        return f"field {_quoted(where)} renamed to {_quoted(renamed)}"
    return f"field {_quoted(where)} removed"


def _field_alias_clashes(
    before: Mapping[str, Field], after: Mapping[str, Field], path: str, *, equal: bool
) -> _Findings:
    """Finds aliases that equal another field's name.

    Aliases rename a writer's fields before matching, so such an alias hides that field.
    """
    for name, field in after.items():
        harmless = frozenset(before[name].aliases) if equal and name in before else ()
        for alias in field.aliases:
            if alias in before and alias in after and alias != name and alias not in harmless:
                yield _major(
                    f"field {_quoted(_join_path(path, name))} has another field's name as "
                    f"alias: {_short(alias)}"
                )
    for name, field in before.items():
        for alias in field.aliases:
            if alias in after and alias not in before and alias != name:
                yield _major(
                    f"field {_quoted(_join_path(path, alias))} added under a name that was an "
                    f"alias of {_quoted(name)}"
                )


def _promotions_reordered(old: Union, new: Union) -> str:
    """Finds why the new order of a union's branches would misread data.

    A reader takes the first branch to which the written branch promotes.

    A different branch is harmless if only its width differs, but not if a logical type gives the
    number its meaning.
    """
    primitives = [branch for branch in old.branches if isinstance(branch, Primitive)]
    place = {branch_kind(branch): index for index, branch in enumerate(new.branches)}
    for index, first in enumerate(primitives):
        for second in primitives[index + 1 :]:
            if first.name not in place or second.name not in place:
                continue
            related = second.name in _PROMOTES.get(first.name, ()) or first.name in _PROMOTES.get(
                second.name, ()
            )
            meaning = first.logical is not None or second.logical is not None
            if related and meaning and place[second.name] < place[first.name]:
                return f"{_words(first)} may be read as {_words(second)}"
    return ""


_PROMOTES: Mapping[str, tuple[str, ...]] = {
    "int": ("long", "float", "double"),
    "long": ("float", "double"),
    "float": ("double",),
    "string": ("bytes",),
    "bytes": ("string",),
}


def _logical(old: LogicalType | None, new: LogicalType | None, path: str) -> _Findings:
    if old != new:
        before, after = (_logical_words(logical) for logical in (old, new))
        yield _major(f"{_place(path)} changed from {before} to {after}")


def _logical_words(logical: LogicalType | None) -> str:
    if logical is None:
        return "no logical type"
    if logical.precision is None:
        return logical.name
    return f"{logical.name}({logical.precision},{logical.scale})"


def _properties(old: Mapping[str, Json], new: Mapping[str, Json], path: str) -> _Findings:
    changed = sorted(
        key
        for key in old.keys() | new.keys()
        if key not in old or key not in new or _value(old[key]) != _value(new[key])
    )
    if not changed:
        return
    names = ", ".join(repr(key) for key in changed)
    # An invalid logical type is a property, but some reader may still use it.
    affects_values = any(key in {"logicalType", "precision", "scale"} for key in changed)
    level = Level.MAJOR if affects_values else Level.PATCH
    yield _Finding(level, f"{_place(path)}: properties changed: {_short(names)}")


def _replaced_fields(old: Record, new: Record) -> _Findings:
    for path, before, after in replaced_fields(old.properties, new.properties):
        yield _major(
            f"field {_short(path)} is another column of the Iceberg table: "
            f"its id changed from {before} to {after}"
        )


def _changed_doc(old: str | None, new: str | None, what: str) -> _Findings:
    if old != new:
        verb = "added" if not old else "removed" if not new else "changed"
        yield _Finding(Level.PATCH, f"{what}: documentation {verb}")


def _changed_aliases(old: Sequence[str], new: Sequence[str], what: str) -> _Findings:
    before, after = frozenset(old), frozenset(new)
    for alias in old:
        if alias not in after:
            yield _major(f"{what}: alias {_short(alias)} removed")
    for alias in new:
        if alias not in before:
            yield _Finding(Level.MINOR, f"{what}: alias {_short(alias)} added")


def _branch_words(path: str, branch: Schema, verb: str) -> str:
    if branch_kind(branch) == "null":
        return f"{_place(path)} became {'optional' if verb == 'added' else 'required'}"
    return f"{_place(path)}: branch {_words(branch)} {verb}"


def _words(schema: Schema) -> str:
    return _short(_all_words(schema))


def _all_words(schema: Schema) -> str:
    match schema:
        case Primitive(name, logical):
            return name if logical is None else f"{_logical_words(logical)} ({name})"
        case Reference(name):
            return f"`{name}`"
        case Array() if (parts := map_parts(schema)) is not None:
            key, value = parts
            return f"map of {_all_words(key)} to {_all_words(value)}"
        case Array(items):
            return f"array of {_all_words(items)}"
        case MapSchema(values):
            return f"map of {_all_words(values)}"
        case Record():
            return f"record `{schema.full_name}`"
        case EnumSchema():
            return f"enum `{schema.full_name}`"
        case Fixed():
            return f"fixed `{schema.full_name}` of {schema.size} bytes"
        case Union(branches):
            rest = [_all_words(branch) for branch in branches if branch_kind(branch) != "null"]
            alone = len(rest) == 1 < len(branches)
            inner = rest[0] if alone else f"union of {', '.join(rest)}"
            return f"optional {inner}" if len(rest) < len(branches) else inner
        case _:
            assert_never(schema)


def _major(reason: str) -> _Finding:
    return _Finding(Level.MAJOR, reason)


def _place(path: str) -> str:
    return f"field {_quoted(path)}" if path else "the schema"


def _record_place(path: str) -> str:
    return _quoted(path) if path else "the record"


def _join_path(path: str, name: str) -> str:
    return _short(f"{path}.{name}" if path else name)


def _quoted(name: str) -> str:
    return f"`{_short(name)}`"


def _value(value: Json) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _short(text: str) -> str:
    return text if len(text) <= 200 else text[:199] + "…"
