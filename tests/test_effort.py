"""A run without ``hunt`` draws what every other such run draws."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import QUICK, THOROUGH, examples, sampled


def drawn() -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []

    @settings(settings.get_profile(THOROUGH), max_examples=300)
    @given(st.text(), st.integers())
    def property_(text: str, number: int) -> None:
        found.append((text, number))

    property_()
    return found


@pytest.mark.thorough
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


@pytest.mark.parametrize(
    ("count", "kept"),
    [(1, [0]), (3, [0, 1, 2]), (4, [0, 1, 2]), (10, [0, 3, 6]), (300, [0, 100, 200])],
)
def test_a_sample_of_a_tests_cases_is_even_and_begins_with_the_first(
    count: int, kept: list[int]
) -> None:
    cases = [f"tests/test_a.py::test_one[{n}]" for n in range(count)]

    assert sampled(cases, 3) == [cases[n] for n in kept]


def test_a_sample_has_cases_of_every_test_in_order() -> None:
    many = [f"tests/test_a.py::test_many[{n}]" for n in range(9)]
    cases = ["tests/test_a.py::test_first", *many, "tests/test_b.py::test_last"]

    assert sampled(cases, 2) == [cases[0], many[0], many[4], cases[-1]]
