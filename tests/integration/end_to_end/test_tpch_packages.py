"""TPC-H's tables and queries as packages: installed by pip, typed, and with Spark's types."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from codegen.naming import distribution_name, import_name
from deploy.local_stack import Metastore
from lakeschema.catalog.identifiers import RelationName
from publisher.commands.snapshot import run_snapshot
from publisher.settings import load_settings

TPCH = Path(__file__).parent.parent.parent / "data" / "tpch"
QUERIES = sorted(path.stem for path in TPCH.glob("q*.sql"))
TABLES = ("customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier")
DATABASE = "tpch_packages"
PREFIX = "acme-schema"

PRINT_SCHEMAS = """\
import importlib, json, sys
schemas = {}
for name in sys.argv[1:]:
    package = importlib.import_module(name)
    assert package.RECORD.__name__, name
    schemas[name] = [
        [f.name, f.dataType.simpleString(), f.nullable] for f in package.spark_schema().fields
    ]
print(json.dumps(schemas))
"""


@pytest.fixture(scope="module")
def relations(spark: SparkSession) -> Iterator[tuple[RelationName, ...]]:
    spark.sql(f"CREATE DATABASE {DATABASE}")
    spark.sql(f"USE {DATABASE}")
    for statement in (TPCH / "tables.sql").read_text().split(";"):
        if statement.strip():
            spark.sql(f"{statement} STORED AS PARQUET")
    for query in QUERIES:
        spark.sql(f"CREATE VIEW {query} AS {(TPCH / f'{query}.sql').read_text()}")
    yield tuple(RelationName.of(DATABASE, name) for name in (*TABLES, *QUERIES))
    spark.sql("USE default")
    spark.sql(f"DROP DATABASE {DATABASE} CASCADE")


@pytest.fixture(scope="module")
def installed(
    relations: tuple[RelationName, ...],
    metastore: Metastore,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """The folder into which pip installed every relation's package, from the index's own files."""
    folder = tmp_path_factory.mktemp("tpch")
    config = folder / "schema-publisher.toml"
    config.write_text(
        f'[artifacts]\nprefix = "{PREFIX}"\n[catalog]\nkind = "hive"\nuri = "{metastore.uri}"\n'
        f'[state]\nurl = "sqlite:///{folder}/state.db"\n'
        f'[index]\nkind = "static"\npath = "{folder}/index"\n'
    )
    run_snapshot(load_settings(config), "local")
    wheels = [
        wheel
        for name in relations
        for wheel in (folder / "index" / "simple" / distribution_name(name, PREFIX)).glob("*.whl")
    ]
    target = folder / "site"
    run_quietly("-m", "pip", "install", "--no-index", "--no-deps", "--target", target, *wheels)
    return target


def test_every_package_has_the_columns_that_spark_says(
    relations: tuple[RelationName, ...], installed: Path, spark: SparkSession
) -> None:
    imports = {import_name(name, PREFIX): name for name in relations}

    printed = run_quietly("-c", PRINT_SCHEMAS, *imports, PYTHONPATH=str(installed))

    packages = json.loads(printed)
    assert len(packages) == len(TABLES) + 22
    for package, name in imports.items():
        expected = [
            (field.name, field.dataType.simpleString())
            for field in spark.table(str(name)).schema.fields
        ]
        assert [(column, type_) for column, type_, _ in packages[package]] == expected, package


def test_no_package_lets_a_null_through_as_required(
    relations: tuple[RelationName, ...], installed: Path, spark: SparkSession
) -> None:
    """Where we say required, Spark says so too, or it is a sum over required values of a group."""
    imports = {import_name(name, PREFIX): name for name in relations}

    printed = run_quietly("-c", PRINT_SCHEMAS, *imports, PYTHONPATH=str(installed))

    tighter = {
        (name.name, column)
        for package, name in imports.items()
        for (column, _, nullable), field in zip(
            json.loads(printed)[package], spark.table(str(name)).schema.fields, strict=True
        )
        if field.nullable and not nullable
    }
    assert tighter == {("q12", "high_line_count"), ("q12", "low_line_count")}


def test_every_package_is_clean_under_mypy_strict(installed: Path) -> None:
    (namespace,) = (path for path in installed.iterdir() if path.suffix == "")

    printed = run_quietly(
        "-m",
        "mypy",
        "--strict",
        "--config-file=",
        "--explicit-package-bases",
        "--namespace-packages",
        "--cache-dir=/dev/null",
        namespace.name,
        cwd=installed,
    )

    assert "Success: no issues found" in printed


def run_quietly(*arguments: str | Path, cwd: Path | None = None, **environment: str) -> str:
    """What Python printed; pip sees none of this machine's settings."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PIP_")}
    ended = subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**kept, "PIP_CONFIG_FILE": os.devnull, **environment},
        check=False,
    )
    assert ended.returncode == 0, ended.stdout[-3000:] + ended.stderr[-3000:]
    return ended.stdout
