"""Data files of Spark, before and after an evolution, read by packages, by pyiceberg and by Spark."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

import pyarrow.parquet as pq
import pytest
import requests
from pyiceberg.avro.file import AvroFile
from pyiceberg.catalog import Catalog
from pyiceberg.exceptions import ResolveError
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.table import Table
from pyiceberg.typedef import Record as Row
from pyiceberg.types import (
    DateType,
    IcebergType,
    ListType,
    MapType,
    StructType,
    TimestamptzType,
)

from deploy.iceberg_rest import IcebergRest
from deploy.refused import Refused
from deploy.spark_with_iceberg import SparkAnswer, SparkWithIceberg
from lakeschema.avro.compatibility import compare
from lakeschema.avro.legal_names import legal_name
from lakeschema.avro.model import Record
from lakeschema.avro.printing import to_text
from lakeschema.catalog.iceberg import IcebergCatalog
from lakeschema.catalog.iceberg_http import RestServer
from lakeschema.catalog.iceberg_rest import RestSource
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.deriving.derivation import derive
from lakeschema.translation.model.interface import Options
from tests.codegen.generated import imported
from tests.integration.iceberg.spark_evolutions import (
    COLUMNS,
    EVOLUTIONS,
    FIRST,
    MISREAD_BY_PYICEBERG,
    NARROWED_BY_ARROW,
    SECOND,
    WORDS,
)
from tests.integration.iceberg_client import iceberg_client

SPACE = f"evolved_{secrets.token_hex(4)}"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Plain = Mapping[str, Any]
Rows = Sequence[Plain]
CASES = [(name, format_) for name in EVOLUTIONS for format_ in ("avro", "parquet")]


@dataclass(frozen=True, slots=True)
class Stage:
    """A table at one time; ``by_spark`` and ``by_pyiceberg`` are all of its rows, if read."""

    schema: Record
    struct: StructType
    by_spark: Rows
    by_pyiceberg: Rows | None
    files: Sequence[Path]


@dataclass(frozen=True, slots=True)
class Judged:
    before: Stage
    after: Stage

    @property
    def later_files(self) -> Sequence[Path]:
        return [file for file in self.after.files if file not in self.before.files]


def plain(value: Any, type_: IcebergType) -> Any:
    """A value of any of the readers in one form."""
    match value, type_:
        case None, _:
            return None
        case Row(), StructType(fields=fields):
            return {f.name: plain(value[n], f.field_type) for n, f in enumerate(fields)}
        case dict(), StructType(fields=fields):
            return {f.name: plain(_member(value, f.name), f.field_type) for f in fields}
        case list(), ListType(element_type=element):
            return [plain(each, element) for each in value]
        case _, MapType(key_type=key, value_type=inner):
            return [[plain(k, key), plain(v, inner)] for k, v in _pairs(value)]
        case Decimal(), _:
            return str(value)
        case datetime(), _:
            return value.replace(tzinfo=None).isoformat()
        case date(), _:
            return value.isoformat()
        # pyiceberg's reader of Avro returns numbers.
        case int(), DateType():
            return (_EPOCH.date() + timedelta(days=value)).isoformat()
        case int(), TimestamptzType():
            return (_EPOCH + timedelta(microseconds=value)).replace(tzinfo=None).isoformat()
        case _:
            return value


def _member(struct: Mapping[str, Any], name: str) -> Any:
    # A package's dictionaries have the names of its schema.
    return struct[name] if name in struct else struct[legal_name(name)]


def _pairs(value: Any) -> Sequence[tuple[Any, Any]]:
    if isinstance(value, dict):
        return list(value.items())
    return [(e["key"], e["value"]) if isinstance(e, dict) else tuple(e) for e in value]


def in_order(rows: Iterator[Any], struct: StructType) -> Rows:
    """The rows in one form, in an order that depends on their values alone."""
    return sorted((plain(row, struct) for row in rows), key=json.dumps)


class Judge:
    """Runs statements on Spark and reads what became of the tables."""

    def __init__(
        self, spark: SparkWithIceberg, uri: str, reader: Catalog, catalog: IcebergCatalog
    ) -> None:
        self._spark = spark
        self._uri = uri
        self._reader = reader
        self._catalog = catalog

    def run(self, statements: Sequence[str]) -> Sequence[SparkAnswer]:
        answers = self._spark.run(*statements)
        refused = [answer for answer in answers if isinstance(answer, Refused)]
        assert not refused, refused
        return [answer for answer in answers if isinstance(answer, SparkAnswer)]

    def stages(self, tables: Sequence[str]) -> Mapping[str, Stage]:
        names = {table: RelationName((SPACE,), table) for table in tables}
        relations = self._catalog.read([*names.values()])
        answers = self.run([f"SELECT * FROM lake.{SPACE}.{table}" for table in tables])
        return {
            table: self._stage(derived(relations[names[table]]), table, answer)
            for table, answer in zip(tables, answers, strict=True)
        }

    def _stage(self, schema: Record, table: str, answer: SparkAnswer) -> Stage:
        found = self._reader.load_table((SPACE, table))
        struct = found.schema().as_struct()
        columns = [column["name"] for column in answer.schema["fields"]]
        rows = (dict(zip(columns, row, strict=True)) for row in answer.rows)
        files = [Path(urlsplit(task.file.file_path).path) for task in found.scan().plan_files()]
        return Stage(
            schema,
            struct,
            in_order(rows, struct),
            _by_pyiceberg(found, files),
            files,
        )

    def add_column(self, table: str, column: Mapping[str, Any]) -> None:
        """Commits a schema with one more column, as Iceberg's Java library does."""
        address = f"{self._uri}/v1/namespaces/{SPACE}/tables/{table}"
        metadata = requests.get(address, timeout=30).json()["metadata"]
        (schema,) = metadata["schemas"]
        fields = [*schema["fields"], {"id": metadata["last-column-id"] + 1, **column}]
        updates = [
            {"action": "add-schema", "schema": {**schema, "schema-id": 1, "fields": fields}},
            {"action": "set-current-schema", "schema-id": -1},
        ]
        commit: dict[str, Any] = {"requirements": [], "updates": updates}
        requests.post(address, json=commit, timeout=30).raise_for_status()


