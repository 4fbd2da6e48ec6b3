"""The command ``register`` without a server: output, refusals and exit status."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from deploy.ports import free_ports
from publisher.commands.cli import app
from tests.publisher.commands.registering.lake import ABOVE, HASHED, TABLE, TOP

SETTINGS = """
artifacts.prefix = "acme"
catalog.kind = "ddl"
catalog.path = "ddl"
catalog.dialect = "spark"

[trino]
views = "lake.trino_{database}"
catalogs = { "" = "hive" }
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "ddl").mkdir()
    (tmp_path / "ddl" / "shop.sql").write_text(f"{TABLE};\n{ABOVE};\n{TOP};\n{HASHED};\n")
    (tmp_path / "schema-publisher.toml").write_text(SETTINGS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> tuple[int, str, str]:
    found = CliRunner().invoke(app, ["register", *arguments])
    return found.exit_code, found.stdout, found.stderr


@pytest.mark.usefixtures("folder")
def test_a_dry_run_prints_the_statements_and_what_cannot_be_made() -> None:
    status, out, err = run("--engine", "trino", "--dry-run")

    assert status == 1
    assert [
        line.split(" COMMENT")[0].split(" IS")[0] for line in out.splitlines() if line[:1] == "C"
    ] == [
        'CREATE VIEW "lake"."trino_shop"."above"',
        'COMMENT ON COLUMN "lake"."trino_shop"."above"."total"',
        'COMMENT ON VIEW "lake"."trino_shop"."above"',
        'CREATE VIEW "lake"."trino_shop"."a_top"',
        'COMMENT ON COLUMN "lake"."trino_shop"."a_top"."most"',
        'COMMENT ON VIEW "lake"."trino_shop"."a_top"',
    ]
    assert err.startswith("-- shop.hashed: ")


@pytest.mark.usefixtures("folder")
def test_a_named_view_comes_with_what_it_reads() -> None:
    status, out, _ = run("shop.a_top", "--engine", "trino", "--dry-run", "--replace")

    assert status == 0
    assert out.count("CREATE OR REPLACE VIEW") == 2


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "status", "line"),
    [
        (("shop.nothing", "--engine", "trino"), 1, "the catalog has no relation shop.nothing"),
        (("shop.orders", "--engine", "trino"), 2, "shop.orders is a table: only views"),
        (("nothing", "--engine", "trino"), 2, "invalid relation name 'nothing'"),
        (("--engine", "trino"), 2, "the settings name no server of Trino"),
        (("--engine", "pig"), 2, "Invalid value for '--engine'"),
        ((), 2, "Missing option '--engine'"),
    ],
)
def test_wrong_usage_is_told(arguments: tuple[str, ...], status: int, line: str) -> None:
    found = run(*arguments)

    assert found[0] == status
    assert line in found[2]


POLICIES = """
groups = ["auditors"]

[[rules]]
tables = ["shop.orders"]
columns = ["total"]
mask = "null"
except_groups = ["auditors"]
"""


def test_a_table_is_made_as_the_readers_under_policies_get_it(folder: Path) -> None:
    (folder / "policies.toml").write_text(POLICIES)
    asked = ("shop.orders", "--engine", "trino", "--dry-run", "--policies", "policies.toml")

    everybody = run(*asked, "--views", "lake.masked_{database}")
    auditors = run(*asked, "--group", "auditors")

    assert everybody[0] == auditors[0] == 0
    assert everybody[1].startswith('CREATE VIEW "lake"."masked_shop"."orders" COMMENT ')
    assert 'CAST(NULL AS double) AS "total" FROM "hive"."shop"."orders"' in everybody[1]
    assert "shop.orders under policies for auditors " in auditors[1]
    assert "NULL" not in auditors[1]


def test_without_names_all_views_are_made_under_policies(folder: Path) -> None:
    (folder / "policies.toml").write_text(POLICIES)

    status, out, err = run("--engine", "trino", "--dry-run", "--policies", "policies.toml")

    assert status == 1
    assert out.count("CREATE VIEW") == 2
    assert '"trino_shop"."orders"' not in out
    assert err.startswith("-- shop.hashed: ")


@pytest.mark.parametrize(
    ("arguments", "status", "line"),
    [
        (("--group", "auditors"), 2, "--group needs policies"),
        (("--policies", "policies.toml", "--group", "frad"), 2, "unknown group 'frad'"),
        (("--policies", "nope.toml"), 2, "nope.toml: No such file"),
        (("shop.nothing", "--policies", "policies.toml"), 1, "no relation shop.nothing"),
        (("--policies", "misspelt.toml"), 1, "the catalog has no relation shop.ordres"),
        (("--views", "lake"), 2, "--views: invalid place 'lake'"),
    ],
)
def test_wrong_policies_and_places_are_told(
    folder: Path, arguments: tuple[str, ...], status: int, line: str
) -> None:
    (folder / "policies.toml").write_text(POLICIES)
    (folder / "misspelt.toml").write_text(POLICIES.replace("orders", "ordres"))

    found = run(*arguments, "--engine", "trino", "--dry-run")

    assert found[0] == status
    assert line in " ".join(found[2].split())


def test_a_place_for_views_is_needed(folder: Path) -> None:
    (folder / "schema-publisher.toml").write_text(SETTINGS.replace("views", "# views"))

    status, _, err = run("--engine", "trino", "--dry-run")

    assert status == 2
    assert "do not say where to create views" in err


@pytest.mark.parametrize("place", ["lake", "lake.", ".s", "a.b.c", "{database}.s", "lake.{schema}"])
def test_a_place_is_a_catalog_and_a_schema(folder: Path, place: str) -> None:
    (folder / "schema-publisher.toml").write_text(SETTINGS.replace("lake.trino_{database}", place))

    status, _, err = run("--engine", "trino", "--dry-run")

    assert status == 2
    assert "trino.views" in err


def test_a_password_is_not_sent_in_plain_text(folder: Path) -> None:
    (folder / "schema-publisher.toml").write_text(
        SETTINGS + 'url = "http://trino.example:8080"\npassword = "tell-nobody"\n'
    )

    status, _, err = run("--engine", "trino")

    assert status == 2
    assert "over which Trino takes no password" in err
    assert "tell-nobody" not in err


def test_a_server_that_does_not_answer_is_told(folder: Path) -> None:
    (port,) = free_ports(1)
    (folder / "schema-publisher.toml").write_text(SETTINGS + f'url = "http://127.0.0.1:{port}"\n')

    status, _, err = run("shop.above", "--engine", "trino")

    assert status == 3
    assert f"http://127.0.0.1:{port} does not answer" in err
