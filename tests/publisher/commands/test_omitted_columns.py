"""Columns that Avro has no type for, from the catalog's DDL to the package and its users."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from publisher.web.descriptions import describe
from tests.publisher.commands.folder import Folder

DDL = """\
CREATE TABLE shop.events (id bigint, payload variant, place geometry, prices map<int,string>);
CREATE VIEW shop.ids AS SELECT id, count(payload) AS payloads FROM shop.events GROUP BY id;
CREATE VIEW shop.whole AS SELECT * FROM shop.events;
CREATE TABLE shop.blobs (payload variant);
"""
LEFT_OUT = [
    "payload (variant): Avro has no type for values without a schema",
    "place (geometry): Avro has no type for shapes",
]
REFUSE = '[translation]\ninexpressible = "refuse"'


@pytest.fixture
def events(folder: Folder) -> Folder:
    folder.write_ddl(DDL)
    return folder


def wheel_of(folder: Folder, table: str, version: str = "1.0.0") -> Path:
    name = f"acme_schema_shop_{table}-{version}-py3-none-any.whl"
    return next((folder.path / "index").rglob(name))


@pytest.mark.thorough
def test_every_relation_gets_a_package_and_what_is_left_out_is_counted(events: Folder) -> None:
    (snapshot,) = events.run("snapshot").lines

    assert snapshot["counters"]["published"] == 4
    assert snapshot["counters"]["columns_omitted"] == 5
    assert events.run("verify").status == 0
    with zipfile.ZipFile(wheel_of(events, "ids")) as archive:
        fields = json.loads(archive.read("acme_schemas/shop/ids/schema.avsc"))["fields"]
    assert [field["name"] for field in fields] == ["id", "payloads"]


@pytest.mark.parametrize("table", ["events", "whole"])
def test_class_metadata_and_page_name_what_is_left_out(events: Folder, table: str) -> None:
    events.run("snapshot")
    wheel = wheel_of(events, table)

    with zipfile.ZipFile(wheel) as archive:
        types = archive.read(f"acme_schemas/shop/{table}/_types.py").decode()
        metadata = archive.read(f"acme_schema_shop_{table}-1.0.0.dist-info/METADATA").decode()

    assert "Columns left out, since Avro has no type for them:" in types
    assert all(each in types for each in LEFT_OUT)
    assert metadata.count("Left out: ") == 2
    assert list(describe(wheel.read_bytes()).omitted) == LEFT_OUT


@pytest.mark.thorough
def test_an_explanation_names_what_is_left_out(events: Folder) -> None:
    events.run("snapshot")

    (of_programs,) = events.run("explain", "shop.whole", "--json").lines
    of_people = events.people("explain", "shop.events")

    assert of_programs["omitted"] == LEFT_OUT
    assert "columns left out" in of_people
    assert all(each in of_people for each in LEFT_OUT)
    assert events.run("explain", "shop.ids", "--json").lines[0]["omitted"] == []


@pytest.mark.thorough
def test_refusing_costs_those_their_package_that_would_leave_a_column_out(events: Folder) -> None:
    events.write_settings(rest=REFUSE)

    (snapshot,) = events.run("snapshot").lines

    assert snapshot["counters"]["published"] == 1
    assert wheel_of(events, "ids")
    reason = "cannot be packaged: column payload: it has type variant: Avro has no type"
    assert reason in events.people("explain", "shop.events")
    assert reason in events.people("explain", "shop.whole")
    assert reason in events.people("status")
    verified = events.run("verify")
    assert verified.status == 0
    assert any(reason in line["reason"] and line["never_published"] for line in verified.lines)
    (plan,) = events.run("plan").lines
    failing = {each["relation"]: each["reason"] for each in plan["already_failing"]}
    assert reason in failing["shop.events"]


@pytest.mark.thorough
def test_the_next_snapshot_carries_the_other_choice_out(events: Folder) -> None:
    events.write_settings(rest=REFUSE)
    events.run("snapshot")
    events.write_settings()

    (snapshot,) = events.run("snapshot").lines

    assert snapshot["counters"]["published"] == 3
    assert events.run("verify").status == 0


@pytest.mark.thorough
def test_a_column_that_gets_a_type_is_a_minor_version(events: Folder) -> None:
    events.run("snapshot")
    events.write_ddl(DDL.replace("payload variant, place", "payload string, place"))

    events.run("snapshot")

    (explained,) = events.run("explain", "shop.events", "--json").lines
    assert [version["number"] for version in explained["versions"]] == ["1.0.0", "1.1.0"]
    assert explained["omitted"] == LEFT_OUT[1:]
