"""Packages of relations in several catalogs, whatever their names are."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from codegen.package import PackageRequest, Provenance, Wheel
from codegen.wheel import build_wheel, read_wheel
from lakeschema.catalog.column_types import BIGINT
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Column, Relation
from lakeschema.translation.deriving.derivation import derive
from lakeschema.translation.model.interface import Options

HOSTILE = [
    "a.b",
    " ",
    "a b",
    "😀",
    "x" * 1_024,
    "../x",
    "..",
    "/etc/passwd",
    "a\tb\nRequires-Dist: evil",
    "\x1b[31m",
    "\u202eexe",
    "class",
    "con",
    "0",
    "00",
    "a:b",
    "prod:sales",
    "``",
    "*",
    'a"""\\',
    "{x}",
    "${x}",
    "%s",
    "<script>",
]


def wheel_of(name: RelationName, column: str = "id") -> Wheel:
    derivation = derive(Relation(name, (Column(column, BIGINT),)), {}, Options())
    request = PackageRequest(
        name, "acme-schema", "1.0.0", derivation.interface.schema, Provenance(kind="table")
    )
    return build_wheel(request)


def run(code: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(folder)!r})\n{code}"],
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout


def unpack(wheel: Wheel, folder: Path) -> None:
    """Unpacks it, and fails if a file would be outside the folder or in the way of another."""
    path = folder.parent / wheel.filename
    path.write_bytes(wheel.data)
    with zipfile.ZipFile(path) as archive:
        for entry in archive.namelist():
            assert (folder / entry).resolve().is_relative_to(folder.resolve())
            assert not (folder / entry).is_file()
        archive.extractall(folder)


def position(index: int, hostile: str) -> RelationName:
    match index:
        case 0:
            return RelationName((hostile,), "orders", "prod")
        case 1:
            return RelationName(("sales", hostile), "orders", "prod")
        case 2:
            return RelationName(("sales",), hostile, "prod")
        case 3:
            return RelationName((), hostile, "prod")
        case _:
            return RelationName((hostile, "eu"), "orders")


def test_packages_with_hostile_names_in_every_position_are_read_back_and_imported(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "installed"
    names = [position(index, hostile) for hostile in HOSTILE for index in range(5)]
    wheels = [wheel_of(name) for name in names]

    for name, wheel in zip(names, wheels, strict=True):
        contents = read_wheel(wheel.data)
        assert contents.relation == name
        unpack(wheel, folder)

    imports = [read_wheel(wheel.data).import_package for wheel in wheels]
    code = (
        "import importlib\n"
        f"for name in {imports!r}: print(ascii(importlib.import_module(name).RELATION))"
    )
    assert run(code, folder).splitlines() == [ascii(str(name)) for name in names]


@pytest.mark.parametrize("column", [*HOSTILE, "Id"])
def test_a_table_of_another_catalog_may_have_hostile_columns(column: str) -> None:
    name = RelationName(("sales",), "orders", "prod")

    assert read_wheel(wheel_of(name, column).data).relation == name


def _twins() -> Sequence[RelationName]:
    return [
        RelationName(("sales",), "orders"),
        RelationName(("sales",), "orders", "prod"),
        RelationName(("sales",), "Orders", "prod"),
        RelationName(("Sales",), "orders", "prod"),
        RelationName(("sales",), "orders", "Prod"),
        RelationName(("prod", "sales"), "orders"),
    ]


@pytest.mark.thorough
def test_names_that_differ_in_case_or_catalog_alone_are_installed_side_by_side(
    tmp_path: Path,
) -> None:
    wheels = [wheel_of(name) for name in _twins()]
    paths = [tmp_path / wheel.filename for wheel in wheels]
    for path, wheel in zip(paths, wheels, strict=True):
        path.write_bytes(wheel.data)
    target = tmp_path / "installed"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]

    subprocess.run([*pip, "--target", str(target), *map(str, paths)], check=True)

    installed = {path.name.lower() for path in target.glob("*.dist-info")}
    assert len(installed) == len(wheels)
    imports = [read_wheel(wheel.data).import_package for wheel in wheels]
    code = (
        f"import importlib\nfor name in {imports!r}: print(importlib.import_module(name).RELATION)"
    )
    assert run(code, target).splitlines() == [str(name) for name in _twins()]


def test_a_package_of_another_catalog_reads_its_table_on_spark_by_the_catalogs_name(
    tmp_path: Path,
) -> None:
    names = [
        RelationName(("sales",), "orders"),
        RelationName(("sales", "eu"), "Orders", "prod-2"),
    ]
    wheels = [wheel_of(name) for name in names]
    for wheel in wheels:
        unpack(wheel, tmp_path / "installed")
    imports = [read_wheel(wheel.data).import_package for wheel in wheels]

    code = (
        "import importlib, inspect\n"
        f"for name in {imports!r}:\n"
        "    dataset = importlib.import_module(name).dataset\n"
        "    print(inspect.signature(dataset).parameters['table'].default)"
    )

    assert run(code, tmp_path / "installed").splitlines() == [
        "sales.orders",
        "`prod-2`.sales.eu.`Orders`",
    ]


def test_keywords_are_the_parts_of_a_name_in_lower_case() -> None:
    wheel = wheel_of(RelationName(("Sales", "E U"), "T", "lake"))

    with zipfile.ZipFile(io.BytesIO(wheel.data)) as archive:
        (path,) = (path for path in archive.namelist() if path.endswith("/METADATA"))
        lines = archive.read(path).decode().splitlines()

    assert "Keywords: avro,schema,sales,e-u,t" in lines
