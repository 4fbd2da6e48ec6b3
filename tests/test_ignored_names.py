from __future__ import annotations

import tomllib
from fnmatch import filter as matching
from pathlib import Path

import pytest
from vulture.core import Vulture

ROOT = Path(__file__).parents[1]


@pytest.mark.thorough
def test_each_name_that_vulture_ignores_hides_unused_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    chosen = tomllib.loads(Path("pyproject.toml").read_text())["tool"]["vulture"]
    vulture = Vulture(ignore_decorators=chosen["ignore_decorators"])
    vulture.scavenge(chosen["paths"], exclude=[f"*{each}*" for each in chosen["exclude"]])
    unused = {item.name for item in vulture.get_unused_code(chosen["min_confidence"])}

    stale = [name for name in chosen["ignore_names"] if not matching(unused, name)]

    assert stale == []
