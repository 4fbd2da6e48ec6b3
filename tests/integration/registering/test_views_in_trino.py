"""``register`` against a real Trino."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from deploy.ports import LOOPBACK
from deploy.trino import Trino
from publisher.commands.cli import app
from publisher.commands.registering.trino_server import TrinoServer, open_server
from tests.publisher.commands.registering.behaviour import ServerBehaviour

SETTINGS = """
artifacts.prefix = "acme"
catalog.kind = "ddl"
catalog.path = "ddl"

[trino]
url = "http://{address}"
views = "memory.trino_{{database}}"
catalogs = {{ "" = "memory" }}
"""
DDL = """
CREATE TABLE shop.orders (id BIGINT, customer STRING COMMENT "who's paying", total DECIMAL(10, 2));
CREATE VIEW shop.revenue COMMENT 'by customer' AS
SELECT customer, COUNT(*) AS `N "of" orders`, SUM(total) AS total FROM shop.best GROUP BY customer;
CREATE VIEW shop.best AS SELECT * FROM shop.orders WHERE total >= 10;
CREATE VIEW shop.hashed AS SELECT hash(id) AS h FROM shop.orders;
CREATE VIEW shop.missing AS SELECT com_example_nowhere(id) AS h FROM shop.orders;
"""


@pytest.fixture
def address(trino: Trino) -> str:
    return f"{LOOPBACK}:{trino.port}"


class TestTrinoServer(ServerBehaviour):
    @pytest.fixture
    def server(self, trino: Trino, address: str) -> Iterator[TrinoServer]:
        for schema in ("made", "again"):
            trino.answer(f"DROP SCHEMA IF EXISTS memory.{schema} CASCADE")
        with open_server(f"http://{address}", "tester", None, 60) as server:
            yield server

    @pytest.fixture
    def catalog(self) -> str:
        return "memory"


@pytest.fixture
def deployment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trino: Trino, address: str) -> Path:
    (tmp_path / "ddl").mkdir()
    (tmp_path / "ddl" / "shop.sql").write_text("CREATE DATABASE shop;\n" + DDL)
    (tmp_path / "schema-publisher.toml").write_text(SETTINGS.format(address=address))
    monkeypatch.chdir(tmp_path)
    for schema in ("trino_shop", "shop"):
        trino.answer(f"DROP SCHEMA IF EXISTS memory.{schema} CASCADE")
    trino.answer("CREATE SCHEMA memory.shop")
    trino.answer(
        "CREATE TABLE memory.shop.orders (id bigint, customer varchar, total decimal(10, 2))"
    )
    trino.answer(
        "INSERT INTO memory.shop.orders VALUES (1, 'Ada', 10.5), (2, 'Ada', 12), (3, 'Bob', 3)"
    )
    return tmp_path


def register(*arguments: str) -> tuple[int, dict[str, str]]:
    """The exit status, and the outcome of each view."""
    found = CliRunner().invoke(app, ["register", "--engine", "trino", "--json", *arguments])
    lines = [json.loads(line) for line in found.stdout.splitlines()]
    return found.exit_code, {each["view"]: each["outcome"] for each in lines}


@pytest.mark.usefixtures("deployment")
def test_views_return_their_rows_and_have_their_comments(trino: Trino) -> None:
    status, outcomes = register()

    assert (status, outcomes) == (
        1,
        {
            "shop.best": "created",
            "shop.hashed": "refused",
            "shop.missing": "refused",
            "shop.revenue": "created",
        },
    )
    found = trino.answer("SELECT * FROM memory.trino_shop.revenue")
    assert found.rows == [["Ada", 2, "22.50"]]
    shown = trino.answer("SHOW COLUMNS FROM memory.trino_shop.best").rows
    assert [row[3] for row in shown] == ["", "who's paying", ""]
    assert "by customer" in str(trino.answer("SHOW CREATE VIEW memory.trino_shop.revenue").rows)


def test_a_view_that_changed_is_replaced_if_that_is_asked_for(
    deployment: Path, trino: Trino
) -> None:
    register("shop.revenue")
    assert register("shop.revenue") == (0, {"shop.best": "unchanged", "shop.revenue": "unchanged"})
    file = deployment / "ddl" / "shop.sql"
    file.write_text(file.read_text().replace(">= 10", ">= 11"))

    assert register("shop.revenue") == (1, {"shop.best": "refused", "shop.revenue": "refused"})
    assert register("shop.revenue", "--replace") == (
        0,
        {"shop.best": "replaced", "shop.revenue": "unchanged"},
    )
    assert trino.answer("SELECT total FROM memory.trino_shop.revenue").rows == [["12.00"]]


@pytest.mark.usefixtures("deployment")
def test_a_table_of_somebody_else_stays(trino: Trino) -> None:
    trino.answer("CREATE SCHEMA memory.trino_shop")
    trino.answer("CREATE TABLE memory.trino_shop.best (mine bigint)")

    assert register("shop.best", "--replace") == (1, {"shop.best": "refused"})
    assert trino.answer("SHOW COLUMNS FROM memory.trino_shop.best").rows[0][0] == "mine"


def test_a_table_is_read_by_others_without_its_masked_values(
    deployment: Path, trino: Trino
) -> None:
    trino.answer("DROP SCHEMA IF EXISTS memory.masked_shop CASCADE")
    (deployment / "policies.toml").write_text(
        """
[[rules]]
tables = ["shop.orders"]
columns = ["customer"]
mask = "partial"
keep_first = 1

[[rules]]
tables = ["shop.orders"]
filter = "total >= 10"
"""
    )
    asked = ("shop.orders", "--policies", "policies.toml", "--views", "memory.masked_{database}")

    first, again = register(*asked), register(*asked, "--replace")

    assert first == (0, {"shop.orders": "created"})
    assert again == (0, {"shop.orders": "unchanged"})
    rows = trino.answer("SELECT id, customer, total FROM memory.masked_shop.orders ORDER BY id")
    assert rows.rows == [[1, "****A", "10.50"], [2, "****A", "12.00"]]
    assert register("shop.orders", "--views", "memory.masked_{database}")[0] == 2
