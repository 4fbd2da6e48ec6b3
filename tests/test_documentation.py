"""The program does what README and ``docs/`` say: examples of settings, and commands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from docs.reference import command_names
from publisher.commands.cli import app
from publisher.daemon.adapters import build_options, build_selection
from publisher.daemon.assembly import build_retention
from publisher.settings import load_settings
from tests.documents import blocks, section

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("document", ["README.md", "docs/configuration.md", "docs/quick-start.md"])
def test_examples_of_settings_start(document: str, tmp_path: Path) -> None:
    for number, block in enumerate(blocks((ROOT / document).read_text(), "toml")):
        file = tmp_path / f"{number}.toml"
        file.write_text(block)

        loaded = load_settings(file)

        assert build_options(loaded)
        assert build_selection(loaded)
        build_retention(loaded)


def test_the_page_of_commands_lists_every_command() -> None:
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")

    registered = [command.name for command in app.registered_commands]

    assert len(registered) > 20
    assert not [name for name in registered if f"\n## {name}\n" not in page]


def test_the_readme_names_commands_that_exist() -> None:
    rows = re.findall(r"(?m)^\| (`.+`) \|", section(README, "Commands"))

    named = [name for row in rows for name in re.findall(r"`([^`]+)`", row)]

    assert len(rows) == 10
    assert set(named) <= set(command_names())


def test_every_decision_is_listed() -> None:
    folder = ROOT / "docs" / "decisions"
    listed = (folder / "README.md").read_text()

    assert not [file.name for file in folder.glob("[0-9]*.md") if f"({file.name})" not in listed]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_files_that_a_document_names_exist(document: Path) -> None:
    packages = "benchmarks|codegen|dependency_graph|deploy|docs|lakeschema|publisher|tests"

    named = re.findall(rf"`((?:{packages})/[\w./-]+)`", document.read_text(encoding="utf-8"))

    assert not [
        path for path in named if path != "benchmarks/NAME.py" and not (ROOT / path).exists()
    ]


RELIABILITY = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
GUARANTEES = re.findall(
    r"(?m)^\| (?!guarantee )(.+?) \| (.+) \|$",
    RELIABILITY.partition("\n## Guarantees and their tests\n")[2],
)


@pytest.mark.parametrize(
    ("guarantee", "tests"), GUARANTEES, ids=[guarantee for guarantee, _ in GUARANTEES]
)
def test_the_tests_that_hold_a_guarantee_exist(guarantee: str, tests: str) -> None:
    named = re.findall(r'`([\w/]+\.\w+)`|`((?:test_|Test)\w+)`|"([^"]+)"', tests)

    assert named
    assert not list(absent(named))


def absent(named: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    """Files that do not exist, and names and sentences that the file before them does not have."""
    text = ""
    for path, name, sentence in named:
        if path:
            text = (ROOT / path).read_text(encoding="utf-8") if (ROOT / path).exists() else ""
        # A sentence is a name whose words are parted by blanks, or a heading among the tests.
        words = re.split(r"\W+", sentence.rstrip("…"))
        found = rf"(def|class) {name}\b" if name else r"[\W_]+".join(words)
        if not text or not re.search(found, text, re.IGNORECASE):
            yield path or name or sentence
