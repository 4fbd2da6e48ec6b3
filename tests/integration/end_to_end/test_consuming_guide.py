"""Every command of ``docs/consuming.md``, with an index that has an untrusted package of our name."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from uv import find_uv_bin

from deploy.tool_environments import tool_python
from publisher.commands.snapshot import run_snapshot
from publisher.index.static import StaticIndex
from publisher.web.app import create_app
from publisher.web.server import WebServer
from tests.integration.end_to_end.consumers import Environment, run
from tests.integration.end_to_end.published import configured, distribution, publish_all
from tests.publisher.index.wheels import sample_wheel
from tests.publisher.web.daemon_double import IdleDaemon

GUIDE = Path(__file__).parents[3] / "docs" / "consuming.md"
EXAMPLE = "http://packages.example:8765"
COMPANY = distribution("example")
HEADCOUNT = "CREATE VIEW example.headcount AS SELECT unit, count(*) AS n FROM example.company GROUP BY unit;\n"
USE = "from acme_schemas.example.company import Company, __version__; assert __version__ == '{}'"
NEWEST = ("/constraints.txt", "/requirements/", "--target")
"""What commands hold that install the newest version instead of one before 2.0."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """One block of commands, with the ``pyproject.toml`` that stands above it, if there is one."""

    section: str
    project: str | None
    commands: str

    def __str__(self) -> str:
        return f"{self.section}: {self.commands.splitlines()[0][:40]}"


def recipes() -> list[Recipe]:
    found = []
    for section in GUIDE.read_text(encoding="utf-8").split("\n## ")[1:]:
        title = section.splitlines()[0]
        project = None
        for language, text in re.findall(r"```(\w+)\n(.*?)```", section, re.DOTALL):
            match language:
                case "toml":
                    project = text
                case "sh":
                    found.append(Recipe(title, project, text))
                case "dockerfile":
                    found.append(Recipe(title, project, re.sub(r"(?m)^RUN ", "", text)))
                case "console":
                    pass  # installs nothing: its own test runs it
                case _:
                    raise AssertionError(f"nothing runs {language} of {title}")
    return found


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("guide")
    settings = configured(folder, f'kind = "static"\npath = "{folder}/index"')
    publish_all(settings, "example")
    (folder / "ddl" / "headcount.sql").write_text(HEADCOUNT)
    run_snapshot(settings, "local")
    with served(StaticIndex(folder / "index")) as web:
        yield web.url


@pytest.fixture(scope="module")
def others_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    others = StaticIndex(tmp_path_factory.mktemp("others"))
    others.upload(sample_wheel(COMPANY, "99.0.0"))
    # Stands for PyPI, too, which has what extras need.
    others.upload(sample_wheel("pyarrow", "99.0.0"))
    with served(others) as web:
        yield f"{web.url}/simple/"


def served(index: StaticIndex) -> WebServer:
    return WebServer(create_app(index, IdleDaemon()))


def test_the_guide_has_recipes_for_every_installer() -> None:
    commands = "".join(recipe.commands for recipe in recipes())

    assert all(call in commands for call in ("pip --isolated", "uv sync", "uv pip", "poetry sync"))


@pytest.mark.parametrize("recipe", recipes(), ids=str)
def test_a_recipe_of_the_guide_brings_our_package(
    recipe: Recipe, url: str, others_url: str, tmp_path: Path
) -> None:
    environment = Environment(tmp_path / ".venv")
    expected = "2.0.0" if any(part in recipe.commands for part in NEWEST) else "1.1.0"
    (tmp_path / "schemas.txt").write_text(pinned(url))
    if recipe.project is not None:
        (tmp_path / "pyproject.toml").write_text(recipe.project.replace(EXAMPLE, url))
    misled = {"PIP_INDEX_URL": others_url}
    if "--isolated" in recipe.commands:
        misled["PIP_EXTRA_INDEX_URL"] = others_url
    if recipe.project is not None:
        misled["UV_INDEX"] = others_url

    ended = run(
        ["bash", "-euc", recipe.commands.replace(EXAMPLE, url)],
        tmp_path,
        {**misled, "PATH": tools(tmp_path, environment), "VIRTUAL_ENV": str(environment.folder)},
    )

    assert ended.returncode == 0, ended.stdout + ended.stderr
    environment.ran(f"import sys; sys.path.append('{tmp_path}/build'); {USE.format(expected)}")


def test_the_check_of_the_guide_says_that_a_pin_is_behind(url: str, tmp_path: Path) -> None:
    (command,) = re.findall(r"```console\n(.*?)\n```", GUIDE.read_text(encoding="utf-8"))
    (tmp_path / "schemas.txt").write_text(pinned(url))
    program, *arguments = command.replace(EXAMPLE, url).split()

    ended = subprocess.run(
        [sys.executable, "-m", "publisher.commands.cli", *arguments, "--json"],
        capture_output=True, text=True, cwd=tmp_path, check=False,
    )  # fmt: skip

    assert program == "schema-publisher"
    assert ended.returncode == 1, ended.stderr
    assert '"status": "breaks"' in ended.stdout


def pinned(url: str) -> str:
    """What ``schemas.txt`` of another recipe holds."""
    page = subprocess.run(
        [
            *(sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--generate-hashes"),
            *("--no-cache", "--index-url", f"{url}/simple/", "-"),
        ],
        input=f"{COMPANY}>=1,<2\n",
        capture_output=True,
        text=True,
        check=True,
    )
    return page.stdout


def tools(folder: Path, environment: Environment) -> str:
    """A PATH on which pip, uv and Poetry are called by their names."""
    bin_folder = folder / "bin"
    bin_folder.mkdir()
    for name, command in {
        "pip": f"{sys.executable} -m pip --python {environment.python}",
        # Called as a module it would install into the environment of that Python: ours.
        "uv": find_uv_bin(),
        "poetry": f"{tool_python('poetry')} -m poetry --no-interaction",
    }.items():
        (bin_folder / name).write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        (bin_folder / name).chmod(0o755)
    return f"{bin_folder}{os.pathsep}{os.environ['PATH']}"
