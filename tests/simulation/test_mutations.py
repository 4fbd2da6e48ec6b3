"""The texts that mutations replace still occur in the engine."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.simulation.mutated import edit_text
from tests.simulation.mutations import SINGLE


@pytest.mark.parametrize("name", SINGLE)
def test_a_mutation_edits_one_place(name: str) -> None:
    for edit in SINGLE[name].edits:
        spec = find_spec(edit.module)
        assert spec is not None
        assert spec.origin is not None
        text = Path(spec.origin).read_text(encoding="utf-8")

        assert edit_text(text, [edit], edit.module) != text
