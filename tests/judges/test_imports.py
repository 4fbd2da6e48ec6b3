"""No test imports a benchmark. From tests, benchmarks import judges, their questions, and servers that stand for real ones."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
ASKED = (
    "tests.judges",
    "tests.codegen.evolution_kinds",
    "tests.lakeschema.catalog.asked_",
    "tests.lakeschema.catalog.iceberg_documents",
    "tests.lakeschema.catalog.iceberg_rest_server",
    "tests.lakeschema.catalog.nessie_server",
    "tests.lakeschema.catalog.thrift_metastore",
    "tests.lakeschema.translation.asked_",
    "tests.lakeschema.translation.growing",
)


def imported(package: str) -> Iterator[tuple[str, str]]:
    """Each file of the package with each module that it imports."""
    for path in sorted((ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Import(names):
                    yield from ((str(path.relative_to(ROOT)), name.name) for name in names)
                case ast.ImportFrom(module=str(module)):
                    yield str(path.relative_to(ROOT)), module


def test_no_test_imports_a_benchmark() -> None:
    assert not [each for each in imported("tests") if each[1].split(".")[0] == "benchmarks"]


def test_benchmarks_import_judges_and_what_they_are_asked_alone() -> None:
    of_tests = [each for each in imported("benchmarks") if each[1].split(".")[0] == "tests"]

    assert of_tests
    assert not [each for each in of_tests if not each[1].startswith(ASKED)]
