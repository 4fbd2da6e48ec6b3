"""A consumer installs a package and looks at its files."""

from __future__ import annotations

import json
import sys
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import pytest

from tests.integration.consumer.installed import Shop, install, ran

pytestmark = pytest.mark.alike("shop", keep=2)

PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")


def test_pip_installs_the_newest_of_a_range(shop: Shop, tmp_path: Path) -> None:
    index = ("--index-url", shop.simple_url, "--no-cache-dir")
    ran(
        *PIP,
        "--isolated",
        "install",
        "--quiet",
        *index,
        "--target",
        tmp_path,
        f"{shop.distribution}~=1.0",
    )

    (found,) = distributions(path=[str(tmp_path)])
    assert (found.name, found.version) == (shop.distribution, "1.1.0")
    assert [line for line in found.requires or () if "extra" not in line] == []


def test_uv_installs_a_pinned_version(shop: Shop, tmp_path: Path) -> None:
    install(f"{shop.distribution}==1.0.0", shop.simple_url, tmp_path)

    (found,) = distributions(path=[str(tmp_path)])
    assert found.version == "1.0.0"


def test_a_requirements_file_pins_the_package_by_hash(shop: Shop, tmp_path: Path) -> None:
    (tmp_path / "schemas.in").write_text(f"{shop.distribution}>=1,<2\n")
    locked = tmp_path / "schemas.txt"
    uv = (
        sys.executable,
        "-m",
        "uv",
        "pip",
        "compile",
        "--quiet",
        "--no-cache",
        "--generate-hashes",
    )

    ran(*uv, "--index-url", shop.simple_url, tmp_path / "schemas.in", "--output-file", locked)

    index = ("--index-url", shop.simple_url, "--no-cache-dir", "--require-hashes")
    ran(*PIP, "install", "--quiet", *index, "--target", tmp_path / "site", "--requirement", locked)
    assert f"{shop.distribution}==1.1.0" in locked.read_text()
    assert (tmp_path / "site" / shop.import_name.replace(".", "/") / "py.typed").is_file()


def test_the_check_of_pins_says_what_breaks(shop: Shop, tmp_path: Path) -> None:
    (tmp_path / "pins.txt").write_text(f"{shop.distribution}==1.1.0\n")
    command = (sys.executable, "-m", "publisher.commands.cli", "check", tmp_path / "pins.txt")
    index = ("--against", shop.simple_url, "--prefix", "acme-schema")

    said = ran(*command, *index, "--json", path=Path.cwd(), status=1)

    assert '"status": "breaks"' in said
    assert "weight" in said


def test_the_package_runs_with_nothing_else_installed(shop: Shop) -> None:
    said = shop.ran(
        f"import sys; before = set(sys.modules); import {shop.import_name} as p\n"
        "r = p.RECORD.example(); assert p.RECORD.from_avro(r.to_avro()) == r\n"
        "assert p.RECORD.from_json(r.to_json()) == r\n"
        "more = {m.partition('.')[0] for m in set(sys.modules) - before}\n"
        "print(sorted(more - set(sys.stdlib_module_names)))"
    )

    # The second is no file: where packages find the error that they share.
    assert said == "['acme_schemas', 'avro_schema_package_errors']\n"


def test_the_package_says_its_version_and_its_relation(shop: Shop, package: Any) -> None:
    assert package.__version__ == "1.1.0"
    assert str(shop.kind.relation) == package.RELATION
    assert package.RECORD.__name__ in package.__all__


def test_the_schema_and_its_origin_are_files_of_the_package(shop: Shop) -> None:
    folder = shop.site / shop.import_name.replace(".", "/")

    schema = json.loads((folder / "schema.avsc").read_text())
    origin = json.loads((folder / "provenance.json").read_text())

    assert [field["name"] for field in schema["fields"]][:2] == ["id", "customer"]
    assert origin["relation"] == [*shop.kind.relation.parts]
    assert origin["kind"] == ("view" if shop.kind.name.endswith("view") else "table")


def test_help_shows_the_documentation_of_columns(shop: Shop) -> None:
    said = shop.ran(f"import {shop.import_name} as p; help(p.RECORD)")

    assert 'customer: Who pays: "the \\customer".' in said
    assert "Computed as size(tags)" in said or not shop.kind.name.endswith("view")


def test_a_package_shares_no_file_with_others(shop: Shop) -> None:
    (found,) = distributions(path=[str(shop.site)])
    folder, _, table = shop.import_name.replace(".", "/").rpartition("/")
    own = (
        f"{folder}/{table}/",
        # Beside the package, so that Hypothesis need not import it.
        f"{folder}/_{table}_strategies.py",
        f"{found.name.replace('-', '_')}-1.1.0.dist-info/",
    )

    assert [str(file) for file in found.files or () if not str(file).startswith(own)] == []
    assert len(found.files or ()) > 20
