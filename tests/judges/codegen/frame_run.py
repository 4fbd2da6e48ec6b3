"""Random Spark data frames pass through the packages of their schemas, and back.

Each schema is derived and its package generated as for a relation. The values of ``dataset`` become
records, and the data frame of these records must equal Spark's first one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from codegen.modules import render_modules
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.catalog.spark_schema import columns_from_json
from lakeschema.translation.deriving.derivation import derive
from lakeschema.translation.model.interface import Options
from tests.codegen.generated import imported_modules
from tests.codegen.random_frames import comparable, kinds, random_row, random_schema

_SHOWN = 10
_VIEW = "random_frame"


@dataclass(slots=True)
class FrameReport:
    """``kinds``: how many columns and parts of columns had each type."""

    frames: int = 0
    rows: int = 0
    differ: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    shown: list[tuple[str, ...]] = field(default_factory=list)


def judge_frames(spark: SparkSession, seeds: Iterable[int], rows: int) -> FrameReport:
    """A frame of up to ``rows`` rows for each seed."""
    report = FrameReport()
    for seed in seeds:
        random = Random(seed)
        schema = random_schema(random)
        written = [random_row(random, schema) for _ in range(random.randint(0, rows))]
        report.frames += 1
        report.rows += len(written)
        report.kinds.update(kinds(schema))
        try:
            found = _difference(spark, schema, written)
        except Exception as error:  # noqa: BLE001 (whatever a seed meets is reported with it)
            found = f"{type(error).__name__}: {error}"
        if found:
            report.differ += 1
            if len(report.shown) < _SHOWN:
                report.shown.append((f"seed {seed}", schema.simpleString(), found))
    return report


def _difference(spark: SparkSession, schema: StructType, written: list[Any]) -> str:
    """The values that came back changed; "" if none did."""
    columns = columns_from_json(schema.json())
    assert columns is not None
    # Only Iceberg enforces all NOT NULLs that a frame's schema may have.
    relation = Relation(
        RelationName.of(_VIEW), columns, properties={"spark.sql.sources.provider": "iceberg"}
    )
    derived = derive(relation, {}, Options()).interface.schema
    spark.createDataFrame(written, schema).createOrReplaceTempView(_VIEW)
    with imported_modules(render_modules(derived, _VIEW, relation.name), _VIEW) as package:
        found = package.dataset(spark).collect()
        records = list(package.from_rows(found))
        back = package.create_dataframe(spark, records)
        after = back.collect()
        if [comparable(row, schema) for row in after] != [comparable(r, schema) for r in written]:
            return f"data frame: {written} became {after}"
        read = {
            "Avro": [package.RECORD.from_avro(record.to_avro()) for record in records],
            "JSON": [package.RECORD.from_json(record.to_json()) for record in records],
            "typed rows": [row.to_record() for row in package.rows(found)],
            "Arrow": list(package.from_arrow(package.to_arrow(records))),
        }
        for how, again in read.items():
            # NaN differs from itself, but its bytes are equal.
            if [each.to_avro() for each in again] != [each.to_avro() for each in records]:
                return f"{how}: {records} became {again}"
    return _changed_types(schema, back.schema)


def _changed_types(before: StructType, after: StructType) -> str:
    """Avro has no integers of one or two bytes."""
    wider = before.json().replace('"byte"', '"integer"').replace('"short"', '"integer"')
    return "" if wider == after.json() else f"types: {before.json()} became {after.json()}"
