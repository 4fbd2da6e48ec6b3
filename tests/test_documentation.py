"""The program does what README and ``docs/`` say: examples of settings, and commands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
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


TOPS = "benchmarks|codegen|dependency_graph|deploy|docs|lakeschema|publisher|tests"
PLACEHOLDERS = {"benchmarks/NAME.py", "bench-NAME", "bench-NAME_in_ENGINE"}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_files_that_a_document_names_exist(document: Path) -> None:
    named = re.findall(rf"`((?:{TOPS})/[\w./-]+)`", document.read_text(encoding="utf-8"))

    assert not [path for path in {*named} - PLACEHOLDERS if not (ROOT / path).exists()]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_what_a_document_says_to_make_can_be_made(document: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    lines = re.findall(r"(?m)^([\w%-]+(?: [\w%-]+)*):(?!=)", makefile)
    patterns = {name.replace("%", "*") for line in lines for name in line.split()} - {"bench-*"}
    patterns |= {f"bench-{path.stem}" for path in (ROOT / "benchmarks").iterdir()}

    named = re.findall(r"(?m)(?:^|`)make ([\w-]+)", document.read_text(encoding="utf-8"))

    assert not [n for n in {*named} - PLACEHOLDERS if not any(fnmatch(n, p) for p in patterns)]


@pytest.fixture(scope="module")
def places() -> Sequence[Path]:
    """Paths of all files and folders, relative to the root."""
    found = [path for top in TOPS.split("|") for path in (ROOT / top, *(ROOT / top).rglob("*"))]
    return [path.relative_to(ROOT) for path in found if path.suffix != ".pyc"]


@pytest.mark.parametrize("document", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_places_that_a_guide_names_by_their_end_exist(
    document: str, places: Sequence[Path]
) -> None:
    """For example ``emission/rows.py`` and ``plan/operators.py: NullClass``."""
    text = (ROOT / document).read_text(encoding="utf-8")
    text = text.replace("tests/…", "tests/lakeschema/translation")
    named = re.findall(r"`([\w./*-]+(?:\.(?:md|py|sql|toml|tsv)|/))(?:: (\w+))?`", text)
    run = re.findall(r"\bpytest -q (\S+)", text)

    assert named
    for place, name in [*named, *((path, "") for path in run)]:
        found = [ROOT / path for path in places if path.match(place)]
        assert found or place in PLACEHOLDERS, place
        if name:
            assert any(re.search(rf"\b{name}\b", path.read_text()) for path in found), name


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
