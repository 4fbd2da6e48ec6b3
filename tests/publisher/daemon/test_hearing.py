"""A running service receives statements, over HTTP and in a folder, and knows the fillings of tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from lakeschema.catalog.identifiers import RelationName
from publisher.daemon.service import Service
from publisher.lineage.lineage_json import traced_json
from publisher.lineage.questions import NotFound
from publisher.lineage.values import Direction
from publisher.settings import load_settings
from tests.publisher.daemon.test_service import configured
from tests.waiting import eventually

DDL = """
CREATE TABLE shop.orders (id BIGINT, amount DOUBLE, day STRING);
CREATE TABLE shop.report (customer BIGINT, total DOUBLE);
CREATE TABLE shop.totals (total DOUBLE);
CREATE VIEW shop.big AS SELECT customer FROM shop.report WHERE total > 100;
"""
TEMPORARY = "CREATE TEMPORARY VIEW recent AS SELECT id, amount FROM orders WHERE day > '2026'"
FILL = "INSERT INTO report SELECT id, amount * 2 FROM recent"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "ddl").mkdir()
    (tmp_path / "ddl" / "all.sql").write_text(DDL)
    (tmp_path / "log").mkdir()
    return tmp_path


def links(service: Service, name: str, column: str, direction: Direction) -> list[dict[str, Any]]:
    found = service.lineage(RelationName.parse(name), column, direction, None)
    assert not isinstance(found, NotFound), found
    answer = traced_json(found)
    return [
        {
            "source": _place(link["source"]),
            "target": _place(link["target"]),
            "how": link["clause"] or link["kind"],
            "text": answer["statements"][link["statement"]]["text"] if "statement" in link else "",
        }
        for link in answer["links"]
    ]


def _place(value: dict[str, Any]) -> str:
    return ".".join(filter(None, (value["relation"], value["column"])))


@pytest.mark.thorough
def test_what_is_posted_is_known_to_lineage(folder: Path) -> None:
    config = configured(folder, "[statements]\nenabled = true\n")
    lines = [
        {"sql": sql, "database": "shop", "session": "1", "user": "etl"} for sql in (TEMPORARY, FILL)
    ]
    with Service(load_settings(config), config) as service:
        assert eventually(lambda: service.status().figures["versions"] == 4)

        def post() -> httpx.Response:
            return httpx.post(f"{service.url}/statements", json=lines, timeout=60)

        assert eventually(lambda: post().status_code == 200)
        assert post().json() == {"statements": 2, "fillings": 1, "unread": 0, "failures": []}

        def values() -> list[dict[str, Any]]:
            # The tables of the state are known to the reader of statements within seconds.
            assert post().status_code == 200
            upstream = links(service, "shop.report", "total", Direction.UPSTREAM)
            return [link for link in upstream if link["how"] == "direct"]

        made = {
            "source": "shop.orders.amount",
            "target": "shop.report.total",
            "how": "direct",
            "text": FILL,
        }
        assert eventually(lambda: values() == [made])
        upstream = links(service, "shop.report", "total", Direction.UPSTREAM)
        assert ("shop.orders.day", "where") in {(link["source"], link["how"]) for link in upstream}
        downstream = links(service, "shop.orders", "id", Direction.DOWNSTREAM)
        targets = {link["target"] for link in downstream}
        assert targets == {"shop.report.customer", "shop.big.customer"}
        page = httpx.get(f"{service.url}/relations/shop.report").text
        assert "Filled by statements" in page
        assert "shop.orders" in page


@pytest.mark.thorough
def test_what_a_folder_gets_is_known_also_after_a_restart(folder: Path) -> None:
    config = configured(folder, f'[statements]\nlog = "{folder}/log"\n')
    log = folder / "log" / "1.jsonl"
    log.write_text(
        json.dumps({"query": "INSERT INTO shop.report SELECT id, 1 FROM shop.orders"}) + "\n"
    )

    def targets(service: Service) -> set[str]:
        found = service.lineage(RelationName.parse("shop.orders"), None, Direction.DOWNSTREAM, 1)
        if isinstance(found, NotFound):
            return set()
        return {str(link.target.relation) for link in found.links}

    with Service(load_settings(config), config) as service:
        assert eventually(lambda: targets(service) == {"shop.report"})
    with log.open("a") as stream:
        stream.write(
            json.dumps({"query": "INSERT INTO shop.totals SELECT amount FROM shop.orders"}) + "\n"
        )
    with Service(load_settings(config), config) as service:
        assert eventually(lambda: targets(service) == {"shop.report", "shop.totals"})


@pytest.mark.thorough
def test_a_log_that_is_missing_is_told(folder: Path) -> None:
    config = configured(folder, f'[statements]\nlog = "{folder}/absent"\n')
    with Service(load_settings(config), config) as service:
        assert eventually(lambda: "statements:log" in service.troubles())
        assert "No such file" in service.troubles()["statements:log"]


@pytest.mark.parametrize(
    ("body", "status", "found"),
    [
        (b"{", 200, "not JSON"),
        (b'{"text": "SELECT 1"}', 200, "expected an object with a text under"),
        (b'{"sql": "INSERT INTO"}\n{"sql": "SELECT 1", "dialect": "klingon"}', 200, "klingon"),
        (b"x" * (4 * 1024**2 + 1), 413, "more than the 4194304 bytes"),
    ],
)
@pytest.mark.thorough
def test_bad_lines_are_named(folder: Path, body: bytes, status: int, found: str) -> None:
    config = configured(folder, "[statements]\nenabled = true\n")
    with Service(load_settings(config), config) as service:

        def post() -> httpx.Response:
            headers = {"Content-Type": "application/x-ndjson"}
            return httpx.post(
                f"{service.url}/statements", content=body, headers=headers, timeout=60
            )

        assert eventually(lambda: post().status_code == status)
        assert found in post().text