def derived(relation: Any) -> Record:
    return derive(relation, {}, Options()).interface.schema


def _by_pyiceberg(table: Table, files: Sequence[Path]) -> Rows | None:
    try:
        return in_order(read_by_pyiceberg(table, files), table.schema().as_struct())
    except ResolveError:
        return None


def read_by_pyiceberg(table: Table, files: Sequence[Path]) -> Iterator[Any]:
    """Its scan reads no Avro files, but its reader of Avro resolves by the ids of fields as well."""
    if any(file.suffix == ".parquet" for file in files):
        yield from table.scan().to_arrow().to_pylist()
        return
    for file in files:
        given = PyArrowFileIO().new_input(str(file))
        with AvroFile[Row](given, read_schema=table.schema()) as rows:
            yield from rows


def read_by(package: ModuleType, files: Sequence[Path]) -> Iterator[Any]:
    for file in files:
        records = (
            package.from_arrow(pq.ParquetFile(file).read())
            if file.suffix == ".parquet"
            else package.read_file(file)
        )
        yield from (record.to_dict() for record in records)


def projected(value: Any, old: IcebergType, new: IcebergType) -> Any:
    """A new value as a reader sees it that knows the old fields alone."""
    match old, new:
        case _ if value is None:
            return None
        case StructType(), StructType():
            known = {field.field_id: field for field in new.fields}
            return {
                field.name: projected(value[now.name], field.field_type, now.field_type)
                if (now := known.get(field.field_id)) is not None
                else None
                for field in old.fields
            }
        case ListType(), ListType():
            return [projected(each, old.element_type, new.element_type) for each in value]
        case MapType(), MapType():
            return [[k, projected(v, old.value_type, new.value_type)] for k, v in value]
        case _:
            return value


def _table(name: str, format_: str) -> str:
    return f"{name.replace(' ', '_')}_{format_}"


def _insert(table: str, row: Mapping[str, str | None]) -> str:
    given = {column: value for column, value in row.items() if value is not None}
    return f"INSERT INTO {table} ({', '.join(given)}) VALUES ({', '.join(given.values())})"


