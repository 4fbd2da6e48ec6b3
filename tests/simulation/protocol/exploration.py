"""Visits every state of a small system, depth first, by making its choices in every order."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

C = TypeVar("C", bound=Hashable)


_ROUNDS_BETWEEN_REPORTS = 200


class System(Protocol[C]):
    """A deterministic system: equal choices from the beginning lead to equal states."""

    def choices(self) -> Sequence[C]:
        """The possible next steps; empty at the end."""

    def take(self, choices: Sequence[C]) -> None: ...

    def key(self) -> Hashable:
        """Equal for two states only if the same steps can follow."""

    def judge(self) -> None:
        """Raises an ``AssertionError`` if a promise is already broken."""

    def judge_end(self) -> None:
        """Raises an ``AssertionError`` if a promise is broken after all choices."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Exploration:
    """``broken``: the choices that lead to the first broken promise, and the promise."""

    states: int
    ends: int
    broken: tuple[Sequence[Hashable], AssertionError] | None = None


def explore(
    begin: Callable[[], System[C]],
    max_states: int | None = None,
    show_progress: Callable[[int, int], None] = lambda states, branches: None,
) -> Exploration:
    """Visits all states, or ``max_states`` of them.

    ``show_progress`` is called at times with the number of visited states and of open branches. A
    system cannot go back, so each branch is reached by making its choices again.
    """
    seen: set[Hashable] = set()
    branches: list[tuple[C, ...]] = [()]
    ends = rounds = 0
    while branches and (max_states is None or len(seen) < max_states):
        system, path = begin(), [*branches.pop()]
        rounds += 1
        if rounds % _ROUNDS_BETWEEN_REPORTS == 0:
            show_progress(len(seen), len(branches))
        try:
            system.take(path)
            while (key := system.key()) not in seen:
                seen.add(key)
                system.judge()
                choices = system.choices()
                if not choices:
                    ends += 1
                    system.judge_end()
                    break
                branches += [(*path, choice) for choice in choices[1:]]
                path.append(choices[0])
                system.take(choices[:1])
        except AssertionError as error:
            return Exploration(len(seen), ends, (path, error))
        finally:
            system.close()
    return Exploration(len(seen), ends)
