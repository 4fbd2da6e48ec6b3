"""``translate`` with ``--policies``: variants of views in the settings' catalog, and in batches."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from publisher.commands.cli import app

POLICIES = """
groups = ["fraud"]

[[rules]]
tables = ["shop.buyers"]
columns = ["email"]
mask = "hash"
except_groups = ["fraud"]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "ddl").mkdir()
    (tmp_path / "ddl" / "shop.sql").write_text(
        "CREATE TABLE shop.buyers (email STRING, age INT);\n"
        "CREATE VIEW shop.adults AS SELECT email FROM shop.buyers WHERE age > 17;\n"
        "CREATE VIEW shop.all_of_them AS SELECT * FROM shop.adults;\n"
    )
    (tmp_path / "schema-publisher.toml").write_text(
        '[artifacts]\nprefix = "acme"\n[catalog]\nkind = "ddl"\npath = "ddl"\n'
    )
    (tmp_path / "policies.toml").write_text(POLICIES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str, text: str | None = None) -> tuple[int, str]:
    found = CliRunner().invoke(app, ["translate", *arguments], input=text)
    return found.exit_code, found.output


@pytest.mark.usefixtures("folder")
def test_each_group_has_a_variant_of_a_view() -> None:
    asked = ("shop.all_of_them", "--to", "trino", "--policies", "policies.toml")

    everybody, fraud = run(*asked), run(*asked, "--group", "fraud")

    assert everybody[0] == fraud[0] == 0
    text = json.loads(everybody[1])
    assert "sha256" in text["sql"]
    assert '"buyers"' in text["sql"]
    assert text["policies"]["columns"] == [
        {
            "name": "email",
            "tags": [],
            "masks": [{"column": "shop.buyers.email", "mask": "hash"}],
        }
    ]
    assert "sha256" not in json.loads(fraud[1])["sql"]


@pytest.mark.usefixtures("folder")
def test_the_schema_is_one_that_packages_are_made_of() -> None:
    code, output = run("shop.buyers", "--to", "avro", "--policies", "policies.toml")

    assert code == 0
    assert [field["name"] for field in json.loads(output)["fields"]] == ["email", "age"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("engine", "email"),
    [
        ("spark", "sha2(t1.`email`, 256) AS `email`"),
        ("trino", "sha256(to_utf8("),
        ("hive", "sha2(t1.`email`, 256) AS `email`"),
        ("pig", "hive_sha2!(email, 256) AS email, age"),
        ("plan", "project sha2(email, 256) as email, age as age"),
    ],
)
def test_a_table_has_a_masked_text_of_each_engine(engine: str, email: str) -> None:
    asked = ("shop.buyers", "--to", engine, "--policies", "policies.toml", "--no-json")

    everybody, fraud = run(*asked), run(*asked, "--group", "fraud")

    assert everybody[0] == fraud[0] == 0
    assert email in everybody[1]
    assert "sha2" not in fraud[1]


@pytest.mark.usefixtures("folder")
def test_a_masked_table_is_a_file_with_comments() -> None:
    code, output = run("shop.buyers", "--to", "hive", "--policies", "policies.toml", "--no-json")

    assert code == 0
    assert output.splitlines() == [
        "-- column email has the mask hash of shop.buyers.email",
        "SELECT sha2(t1.`email`, 256) AS `email`, t1.`age` FROM `shop`.`buyers` AS t1",
    ]


@pytest.mark.usefixtures("folder")
def test_a_batch_masks_tables() -> None:
    request: dict[str, Any] = {
        "ddl": ["CREATE TABLE shop.buyers (email STRING, age INT)"],
        "relation": "shop.buyers",
        "to": "hive",
    }

    code, output = run("--batch", "--policies", "policies.toml", text=json.dumps(request) + "\n")

    result = json.loads(output)["result"]
    assert code == 0
    assert result["sql"].startswith("SELECT sha2(t1.`email`, 256) AS `email`, t1.`age` FROM ")
    assert result["policies"]["columns"][0]["name"] == "email"


