"""The functions of a package for Spark and Arrow, as text with ``_RECORD`` for the record's class."""

from __future__ import annotations

# PySpark and Hypothesis need not be installed where types are checked.
MISSING = "# type: ignore[import-not-found,unused-ignore]"
# Nor PyArrow, which has no types.
_UNTYPED = "# type: ignore[import-not-found,import-untyped,unused-ignore]"

CHECKED_IMPORTS = (
    f"from pyarrow import RecordBatch as _RecordBatch  {_UNTYPED}",
    f"from pyarrow import RecordBatchReader as _RecordBatchReader  {_UNTYPED}",
    f"from pyarrow import Schema as _ArrowSchema, Table as _ArrowTable  {_UNTYPED}",
    f"from pyspark.sql import DataFrame as _DataFrame  {MISSING}",
    f"from pyspark.sql import Row as _Row, SparkSession as _SparkSession  {MISSING}",
    f"from pyspark.sql.types import StructType as _StructType  {MISSING}",
)
"""For annotations alone: type checking needs neither library."""

LAZY_MODULE = '_columns = _Lazy("._avro.columns", __name__)'

FUNCTIONS = '''

def spark_schema() -> _StructType:
    """The relation's columns for Spark, in the schema's casing and nullability."""
    schema: _StructType = _columns.struct_type(_codec.BINDING)
    return schema


def from_rows(rows: _Iterable[_Any], *, round_times: bool = False) -> _Iterator[_RECORD]:
    """Spark's rows, or mappings, as records; columns by name, ignoring case if necessary.

    Times that are finer than the schema's unit are an error, unless ``round_times`` rounds them
    down.
    """
    how = _codec.narrowing(round_times=round_times)
    records: _Iterator[RECORD] = _columns.rows_to_records(_codec.BINDING, rows, how)
    return records


def to_rows(records: _Iterable[_RECORD]) -> _Iterator[_Row]:
    """Records as Spark's rows, nested records as well."""
    rows: _Iterator[_Row] = _columns.records_to_rows(_codec.BINDING, records)
    return rows


def create_dataframe(spark: _SparkSession, records: _Iterable[_RECORD]) -> _DataFrame:
    """The records, all held in memory, as a DataFrame with ``spark_schema()``."""
    frame: _DataFrame = _columns.data_frame(_codec.BINDING, spark, records)
    return frame


def arrow_schema() -> _ArrowSchema:
    """The relation's columns for Arrow, in the schema's casing and nullability."""
    schema: _ArrowSchema = _columns.arrow_schema(_codec.BINDING)
    return schema


def to_arrow(records: _Iterable[_RECORD], *, batch_size: int = 65536) -> _RecordBatchReader:
    """Records as Arrow's batches, made lazily; ``read_all()`` makes a table of them."""
    batches: _RecordBatchReader = _columns.records_to_batches(_codec.BINDING, records, batch_size)
    return batches


def from_arrow(
    batches: _RecordBatchReader | _ArrowTable | _RecordBatch | _Iterable[_RecordBatch | _Any],
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
    source: _RecordBatchReader | _ArrowTable | _RecordBatch | _Iterable[_RecordBatch | _Row | _Any],
    *,
    round_times: bool = False,
) -> _Iterator[_RootRow]:
    """Read-only rows of Arrow or of Spark, with a record's attributes, decoded when they are read.

    The source is a table, a reader, batches, a data frame with Arrow's C stream, or what Spark's
    ``collect()`` or ``toLocalIterator()`` returns. ``round_times`` as for ``from_arrow``.
    """
    how = _codec.narrowing(round_times=round_times)
    found: _Iterator[_RootRow] = _columns.typed_rows(_codec.BINDING, source, how)
    return found
'''

DATASET = '''

def dataset(spark: _SparkSession, table: str = RELATION) -> _DataFrame:
    """The relation on Spark, a table or a view, as a DataFrame with ``spark_schema()``.

    A null where the schema does not allow it fails the query. ``from_rows`` makes records of what
    ``collect()`` or ``toLocalIterator()`` returns. ``round_times`` as for ``from_arrow``.
    """
    frame: _DataFrame = _columns.relation_frame(_codec.BINDING, spark, table)
    return frame
'''
"""For packages of a relation."""
