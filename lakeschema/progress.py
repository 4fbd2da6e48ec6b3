"""Reports the progress of a long step."""

from __future__ import annotations

from typing import Final, Protocol


class Progress(Protocol):
    """Receives a step's progress, such as a terminal's progress bar."""

    def step(self, name: str, total: int) -> None: ...

    def done(self, count: int) -> None: ...


class NoProgress:
    def step(self, name: str, total: int) -> None:
        """Does nothing."""

    def done(self, count: int) -> None:
        """Does nothing."""


NO_PROGRESS: Final = NoProgress()
