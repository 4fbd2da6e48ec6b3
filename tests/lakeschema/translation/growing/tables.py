"""Random tables of nested types and their rows, as text that Hive and Spark both read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

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
    TINYINT,
    ArrayType,
    ColumnType,
    DecimalType,
    MapType,
    StructField,
    StructType,
    print_type,
)

LEAVES: Sequence[ColumnType] = (
    *(INT, INT, BIGINT, SMALLINT, TINYINT, DOUBLE, FLOAT, STRING, STRING, BOOLEAN, DATE),
    *(TIMESTAMP, BINARY, DecimalType(10, 2), DecimalType(38, 18), DecimalType(5, 0)),
)
_NUMBERS = {
    TINYINT: ("0", "1", "-1", "7", "127", "-128"),
    SMALLINT: ("0", "1", "-3", "300", "32767", "-32768"),
    INT: ("0", "1", "2", "-5", "40", "2147483647", "-2147483648"),
    BIGINT: ("0", "1", "2", "-5", "1000", "9223372036854775807", "-9223372036854775807"),
    # All are sums of few powers of two: their sums are exact, in whatever order.
    DOUBLE: ("0.0", "1.5", "-2.25", "100.0", "0.125", "1024.0"),
    FLOAT: ("0.0", "0.5", "-8.0", "3.25"),
}
_TEXTS = ("", "a", "ab", "Zwölf", "x_%y", "12", " pad ", "😀", "2020-02-29", "it''s", "a,b,c", "no")
_DATES = ("2020-02-29", "1999-12-31", "1970-01-01", "2024-07-04", "2020-02-29")
_TIMES = ("2020-02-29 12:34:56", "1970-01-01 00:00:00", "1999-12-31 23:59:59.123")


@dataclass(frozen=True, slots=True)
class Table:
    """``rows`` are the texts of SELECT lists; ``required`` columns are never null."""

    name: str
    columns: tuple[tuple[str, ColumnType], ...]
    required: frozenset[str]
    rows: tuple[str, ...]

    @property
    def ddl(self) -> str:
        columns = ", ".join(
            f"{name} {print_type(type_)}{' NOT NULL' if name in self.required else ''}"
            for name, type_ in self.columns
        )
        return f"CREATE TABLE {self.name} ({columns})"

    @property
    def query(self) -> str:
        return " UNION ALL ".join(f"SELECT {row}" for row in self.rows)


def random_table(random: Random, name: str) -> Table:
    """Two to seven columns, the first an integer to join on, and two to five rows."""
    number = random.randint(1, 6)
    columns = (
        (f"{name}_id", INT),
        *((f"{name}_{'abcdef'[i]}", random_type(random)) for i in range(number)),
    )
    required = frozenset(name for name, _ in columns if random.random() < 0.25)
    rows = tuple(_row(random, columns, required, place) for place in range(random.randint(2, 5)))
    return Table(name, columns, required, rows)


def further_rows(random: Random, table: Table, number: int) -> tuple[str, ...]:
    """Rows that the table might get: of any key that it has, some of them there already."""
    return tuple(
        random.choice(table.rows)
        if random.random() < 0.3
        else _row(random, table.columns, table.required, random.randint(0, 5))
        for _ in range(number)
    )


_EXTREMES = {
    DOUBLE: ("CAST('NaN' AS DOUBLE)", "CAST('-0.0' AS DOUBLE)", "CAST('Infinity' AS DOUBLE)", "CAST(1e300 AS DOUBLE)"),
    FLOAT: ("CAST('NaN' AS FLOAT)", "CAST('-0.0' AS FLOAT)", "CAST('-Infinity' AS FLOAT)"),
    STRING: ("'straße'", "'a\\tb\\nc'", "'e\u0301'", "'NaN'", "'1e3'", "'-0'", "'{\"a\": 1.50}'"),
    DATE: ("DATE '0001-01-01'", "DATE '9999-12-31'", "DATE '1900-02-28'"),
    TIMESTAMP: ("TIMESTAMP '1900-01-01 00:00:00.123456'", "TIMESTAMP '9999-12-31 23:59:59.999999'"),
}  # fmt: skip
"""Of types whose ordinary values are tame; texts of Spark's."""


