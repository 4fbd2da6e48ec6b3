"""A run without ``hunt`` draws what every other such run draws."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import QUICK, THOROUGH, examples


def drawn() -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []

    @settings(settings.get_profile(THOROUGH), max_examples=300)
    @given(st.text(), st.integers())
    def property_(text: str, number: int) -> None:
        found.append((text, number))

    property_()
    return found


def test_examples_do_not_depend_on_the_modules_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = drawn()
    literals = ", ".join(f"'literal {number}', {987_000 + number}" for number in range(200))
    (tmp_path / "full_of_literals.py").write_text(f"LITERALS = [{literals}]")
    monkeypatch.syspath_prepend(tmp_path)
    __import__("full_of_literals")

    assert drawn() == before


def test_quick_draws_a_fifth_and_at_least_one() -> None:
    assert [examples(n, QUICK) for n in (100, 10, 1)] == [20, 2, 1]
    assert [examples(n, THOROUGH) for n in (100, 10, 1)] == [100, 10, 1]
