"""Runs without ``hunt`` all draw the same examples."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import QUICK, THOROUGH, examples, in_turn, sampled

ROOT = Path(__file__).parents[1]


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


def test_a_turn_takes_so_many_of_each_group() -> None:
    groups = ["a", "b"] * 9 + ["c"]

    for turn in range(20):
        taken = [
            group
            for group, is_taken in zip(groups, in_turn(groups, 3, turn), strict=True)
            if is_taken
        ]
        assert Counter(taken) == {"a": 3, "b": 3, "c": 1}


def test_turns_take_every_case_after_so_many_as_a_group_has() -> None:
    groups = ["a"] * 10 + ["b"] * 4

    taken = [in_turn(groups, 2, turn) for turn in range(5)]

    assert all(any(of_case) for of_case in zip(*taken, strict=True))


@pytest.mark.thorough
def test_a_run_in_turn_takes_some_of_the_cases_that_are_alike(tmp_path: Path) -> None:
    (tmp_path / "test_marked.py").write_text(
        """
import pytest

@pytest.mark.alike("number", keep=2)
@pytest.mark.parametrize("number", range(10))
@pytest.mark.parametrize("kind", ["a", "b"])
def test_alike(kind, number): pass

@pytest.mark.parametrize("number", range(5))
def test_not_alike(number): pass
"""
    )

    def run(*options: str) -> str:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.conftest", *options]
        config = f"--config-file={ROOT / 'pyproject.toml'}"
        return subprocess.run(
            [*command, config, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout

    assert "25 passed" in run()
    assert "9 passed, 16 deselected" in run("--turn=7")
