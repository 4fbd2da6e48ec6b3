"""``translate --to pig --script`` reads the catalog of the settings."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from publisher.commands.cli import app

LOADER = "org.apache.hive.hcatalog.pig.HCatLoader()"


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    ddl = tmp_path / "ddl"
    ddl.mkdir()
    (ddl / "shop.sql").write_text(
        "CREATE TABLE shop.buyers (name STRING, age INT);\n"
        "CREATE VIEW shop.adults AS SELECT name FROM shop.buyers WHERE age > 17;\n"
        "CREATE VIEW shop.named AS SELECT xpath_string(name, 'a') AS x FROM shop.buyers;\n"
    )
    path = tmp_path / "schema-publisher.toml"
    path.write_text(f'[artifacts]\nprefix = "acme"\n[catalog]\nkind = "ddl"\npath = "{ddl}"\n')
    return path


def run(settings: Path, script: str, *more: str) -> tuple[int, str]:
    path = settings.with_name("report.pig")
    path.write_text(script)
    arguments = ["translate", "--to", "pig", "--script", str(path), "-c", str(settings), *more]
    found = CliRunner().invoke(app, arguments)
    return found.exit_code, found.output


def test_views_of_the_settings_catalog_are_replaced(settings: Path) -> None:
    code, output = run(settings, f"a = LOAD 'shop.adults' USING {LOADER};\nDUMP a;\n")

    assert code == 0
    assert "buyers_filtered = FILTER buyers BY age > 17;\na = FOREACH" in output
    assert output.endswith("DUMP a;\n")


def test_a_view_that_pig_cannot_compute_answers_no(settings: Path) -> None:
    code, output = run(settings, f"a = LOAD 'shop.named' USING {LOADER};\n")

    assert code == 1
    assert "xpath_string" in output


def test_a_script_is_no_batch(settings: Path) -> None:
    assert run(settings, "", "--batch")[0] == 2