def unchanged(_: Random, table: Table) -> Table:
    return table


def with_extremes(random: Random, table: Table) -> Table:
    """The table with a row more, whose plain columns have extreme values; for Spark."""
    values = []
    for place, (name, type_) in enumerate(table.columns):
        if isinstance(type_, DecimalType):
            digits = "9" * (type_.precision - type_.scale) + "." + "9" * type_.scale
            value = f"CAST('{random.choice(('', '-'))}{digits}' AS {print_type(type_)})"
        elif place and type_ in _EXTREMES:
            value = random.choice(_EXTREMES[type_])
        else:
            value = "1" if place == 0 else value_text(random, type_, 0)
        values.append(f"{value} AS {name}")
    return replace(table, rows=(*table.rows, ", ".join(values)))


def random_type(random: Random, depth: int = 2) -> ColumnType:
    kind = random.random()
    if depth == 0 or kind < 0.6:
        return random.choice(LEAVES)
    if kind < 0.75:
        return ArrayType(random_type(random, depth - 1))
    if kind < 0.85:
        return MapType(STRING, random_type(random, depth - 1))
    fields = tuple(
        StructField(name, random_type(random, depth - 1))
        for name in random.sample(["p", "q", "r", "s"], random.randint(1, 3))
    )
    return StructType(fields)


def _row(
    random: Random,
    columns: Sequence[tuple[str, ColumnType]],
    required: frozenset[str],
    place: int,
) -> str:
    values = [
        str(place % 5) if i == 0 else value_text(random, type_, 0 if name in required else 0.2)
        for i, (name, type_) in enumerate(columns)
    ]
    return ", ".join(f"{v} AS {name}" for v, (name, _) in zip(values, columns, strict=True))


def value_text(random: Random, type_: ColumnType, nulls: float = 0.2) -> str:
    """An expression of exactly that type."""
    if random.random() < nulls:
        if isinstance(type_, (ArrayType, MapType, StructType)):
            # Hive casts NULL to no nested type.
            return f"if(false, {value_text(random, type_, 0)}, NULL)"
        return f"CAST(NULL AS {print_type(type_)})"
    match type_:
        case ArrayType(element):
            values = [value_text(random, element) for _ in range(random.randint(1, 3))]
            return f"array({', '.join(values)})"
        case MapType(_, value):
            keys = random.sample(["'k'", "'K'", "'ö'"], random.randint(1, 2))
            return f"map({', '.join(f'{k}, {value_text(random, value)}' for k in keys)})"
        case StructType(fields):
            parts = (f"'{f.name}', {value_text(random, f.type)}" for f in fields)
            return f"named_struct({', '.join(parts)})"
        case DecimalType(precision, scale):
            digits = random.choice(("0", "1", "-1", "2", "7", "99"))
            fraction = "" if scale == 0 else random.choice(("", ".5", ".25"))
            return f"CAST({digits}{fraction} AS DECIMAL({precision},{scale}))"
        case _:
            return _leaf(random, type_)


def _leaf(random: Random, type_: ColumnType) -> str:
    if type_ in _NUMBERS:
        return f"CAST({random.choice(_NUMBERS[type_])} AS {print_type(type_)})"
    if type_ == BOOLEAN:
        return random.choice(("true", "false"))
    if type_ == DATE:
        return f"DATE '{random.choice(_DATES)}'"
    if type_ == TIMESTAMP:
        return f"TIMESTAMP '{random.choice(_TIMES)}'"
    text = random.choice(_TEXTS).replace("''", "")
    return f"CAST('{text}' AS BINARY)" if type_ == BINARY else f"'{text}'"
