"""Writes short programs that read and write a package's records, one for each kind of source.

Each program first writes the data that it reads, so that it runs wherever the package is installed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final, assert_never

from codegen.shapes import (
    DecimalShape,
    DictShape,
    EntriesShape,
    EnumReference,
    FixedReference,
    ListShape,
    PackageShape,
    RecordReference,
    Scalar,
    Shape,
    UnionShape,
)

_ARROW_DIGITS: Final = 76
_SPARK_DIGITS: Final = 38
"""The maximum numbers of digits in a column of decimals."""

_OWN_NAMES: Final = frozenset(
    {"SparkSession", "frame", "message", "pyarrow", "record", "schemas", "spark", "table"}
)
"""The names that the programs use. A class of the same name would hide them."""


@dataclass(frozen=True, slots=True)
class UsageProgram:
    """A program.

    Attributes:
        title: the source of the records, such as a file.
        extra: the package's extra that the program needs, or "".
        note: a further sentence with names of code between backticks, or "".
    """

    title: str
    extra: str
    note: str
    text: str


@dataclass(frozen=True, slots=True)
class NamedUse:
    """Names of a package, and their purpose."""

    names: tuple[str, ...]
    purpose: str


def usage_programs(
    import_package: str, class_name: str, shape: PackageShape | None, names: Collection[str]
) -> tuple[UsageProgram, ...]:
    """The programs that work with a package. A program that needs a name not in ``names`` is left out.

    Without a ``shape``, the programs name no field. ``names`` are all functions
    and methods of the package.
    """
    programs = _Programs(import_package, class_name, shape)
    return tuple(
        program for needed, program in programs.all() if all(name in names for name in needed)
    )


def named_uses(names: Collection[str]) -> tuple[NamedUse, ...]:
    """The purposes of the package's other functions and methods."""
    found = (
        NamedUse(tuple(name for name in listed if name.rstrip("()") in names), purpose)
        for listed, purpose in _USES
    )
    return tuple(use for use in found if use.names)


_USES: Final = (
    (("example()",), "a record with made-up values, for tests"),
    (("validate()",), "an error with the path of a value that the schema refuses"),
    (("replace()",), "a copy with other values"),
    (("to_dict()", "from_dict()"), "plain values, such as fastavro's"),
    (("to_json()", "from_json()"), "a JSON text"),
    (("to_avro()", "from_avro()"), "Avro's bytes of one record, without a schema"),
    (("to_single_object()", "from_single_object()"), "a message with the schema's fingerprint"),
    (("to_confluent()", "from_confluent()"), "a message with the registry's id of the schema"),
    (("diff()",), "where two records differ"),
    (("rows()",), "rows of Arrow or Spark that are decoded only where you read them"),
    (("arrow_schema()", "spark_schema()"), "the columns for Arrow and Spark"),
    (("strategy()",), "records for tests with Hypothesis"),
)


