"""Objects that a package makes on first use are complete before any thread sees them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from codegen.standalone import generate
from tests.codegen.generated import pairs, record, record_of
from tests.codegen.runtime import first_use

THREADS = 16
LEAVES: Sequence[Any] = (
    "string", "long", "double", "boolean", "bytes",
    {"type": "long", "logicalType": "timestamp-micros"},
    {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 2},
)  # fmt: skip
WIDE = record({
    **{f"column_{n}": LEAVES[n % len(LEAVES)] for n in range(199)},
    "last": {"type": ["null", "string"], "default": None},
})  # fmt: skip
RECURSIVE = record({
    **{f"column_{n}": LEAVES[n % len(LEAVES)] for n in range(30)},
    "kind": {"type": "enum", "name": "Kind", "symbols": ["A", "B"]},
    "lines": {"type": "array", "items": record({"sku": "string", "count": "int"}, "Line")},
    "dates": pairs("Date", {"type": "int", "logicalType": "date"}, "string"),
    "choice": ["string", "long", {"type": "map", "values": "long"}],
    "last": {"type": ["null", "R"], "default": None},
})  # fmt: skip
PACKAGES = {
    "wide": (WIDE, False),
    "frozen": (WIDE, True),
    "recursive": (RECURSIVE, False),
    "recursive_frozen": (RECURSIVE, True),
}
NO_COLUMNS = frozenset({"to_arrow", "from_arrow", "rows"})
"""Arrow has no type for a record that contains itself."""


def cases() -> list[Any]:
    found = []
    for package in PACKAGES:
        ways = [w for w in first_use.WAYS if package in {"wide", "frozen"} or w not in NO_COLUMNS]
        for way in ways:
            quick = package == "wide" and way in {"to_json", "from_json"}
            marks = [] if quick else [pytest.mark.thorough]
            found.append(pytest.param(package, way, marks=marks, id=f"{package}-{way}"))
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("packages")


@lru_cache
def written(folder: Path, package: str) -> None:
    schema, immutable = PACKAGES[package]
    generate(record_of(schema), package, folder, immutable=immutable)
    run(folder, package, "write")


def run(folder: Path, package: str, way: str, *threads: int) -> str:
    command = [sys.executable, first_use.__file__, str(folder), package, way, *map(str, threads)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


@pytest.mark.alike("package", keep=1)
@pytest.mark.parametrize(("package", "way"), cases())
def test_the_first_use_by_many_threads_finds_what_one_thread_finds(
    folder: Path, package: str, way: str
) -> None:
    written(folder, package)

    alone, together = json.loads(run(folder, package, way, 1, THREADS))

    assert len(alone) == 1
    assert together == alone
