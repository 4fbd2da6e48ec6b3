"""An expensive answer is computed only as often as it is worth, by a clock that the test sets."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from publisher.web.shared_answer import SharedAnswer


@dataclass
class Dear:
    """Takes seconds, and counts how often."""

    takes: float
    clock: float = 0.0
    computed: int = 0

    def __call__(self) -> int:
        self.clock += self.takes
        self.computed += 1
        return self.computed

    def now(self) -> float:
        return self.clock


def test_an_answer_is_kept_for_four_times_what_it_took() -> None:
    dear = Dear(takes=3.0)
    answer = SharedAnswer(dear, dear.now)

    first = answer()
    dear.clock += 11.9
    kept = answer()
    dear.clock += 0.1
    renewed = answer()

    assert (first, kept, renewed) == (1, 1, 2)


def test_what_costs_nothing_is_never_old() -> None:
    dear = Dear(takes=0.0)
    answer = SharedAnswer(dear, dear.now)

    assert [answer(), answer()] == [1, 2]


def test_a_failure_is_not_kept() -> None:
    def fail() -> int:
        raise OSError("the disk is away")

    answer = SharedAnswer(fail)

    for _ in range(2):
        with pytest.raises(OSError, match="away"):
            answer()


def test_an_answer_about_unchanged_data_is_kept() -> None:
    dear = Dear(takes=1.0)
    versions = iter([1, 1, 2])
    answer = SharedAnswer(dear, dear.now, lambda: next(versions))

    found = [answer()]
    for _ in range(2):
        dear.clock += 9.0
        found.append(answer())

    assert found == [1, 1, 2]
