"""A package's functions for Spark and Arrow, as text with placeholders.

``_RECORD`` stands for the record's class, and ``_ROOT_ROW`` for the class of its rows.
"""

from __future__ import annotations

# Type checking must not require PySpark and Hypothesis.
MISSING = "# type: ignore[import-not-found,unused-ignore]"
# Type checking must not require PyArrow, either; it has no types.
_UNTYPED = "# type: ignore[import-not-found,import-untyped,unused-ignore]"

CHECKED_IMPORTS = (
    f"import pyarrow as __pyarrow__  {_UNTYPED}",
    f"import pyspark.sql as __spark__  {MISSING}",
    f"import pyspark.sql.types as __spark_types__  {MISSING}",
)
EVALUATED_IMPORTS = (
    '__pyarrow__ = _Library("pyarrow")',
    '__spark__ = _Library("pyspark.sql")',
    '__spark_types__ = _Library("pyspark.sql.types")',
)
"""Imports for annotations only. Checking and evaluating the annotations requires no library."""

LAZY_MODULE = '_columns = _Lazy("._avro.columns", __name__)'

FUNCTIONS = '''

def spark_schema() -> __spark_types__.StructType:
    """The relation's columns for Spark, in the schema's casing and nullability."""
    schema: __spark_types__.StructType = _columns.struct_type(_codec.BINDING)
    return schema


def from_rows(rows: _Iterable[__typing__.Any], *, round_times: bool = False) -> _Iterator[_RECORD]:
    """Spark's rows, or mappings, as records; columns by name, ignoring case if necessary.

    Times that are finer than the schema's unit are an error, unless ``round_times`` rounds them
    down.
    """
    how = _codec.narrowing(round_times=round_times)
    records: _Iterator[RECORD] = _columns.rows_to_records(_codec.BINDING, rows, how)
    return records


def to_rows(records: _Iterable[_RECORD]) -> _Iterator[__spark__.Row]:
    """Records as Spark's rows, nested records as well."""
    rows: _Iterator[__spark__.Row] = _columns.records_to_rows(_codec.BINDING, records)
    return rows


def create_dataframe(spark: __spark__.SparkSession, records: _Iterable[_RECORD]) -> __spark__.DataFrame:
    """The records, all held in memory, as a DataFrame with ``spark_schema()``."""
    frame: __spark__.DataFrame = _columns.data_frame(_codec.BINDING, spark, records)
    return frame


def arrow_schema() -> __pyarrow__.Schema:
    """The relation's columns for Arrow, in the schema's casing and nullability."""
    schema: __pyarrow__.Schema = _columns.arrow_schema(_codec.BINDING)
    return schema


def to_arrow(records: _Iterable[_RECORD], *, batch_size: int = 65536) -> __pyarrow__.RecordBatchReader:
    """Records as Arrow's batches, made lazily; ``read_all()`` makes a table of them."""
    batches: __pyarrow__.RecordBatchReader = _columns.records_to_batches(_codec.BINDING, records, batch_size)
    return batches


def from_arrow(
    batches: __pyarrow__.RecordBatchReader | __pyarrow__.Table | __pyarrow__.RecordBatch | _Iterable[__pyarrow__.RecordBatch | __typing__.Any],
    *,
    round_times: bool = False,
) -> _Iterator[_RECORD]:
    """The records of a table, of batches or of a data frame with Arrow's C stream.

    Columns are found by name, ignoring case if necessary; an error names the row, from 1 on.
    Times may have any unit. Those that are finer than the schema's are an error, unless
    ``round_times`` rounds them down.
    """
    how = _codec.narrowing(round_times=round_times)
    records: _Iterator[RECORD] = _columns.batches_to_records(_codec.BINDING, batches, how)
    return records


def rows(
    source: __pyarrow__.RecordBatchReader | __pyarrow__.Table | __pyarrow__.RecordBatch | _Iterable[__pyarrow__.RecordBatch | __spark__.Row | __typing__.Any],
    *,
    round_times: bool = False,
) -> _Iterator[__rows__._ROOT_ROW]:
    """Read-only rows of Arrow or of Spark, with a record's attributes, decoded when they are read.

    The source is a table, a reader, batches, a data frame with Arrow's C stream, or what Spark's
    ``collect()`` or ``toLocalIterator()`` returns. ``round_times`` as for ``from_arrow``.
    """
    how = _codec.narrowing(round_times=round_times)
    found: _Iterator[__rows__._ROOT_ROW] = _columns.typed_rows(_codec.BINDING, source, how)
    return found
'''

DATASET = '''

def dataset(spark: __spark__.SparkSession, table: str = RELATION) -> __spark__.DataFrame:
    """The relation on Spark, a table or a view, as a DataFrame with ``spark_schema()``.

    A null where the schema does not allow it fails the query. ``from_rows`` makes records of what
    ``collect()`` or ``toLocalIterator()`` returns. ``round_times`` as for ``from_arrow``.
    """
    frame: __spark__.DataFrame = _columns.relation_frame(_codec.BINDING, spark, table)
    return frame
'''
"""A function that only packages of a relation have."""
