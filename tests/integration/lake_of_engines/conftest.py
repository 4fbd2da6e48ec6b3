"""A metastore that Spark, Hive, Delta and pyiceberg fill, and the packages of a snapshot of it."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import pyarrow as pa
import pytest
from pyiceberg.table import Table as IcebergTable

from deploy.hive import HiveAnswer, HiveQueries
from deploy.jars import downloaded_jars
from deploy.jdk import find_jdk
from deploy.metastore import Metastore
from deploy.ports import free_ports
from deploy.spark import spark_session_conf
from publisher.commands.snapshot import run_snapshot
from publisher.settings import load_settings
from tests.integration.lake_of_engines import statements
from tests.integration.lake_of_engines.hive_rows import values_of
from tests.integration.lake_of_engines.iceberg_tables import make_tables
from tests.integration.lake_of_engines.reading import exported

_HIVE_RELATIONS = tuple(statements.created((*statements.HIVE_TABLES, *statements.HIVE_VIEWS)))
_SPARK_RELATIONS = tuple(
    statements.created(
        (*statements.SPARK_TABLES, *statements.DELTA_TABLES, *statements.SPARK_VIEWS)
    )
)


@dataclass(frozen=True, slots=True)
class Lake:
    """What the engines answer of their relations, by name, and the packages of all of them."""

    folder: Path
    hive: Mapping[str, HiveAnswer]
    spark: Mapping[str, Mapping[str, Any]]
    iceberg: Mapping[str, IcebergTable]

    def package(self, name: str) -> ModuleType:
        return importlib.import_module(f"acme_schemas.lake.{name}")

    def rows(self, name: str) -> list[dict[str, Any]]:
        """What its engine, Spark or Hive, reads of a table."""
        if name in self.hive:
            return values_of(self.hive[name])
        with pa.OSFile(str(self.folder / "answers" / f"{name}.arrow")) as file:
            rows: list[dict[str, Any]] = (
                pa.ipc.open_file(file).read_all().to_pylist(maps_as_pydicts="strict")
            )
            return rows

    def files_of(self, name: str) -> Path:
        """The folder of a table's files."""
        (found,) = self.folder.rglob(f"lake.db/{name}")
        return found

    def written_again(self, name: str) -> Path | None:
        """The folder of the Avro files of a table that was exported."""
        return next(self.folder.rglob(f"exported*/{name}"), None)


@pytest.fixture(scope="session")
def lake_of_engines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    folder = tmp_path_factory.mktemp("lake_of_engines")
    for name in ("hive", "spark", "answers", "iceberg"):
        (folder / name).mkdir()
    (port,) = free_ports(1)
    uri = f"thrift://127.0.0.1:{port}"
    with HiveQueries.start(folder / "hive", metastore_port=port) as hive:
        for statement in ("CREATE DATABASE lake", *statements.HIVE_TABLES, *statements.HIVE_VIEWS):
            hive.answer(statement)
        _fill_by_hive(hive, folder)
        _fill_by_spark(folder, uri)
        iceberg = make_tables(folder / "iceberg", uri)
        answers = _answers_of_hive(hive)
        site = _published(folder, uri)
        _export_by_hive(hive)
    spark = json.loads((folder / "answers" / "answers.json").read_text())
    with pytest.MonkeyPatch.context() as patch:
        for wheel in site.rglob("*.whl"):
            # Each can be imported from as it is.
            patch.syspath_prepend(wheel)
        yield Lake(folder, answers, spark, iceberg)


def _fill_by_hive(hive: HiveQueries, folder: Path) -> None:
    requests = folder / "requests.log"
    requests.write_text(statements.HIVE_REQUESTS)
    hive.answer(f"LOAD DATA LOCAL INPATH '{requests}' INTO TABLE lake.h_regex")
    hive.answer(statements.HIVE_ROWS)


def _answers_of_hive(hive: HiveQueries) -> dict[str, HiveAnswer]:
    """Rows of tables, and columns of views."""
    # Its optimiser takes no unions.
    hive.answer("SET hive.cbo.enable=false")
    tables = statements.created(statements.HIVE_TABLES)
    answers = {name: hive.answer(f"SELECT * FROM lake.{name}") for name in tables}
    hive.answer("SET hive.cbo.enable=true")
    views = statements.created(statements.HIVE_VIEWS)
    compiled = hive.compile(*(f"SELECT * FROM lake.{name}" for name in views))
    for name, answer in zip(views, compiled, strict=True):
        assert isinstance(answer, HiveAnswer), answer
        answers[name] = answer
    return answers


def _export_by_hive(hive: HiveQueries) -> None:
    """Writes tables as Avro, into a database that no package is made of."""
    hive.answer("SET hive.cbo.enable=false")
    hive.answer("CREATE DATABASE exported")
    for name in exported(statements.HIVE_TABLES):
        columns = statements.HIVE_EXPORTS.get(name, "*")
        hive.answer(
            f"CREATE TABLE exported.{name} STORED AS AVRO AS SELECT {columns} FROM lake.{name}"
        )


def _fill_by_spark(folder: Path, uri: str) -> None:
    jdk = find_jdk()
    own_jars = (*downloaded_jars(jdk, "spark-avro"), *downloaded_jars(jdk, "delta"))
    place = SimpleNamespace(directory=folder, warehouse=folder / "spark", uri=uri)
    settings = {
        **spark_session_conf(cast(Metastore, place)),
        "spark.jars": ",".join(map(str, own_jars)),
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        # Hive 4 does not answer what Spark's own client of Hive 2 asks.
        "spark.sql.hive.metastore.version": "4.0.1",
        "spark.sql.hive.metastore.jars": "path",
        "spark.sql.hive.metastore.jars.path": ",".join(
            jar.as_uri() for jar in downloaded_jars(jdk, "hive")
        ),
        # Spark 4.3 refuses partition columns with capitals in Hive 4's metastore.
        "spark.sql.hive.manageFilesourcePartitions": "false",
    }
    task = {
        "settings": settings,
        "statements": [
            *statements.SPARK_TABLES, *statements.DELTA_TABLES, *statements.SPARK_VIEWS,
        ],
        "relations": [*_SPARK_RELATIONS, *_HIVE_RELATIONS],
        "with_rows": statements.created(statements.SPARK_TABLES),
        "exported": exported(statements.SPARK_TABLES),
        "folder": str(folder / "answers"),
    }  # fmt: skip
    ended = subprocess.run(
        [sys.executable, "-m", "tests.integration.lake_of_engines.in_spark"],
        input=json.dumps(task), text=True, capture_output=True, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr[-4000:]


def _published(folder: Path, uri: str) -> Path:
    """A folder with the wheels of all relations."""
    config = folder / "schema-publisher.toml"
    config.write_text(
        f"""\
[artifacts]
prefix = "acme-schema"
second_opinion = "off"
[catalog]
kind = "hive"
uri = "{uri}"
[state]
url = "sqlite:///{folder}/state.db"
[index]
kind = "static"
path = "{folder}/index"
"""
    )
    report = run_snapshot(load_settings(config), "local")
    assert report.counters.get("published"), report
    return folder / "index"
