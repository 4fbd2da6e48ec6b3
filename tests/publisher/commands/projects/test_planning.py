"""``project plan``: steps, consequences, and the users that are hit, in every format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from publisher.commands.cli import app
from tests.publisher.commands.projects.folder import SETTINGS, TABLES, Folder

VIEWS = """\
CREATE VIEW shop.ids AS SELECT Id, Note FROM shop.orders;
CREATE VIEW shop.theirs AS SELECT Note FROM shop.ids;
"""


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """A project that takes a column from a published view, which another view and a lock file use."""
    folder = Folder.at(tmp_path, ids="SELECT Id FROM orders")
    lock = '[plan]\nlock_files = ["requirements.txt"]\n'
    folder.write(
        {
            "ddl/tables.sql": TABLES + VIEWS,
            "requirements.txt": "acme-shop-ids>=1\n",
            "schema-publisher.toml": SETTINGS + lock,
        }
    )
    config = str(tmp_path / "schema-publisher.toml")
    assert CliRunner().invoke(app, ["snapshot", "--config", config]).exit_code == 0
    return folder


def planned(folder: Folder) -> dict[str, Any]:
    result = folder.run("plan", "--format", "json")
    assert result.exit_code == 1
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_a_plan_has_steps_versions_broken_dependents_and_pins(folder: Folder) -> None:
    found = planned(folder)

    assert found["breaks"]
    (step,) = found["project"]["steps"]
    assert (step["action"], step["relation"]) == ("alter", "shop.ids")
    assert "text" in step["what"]
    (version,) = found["versions"]
    assert (version["relation"], version["to"], version["change"]) == ("shop.ids", "2.0.0", "major")
    assert [each["relation"] for each in found["broken"]] == ["shop.theirs"]
    pins = [pin for hit in found["hits"] for pin in hit["pins"]]
    assert [(Path(pin["file"]).name, pin["effect"]) for pin in pins] == [
        ("requirements.txt", "takes_breaking")
    ]


def test_the_markdown_is_a_comment_with_a_picture(folder: Folder) -> None:
    result = folder.run("plan", "--format", "markdown")

    assert result.exit_code == 1
    assert result.stdout.startswith("### ❌ View project shop-views: 1 view would be altered; ")
    assert "**Would break**" in result.stdout
    assert "**Who is hit**" in result.stdout
    assert "\n```mermaid\nflowchart " in result.stdout
    assert result.stdout.endswith("```\n")


@pytest.mark.parametrize(
    ("chosen", "words"),
    [("text", "shop.theirs"), ("svg", "<svg"), ("dot", "digraph"), ("mermaid", "flowchart")],
)
def test_a_plan_has_the_formats_of_a_plan_of_ddl(folder: Folder, chosen: str, words: str) -> None:
    result = folder.run("plan", "--format", chosen)

    assert result.exit_code == 1
    assert words in result.stdout


def test_check_ends_as_plan_does_if_something_would_break(folder: Folder) -> None:
    assert folder.run("check", "--format", "text").exit_code == 1


def test_a_project_that_changes_nothing_has_an_empty_plan(folder: Folder) -> None:
    folder.write({"views/ids.sql": "SELECT Id, Note FROM shop.orders;"})

    result = folder.run("plan", "--format", "text")

    assert result.exit_code == 0
    assert result.stdout.startswith("no view would change")


@pytest.mark.parametrize("command", ["apply", "drift"])
def test_only_a_metastore_can_be_written(folder: Folder, command: str) -> None:
    result = folder.run(command)

    assert result.exit_code == 2
    assert 'set kind = "hive"' in result.output


def test_a_folder_without_a_project_is_refused(tmp_path: Path) -> None:
    result = Folder(tmp_path).run("plan")

    assert result.exit_code == 2
    assert "begin with project init" in result.output
