"""How far a long step is, for whoever wants to show it."""

from __future__ import annotations

from typing import Final, Protocol


class Progress(Protocol):
    """Receives how far a step is: a terminal's progress bar, or nothing."""

    def step(self, name: str, total: int) -> None: ...

    def done(self, count: int) -> None: ...


class NoProgress:
    def step(self, name: str, total: int) -> None:
        """Does nothing."""

    def done(self, count: int) -> None:
        """Does nothing."""


NO_PROGRESS: Final = NoProgress()
