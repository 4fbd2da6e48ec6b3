"""Writes windows: rows are grouped by partition and ordered, and each row gets its results.

An aggregate of a whole partition is computed for its group. Functions that depend on an order use
piggybank's ``Over``, which counts rows; peers (rows with equal keys) are unified afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from lakeschema.catalog.column_types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    INT,
    STRING,
    ArrayType,
    ColumnType,
    MapType,
    print_type,
)
from lakeschema.translation.emission.pig.aggregates import (
    HIVES,
    check_summed,
    filled_form,
    form_of_call,
)
from lakeschema.translation.emission.pig.arguments import is_of
from lakeschema.translation.emission.pig.expressions import ExpressionWriter, Field
from lakeschema.translation.emission.pig.functions import HIVE_AGGREGATE
from lakeschema.translation.emission.pig.ordering import with_keys
from lakeschema.translation.emission.pig.statements import Item, Relation, Writer, check_group
from lakeschema.translation.emission.pig.texts import group_key, null, scalar_type, type_text
from lakeschema.translation.model.errors import UnsupportedConstruct, UnsupportedFunction
from lakeschema.translation.plan.expressions import (
    AggregateCall,
    Literal,
    RowExpression,
    SortKey,
    WindowCall,
)
from lakeschema.translation.plan.relations import Window

_OVER: Final = "org.apache.pig.piggybank.evaluation.Over"
_STITCH: Final = "org.apache.pig.piggybank.evaluation.Stitch"
_RANKS: Final = frozenset(
    {"row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile"}
)
_MOVED: Final = frozenset({"lag", "lead"})
_ENDS: Final = frozenset({"first_value", "last_value", "first", "last"})
_FRAME: Final = re.compile(
    r"rows\s+(?:between\s+)?(unbounded|\d+|current)\s+(?:preceding|row)"
    r"(?:\s+and\s+(unbounded|\d+|current)\s+(?:following|row))?",
    re.IGNORECASE,
)
_UNBOUNDED: Final = -1


@dataclass(frozen=True, slots=True)
class _Frame:
    """A frame: the numbers of rows before and after the current row; -1 means all rows.

    ``peers``: whether the frame ends at the last row with the current row's keys.
    """

    before: int
    behind: int
    peers: bool = False

    @property
    def is_whole(self) -> bool:
        return self.before == _UNBOUNDED and self.behind == _UNBOUNDED


@dataclass(frozen=True, slots=True)
class _Key:
    """A partition and an order. Windows with the same key are computed together."""

    partition: tuple[RowExpression, ...]
    order: tuple[SortKey, ...]


def over(writer: Writer, plan: Window) -> Relation:
    """The input's rows with the values of all calls."""
    rows = writer.statements.renamed(writer.rows(plan.input))
    width = len(rows.fields)
    places: list[int] = [0] * len(plan.calls)
    together: dict[_Key, list[int]] = {}
    for place, (_, call) in enumerate(plan.calls):
        together.setdefault(_Key(call.partition_by, call.order_by), []).append(place)
    for key, chosen in together.items():
        rows = _computed(writer, rows, key, [plan.calls[place] for place in chosen], width)
        for offset, place in enumerate(chosen):
            places[place] = len(rows.fields) - len(chosen) + offset
    fields = (*rows.fields[:width], *(rows.fields[place] for place in places))
    return Relation(rows.alias, fields, rows.topics, reordered=places != sorted(places))


def _computed(
    writer: Writer,
    rows: Relation,
    key: _Key,
    calls: Sequence[tuple[str, WindowCall]],
    width: int,
) -> Relation:
    statements = writer.statements
    own = statements.over(rows.fields[:width])
    for part in key.partition:
        check_group(part.type, statements, "PARTITION BY")
    kept = [Item(f.text, f.text, f.type) for f in rows.fields]
    parts = [
        Item(group_key(own.value(e), e.type), f"part_{i}", e.type)
        for i, e in enumerate(key.partition, 1)
    ]
    sort_keys, directions = with_keys(own, key.order)
    arguments = [_argument(call, own) for _, call in calls]
    values = [Item(text, f"value_{i}", type_) for i, (text, type_) in enumerate(arguments, 1)]
    prepared = statements.generate(rows, [*kept, *parts, *sort_keys, *values], "windowed")
    names = [field.text for field in prepared.fields]
    shape = _Shape(
        tuple(names),
        len(kept),
        len(kept) + len(parts),
        len(kept) + len(parts) + len(sort_keys),
        tuple(directions),
    )
    return _Windows(writer, prepared, shape).rows(calls)


