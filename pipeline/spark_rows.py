"""Rows of text into and out of Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from catalog.identifiers import RelationName

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def names_frame(
    session: SparkSession, names: Sequence[RelationName], *, partitions: int
) -> DataFrame:
    return text_frame(session, {"name": [str(name) for name in names]}, partitions=partitions)


def text_frame(
    session: SparkSession, columns: Mapping[str, Sequence[str | None]], *, partitions: int
) -> DataFrame:
    """Columns of text, spread evenly: row i lies in partition i mod ``partitions``.

    An RDD and not a shuffled frame, because which row lies where must not depend on hashing that
    a retry might see otherwise.
    """
    names = list(columns)
    rows = list(zip(*columns.values(), strict=True))
    slices = max(1, min(partitions, len(rows)))
    ordered = [row for part in range(slices) for row in rows[part::slices]]
    schema = ", ".join(f"{name} string" for name in names)
    return session.createDataFrame(session.sparkContext.parallelize(ordered, slices), schema=schema)


def collect(frame: DataFrame) -> Sequence[Mapping[str, str | None]]:
    table: pa.Table = frame.toArrow()
    rows: list[dict[str, str | None]] = table.to_pylist()
    return rows
