"""A newcomer installs with the files of pins that the service's own index offers."""

from __future__ import annotations

import sys
from importlib.metadata import distributions
from pathlib import Path

import pytest

from codegen.naming import distribution_name
from tests.integration.consumer.installed import PREFIX, ran
from tests.integration.consumer.lake import CUSTOMER, GOLD_CUSTOMER
from tests.integration.consumer.lake_installed import Lake

PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--isolated")
UV = (sys.executable, "-m", "uv", "pip")
NAME = distribution_name(CUSTOMER, PREFIX)

# pypiserver has no such files.
pytestmark = pytest.mark.parametrize("lake", ["static"], indirect=True)


def found_in(site: Path) -> dict[str, str]:
    return {found.name: found.version for found in distributions(path=[str(site)])}


def offered(lake: Lake, file: str) -> str:
    """The address of a file of pins."""
    return f"{lake.simple_url.removesuffix('simple/')}{file}"


@pytest.mark.parametrize("installer", [(*PIP, "install"), (*UV, "install")], ids=["pip", "uv"])
def test_constraints_pin_what_is_named(
    lake: Lake, installer: tuple[str, ...], tmp_path: Path
) -> None:
    constraints = offered(lake, "constraints.txt")
    index = ("--index-url", lake.simple_url, "--target", tmp_path)

    ran(*installer, "--quiet", *index, "--constraint", constraints, NAME)

    assert found_in(tmp_path) == {NAME: "2.0.0"}


@pytest.mark.parametrize("installer", [(*PIP, "install"), (*UV, "install")], ids=["pip", "uv"])
def test_a_file_of_requirements_pins_packages_by_hash(
    lake: Lake, installer: tuple[str, ...], tmp_path: Path
) -> None:
    other = distribution_name(GOLD_CUSTOMER, PREFIX)
    files = [offered(lake, f"requirements/{name}.txt") for name in (NAME, other)]
    index = ("--index-url", lake.simple_url, "--target", tmp_path, "--require-hashes")

    ran(
        *installer, "--quiet", *index, *(word for file in files for word in ("--requirement", file))
    )

    assert found_in(tmp_path) == {NAME: "2.0.0", other: "1.1.0"}