def _argument(call: WindowCall, own: ExpressionWriter) -> tuple[str, ColumnType]:
    """The value that a call reads from each row; 1 for calls that count rows."""
    name = call.operator.name
    type_: ColumnType = BIGINT
    text = "1L"
    first = None if name in _RANKS or not call.arguments else call.arguments[0]
    if first is not None and not (name == "count" and isinstance(first, Literal)):
        type_ = first.type
        if name in {"sum", "avg"} and is_of(type_, "whole"):
            type_ = BIGINT
        elif name in {"sum", "avg"} and is_of(type_, "float"):
            type_ = DOUBLE
        elif name in {"min", "max"} and is_of(type_, "boolean"):
            type_ = INT
        text = own.as_type(first, type_)
    if call.filter is not None:
        text = f"({own.certain(call.filter)} ? {text} : {null(type_)})"
    return text, type_


@dataclass(frozen=True, slots=True)
class _Shape:
    """The layout of the prepared rows.

    Each number is the end of one part of the fields and the start of the next.

    Attributes:
        names: the names of all fields.
        directions: the directions of the sort keys.
    """

    names: tuple[str, ...]
    rows: int
    parts: int
    keys: int
    directions: tuple[str, ...]

    @property
    def part_names(self) -> tuple[str, ...]:
        return self.names[self.rows : self.parts]

    @property
    def key_names(self) -> tuple[str, ...]:
        return self.names[self.parts : self.keys]


