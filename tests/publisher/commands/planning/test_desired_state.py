"""``plan --against``: a desired state compared with a catalog, a deployment, or its packages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from publisher.commands.failures import NO, USAGE_ERROR
from tests.publisher.commands.folder import Folder
from tests.publisher.commands.two_catalogs import two_catalogs

LAKE = """\
CREATE DATABASE shop;
CREATE TABLE shop.orders (id bigint, customer bigint);
CREATE VIEW shop.ids AS SELECT id FROM shop.orders;
CREATE VIEW shop.customers AS SELECT customer FROM shop.orders;
CREATE TABLE shop.old (id bigint);
CREATE TABLE stock.items (id bigint);
"""
DESIRED = """\
CREATE DATABASE shop;
CREATE TABLE shop.orders (id bigint, note string);
CREATE VIEW shop.ids AS SELECT id FROM   shop.orders;
CREATE VIEW shop.customers AS SELECT customer FROM shop.orders;
CREATE VIEW shop.notes AS SELECT note FROM shop.orders;
"""


@pytest.fixture
def lake(folder: Folder) -> Folder:
    folder.write_ddl(LAKE)
    assert folder.run("snapshot").status == 0
    return folder


@pytest.fixture
def desired(tmp_path: Path) -> Path:
    folder = tmp_path / "desired"
    folder.mkdir()
    (folder / "shop.sql").write_text(DESIRED)
    return folder


def plan(folder: Folder, *arguments: str, status: int = 0) -> Any:
    ended = folder.run("plan", *arguments, "--json")
    assert ended.status == status, ended
    return ended.lines[0]


def fates(found: Any) -> Mapping[str, str]:
    return {each["relation"]: each["fate"] for each in found["relations"]}


def versions(found: Any) -> Mapping[str, str]:
    return {each["relation"]: each["to"] for each in found["versions"]}


def check_the_difference(found: Any) -> None:
    assert fates(found) == {
        "shop.notes": "created",
        "shop.old": "dropped",
        "shop.orders": "changed",
    }
    assert versions(found) == {"shop.orders": "2.0.0", "shop.notes": "1.0.0"}
    (broken,) = found["broken"]
    assert broken["relation"] == "shop.customers"
    assert broken["published"] == "1.0.0"
    assert [d["relation"] for d in found["dropped_packages"]] == ["shop.old"]


@pytest.mark.thorough
def test_a_folder_of_ddl_is_compared_with_the_live_catalog(lake: Folder, desired: Path) -> None:
    found = plan(lake, str(desired), "--against", "live", status=NO)

    check_the_difference(found)
    (orders,) = [each for each in found["relations"] if each["relation"] == "shop.orders"]
    assert orders["statements"] == [f"{desired / 'shop.sql'}:2"]
    assert [c["column"] for c in orders["columns"]] == ["customer", "note"]


@pytest.mark.thorough
def test_a_desired_state_may_name_relations_of_any_catalog(tmp_path: Path) -> None:
    deployment = two_catalogs(tmp_path)
    assert deployment.run("snapshot").status == 0
    wanted = "CREATE TABLE b.sales.orders (id bigint, total decimal(9,2), more int)"

    found = plan(deployment, wanted, "--against", "live")

    assert fates(found) == {
        "b:sales.far": "dropped",
        "b:sales.orders": "changed",
        "b:sales.totals": "dropped",
        "b:sales.wrong": "dropped",
    }
    assert versions(found) == {"b:sales.orders": "1.1.0"}


@pytest.mark.thorough
def test_what_is_as_desired_already_changes_nothing(lake: Folder) -> None:
    found = plan(lake, str(lake.path / "ddl"), "--against", "live")

    assert (found["relations"], found["versions"], found["broken"]) == ([], [], [])


@pytest.mark.thorough
def test_the_catalog_is_what_is_desired_where_no_ddl_is_given(lake: Folder, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "shop.sql").write_text("CREATE TABLE shop.orders (id bigint, customer bigint);")

    found = plan(lake, "--against", str(other))

    assert fates(found) == dict.fromkeys(
        ["shop.customers", "shop.ids", "shop.old", "stock.items"], "created"
    )


@pytest.mark.thorough
def test_another_deployment_is_named_by_its_settings(
    lake: Folder, desired: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    other = Folder(elsewhere)
    other.write_ddl("CREATE TABLE shop.orders (id bigint);")
    assert other.run("snapshot").status == 0

    found = plan(lake, str(desired), "--against", str(other.config), status=NO)

    assert versions(found)["shop.orders"] == "1.1.0"
    assert fates(found)["shop.ids"] == "created"
    assert {each["relation"] for each in found["broken"]} == {"shop.customers"}


@pytest.fixture
def served(lake: Folder) -> Iterator[str]:
    """The lake's index, as a web server of nothing but files has it."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(lake.path / "index"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/simple/"
        server.shutdown()


@pytest.mark.thorough
def test_packages_of_another_deployment_show_what_it_has(
    lake: Folder, desired: Path, served: str
) -> None:
    # The text of a view is part of its package, blanks included.
    (desired / "shop.sql").write_text(DESIRED.replace("FROM   ", "FROM "))

    found = plan(lake, str(desired), "--against", served, status=NO)

    check_the_difference(found)


def test_a_catalog_is_not_compared_with_itself(lake: Folder) -> None:
    ended = lake.run("plan", "--against", "live")

    assert ended.status == USAGE_ERROR
    assert "name the folder that holds the desired state" in ended.err


@pytest.mark.thorough
@pytest.mark.parametrize("against", ["nowhere", "ftp://host/", "https://", "thrift:/x"])
def test_what_is_no_form_of_address_is_said(lake: Folder, desired: Path, against: str) -> None:
    ended = lake.run("plan", str(desired), "--against", against)

    assert ended.status == USAGE_ERROR, ended
    assert "Traceback" not in ended.err
