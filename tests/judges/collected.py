"""The rows of a data frame as values that can be compared with another engine's."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyspark.sql import DataFrame

from lakeschema.catalog.column_types import (
    BINARY,
    DATE,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ArrayType,
    CharType,
    ColumnType,
    MapType,
    StructType,
    VarcharType,
    map_type,
    time_digits,
)
from lakeschema.translation.emission.spark.text import type_text
from tests.judges.compared_values import Row, from_spark


def collected(
    frame: DataFrame, types: Sequence[ColumnType], shown: Callable[[ColumnType], ColumnType]
) -> list[Row]:
    """``shown`` gives the type that values are cast to, since Python lacks some types."""
    names = [f"k{place}" for place in range(len(types))]
    texts = [shown(type_) for type_ in types]
    items = (
        name if type_ == text else f"CAST({name} AS {type_text(text)})"
        for name, type_, text in zip(names, types, texts, strict=True)
    )
    rows = frame.toDF(*names).selectExpr(*items).collect()
    return [from_spark(tuple(row), texts) for row in rows]


def with_times_as_texts(type_: ColumnType) -> ColumnType:
    return map_type(type_, lambda part: STRING if _is_text_or_time(part) else part)


def _is_text_or_time(type_: ColumnType) -> bool:
    is_time = type_ in (DATE, TIMESTAMP, TIMESTAMP_NTZ) or time_digits(type_) is not None
    return is_time or isinstance(type_, CharType | VarcharType)


def as_hive_prints(type_: ColumnType) -> ColumnType:
    """The type with dates and times as texts, and with bytes inside a value as texts."""
    is_nested = isinstance(type_, ArrayType | MapType | StructType)
    texts = (DATE, TIMESTAMP, BINARY) if is_nested else (DATE, TIMESTAMP)
    return map_type(type_, lambda part: STRING if part in texts else part)
