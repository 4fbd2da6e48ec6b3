"""The two distributions: ``schema-publisher``, and ``lakeschema`` for other people's processes."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.linked_environment import built_wheel, installed_alone

ROOT = Path(__file__).parents[1]
LIBRARY = ROOT / "deploy" / "lakeschema"

# What the extras "glue", "hive" and "iceberg" install, and what a Spark session brings.
HIVE_OR_SPARK = {
    "boto3", "botocore", "hive_metastore", "kafka", "py4j", "pyarrow", "pyspark", "requests", "sqlalchemy", "tenacity",
    "thrift",
}  # fmt: skip
"""Kafka is where the library reads a stream of queries on Spark."""

DERIVE_A_VIEW = """
from lakeschema.translation.requests.batch import answer
reply = answer({
    "id": 1,
    "ddl": ["CREATE TABLE a.t (x INT)", "CREATE VIEW a.v AS SELECT x, COUNT(*) AS n FROM a.t GROUP BY x"],
    "relation": "a.v",
    "to": "avro",
})
assert [field["name"] for field in reply["result"]["fields"]] == ["x", "n"], reply
"""

IMPORT_EVERY_MODULE = """
import importlib, pkgutil, sys
import lakeschema
missing = set()
for module in pkgutil.walk_packages(lakeschema.__path__, "lakeschema."):
    try:
        importlib.import_module(module.name)
    except ModuleNotFoundError as error:
        missing.add(error.name)
print(*sorted(missing))
"""

NOTHING_ELSE = """
from importlib.util import find_spec
assert not [name for name in ("publisher", "codegen", "pydantic", "pyspark") if find_spec(name)]
"""


def project(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    return found


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """The wheel of each distribution, by its name."""
    built = [built_wheel(folder, tmp_path_factory.mktemp("wheel")) for folder in (ROOT, LIBRARY)]
    return {wheel.name.split("-")[0]: wheel for wheel in built}


@pytest.fixture(scope="module")
def python(wheels: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python that has ``lakeschema`` and what it depends on, and nothing else."""
    folder = tmp_path_factory.mktemp("library")
    return installed_alone(folder, wheels["lakeschema"], project(LIBRARY)["dependencies"])


def run(folder: Path, *command: str) -> str:
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout.strip()


def top_level_names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        names = {name.split("/")[0] for name in archive.namelist()}
    return {name for name in names if not name.endswith(".dist-info")}


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "packages"),
    [
        ("schema_publisher", {"codegen", "dependency_graph", "lakeschema", "publisher"}),
        ("lakeschema", {"dependency_graph", "lakeschema"}),
    ],
)
def test_a_wheel_has_exactly_its_packages(
    wheels: Mapping[str, Path], name: str, packages: set[str]
) -> None:
    assert top_level_names(wheels[name]) == packages


@pytest.mark.thorough
def test_an_index_accepts_both_wheels(wheels: Mapping[str, Path]) -> None:
    run(ROOT, sys.executable, "-m", "twine", "check", "--strict", *map(str, wheels.values()))


def test_both_wheels_have_the_same_version_and_carry_the_license(
    wheels: Mapping[str, Path],
) -> None:
    version = project(ROOT)["version"]

    for name, wheel in wheels.items():
        with zipfile.ZipFile(wheel) as archive:
            license_text = archive.read(f"{name}-{version}.dist-info/licenses/LICENSE")
        assert license_text == (ROOT / "LICENSE").read_bytes()


def test_the_library_has_the_same_source_in_both_wheels(wheels: Mapping[str, Path]) -> None:
    files = {name: contents(wheel) for name, wheel in wheels.items()}

    assert files["lakeschema"].items() <= files["schema_publisher"].items()


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {n: archive.read(n) for n in archive.namelist() if ".dist-info/" not in n}


def test_the_images_install_the_versions_that_are_tested() -> None:
    tested = _pins("dev")

    assert {name: tested.get(name) for name in _pins("service")} == _pins("service")


def _pins(requirements: str) -> dict[str, str]:
    text = (ROOT / "requirements" / f"{requirements}.txt").read_text()
    return dict(re.findall(r"^([\w.-]+)==(\S+)", text, re.MULTILINE))


def test_the_library_asks_for_the_versions_that_the_service_asks_for() -> None:
    library = project(LIBRARY)
    of_library = [*library["dependencies"], *library["optional-dependencies"]["hive"]]

    assert set(of_library) <= set(project(ROOT)["dependencies"])


@pytest.mark.thorough
def test_the_dependencies_of_the_library_are_complete(python: Path, tmp_path: Path) -> None:
    run(tmp_path, str(python), "-I", "-c", DERIVE_A_VIEW)

    missing = run(tmp_path, str(python), "-I", "-c", IMPORT_EVERY_MODULE)

    assert set(missing.split()) <= HIVE_OR_SPARK


def test_the_bare_import_of_the_library_loads_nothing_else(python: Path, tmp_path: Path) -> None:
    code = "import sys, lakeschema; print(*{name.split('.')[0] for name in sys.modules})"

    loaded = run(tmp_path, str(python), "-I", "-c", code).split()

    assert "lakeschema" in loaded
    assert not {"sqlglot", "pyspark", "dependency_graph"} & set(loaded)


def test_a_plugin_imports_what_it_answers(python: Path, tmp_path: Path) -> None:
    run(tmp_path, str(python), "-c", "from lakeschema.udfs import Returns, parse_type")


@pytest.mark.thorough
def test_a_users_own_modules_may_have_the_names_of_ours(python: Path, tmp_path: Path) -> None:
    for name in ("avro", "catalog", "translation", "spark", "udfs"):
        (tmp_path / f"{name}.py").write_text(f"OWNER = 'the user of {name}'\n")
    own = "import avro, catalog, translation, spark, udfs; assert catalog.OWNER\n"

    run(tmp_path, str(python), "-c", own + DERIVE_A_VIEW)


def test_the_environment_of_these_tests_has_nothing_else(python: Path, tmp_path: Path) -> None:
    """With the service's packages at hand the tests above would prove nothing."""
    run(tmp_path, str(python), "-I", "-c", NOTHING_ELSE)
