"""Wheels that are not installed: archives on ``sys.path``, and archives that Spark sends to its workers."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from codegen.wheel import build_wheel
from tests.codegen.test_wheel import request_for
from tests.integration.codegen.test_installed import clean_environment

pytestmark = pytest.mark.integration

PYENV = Path.home() / ".pyenv" / "versions"
PROGRAM = """
import sys
from importlib.metadata import version
from acme_schemas.example.company import Company, State, read_file, write_file
from acme_schemas.example.person import Company as Person
from acme_schemas.a_b.c import Company as Other
for record in (Company, Person, Other):
    value = record.example()
    assert record.from_avro(value.to_avro()) == value
    assert record.from_json(value.to_json()) == value
write_file("companies.avro", [Company.example()])
assert list(read_file("companies.avro")) == [Company.example()]
assert ".zip" in sys.modules["acme_schemas.example.company"].__file__
assert version("acme-schema-example-company") == "1.2.3"
print("ok")
"""
ON_SPARK = """
from pyspark.sql import SparkSession

def read(number):
    from acme_schemas.example.company import Company
    from acme_schemas.example.person import RELATION
    return Company.example(number).to_avro() + RELATION.encode()

with SparkSession.builder.getOrCreate() as spark:
    found = spark.sparkContext.parallelize([1, 2], 2).map(read).collect()
    assert found == [read(1), read(2)], found
print("ok")
"""


def archives(folder: Path) -> Sequence[str]:
    """Three wheels as ``.zip`` files, two of them in one namespace."""
    found = []
    for relation in ("example.company", "example.person", "a_b.c"):
        path = folder / f"{relation}.zip"
        path.write_bytes(build_wheel(request_for(relation)).data)
        found.append(str(path))
    return found


def interpreter(version: str) -> Path:
    """Of a version of Python, if the machine has it, on the path or from pyenv."""
    # pyenv's own first: on the path it has programs that only look for them.
    folders = [*PYENV.glob(f"{version}.*/bin"), *map(Path, os.get_exec_path())]
    for folder in folders:
        if (folder / f"python{version}").is_file():
            return folder / f"python{version}"
    pytest.skip(f"this machine has no Python {version}")


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_several_wheels_are_imported_from_the_path(version: str, tmp_path: Path) -> None:
    environment = {**clean_environment(), "PYTHONPATH": os.pathsep.join(archives(tmp_path))}

    said = subprocess.run(
        [interpreter(version), "-W", "error", "-c", PROGRAM],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert said.stdout == "ok\n", said.stderr


@pytest.mark.spark
def test_spark_sends_several_wheels_to_its_workers(tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text(ON_SPARK)
    submit = Path(sys.executable).with_name("spark-submit")

    said = subprocess.run(
        [
            *(submit, "--master", "local[1]", "--conf", "spark.ui.enabled=false"),
            *("--py-files", ",".join(archives(tmp_path)), str(tmp_path / "job.py")),
        ],
        cwd=tmp_path, env={**clean_environment(), "PYSPARK_PYTHON": sys.executable},
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert "ok" in said.stdout.splitlines(), said.stderr[-3000:]