def _creation(table: str, name: str, format_: str) -> Iterator[str]:
    version = 2 if EVOLUTIONS[name].added is None else 3
    properties = f"'write.format.default' = '{format_}', 'format-version' = '{version}'"
    yield f"CREATE TABLE {table} ({COLUMNS}) USING iceberg TBLPROPERTIES ({properties})"
    yield _insert(table, FIRST)


def _evolution(table: str, name: str, format_: str) -> Iterator[str]:
    evolution = EVOLUTIONS[name]
    yield from (statement.format(t=table) for statement in evolution.statements)
    yield _insert(table, {**SECOND, **evolution.second})


@pytest.fixture(scope="module")
def judged(
    spark_with_iceberg: SparkWithIceberg, iceberg_rest: IcebergRest
) -> Iterator[Mapping[tuple[str, str], Judged]]:
    with (
        closing(RestSource(RestServer(iceberg_rest.uri, "lake"))) as source,
        iceberg_client(iceberg_rest) as reader,
    ):
        yield _judged(Judge(spark_with_iceberg, iceberg_rest.uri, reader, IcebergCatalog(source)))


def _judged(judge: Judge) -> Mapping[tuple[str, str], Judged]:
    tables = {case: _table(*case) for case in CASES}
    full = {case: f"lake.{SPACE}.{table}" for case, table in tables.items()}
    judge.run([
        f"CREATE NAMESPACE lake.{SPACE}",
        *(sql for case in CASES for sql in _creation(full[case], *case)),
    ])  # fmt: skip
    before = judge.stages([*tables.values()])
    for case in CASES:
        if (added := EVOLUTIONS[case[0]].added) is not None:
            judge.add_column(tables[case], added)
    judge.run([sql for case in CASES for sql in _evolution(full[case], *case)])
    after = judge.stages([*tables.values()])
    return {case: Judged(before[table], after[table]) for case, table in tables.items()}


@pytest.mark.parametrize(("name", "format_"), CASES)
def test_the_new_package_reads_all_files_as_spark_and_pyiceberg_do(
    judged: Mapping[tuple[str, str], Judged], name: str, format_: str
) -> None:
    after = judged[name, format_].after

    with imported(json.loads(to_text(after.schema))) as package:
        rows = in_order(read_by(package, after.files), after.struct)

    assert len(rows) == 2
    assert rows == after.by_spark
    if (name, format_) in MISREAD_BY_PYICEBERG:
        assert rows != after.by_pyiceberg
    else:
        assert rows == after.by_pyiceberg


@pytest.mark.parametrize(("name", "format_"), CASES)
def test_the_old_package_reads_its_own_files_and_the_parts_of_later_ones_that_it_knows(
    judged: Mapping[tuple[str, str], Judged], name: str, format_: str
) -> None:
    before, after = judged[name, format_].before, judged[name, format_].after
    (later,) = judged[name, format_].later_files

    with imported(json.loads(to_text(before.schema))) as package:
        rows = in_order(read_by(package, before.files), before.struct)
        assert rows == before.by_spark == before.by_pyiceberg
        if EVOLUTIONS[name].old_reads or (name, format_) in NARROWED_BY_ARROW:
            (new,) = in_order(read_by(package, [later]), before.struct)
            known = [projected(row, before.struct, after.struct) for row in after.by_spark]
            assert new in known
            assert new not in rows
        else:
            with pytest.raises(package.AvroError):
                list(read_by(package, [later]))


@pytest.mark.parametrize("name", EVOLUTIONS)
def test_an_evolution_gets_the_version_and_words_that_it_must_get(
    judged: Mapping[tuple[str, str], Judged], name: str
) -> None:
    found = judged[name, "avro"]

    change = compare([found.before.schema], found.after.schema)

    assert change.level is EVOLUTIONS[name].level, change.reasons
    of_types = f"`{found.after.schema.full_name}."
    follow = ("properties changed", "alias")
    shown = [
        reason.replace(of_types, "`")
        for reason in change.reasons
        if not any(word in reason for word in follow)
    ]
    assert tuple(shown) == WORDS[name]
