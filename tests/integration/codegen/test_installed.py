"""A wheel, installed by pip as a user would, in an otherwise empty environment."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from codegen.wheel import build_wheel
from tests.codegen.test_wheel import request_for

pytestmark = pytest.mark.integration

CONSUMER = """
import sys
from acme_schemas.example.company import RECORD, RELATION, SCHEMA, Company, State
from acme_schemas.example.company import read_file, write_file
from acme_schemas.a_b.c import Company as Other
assert RECORD is Company is not Other
assert RELATION == "example.company" and '"Company"' in SCHEMA
value = Company(name="acme", state=State.CA, class_=["a"])
assert Company.from_avro(value.to_avro()) == value
write_file("companies.avro", [value] * 3)
assert list(read_file("companies.avro")) == [value] * 3
from importlib.metadata import metadata
assert metadata("acme-schema-example-company")["Requires-Python"] == ">=3.11"
from importlib.resources import files
assert files("acme_schemas.example.company").joinpath("provenance.json").is_file()
assert not [m for m in sys.modules if m.split(".")[0] in ("fastavro", "pyspark", "avro")]
print("ok")
"""


@pytest.fixture
def python(tmp_path: Path) -> Path:
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "env")], check=True)
    return tmp_path / "env" / "bin" / "python"


def clean_environment() -> dict[str, str]:
    """Without what the machine tells pip, so that what is proved is what a user gets."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PIP_", "PYTHON", "UV_"))}
    return {**kept, "PIP_CONFIG_FILE": os.devnull}


def test_two_packages_are_installed_used_and_removed(python: Path, tmp_path: Path) -> None:
    wheels = [build_wheel(request_for("example.company")), build_wheel(request_for("a_b.c"))]
    for wheel in wheels:
        (tmp_path / wheel.filename).write_bytes(wheel.data)

    _run(tmp_path, python, *PIP, "install", "--no-index", *(wheel.filename for wheel in wheels))
    assert _run(tmp_path, python, "-W", "error", "-c", CONSUMER) == "ok\n"
    _run(tmp_path, python, *PIP, "check")

    _run(tmp_path, python, *PIP, "uninstall", "--yes", "acme-schema-2-a-b-c")
    _run(tmp_path, python, "-c", "from acme_schemas.example.company import RECORD")


PIP = ("-m", "pip", "--disable-pip-version-check", "--quiet")


def _run(folder: Path, python: Path, *arguments: str) -> str:
    done = subprocess.run(
        [str(python), *arguments],
        cwd=folder, env=clean_environment(), stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    return done.stdout