class _Programs:
    def __init__(self, import_package: str, class_name: str, shape: PackageShape | None) -> None:
        self._package = import_package
        self._file = import_package.rpartition(".")[2]
        # Every package also has the root's class under the name RECORD.
        self._class = "RECORD" if class_name in _OWN_NAMES else class_name
        attributes = shape.root.attributes if shape else ()
        self._print = f"print(record.{attributes[0].name})" if attributes else "print(record)"
        self._fits_arrow = shape is None or _is_tabular(shape, _ARROW_DIGITS)
        self._fits_spark = shape is None or _is_tabular(shape, _SPARK_DIGITS)

    def all(self) -> Iterator[tuple[tuple[str, ...], UsageProgram]]:
        yield self._files("avro", "write_file", "read_file", "Avro files", _OF_AVRO)
        if self._fits_arrow:
            yield self._parquet()
        yield self._files("jsonl", "write_jsonl", "read_jsonl", "JSON lines", "")
        if self._fits_spark:
            yield self._spark()
        yield self._confluent()

    def _files(
        self, suffix: str, write: str, read: str, title: str, note: str
    ) -> tuple[tuple[str, ...], UsageProgram]:
        path = f'"{self._file}.{suffix}"'
        text = self._text(
            (self._class, read, write),
            (f"{write}({path}, [{self._class}.example()])",),
            f"{read}({path})",
        )
        return (write, read, "example"), UsageProgram(title, "", note, text)

    def _parquet(self) -> tuple[tuple[str, ...], UsageProgram]:
        path = f'"{self._file}.parquet"'
        text = self._text(
            (self._class, "from_arrow", "to_arrow"),
            (
                f"table = to_arrow([{self._class}.example()]).read_all()",
                f"pyarrow.parquet.write_table(table, {path})",
            ),
            f"from_arrow(pyarrow.parquet.read_table({path}))",
            "import pyarrow.parquet",
        )
        program = UsageProgram("Parquet and Arrow", "arrow", _OF_ARROW, text)
        return ("to_arrow", "from_arrow", "example"), program

    def _spark(self) -> tuple[tuple[str, ...], UsageProgram]:
        text = self._text(
            (self._class, "create_dataframe", "from_rows"),
            (
                "spark = SparkSession.builder.getOrCreate()",
                f"frame = create_dataframe(spark, [{self._class}.example()])",
            ),
            "from_rows(frame.toLocalIterator())",
            "from pyspark.sql import SparkSession",
        )
        program = UsageProgram("Spark", "spark", _OF_SPARK, text)
        return ("create_dataframe", "from_rows", "dataset", "example"), program

    def _confluent(self) -> tuple[tuple[str, ...], UsageProgram]:
        lines = (
            f"from {self._package} import {', '.join(sorted((self._class, 'SCHEMA')))}",
            "",
            "schemas = {7: SCHEMA}",
            f"message = {self._class}.example().to_confluent(7)",
            f"record = {self._class}.from_confluent(message, schemas)",
            self._print,
        )
        program = UsageProgram("Kafka with Confluent", "", _OF_MESSAGES, "\n".join(lines))
        return ("to_confluent", "from_confluent", "SCHEMA", "example"), program

    def _text(
        self, imported: tuple[str, ...], written: tuple[str, ...], read: str, library: str = ""
    ) -> str:
        head = (library, "") if library else ()
        names = ", ".join(sorted(imported))
        loop = (f"for record in {read}:", f"    {self._print}")
        return "\n".join((*head, f"from {self._package} import {names}", "", *written, *loop))


_OF_AVRO: Final = (
    "`read_file` also reads a whole folder. It reads the files of another version if this version can "
    "read that version's data: a comparison of the two versions says so."
)
_OF_ARROW: Final = (
    "`from_arrow` reads tables, batches, and the data frames of pandas and Polars, by the names of "
    "their columns."
)
_OF_SPARK: Final = "`dataset(spark)` is the relation itself, as a data frame with this schema."
_OF_MESSAGES: Final = (
    "`schemas` is a mapping or a function from the registry's ids to the texts of schemas."
)


def _is_tabular(shape: PackageShape, most_digits: int) -> bool:
    """Whether columns can hold every type in the records.

    Parquet has no column for a record without fields.
    """
    records = {record.class_name: record for record in shape.records}

    def fits(each: Shape, above: tuple[str, ...]) -> bool:
        match each:
            case Scalar():
                return each is not Scalar.DURATION
            case DecimalShape(precision):
                return precision <= most_digits
            case ListShape(inner) | DictShape(inner):
                return fits(inner, above)
            case EntriesShape(keys, values):
                return fits(keys, above) and fits(values, above)
            case UnionShape(branches):
                return all(fits(branch, above) for branch in branches)
            case RecordReference(name):
                attributes = records[name].attributes
                within = (*above, name)
                return (
                    name not in above
                    and bool(attributes)
                    and all(fits(attribute.shape, within) for attribute in attributes)
                )
            case EnumReference() | FixedReference():
                return True
            case _:
                assert_never(each)

    return fits(RecordReference(shape.root.class_name), ())
