"""What the newcomer's script is: this many actions, each a test, over this many relations."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.integration.consumer.lake import RELATIONS

_LAKE = {"lake", "relation", "module", "example"}


def actions_over_the_lake() -> list[str]:
    """The tests of this folder that work with the lake's packages."""
    found = []
    for file in sorted(Path(__file__).parent.glob("test_*.py")):
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                found += [node.name] * bool(_LAKE & {each.arg for each in node.args.args})
    return found


def test_no_two_actions_have_one_name() -> None:
    actions = actions_over_the_lake()

    assert [name for name in actions if actions.count(name) > 1] == []


def test_the_script_has_its_actions_and_relations() -> None:
    assert len(actions_over_the_lake()) >= 120
    assert len(RELATIONS) >= 12