@pytest.mark.usefixtures("folder")
def test_a_batch_has_the_policies_of_its_file() -> None:
    request: dict[str, Any] = {
        "id": 1,
        "ddl": [
            "CREATE TABLE shop.buyers (email STRING)",
            "CREATE VIEW w AS SELECT * FROM shop.buyers",
        ],
        "relation": "w",
        "to": "plan",
    }
    lines = json.dumps(request) + "\n" + json.dumps({**request, "group": "fraud"}) + "\n"

    code, output = run("--batch", "--policies", "policies.toml", text=lines)

    first, second = map(json.loads, output.splitlines())
    assert code == 0
    assert "sha2(email, 256) as email" in first["result"]
    assert "stated for all requests" in second["error"]["message"]


@pytest.mark.usefixtures("folder")
def test_a_view_without_policies_is_what_a_batch_answers() -> None:
    code, output = run("shop.all_of_them", "--to", "trino")

    assert code == 0
    assert json.loads(output) == {
        "sql": 'SELECT CAST(t1."email" AS varchar) AS "email" FROM "shop"."adults" AS t1',
        "functions": [],
        "columns": [{"name": "email", "type": "varchar", "nullable": True}],
    }


@pytest.mark.usefixtures("folder")
def test_a_view_is_a_file_of_its_engine_with_comments() -> None:
    code, output = run(
        *("shop.all_of_them", "--to", "spark", "--policies", "policies.toml", "--no-json")
    )

    setting, mask, sql = output.splitlines()
    assert code == 0
    assert setting == "-- needs the setting spark.sql.ansi.enabled = false"
    assert mask == "-- column email has the mask hash of shop.buyers.email"
    assert sql.startswith("SELECT ")
    assert "sha2" in sql


@pytest.mark.usefixtures("folder")
def test_a_script_of_pig_is_its_statements() -> None:
    code, output = run("shop.all_of_them", "--to", "pig", "--no-json")

    assert code == 0
    assert "\nbuyers = LOAD 'shop.buyers' " in output
    assert all(line.endswith(";") for line in output.splitlines())


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["shop.adults"], 2, "--to"),
        (["shop.adults", "--to", "spark", "--batch"], 2, "without --batch"),
        (["shop.adultz", "--to", "spark"], 1, "did you mean shop.adults?"),
        (["shop.adults", "--policies", "policies.toml"], 2, "--to"),
        (["--batch", "--group", "fraud"], 2, "--group needs policies"),
        (["--to", "pig", "--script", "x", "--policies", "policies.toml"], 2, "without --batch"),
        (["--batch", "--policies", "nope.toml"], 2, "nope.toml: No such file"),
        (["--batch", "--policies", "ddl/shop.sql"], 2, "is not TOML"),
        (["--batch", "--policies", "schema-publisher.toml"], 2, "unknown key 'artifacts'"),
        (["--batch", "--policies", "policies.toml", "--group", "frad"], 2, "unknown group 'frad'"),
        (["shop.adults", "--to", "cobol", "--policies", "policies.toml"], 2, "got 'cobol'"),
        (["a..b", "--to", "plan", "--policies", "policies.toml"], 2, "invalid relation name"),
        (["shop.nope", "--to", "plan", "--policies", "policies.toml"], 1, "no relation shop.nope"),
        (["shop.buyers", "--to", "spark"], 1, "with policies (--policies FILE) the other targets"),
    ],
)
def test_what_cannot_be_is_told(arguments: list[str], code: int, message: str) -> None:
    found = run(*arguments)

    assert found[0] == code
    assert message in " ".join(found[1].split())


def test_a_policy_that_cannot_be_enforced_answers_no(folder: Path) -> None:
    (folder / "policies.toml").write_text(
        '[[rules]]\ntables = ["shop.buyers"]\ncolumns = ["age"]\ndrop = true\n'
    )

    code, output = run("shop.adults", "--to", "spark", "--policies", "policies.toml")

    assert code == 1
    assert "affects which rows shop.adults has" in " ".join(output.split())


@pytest.mark.parametrize(
    "text",
    [
        '[[rules]]\ntables = ["shop.byers"]\ncolumns = ["email"]\nmask = "null"\n',
        '[tags]\npii = ["shop.byers.email"]\n',
    ],
)
def test_a_misspelt_table_is_told(folder: Path, text: str) -> None:
    (folder / "policies.toml").write_text(text)

    code, output = run("shop.adults", "--to", "plan", "--policies", "policies.toml")

    assert code == 1
    assert "the catalog has no relation shop.byers" in output
