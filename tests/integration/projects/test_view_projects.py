"""A project from ``init`` to drift, on a real metastore of Hive 2.3.10."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from deploy.local_stack import Metastore
from deploy.metastore_ddl import MetastoreDdl
from publisher.commands.cli import app
from tests.integration.projects.member_company import (
    ARTIFACT,
    CLASS,
    LEVELS,
    SENIORS,
    ProjectFolder,
    member_company,
)

MEMBER = [("id", "bigint"), ("name", "string"), ("companyid", "bigint"), ("position", "string")]


@pytest.fixture
def ddl(metastore: Metastore, database: str) -> Iterator[MetastoreDdl]:
    with MetastoreDdl(metastore.uri) as ddl:
        ddl.create_table(database, "member", MEMBER)
        ddl.create_table(database, "company", [("id", "bigint"), ("name", "string")])
        yield ddl


@pytest.fixture
def project(
    ddl: MetastoreDdl, metastore: Metastore, database: str, tmp_path: Path
) -> ProjectFolder:
    del ddl
    return member_company(tmp_path, database, metastore.uri)


def test_the_example_passes_check_and_is_applied_to_a_metastore(
    metastore: Metastore, tmp_path: Path
) -> None:
    folder = tmp_path / "views"
    begun = CliRunner().invoke(app, ["project", "init", str(folder)])
    assert begun.exit_code == 0, begun.output
    project = ProjectFolder(folder, "example")

    assert project.run("check", "--offline").exit_code == 0
    refused = project.run("apply")

    assert refused.exit_code == 2
    assert 'set kind = "hive"' in refused.output
    settings = (folder / "schema-publisher.toml").read_text()
    settings = settings.replace(
        'kind = "ddl"\npath = "tables"', f'kind = "hive"\nuri = "{metastore.uri}"'
    )
    project.write({"schema-publisher.toml": settings})
    with MetastoreDdl(metastore.uri) as ddl:
        ddl.create_database("example")
        ddl.create_table("example", "member", MEMBER)
        ddl.create_table("example", "company", [("id", "bigint"), ("name", "string")])
        assert project.endings() == {"company_members": "created", "company_sizes": "created"}
        ddl.drop_database("example")


def test_a_view_has_its_record_and_corals_properties(
    project: ProjectFolder, ddl: MetastoreDdl, database: str
) -> None:
    project.endings("--by", "ada", "--commit", "0123abc")

    table = ddl.table(database, "companyenglevels")
    assert table.tableType == "VIRTUAL_VIEW"
    assert table.owner == "people-data"
    assert table.viewOriginalText == LEVELS.rstrip()
    function = f"{database}_companyenglevels_STANDARDIZE"
    assert table.viewExpandedText == LEVELS.rstrip().replace("STANDARDIZE", function).replace(
        "FROM Member", f"FROM `{database}`.Member"
    ).replace("JOIN Company", f"JOIN `{database}`.Company")
    assert table.parameters["functions"] == f"STANDARDIZE:{CLASS}"
    assert table.parameters["dependencies"] == ARTIFACT
    assert table.parameters["comment"] == "Engineers at each level"
    record = {k.rpartition(".")[2]: v for k, v in table.parameters.items() if ".applied." in k}
    assert record["project"] == "members"
    assert (record["by"], record["commit"]) == ("ada", "0123abc")
    assert record.keys() == {"project", "by", "commit", "at", "id", "digest"}


def test_a_record_without_a_commit_is_told(project: ProjectFolder) -> None:
    assert "Git gives no commit of" in project.run("apply").stderr
    assert "Git gives no commit of" not in project.run("apply", "--commit", "0123abc").stderr


def test_columns_have_comments(project: ProjectFolder, ddl: MetastoreDdl, database: str) -> None:
    described = '[comments]\nName = "the company\'s"\n'
    project.write({"views/seniors.toml": described})
    project.endings()

    assert [c.comment for c in ddl.table(database, "seniors").sd.cols] == ["the company's", None]
    assert project.drifted() == {}
    assert project.answer("plan")["project"]["steps"] == []
    project.write({"views/seniors.toml": described.replace("the", "a")})
    (step,) = project.answer("plan")["project"]["steps"]
    assert step["what"] == ["columns"]


def test_from_plan_over_the_package_to_drift(
    project: ProjectFolder, ddl: MetastoreDdl, database: str
) -> None:
    plan = project.answer("plan")
    assert [v["relation"] for v in plan["versions"]] == [
        f"{database}.companyenglevels",
        f"{database}.seniors",
    ]
    # As PowerShell writes it.
    (project.path / "plan.json").write_text(json.dumps(plan), encoding="utf-8-sig")
    assert set(project.endings("--plan", str(project.path / "plan.json")).values()) == {"created"}
    config = ["--config", str(project.path / "schema-publisher.toml")]
    snapshot = CliRunner().invoke(app, ["snapshot", "--runner", "local", *config])
    assert snapshot.exit_code == 0, snapshot.output
    wheels = [path.name for path in (project.path / "index").rglob("*.whl")]
    assert any("companyenglevels-1.0.0" in name for name in wheels)
    view = f"{database}.seniors"
    trino = CliRunner().invoke(app, ["translate", view, "--to", "trino", *config, "--no-json"])
    assert trino.exit_code == 0, trino.output
    assert "Senior Engineer" in trino.stdout
    assert project.answer("plan")["project"]["steps"] == []
    assert project.drifted() == {}

    changed = ddl.table(database, "seniors")
    changed.parameters["retention"] = "90 days"
    ddl.alter(database, "seniors", changed)
    ddl.drop(database, "companyenglevels")

    assert project.drifted() == {
        "companyenglevels": "is missing: it was dropped, or never applied",
        "seniors": "was changed by hand: properties",
    }
    refused = project.run("apply")
    assert refused.exit_code == 1
    assert "it was changed by hand: properties" in refused.output
    assert project.endings("--overwrite") == {"companyenglevels": "created", "seniors": "altered"}
    assert project.drifted() == {}
    assert "retention" not in ddl.table(database, "seniors").parameters


def test_a_breaking_change_is_refused_until_it_is_allowed(
    project: ProjectFolder, ddl: MetastoreDdl, database: str
) -> None:
    project.endings()
    config = ["--config", str(project.path / "schema-publisher.toml")]
    assert CliRunner().invoke(app, ["snapshot", "--runner", "local", *config]).exit_code == 0
    before = ddl.table(database, "seniors")
    project.write({"views/seniors.sql": SENIORS.replace("Name, Cnt", "Cnt")})

    refused = project.run("apply")

    assert refused.exit_code == 1
    assert "2.0.0 (major)" in refused.output
    assert ddl.table(database, "seniors") == before
    assert project.endings("--allow-major") == {"seniors": "altered"}
    assert [c.name for c in ddl.table(database, "seniors").sd.cols] == ["cnt"]


def test_what_breaks_somebody_elses_view_names_the_team_and_is_refused(
    project: ProjectFolder, ddl: MetastoreDdl, database: str
) -> None:
    project.endings()
    text = f"SELECT `name` FROM `{database}`.`seniors`"
    ddl.create_view(database, "theirs", [("name", "string")], text)
    project.write({"views/seniors.sql": SENIORS.replace("Name, Cnt", "Cnt")})

    plan = project.run("plan", "--format", "markdown")
    refused = project.run("apply", "--allow-major")

    assert plan.exit_code == 1
    assert f"| hive | `{database}.theirs` |" in plan.stdout
    assert "```mermaid" in plan.stdout
    assert refused.exit_code == 1
    assert f"{database}.theirs would break" in refused.output
    assert project.endings("--allow-major", "--allow-broken") == {"seniors": "altered"}


def test_a_view_that_the_metastore_refuses_takes_its_cone_back(
    project: ProjectFolder, ddl: MetastoreDdl, database: str
) -> None:
    project.endings()
    before = {name: ddl.table(database, name) for name in ("companyenglevels", "seniors")}
    # The metastore's database has no room for this name.
    too_long = "n" * 1000
    project.write(
        {
            "views/companyenglevels.sql": LEVELS.replace("> 0", "> 1"),
            "views/new.sql": "SELECT id FROM company",
            "views/seniors.sql": f"SELECT Cnt AS {too_long} FROM companyenglevels",
        }
    )

    endings = project.endings("--allow-major", status=1)

    assert endings == {"companyenglevels": "restored", "new": "created", "seniors": "refused"}
    after = {name: ddl.table(database, name) for name in before}
    assert [_meaning(each) for each in after.values()] == [
        _meaning(each) for each in before.values()
    ]


def test_a_project_writes_to_the_catalog_that_it_names(
    project: ProjectFolder, ddl: MetastoreDdl, database: str
) -> None:
    settings = (project.path / "schema-publisher.toml").read_text()
    files = '[[catalog]]\nkind = "ddl"\nname = "files"\npath = "ddl"\ndefault = true\n'
    hive = settings.replace("[catalog]", '[[catalog]]\nname = "lake"')
    described = (project.path / "project.toml").read_text()
    project.write({"schema-publisher.toml": files + hive, "ddl/none.sql": ""})
    refused = project.run("apply")
    assert refused.exit_code == 2
    assert 'or name such a catalog in project.toml: catalog = "lake"' in refused.stderr
    project.write({"project.toml": described + 'catalog = "lakes"\n'})
    unknown = "project.toml: catalog: no [[catalog]] has the name 'lakes'; known: files, lake"
    assert unknown in project.run("check").stderr
    project.write({"project.toml": described + 'catalog = "lake"\n'})

    assert project.endings() == {"companyenglevels": "created", "seniors": "created"}

    assert ddl.table(database, "seniors").owner == "people-data"
    assert project.drifted() == {}
    assert project.answer("plan")["project"]["steps"] == []
    text = f"SELECT `name` FROM `{database}`.`seniors`"
    ddl.create_view(database, "theirs", [("name", "string")], text)
    project.write({"views/seniors.sql": SENIORS.replace("Name, Cnt", "Cnt")})
    plan = project.answer("plan", status=1)
    theirs = f"lake:{database}.theirs"
    assert plan["project"]["teams"] == [{"owner": "hive", "relations": [theirs]}]
    ddl.drop(database, "theirs")
    project.write({"views/companyenglevels.sql": LEVELS.replace("> 0", "> 1")})
    assert ended_by("SIGKILL", project, "set_properties", 1) == -9
    assert project.endings("--recover") == {}
    assert project.drifted() == {}
    (project.path / "views/seniors.sql").unlink()
    assert project.endings("--drop") == {"seniors": "dropped"}


_KILLED = """
import os, signal
from lakeschema.catalog.metastore_views import MetastoreViews
from publisher.commands.cli import app
write = MetastoreViews.{method}
left = [{after}]
def killed(*arguments):
    left[0] -= 1
    if left[0] < 0:
        os.kill(os.getpid(), signal.{signal})
    return write(*arguments)