class _Windows:
    """The calls of one partition and order."""

    def __init__(self, writer: Writer, prepared: Relation, shape: _Shape) -> None:
        self._statements = writer.statements
        self._prepared = prepared
        self._shape = shape

    def rows(self, calls: Sequence[tuple[str, WindowCall]]) -> Relation:
        frames = [self._frame(call) for _, call in calls]
        by_rows = any(
            not frame.is_whole or call.operator.name in _RANKS | _MOVED | _ENDS
            for frame, (_, call) in zip(frames, calls, strict=True)
        )
        grouped = self._group()
        found = self._numbered(grouped, calls, frames) if by_rows else self._whole(grouped, calls)
        kept = [Item(f.text, f.text, f.type) for f in found.fields[: self._shape.rows]]
        values = found.fields[len(self._prepared.fields) :]
        items = [
            Item(self._value(call, f.text), name, call.type)
            for f, (name, call) in zip(values, calls, strict=False)
        ]
        return self._statements.generate(found, [*kept, *items], "windows")

    def _frame(self, call: WindowCall) -> _Frame:
        if call.within or call.ignores_nulls:
            raise UnsupportedFunction(call.operator.name, "of a window with a separate order")
        if call.frame is None:
            whole = not call.order_by
            return _Frame(_UNBOUNDED, _UNBOUNDED if whole else 0, peers=not whole)
        found = _FRAME.fullmatch(" ".join(call.frame.split()))
        if found is None:
            raise UnsupportedConstruct(f"the frame {call.frame} for Pig")
        return _Frame(_end(found[1]), _end(found[2] or "current"))

    def _group(self) -> str:
        parts, alias = self._shape.part_names, self._prepared.alias
        by = f"BY {parts[0]}" if len(parts) == 1 else f"BY ({', '.join(parts)})" if parts else "ALL"
        return self._statements.add(f"{self._prepared.topic}_partitioned", f"GROUP {alias} {by}")

    def _whole(self, grouped: str, calls: Sequence[tuple[str, WindowCall]]) -> Relation:
        bag = self._prepared.alias
        shown = [f"FLATTEN({bag}) AS ({', '.join(self._shape.names)})"]
        fields = list(self._prepared.fields)
        for number, (_, call) in enumerate(calls, 1):
            value = self._shape.names[self._shape.keys + number - 1]
            text = self._aggregate(call, f"{bag}.{value}")
            shown.append(f"{text} AS result_{number}")
            fields.append(Field(f"result_{number}", call.type))
        alias = self._statements.add(
            f"{self._prepared.topic}_computed", f"FOREACH {grouped} GENERATE {', '.join(shown)}"
        )
        return Relation(alias, tuple(fields), self._prepared.topics)

    def _aggregate(self, call: WindowCall, values: str) -> str:
        if call.operator.name == "count":
            return f"COUNT({values})"
        form = form_of_call(
            AggregateCall(call.operator, call.arguments, call.type, call.nullable),
            plain_values=self._statements.plain_values,
        )
        if form.template != HIVES:
            return filled_form(form, call, values)
        if len(call.arguments) > 1:
            raise UnsupportedFunction(
                call.operator.spelling, "of several arguments is not in Pig's windows"
            )
        function = self._statements.functions.hive(HIVE_AGGREGATE, call.operator.spelling)
        return f"{function}({values})"

    def _numbered(
        self, grouped: str, calls: Sequence[tuple[str, WindowCall]], frames: Sequence[_Frame]
    ) -> Relation:
        bag, shape = self._prepared.alias, self._shape
        functions = self._statements.functions
        order = ", ".join(f"{n}{d}" for n, d in zip(shape.key_names, shape.directions, strict=True))
        nested = f"in_order = ORDER {bag} BY {order};" if order else f"in_order = {bag};"
        stitch = functions.declared("pig_stitch", f"{_STITCH}()")
        overs, results = [], []
        for number, ((_, call), frame) in enumerate(zip(calls, frames, strict=True), 1):
            text, type_ = self._over(call, frame, shape.names[shape.keys + number - 1])
            overs.append(text)
            results.append(Field(f"result_{number}", type_))
        number_text = f"{functions.declared('pig_over_int', f'{_OVER}({_quoted(INT)})')}(in_order, 'row_number', -1, 0)"
        rank = self._rank("rank")
        flattened = (
            *self._prepared.fields,
            *results,
            Field("row_place", INT),
            Field("row_rank", INT),
        )
        for field in flattened:
            _check_carried(field.type)
        schema = ", ".join(f"{f.text}:{type_text(f.type)}" for f in flattened)
        stitched = f"{stitch}(in_order, {', '.join((*overs, number_text, rank))})"
        items = f"FLATTEN({stitched}) AS ({schema}), COUNT_STAR({bag}) AS row_count"
        alias = self._statements.add(
            f"{self._prepared.topic}_computed",
            f"FOREACH {grouped} {{ {nested} GENERATE {items}; }}",
        )
        fields = (*flattened, Field("row_count", BIGINT))
        found = Relation(alias, fields, self._prepared.topics)
        if any(
            frame.peers and _sees_peers(call)
            for (_, call), frame in zip(calls, frames, strict=True)
        ):
            return self._with_peers(found, calls, frames)
        return found

    def _rank(self, name: str) -> str:
        function = self._statements.functions.declared("pig_over_int", f"{_OVER}({_quoted(INT)})")
        places = range(self._shape.parts, self._shape.keys)
        if not places:
            return f"{function}(in_order, 'row_number', -1, 0)"
        return f"{function}(in_order, '{name}', -1, -1, {', '.join(map(str, places))})"

    def _over(self, call: WindowCall, frame: _Frame, value: str) -> tuple[str, ColumnType]:
        name = call.operator.name
        functions = self._statements.functions
        if name in _RANKS:
            return self._rank("dense_rank" if name == "dense_rank" else "rank"), INT
        check_summed(call)
        type_ = next(f.type for f in self._prepared.fields if f.text == value)
        pig_type = scalar_type(type_)
        is_computed = name not in _MOVED | _ENDS | {"count"}
        if pig_type is None or (is_computed and type_ != STRING and not is_of(type_, "number")):
            raise UnsupportedFunction(name, "of values of this type is not in Pig's windows")
        if name in _MOVED:
            return self._moved(call, value, type_)
        if name in _ENDS:
            if any(not _is_false(argument) for argument in call.arguments[1:]):
                raise UnsupportedFunction(name, "that skips nulls is not in Pig's windows")
            of_type = functions.declared(f"pig_over_{pig_type}", f"{_OVER}({_quoted(type_)})")
            whole = name.startswith("first")
            if (frame.before if whole else frame.behind) > 0:
                reason = (
                    "has no value in Pig where its frame would begin or end beyond the partition"
                )
                raise UnsupportedFunction(name, reason)
            word = "first_value" if whole else "last_value"
            return f"{of_type}(in_order.{value}, '{word}', {frame.before}, {frame.behind})", type_
        if call.type == BOOLEAN:
            raise UnsupportedFunction(name, "of values of this type is not in Pig's windows")
        result = {"count": BIGINT, "avg": DOUBLE}.get(name, type_)
        word = "count" if name == "count" else f"{name}({pig_type})"
        if name not in {"count", "sum", "avg", "min", "max"}:
            raise UnsupportedFunction(call.operator.spelling, "is not in Pig's windows")
        over_type = functions.declared(
            f"pig_over_{scalar_type(result)}", f"{_OVER}({_quoted(result)})"
        )
        return f"{over_type}(in_order.{value}, '{word}', {frame.before}, {frame.behind})", result

    def _moved(self, call: WindowCall, value: str, type_: ColumnType) -> tuple[str, ColumnType]:
        by = call.arguments[1] if len(call.arguments) > 1 else Literal("1", INT)
        if not isinstance(by, Literal) or not str(by.value).isdigit():
            raise UnsupportedFunction(call.operator.name, "by a computed number is not in Pig")
        if len(call.arguments) > 2 and not isinstance(call.arguments[2], Literal):
            raise UnsupportedFunction(call.operator.name, "with a computed default is not in Pig")
        function = self._statements.functions.declared(
            f"pig_over_{scalar_type(type_)}", f"{_OVER}({_quoted(type_)})"
        )
        more = [str(int(str(by.value)))]
        if len(call.arguments) > 2 and call.arguments[2].nullable is False:
            more.append(self._statements.over(()).as_type(call.arguments[2], type_))
        return (
            f"{function}(in_order.{value}, '{call.operator.name}', -1, -1, {', '.join(more)})",
            type_,
        )

    def _with_peers(
        self, found: Relation, calls: Sequence[tuple[str, WindowCall]], frames: Sequence[_Frame]
    ) -> Relation:
        """The rows, each with the results of the last row that has equal keys."""
        names = [field.text for field in found.fields]
        first = len(self._prepared.fields)
        by = ", ".join((*self._shape.part_names, "row_rank"))
        grouped = self._statements.add(f"{found.topic}_peers", f"GROUP {found.alias} BY ({by})")
        nested = f"backwards = ORDER {found.alias} BY row_place DESC; last_one = LIMIT backwards 1;"
        taken = [
            names[first + place]
            for place, ((_, call), frame) in enumerate(zip(calls, frames, strict=True))
            if frame.peers and _sees_peers(call)
        ]
        last = [f"last_{name}" for name in taken]
        items = f"FLATTEN({found.alias}) AS ({', '.join(names)})"
        items += f", FLATTEN(last_one.(row_place, {', '.join(taken)})) AS (last_place, {', '.join(last)})"
        alias = self._statements.add(
            f"{found.topic}_of_peers", f"FOREACH {grouped} {{ {nested} GENERATE {items}; }}"
        )
        fields = [
            Field(f"last_{f.text}" if f.text in taken else f.text, f.type) for f in found.fields
        ]
        return Relation(alias, (*fields, Field("last_place", INT)), found.topics)

    def _value(self, call: WindowCall, text: str) -> str:
        match call.operator.name:
            case "row_number":
                return "row_place"
            case "percent_rank":
                return f"(row_count == 1L ? 0.0 : (double)({text} - 1) / (double)(row_count - 1L))"
            case "cume_dist":
                return "(double)last_place / (double)row_count"
            case "ntile":
                return _ntile(call)
            case _:
                return text


