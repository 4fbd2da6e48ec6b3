"""The scripts of the GitHub action, the GitLab job and the pre-commit hook around ``plan``."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from publisher.commands.cli import app
from tests.publisher.commands.folder import Folder

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "deploy/plan/action.yml").read_text())
GITLAB = yaml.safe_load((ROOT / "deploy/plan/gitlab.yml").read_text())["schema-plan"]
(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())

ADDS = "ALTER TABLE shop.orders ADD COLUMNS (total double);"
BREAKS = "DROP TABLE shop.orders;"


@pytest.fixture
def repository(tmp_path: Path) -> Folder:
    folder = Folder(tmp_path)
    assert folder.run("snapshot").status == 0
    return folder


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("ddl", "status", "words"), [(ADDS, 0, "1.1.0"), (BREAKS, 1, "Would break")]
)
def test_the_action_shows_the_report_and_fails_if_something_breaks(
    repository: Folder, ddl: str, status: int, words: str
) -> None:
    (repository.path / "change.sql").write_text(ddl)
    (step,) = ACTION["runs"]["steps"]
    inputs = {name: given.get("default", "") for name, given in ACTION["inputs"].items()}
    given = inputs | {"ddl": "change.sql\n", "installed": "true"}

    ended = run_script(step["run"], repository.path, environment_of(step, given))

    assert ended.returncode == status, ended.stderr
    summary = (repository.path / "summary").read_text()
    assert words in summary
    outputs = dict(line.split("=", 1) for line in (repository.path / "output").read_text().split())
    assert Path(outputs["report"]).read_text() == summary


@pytest.mark.thorough
def test_the_action_plans_a_view_project(tmp_path: Path) -> None:
    folder = tmp_path / "my-views"
    assert CliRunner().invoke(app, ["project", "init", str(folder)]).exit_code == 0
    (step,) = ACTION["runs"]["steps"]
    inputs = {name: given.get("default", "") for name, given in ACTION["inputs"].items()}
    given = inputs | {"project": "my-views", "installed": "true"}

    ended = run_script(step["run"], tmp_path, environment_of(step, given))

    assert ended.returncode == 0, ended.stderr
    summary = (tmp_path / "summary").read_text()
    assert "### View project my-views: 2 views would be created" in summary
    assert "```mermaid" in summary


@pytest.mark.parametrize("project", ["missing", "$(touch hit)"])
def test_a_plan_that_fails_has_a_report(tmp_path: Path, project: str) -> None:
    (step,) = ACTION["runs"]["steps"]
    given = {"ddl": "", "config": "", "project": project, "installed": "true"}

    ended = run_script(step["run"], tmp_path, environment_of(step, given))

    assert ended.returncode == 2
    assert "There is no plan: the job's log says why" in (tmp_path / "summary").read_text()
    assert "report=" in (tmp_path / "output").read_text()


@pytest.mark.parametrize("options", ["", "--allow-major --drop"])
def test_an_examples_pipelines_apply_with_commit_and_options(tmp_path: Path, options: str) -> None:
    folder = tmp_path / "my-views"
    assert CliRunner().invoke(app, ["project", "init", str(folder)]).exit_code == 0
    github = yaml.safe_load((folder / ".github/workflows/views.yml").read_text())
    gitlab = yaml.safe_load((folder / ".gitlab-ci.yml").read_text())
    double = tmp_path / "bin/schema-publisher"
    double.parent.mkdir()
    double.write_text('#!/bin/sh\nprintf "%s|" "$@"\n')
    double.chmod(0o755)
    path = {"PATH": f"{double.parent}:{os.environ['PATH']}", "OPTIONS": options}
    scripts = {
        github["jobs"]["apply"]["steps"][-1]["run"]: {"BY": "a b", "COMMIT": "0123abc"},
        gitlab["views-apply"]["script"][0]: {
            "GITLAB_USER_LOGIN": "a b",
            "CI_COMMIT_SHA": "0123abc",
        },
    }

    for script, given in scripts.items():
        ended = run_script(script, tmp_path, {**given, **path})
        expected = ["project", "apply", ".", "--by", "a b", "--commit", "0123abc"]
        assert ended.stdout.rstrip("|").split("|") == expected + options.split()


def test_an_examples_pipelines_call_the_action_and_commands_that_exist(tmp_path: Path) -> None:
    folder = tmp_path / "my-views"
    assert CliRunner().invoke(app, ["project", "init", str(folder)]).exit_code == 0
    github = yaml.safe_load((folder / ".github/workflows/views.yml").read_text())
    gitlab = yaml.safe_load((folder / ".gitlab-ci.yml").read_text())

    (given,) = [s["with"] for s in github["jobs"]["plan"]["steps"] if "with" in s]
    assert given.keys() <= ACTION["inputs"].keys()
    runs = [s["run"] for job in github["jobs"].values() for s in job["steps"] if "run" in s]
    assert [run for run in runs if "${{" in run] == []
    runs += [line for job in gitlab.values() for line in job["script"]]
    called = re.findall(r"schema-publisher project (\w+) \.((?: --\w+)*)", "\n".join(runs))
    assert sorted(name for name, _ in called) == ["apply", "apply", "drift", "drift", "plan"]
    for name, options in called:
        shown = CliRunner().invoke(app, ["project", name, "--help"], env={"COLUMNS": "200"})
        assert all(option in shown.output for option in options.split())


def test_no_input_of_the_action_is_part_of_its_script() -> None:
    assert [step["run"] for step in ACTION["runs"]["steps"] if "${{" in step["run"]] == []


@pytest.mark.thorough
@pytest.mark.parametrize("project", ["", "$(touch hit)"])
def test_an_input_of_the_action_is_not_executed(repository: Folder, project: str) -> None:
    (step,) = ACTION["runs"]["steps"]
    given = {
        "ddl": "$(touch hit) `touch hit`; touch hit",
        "project": project,
        "config": "$(touch hit)",
        "installed": "true",
    }

    ended = run_script(step["run"], repository.path, environment_of(step, given))

    assert ended.returncode != 0
    assert not (repository.path / "hit").exists()


def test_the_action_installs_its_own_checkout_and_what_is_pinned_by_hashes(
    tmp_path: Path,
) -> None:
    (step,) = ACTION["runs"]["steps"]
    log = tmp_path / "log"
    for name in ("python", "schema-publisher"):
        double = tmp_path / name
        double.write_text(f'#!/bin/sh\necho {name} "$@" >> {log}\n')
        double.chmod(0o755)
    given = {name: each.get("default", "") for name, each in ACTION["inputs"].items()}
    path = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "GITHUB_ACTION_PATH": str(ROOT / "deploy/plan"),
    }

    ended = run_script(step["run"], tmp_path, {**environment_of(step, given), **path})

    assert ended.returncode == 0, ended.stderr
    requirements, package, plan = log.read_text().splitlines()
    options, _, file = requirements.rpartition(" ")
    assert options == "python -m pip install --quiet --require-hashes --requirement"
    assert Path(file).read_text().count("--hash=sha256:") > 50
    options, _, folder = package.rpartition(" ")
    assert options == "python -m pip install --quiet --no-deps"
    assert Path(folder).resolve() == ROOT
    assert plan.startswith("schema-publisher plan ")


def test_the_gitlab_job_refuses_to_install_what_nobody_pinned(tmp_path: Path) -> None:
    script = "\n".join(GITLAB["before_script"])

    ended = run_script(script, tmp_path, {**GITLAB["variables"], "PATH": os.environ["PATH"]})

    assert ended.returncode != 0
    assert "name a requirements file" in ended.stderr


def test_nothing_of_ours_installs_a_name_that_nobody_owns() -> None:
    bare = re.compile(r"""pip install (?:-\S+ )*["']?(?:schema-publisher|lakeschema)(?![\w./-])""")
    places = (
        "README.md",
        "CONTRIBUTING.md",
        "docs",
        "deploy",
        "publisher",
        "lakeschema",
        "codegen",
    )
    kinds = ("*.md", "*.py", "*.yml", "*.toml")
    files = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    files += [f for place in places for kind in kinds for f in (ROOT / place).rglob(kind)]

    assert bare.search("pip install --quiet 'schema-publisher[spark]'")
    assert len(files) > 500
    assert [str(file) for file in files if bare.search(file.read_text())] == []


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("ddl", "status", "words"), [(ADDS, 0, "1.1.0"), (BREAKS, 1, "Would break")]
)
def test_the_gitlab_job_shows_the_report_and_fails_if_something_breaks(
    repository: Folder, ddl: str, status: int, words: str
) -> None:
    (repository.path / "change.sql").write_text(ddl)

    ended = run_script(
        "\n".join(GITLAB["script"]),
        repository.path,
        {**GITLAB["variables"], "SCHEMA_PLAN_DDL": "change.sql"},
    )

    assert ended.returncode == status, ended.stderr
    assert words in ended.stdout
    assert words in (repository.path / GITLAB["artifacts"]["paths"][0]).read_text()


@pytest.mark.thorough
@pytest.mark.parametrize(("ddl", "status"), [(ADDS, 0), (BREAKS, 1)])
def test_the_hook_fails_if_something_breaks(repository: Folder, ddl: str, status: int) -> None:
    (repository.path / "change.sql").write_text(ddl)

    ended = run_script(shlex.join([*shlex.split(HOOK["entry"]), "change.sql"]), repository.path, {})

    assert ended.returncode == status, ended.stderr


def environment_of(step: Mapping[str, Any], given: Mapping[str, str]) -> Mapping[str, str]:
    """The step's variables, with its expressions of inputs filled in."""
    expressions = {f"${{{{ inputs.{name} }}}}": value for name, value in given.items()}
    return {name: expressions[value] for name, value in step["env"].items()}


def run_script(
    script: str, path: Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """In bash as both systems call it, with the commands of this environment."""
    systems = {
        "RUNNER_TEMP": path,
        "GITHUB_STEP_SUMMARY": path / "summary",
        "GITHUB_OUTPUT": path / "output",
    }
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        check=False,
        cwd=path,
        env={
            "HOME": str(path),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            **{name: str(value) for name, value in systems.items()},
            **environment,
        },
        capture_output=True,
        text=True,
    )