MetastoreViews.{method} = killed
app(["project", "apply", {folder!r}, "--allow-major"])
"""


@pytest.mark.parametrize(
    ("method", "after", "is_restored"),
    [("replace", 1, True), ("set_properties", 1, False)],
)
def test_after_a_kill_the_cone_is_restored_or_finished(
    project: ProjectFolder,
    ddl: MetastoreDdl,
    database: str,
    method: str,
    after: int,
    *,
    is_restored: bool,
) -> None:
    project.endings()
    before = _meaning(ddl.table(database, "companyenglevels"))
    project.write(
        {
            "views/companyenglevels.sql": LEVELS.replace("> 0", "> 1"),
            "views/seniors.sql": SENIORS.replace("Name, Cnt", "Cnt"),
        }
    )
    assert ended_by("SIGKILL", project, method, after) == -9
    assert "was left by an interrupted apply: run apply --recover" in project.drifted().values()
    refused = project.run("apply", "--allow-major")
    assert refused.exit_code == 1
    assert "an apply by" in refused.output
    if is_restored:
        project.write({"views/companyenglevels.sql": LEVELS, "views/seniors.sql": SENIORS})

    assert project.endings("--recover") == {}

    is_as_before = _meaning(ddl.table(database, "companyenglevels")) == before
    assert is_as_before == is_restored
    assert project.drifted() == {}


def test_a_cancelled_run_restores_its_cone(
    project: ProjectFolder, ddl: MetastoreDdl, database: str
) -> None:
    project.endings()
    before = _meaning(ddl.table(database, "companyenglevels"))
    changed = {"views/companyenglevels.sql": LEVELS.replace("> 0", "> 1")}
    project.write({**changed, "views/seniors.sql": SENIORS.replace("Name, Cnt", "Cnt")})

    assert ended_by("SIGTERM", project, "replace", 1) == 143

    assert _meaning(ddl.table(database, "companyenglevels")) == before
    assert project.drifted() == {}


def ended_by(signal: str, project: ProjectFolder, method: str, after: int) -> int:
    """The exit status of an apply that gets the signal before the write after so many others."""
    script = _KILLED.format(signal=signal, method=method, after=after, folder=str(project.path))
    return subprocess.run([sys.executable, "-c", script], check=False).returncode


def test_views_whose_files_are_gone_are_dropped_only_if_asked(
    project: ProjectFolder, database: str
) -> None:
    project.endings()
    (project.path / "views" / "seniors.sql").unlink()

    assert project.answer("plan")["project"]["left"] == [f"{database}.seniors"]
    assert project.endings() == {}
    assert project.endings("--drop") == {"seniors": "dropped"}
    assert project.answer("plan")["project"]["left"] == []


def test_a_view_that_nobody_wrote_from_a_project_is_taken_over_only_if_asked(
    project: ProjectFolder, ddl: MetastoreDdl, database: str
) -> None:
    text = f"SELECT `id` FROM `{database}`.`company`"
    ddl.create_view(database, "seniors", [("id", "bigint")], text)

    refused = project.run("apply")

    assert refused.exit_code == 1
    assert "no project wrote it" in refused.output
    assert project.endings("--overwrite", "--allow-major")["seniors"] == "altered"


def test_a_plan_that_is_outdated_is_refused(project: ProjectFolder, database: str) -> None:
    file = project.path / "plan.json"
    file.write_text(json.dumps(project.answer("plan")))
    project.write({"views/seniors.sql": SENIORS.replace("Name, Cnt", "Name")})

    refused = project.run("apply", "--plan", str(file))

    assert refused.exit_code == 1
    assert f"{database}.seniors differs from what was planned" in refused.output


def _meaning(table: object) -> object:
    """A table without the time of its last change."""
    found = vars(table) | {"parameters": dict(vars(table)["parameters"])}
    found["parameters"].pop("transient_lastDdlTime", None)
    return found