def _is_false(argument: RowExpression) -> bool:
    return isinstance(argument, Literal) and str(argument.value).lower() == "false"


def _end(word: str) -> int:
    known = {"unbounded": _UNBOUNDED, "current": 0}.get(word.lower())
    return int(word) if known is None else known


def _sees_peers(call: WindowCall) -> bool:
    name = call.operator.name
    return name == "cume_dist" or not (name in _RANKS | _MOVED or name in {"first_value", "first"})


def _ntile(call: WindowCall) -> str:
    """Writes NTILE; in Hive the first buckets take one of the remaining rows each."""
    number = call.arguments[0] if call.arguments else None
    if not isinstance(number, Literal) or not str(number.value).isdigit():
        raise UnsupportedFunction("ntile", "of a computed number is not in Pig")
    count = f"{int(str(number.value))}L"
    small, more = f"(row_count / {count})", f"(row_count % {count})"
    long = f"({more} * ({small} + 1L))"
    place = "((long)row_place - 1L)"
    return (
        f"(int)({place} < {long} ? {place} / ({small} + 1L) + 1L"
        f" : {more} + ({place} - {long}) / {small} + 1L)"
    )


def _quoted(type_: ColumnType) -> str:
    return f"'{scalar_type(type_)}'"


def _check_carried(type_: ColumnType) -> None:
    """Refuses arrays and maps inside arrays: Pig fails on their schema when windows return rows."""
    if isinstance(type_, ArrayType) and isinstance(type_.element, (ArrayType, MapType)):
        raise UnsupportedConstruct(f"windows over rows with {print_type(type_)}, for Pig")
