"""A newcomer installs the packages of a lake, upgrades them and looks at their files."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import sys
from importlib.metadata import Distribution, distributions
from pathlib import Path

from packaging.utils import canonicalize_name

from codegen.naming import distribution_name
from tests.integration.consumer.installed import PREFIX, Installed, install_all, ran
from tests.integration.consumer.lake import BROKEN, ORDERS, RELATIONS
from tests.integration.consumer.lake_installed import Lake, versions

PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--isolated")
UV = (sys.executable, "-m", "uv", "pip")
NAMES = [distribution_name(relation, PREFIX) for relation in RELATIONS]


def found_in(site: Path) -> dict[str, str]:
    """The versions of the packages in a folder."""
    return {found.name: found.version for found in distributions(path=[str(site)])}


def of(relation: Installed) -> Distribution:
    """What is known of the installed package."""
    found = distributions(path=[str(relation.site)])
    (own,) = [each for each in found if canonicalize_name(each.name) == relation.distribution]
    return own


def test_pip_installs_all_packages_in_one_command(lake: Lake, tmp_path: Path) -> None:
    index = ("--index-url", lake.simple_url, "--no-cache-dir", "--target", tmp_path)
    ran(*PIP, "install", "--quiet", *index, *NAMES)

    newest = {distribution_name(each, PREFIX): versions(each)[-1] for each in RELATIONS}
    assert found_in(tmp_path) == newest


def test_uv_installs_all_packages_in_one_command(lake: Lake, tmp_path: Path) -> None:
    install_all([f"{name}~=1.0" for name in NAMES], lake.simple_url, tmp_path)

    assert found_in(tmp_path) == dict.fromkeys(NAMES, "1.1.0")


def environment(folder: Path) -> Path:
    """The Python of a new virtual environment."""
    ran(sys.executable, "-m", "uv", "venv", "--quiet", "--python", sys.executable, folder)
    return folder / "bin" / "python"


def test_a_range_upgrades_within_a_major_version(lake: Lake, tmp_path: Path) -> None:
    python = environment(tmp_path / "env")
    name = distribution_name(ORDERS, PREFIX)
    pip = ("--python", python, "--index-url", lake.simple_url, "--no-cache")
    version = f"from importlib.metadata import version; print(version({name!r}))"
    seen = []
    for requirement in (f"{name}==1.0.0", f"{name}~=1.0", name):
        ran(*UV, "install", "--quiet", "--upgrade", *pip, requirement)
        seen.append(ran(python, "-c", version).strip())

    assert seen == ["1.0.0", "1.1.0", "2.0.0"]


def test_one_package_is_uninstalled_and_the_others_stay(lake: Lake, tmp_path: Path) -> None:
    python = environment(tmp_path / "env")
    ran(*UV, "install", "--quiet", "--python", python, "--index-url", lake.simple_url, *NAMES)

    ran(*UV, "uninstall", "--quiet", "--python", python, NAMES[0])

    check = "import acme_schemas.shop.orders as o; print(len(o.RECORD.example().to_avro()) > 0)"
    assert ran(python, "-W", "error", "-c", check) == "True\n"
    assert ran(*UV, "check", "--quiet", "--python", python) == ""


def test_a_lock_pins_every_package_by_hash(lake: Lake, tmp_path: Path) -> None:
    (tmp_path / "schemas.in").write_text("\n".join(f"{name}>=1,<2" for name in NAMES))
    locked = tmp_path / "schemas.txt"
    index = ("--index-url", lake.simple_url)
    ran(*UV, "compile", "--quiet", "--no-cache", "--generate-hashes", *index,
        tmp_path / "schemas.in", "--output-file", locked)  # fmt: skip

    target = ("--no-cache-dir", "--require-hashes", "--target", tmp_path / "site")
    ran(*PIP, "install", "--quiet", *index, *target, "--requirement", locked)

    assert found_in(tmp_path / "site") == dict.fromkeys(NAMES, "1.1.0")


def test_pip_lists_the_versions_of_a_package(lake: Lake) -> None:
    for relation in (ORDERS, RELATIONS[-1]):
        name = distribution_name(relation, PREFIX)

        said = ran(*PIP, "index", "versions", "--index-url", lake.simple_url, name)

        assert f"Available versions: {', '.join(reversed(versions(relation)))}" in said


def test_the_check_of_pins_finds_what_breaks(lake: Lake, tmp_path: Path) -> None:
    (tmp_path / "pins.txt").write_text("\n".join(f"{name}==1.1.0" for name in NAMES))
    command = (sys.executable, "-m", "publisher.commands.cli", "check", tmp_path / "pins.txt")
    index = ("--against", lake.simple_url, "--prefix", PREFIX, "--json")

    lines = ran(*command, *index, path=Path.cwd(), status=1).splitlines()

    pins = [json.loads(line) for line in lines]
    breaking = {pin["distribution"] for pin in pins if pin["status"] == "breaks"}
    assert breaking == {distribution_name(relation, PREFIX) for relation in BROKEN}


def test_nothing_else_is_needed_to_use_all_packages(lake: Lake) -> None:
    said = lake.ran(
        "before = set(sys.modules)\n"
        "for p in packages:\n"
        "    r = p.RECORD.example(3)\n"
        "    assert p.RECORD.from_avro(r.to_avro()) == r == p.RECORD.from_json(r.to_json())\n"
        "tops = {name.partition('.')[0] for name in sys.modules}\n"
        "print(sorted(tops - set(sys.stdlib_module_names) - {'__main__', 'sitecustomize'}))"
    )

    assert "acme_schemas" in said
    assert not {"pyarrow", "pandas", "hypothesis", "pydantic", "fastavro"} & set(said.split("'"))


def test_the_metadata_says_what_the_package_is(relation: Installed) -> None:
    found = of(relation).metadata

    assert found["Version"] == "1.1.0"
    assert found["Requires-Python"].startswith(">=3.11")
    assert str(relation.relation) in found["Summary"] + found["Description"]
    assert [line for line in found.get_all("Requires-Dist") or () if "extra ==" not in line] == []


def test_the_schema_of_each_relation_is_a_file(relation: Installed) -> None:
    folder = relation.site / relation.import_name.replace(".", "/")

    with relation.version("1.1.0") as module:
        assert json.loads((folder / "schema.avsc").read_text()) == json.loads(module.SCHEMA)
    origin = json.loads((folder / "provenance.json").read_text())
    assert origin["relation"] == [*relation.relation.parts]


def test_no_package_has_a_file_of_another(lake: Lake) -> None:
    files = [
        str(file)
        for found in distributions(path=[str(lake.sites["1.1.0"])])
        for file in found.files or ()
    ]

    assert len(files) == len(set(files)) > 20 * len(RELATIONS)


def test_a_package_is_typed(relation: Installed) -> None:
    assert any(str(file).endswith("/py.typed") for file in of(relation).files or ())


def test_the_changelog_names_the_new_column(relation: Installed) -> None:
    (path,) = [file for file in of(relation).files or () if file.name == "CHANGELOG.md"]
    text = path.read_text().replace("\\", "")

    assert text.index("## 1.1.0 (minor)") < text.index("## 1.0.0")
    assert "added" in text.partition("## 1.1.0")[2].partition("## 1.0.0")[0]


def test_help_shows_each_relations_columns(lake: Lake) -> None:
    said = lake.ran("for p in packages: help(p.RECORD)")

    for shown in ("Number of the order.", "How it is sent.", "In EUR.", "Stable identifier"):
        assert shown in said


def test_every_hash_of_the_record_is_right(relation: Installed) -> None:
    hashed = [file for file in of(relation).files or () if file.hash is not None]
    assert len(hashed) > 20

    for file in hashed:
        digest = hashlib.sha256(file.read_binary()).digest()
        assert file.hash is not None
        assert file.hash.value == base64.urlsafe_b64encode(digest).decode().rstrip("=")


def test_wheels_are_imported_without_being_installed(lake: Lake, tmp_path: Path) -> None:
    """Wheels on ``sys.path``, as ``spark-submit --py-files`` puts them there."""
    download = ("--no-deps", "--dest", tmp_path, "--no-cache-dir", "--quiet")
    ran(*PIP, "download", "--index-url", lake.simple_url, *download, *NAMES[:4])
    wheels = sorted(tmp_path.glob("*.whl"))
    archives = [wheel.rename(wheel.with_suffix(".zip")) for wheel in wheels]

    program = """\
