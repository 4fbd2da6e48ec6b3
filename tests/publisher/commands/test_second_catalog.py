"""A deployment of release 0.2.0, with one catalog, gets a second catalog.

``deployment_0_2_0`` has the files of that release (commit 3c186c9f) after two snapshots: ``street``
gained ``unit`` before the second one. The state is a dump.
"""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest

from publisher.commands.snapshot import run_snapshot
from publisher.settings import load_settings

RECORDED = Path(__file__).parent / "deployment_0_2_0"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    folder = tmp_path / "deployment"
    shutil.copytree(RECORDED, folder)
    with closing(sqlite3.connect(folder / "state.db")) as connection:
        connection.executescript((folder / "state.sql").read_text("utf-8"))
    return folder / "schema-publisher.toml"


def add_catalog(config: Path, *, default_name: str) -> Path:
    """Another folder, which has relations of the same names; returns it."""
    single = '[catalog]\nkind = "ddl"\npath = "ddl"\n'
    several = f"""\
[[catalog]]
kind = "ddl"
name = "{default_name}"
default = true
path = "ddl"
[[catalog]]
kind = "ddl"
name = "prod"
path = "prod"
"""
    text = config.read_text("utf-8")
    assert single in text
    config.write_text(text.replace(single, several), "utf-8")
    prod = config.parent / "prod"
    prod.mkdir()
    return prod


def packages(config: Path) -> Mapping[str, str]:
    """The hash of every wheel on the index."""
    wheels = sorted((config.parent / "index").rglob("*.whl"))
    return {wheel.name: hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in wheels}


def snapshot(config: Path) -> Mapping[str, int]:
    return run_snapshot(load_settings(config), "local").counters


def test_this_release_publishes_nothing_anew_for_the_only_catalog(config: Path) -> None:
    before = packages(config)

    counters = snapshot(config)

    assert len(before) == 3
    assert packages(config) == before
    assert not counters.get("published")


@pytest.mark.parametrize("default_name", ["ddl", "lake"])
def test_an_empty_second_catalog_publishes_nothing(config: Path, default_name: str) -> None:
    before = packages(config)
    add_catalog(config, default_name=default_name)

    counters = snapshot(config)

    assert packages(config) == before
    assert not counters.get("published")


def test_equal_names_in_the_second_catalog_only_add_packages(config: Path) -> None:
    before = packages(config)
    prod = add_catalog(config, default_name="ddl")
    (prod / "shop.sql").write_text(
        "-- dialect: spark\n"
        "CREATE TABLE shop.orders (id INT);\n"
        "CREATE VIEW shop.places AS SELECT p.place, o.id FROM ddl.shop.places p, shop.orders o;\n"
    )

    counters = snapshot(config)

    after = packages(config)
    assert {name: after[name] for name in before} == before
    assert sorted(after.keys() - before.keys()) == [
        "acme_schema_0_prod_shop_orders-1.0.0-py3-none-any.whl",
        "acme_schema_0_prod_shop_places-1.0.0-py3-none-any.whl",
    ]
    assert counters["published"] == 2


def test_the_upgraded_deployment_numbers_further_versions_from_its_old_ones(config: Path) -> None:
    before = packages(config)
    add_catalog(config, default_name="ddl")
    ddl = config.parent / "ddl" / "shop.sql"
    ddl.write_text(ddl.read_text().replace("unit: STRING", "unit: STRING, floor: INT"))

    snapshot(config)

    after = packages(config)
    assert {name: after[name] for name in before} == before
    assert [*(after.keys() - before.keys())] == ["acme_schema_shop_places-1.2.0-py3-none-any.whl"]
