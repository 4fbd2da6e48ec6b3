"""Moves rows of text into and out of Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from lakeschema.catalog.identifiers import RelationName

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def names_frame(
    session: SparkSession, names: Sequence[RelationName], *, partitions: int
) -> DataFrame:
    return text_frame(session, {"name": [str(name) for name in names]}, partitions=partitions)


def text_frame(
    session: SparkSession, columns: Mapping[str, Sequence[str | None]], *, partitions: int
) -> DataFrame:
    """A frame with columns of text, in at most ``partitions`` partitions.

    Spark slices the rows without a shuffle, so that a lost executor loses no rows.
    """
    table = pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})
    slices = max(1, min(partitions, table.num_rows))
    return session.createDataFrame(table).coalesce(slices)


def collect(frame: DataFrame) -> Sequence[Mapping[str, str | None]]:
    table: pa.Table = frame.toArrow()
    rows: list[dict[str, str | None]] = table.to_pylist()
    return rows
