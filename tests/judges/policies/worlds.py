"""Tables with marked values, random policies over them, and the tables that readers are then shown.

Each text has characters that no other column or row has, so that any piece of it is recognised in an
output; numbers and dates have separate ranges. The masked tables are computed here, independently of
the code that is judged.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any

from lakeschema.catalog.column_types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    SMALLINT,
    STRING,
    TIMESTAMP,
    ArrayType,
    ColumnType,
    DecimalType,
    MapType,
    StructType,
)
from tests.lakeschema.translation.growing.tables import Table, random_type

GROUP = "auditors"
_FIRST_MARK = 0x4E00
_MARKS = 4
_MAX_ROWS = 6
_MAX_COLUMNS = 8
_KEPT = 4
_APART = timedelta(days=11)
_TEXT_OR_NUMBER = (STRING, STRING, STRING, INT, BIGINT)


@dataclass(frozen=True, slots=True)
class Marked:
    """A table and its rows.

    Attributes:
        marks: by row and column, the texts that reveal a value: its first two and last two
            characters, and its numbers and dates.
    """

    table: Table
    rows: tuple[tuple[Any, ...], ...]
    marks: Mapping[tuple[int, int], _Marks]


@dataclass(frozen=True, slots=True)
class _Marks:
    beginning: str
    end: str
    number: str


@dataclass(frozen=True, slots=True)
class World:
    """The tables that a reader is shown.

    Attributes:
        policies: as a request states them.
        group: the reader's group.
        tables: the masked tables, by name.
        hidden: the marks that no output may hold.
    """

    policies: Mapping[str, Any]
    group: str | None
    tables: Mapping[str, Marked]
    hidden: frozenset[str]


def marked_tables(
    seed: int, number: int, type_of: Callable[[Random], ColumnType] = random_type
) -> list[Marked]:
    """``type_of`` grows the types of nested columns."""
    random = Random(seed)
    return [_marked_table(random, place, type_of) for place in range(number)]


def _marked_table(random: Random, place: int, type_of: Callable[[Random], ColumnType]) -> Marked:
    name = f"t{place}"
    types: list[ColumnType] = [INT]
    for _ in range(random.randint(3, _MAX_COLUMNS - 1)):
        plain = random.random() < 0.6
        types.append(random.choice(_TEXT_OR_NUMBER) if plain else type_of(random))
    names = (f"{name}_id", *(f"{name}_{'abcdefg'[i]}" for i in range(len(types) - 1)))
    columns = tuple(zip(names, types, strict=True))
    required = frozenset(column for column in names if random.random() < 0.2)
    count = random.randint(3, _MAX_ROWS)
    marks = {
        (row, column): _marks((place * _MAX_COLUMNS + column) * _MAX_ROWS + row)
        for row in range(count)
        for column in range(len(columns))
    }
    rows = tuple(
        (
            row % 4,
            *(
                _value(random, type_, marks[row, place], 0.0 if column in required else 0.15)
                for place, (column, type_) in enumerate(columns[1:], 1)
            ),
        )
        for row in range(count)
    )
    return Marked(Table(name, columns, required, ()), rows, marks)


def _marks(index: int) -> _Marks:
    codes = [chr(_FIRST_MARK + _MARKS * index + offset) for offset in range(_MARKS)]
    return _Marks("".join(codes[:2]), "".join(codes[2:]), str(10_000 + index))


def _value(random: Random, type_: ColumnType, marks: _Marks, nulls: float) -> Any:
    if random.random() < nulls:
        return None
    number = int(marks.number)
    match type_:
        case ArrayType(element):
            return [_value(random, element, marks, nulls) for _ in range(random.randint(1, 3))]
        case MapType(value=value):
            keys = [f"{key}{marks.beginning}" for key in "kK"][: random.randint(1, 2)]
            return {key: _value(random, value, marks, nulls) for key in keys}
        case StructType(fields):
            return tuple(_value(random, field.type, marks, nulls) for field in fields)
        case DecimalType(precision, scale):
            return Decimal(number if precision - scale > 4 else number % 10)
        case _ if type_ == STRING:
            return _text(random, marks)
        case _ if type_ == BINARY:
            return _text(random, marks).encode()
        case _ if type_ in {INT, BIGINT}:
            return number * 1000 + random.randint(0, 3)
        case _ if type_ == SMALLINT:
            return number
        case _ if type_ == BOOLEAN:
            return random.random() < 0.5
        case _ if type_ == DATE:
            return _day(marks)
        case _ if type_ == TIMESTAMP:
            return datetime(*_day(marks).timetuple()[:3], 1, 2, 3)  # noqa: DTZ001 (Spark's clock)
        case _ if type_ in {FLOAT, DOUBLE}:
            return number + 0.5
        case _:
            return number % 100


def _day(marks: _Marks) -> date:
    """A date in years that no other value has, and that no view computes from another row."""
    return date(2300, 1, 1) + _APART * (int(marks.number) - 10_000)


def _text(random: Random, marks: _Marks) -> str:
    """A text that is long enough for any partial mask, or too short for all that show something."""
    if random.random() < 0.15:
        return marks.beginning[0]
    middle = "".join(random.choice(marks.beginning) for _ in range(random.randint(_KEPT, 9)))
    return middle + "".join(random.choice(marks.end) for _ in range(_KEPT))


# Policies ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Mask:
    """``value`` masks a value that is not null; ``shows`` says which marks may be seen."""

    rule: Mapping[str, Any]
    type: ColumnType
    value: Callable[[Any], Any]
    nulls: Any = None
    shows: str = ""


def random_world(seed: int, tables: Sequence[Marked]) -> World:
    random = Random(f"policies {seed}")
    group = GROUP if random.random() < 0.3 else None
    rules: list[dict[str, Any]] = []
    tags: dict[str, list[str]] = {}
    masked: dict[str, Marked] = {}
    hidden: set[str] = set()
    for marked in tables:
        behind = marked
        filters = list(_filters(random, marked))
        for column, (name, type_) in enumerate(marked.table.columns):
            mask = (
                _random_mask(random, type_) if random.random() < (0.6 if column else 0.1) else None
            )
            if mask is None:
                continue
            applies = _add_rule(random, rules, tags, marked.table.name, name, mask, group)
            if applies:
                behind = _masked(behind, column, mask)
                hidden |= _hidden(marked, column, mask)
        for condition, keeps in filters:
            rules.append({"tables": [f"default.{marked.table.name}"], "filter": condition})
            hidden |= {
                mark
                for row in range(len(marked.rows))
                if not keeps(marked.rows[row])
                for column in range(1, len(marked.table.columns))
                for mark in _all_marks(marked, row, column)
            }
        kept = [
            shown
            for raw, shown in zip(marked.rows, behind.rows, strict=True)
            if all(keeps(raw) for _, keeps in filters)
        ]
        masked[marked.table.name] = replace(behind, rows=tuple(kept))
    policies = {"groups": [GROUP], "tags": tags, "rules": rules}
    return World(policies, group, masked, frozenset(hidden))


def _add_rule(
    random: Random,
    rules: list[dict[str, Any]],
    tags: dict[str, list[str]],
    table: str,
    column: str,
    mask: _Mask,
    group: str | None,
) -> bool:
    """Adds a rule; returns whether it applies to the reader."""
    rule = dict(mask.rule)
    if random.random() < 0.3:
        tag = f"tag{len(tags)}"
        tags[tag] = [f"default.{table}.{column}"]
        rule["tag"] = tag
    else:
        rule |= {"tables": [f"default.{table}"], "columns": [column]}
    exempt = random.random() < 0.2
    if exempt:
        rule["except_groups"] = [GROUP]
    rules.append(rule)
    return not (exempt and group == GROUP)


def _filters(
    random: Random, marked: Marked
) -> Iterator[tuple[str, Callable[[Sequence[Any]], bool]]]:
    names = [name for name, _ in marked.table.columns]
    if random.random() < 0.25:
        least = random.randint(0, 2)
        yield f"{names[0]} >= {least} -- of the least", lambda row: row[0] >= least
    if random.random() < 0.2:
        place = random.randrange(1, len(names))
        yield f"{names[place]} IS NOT NULL OR 1 = 0", lambda row: row[place] is not None


def _random_mask(random: Random, type_: ColumnType) -> _Mask | None:
    # A view is refused if a dropped column decides rows: many would leave few views to compare.
    drops = random.random() < 0.1
    masks = [_Mask({"drop": True} if drops else {"mask": "null"}, type_, lambda _: None)]
    if type_ == STRING:
        kept = random.randint(1, _KEPT)
        salt = random.choice(("", "salt", "it's ${env:HOME} \\"))
        texts = [
            _Mask({"mask": "hash", "salt": salt}, STRING, lambda v: _digest(salt + v)),
            _Mask(
                {"mask": "partial", "keep_last": kept},
                STRING,
                lambda v: "****" + (v[-kept:] if len(v) >= 2 * kept else ""),
                shows="end",
            ),
            _Mask(
                {"mask": "partial", "keep_first": kept},
                STRING,
                lambda v: "****" + (v[:kept] if len(v) >= 2 * kept else ""),
                shows="beginning",
            ),
            _Mask({"mask": "constant", "value": "it's"}, STRING, lambda _: "it's", "it's"),
        ]
        return random.choice([*texts, *texts, *masks])
    if type_ in {INT, BIGINT}:
        whole = [
            _Mask({"mask": "constant", "value": 7}, type_, lambda _: 7, 7),
            _Mask({"mask": "hash", "salt": "n"}, STRING, lambda v: _digest(f"n{v}")),
        ]
        return random.choice([*whole, *masks])
    return random.choice(masks)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _masked(marked: Marked, column: int, mask: _Mask) -> Marked:
    columns = list(marked.table.columns)
    name = columns[column][0]
    columns[column] = (name, mask.type)
    rows = tuple(
        (
            *row[:column],
            mask.nulls if row[column] is None else mask.value(row[column]),
            *row[column + 1 :],
        )
        for row in marked.rows
    )
    required = marked.table.required - {name}
    if mask.nulls is not None or (
        name in marked.table.required and mask.rule.get("mask") in {"hash", "partial"}
    ):
        required |= {name}
    table = replace(marked.table, columns=tuple(columns), required=required)
    return replace(marked, table=table, rows=rows)


def _hidden(marked: Marked, column: int, mask: _Mask) -> set[str]:
    if column == 0:
        # Small numbers are everywhere: only the comparison of rows shows that they are hidden.
        return set()
    found: set[str] = set()
    for row in range(len(marked.rows)):
        marks = marked.marks[row, column]
        both = {"beginning": marks.beginning, "end": marks.end}
        found |= {c for part, text in both.items() if part != mask.shows for c in text}
        found |= set(_numbers(marks))
    return found


def _all_marks(marked: Marked, row: int, column: int) -> set[str]:
    marks = marked.marks[row, column]
    return {*marks.beginning, *marks.end, *_numbers(marks)}


def _numbers(marks: _Marks) -> tuple[str, ...]:
    """The whole numbers and dates; smaller numbers may occur by chance."""
    return (*(f"{marks.number}00{last}" for last in range(4)), _day(marks).isoformat())


def leaked(output: str, hidden: frozenset[str]) -> str:
    """A hidden mark that the output contains, perhaps as hexadecimal digits; otherwise ""."""
    lower = output.lower()
    for mark in hidden:
        if mark in output or (len(mark) == 1 and mark.encode().hex() in lower):
            return mark
    return ""