import importlib, sys
sys.path[:0] = sys.argv[1:]
for name in ("crm.customer", "crm.interaction", "crm.category", "shop.orders"):
    p = importlib.import_module("acme_schemas." + name)
    r = p.RECORD.example(3)
    assert p.RECORD.from_avro(r.to_avro()) == r == p.RECORD.from_json(r.to_json())
    assert ".zip" in p.__file__
print("imported")
"""
    assert ran(sys.executable, "-W", "error", "-c", program, *archives) == "imported\n"


def test_uv_adds_a_package_to_a_folder_that_has_others(lake: Lake, tmp_path: Path) -> None:
    for name in NAMES[:3]:
        install_all([f"{name}==1.1.0"], lake.simple_url, tmp_path)

    assert found_in(tmp_path) == dict.fromkeys(NAMES[:3], "1.1.0")
    assert len([*tmp_path.glob("acme_schemas/crm/*/__init__.py")]) == 3


def test_a_zip_of_all_packages_is_an_application(lake: Lake, tmp_path: Path) -> None:
    program = (
        "from acme_schemas.shop.orders import RECORD\n"
        "from acme_schemas.mart.gold_customer import RECORD as GOLD\n"
        "print(len(RECORD.example().to_json()) > 0, GOLD.from_json(GOLD.example().to_json()) == GOLD.example())\n"
    )
    application = tmp_path / "application"
    packages = lake.sites["1.1.0"] / "acme_schemas"
    shutil.copytree(packages, application / "acme_schemas")
    (application / "__main__.py").write_text(program)
    archive = tmp_path / "application.pyz"

    ran(sys.executable, "-m", "zipapp", application, "--output", archive)

    assert ran(sys.executable, "-W", "error", archive) == "True True\n"
