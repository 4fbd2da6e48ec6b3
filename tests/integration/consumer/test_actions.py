"""The size of the newcomer's script: so many actions, each a test, over so many relations."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.integration.consumer.lake import RELATIONS

_HERE = Path(__file__).parent
_TESTS = _HERE.parents[1]
_LAKE = {"lake", "relation", "module", "example"}
_NAMED = re.findall(
    r"`(\w+/[\w/.]*\w)(?:::(\w+))?`",
    (_HERE / "README.md").read_text().partition("## What two")[2],
)
_NAMED_TESTS = sorted(
    {(path, name) for path, name in _NAMED if not path.startswith(("docs/", "tests/"))}
)


def functions(file: Path) -> list[ast.FunctionDef]:
    """The tests of a file."""
    found = [
        node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.FunctionDef)
    ]
    return [node for node in found if node.name.startswith("test_")]


def actions_over_the_lake() -> list[str]:
    """The tests of this folder that work with the lake's packages."""
    return [
        node.name
        for file in sorted(_HERE.glob("test_*.py"))
        for node in functions(file)
        if _LAKE & {each.arg for each in node.args.args}
    ]


def test_no_two_actions_have_one_name() -> None:
    actions = actions_over_the_lake()

    assert [name for name in actions if actions.count(name) > 1] == []


def test_the_script_has_its_actions_and_relations() -> None:
    assert len(actions_over_the_lake()) >= 120
    assert len(RELATIONS) >= 12


@pytest.mark.parametrize(("path", "name"), _NAMED_TESTS)
def test_a_test_that_the_table_names_exists(path: str, name: str) -> None:
    assert (_TESTS / path).exists()
    assert not name or name in {node.name for node in functions(_TESTS / path)}


def test_the_table_has_each_finding_of_both_reviews() -> None:
    rows = re.findall(r"^\| (\d+) \| .+ \| .+ \|$", (_HERE / "README.md").read_text(), re.MULTILINE)

    assert [int(number) for number in rows] == [*range(1, 32), *range(1, 16)]
