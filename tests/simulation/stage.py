"""Threads that take turns: one runs at a time, and the test decides which one continues.

So interleavings are chosen by the test, repeatably, and not by the operating system.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field


class Crash(BaseException):
    """The process is killed here. Nothing may catch it."""


@dataclass
class _Actor:
    turn: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    yielded: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    finished: bool = False
    failure: BaseException | None = None
    at: str = ""


class Stage:
    """Actors stop at every ``point``; code that runs in no actor does not stop."""

    def __init__(self) -> None:
        self._actors: dict[str, _Actor] = {}
        self._names = threading.local()
        self._dead = False
        self.on_point: Callable[[], None] = lambda: None

    def actor(self) -> str:
        name: str = getattr(self._names, "name", "")
        return name

    def point(self, label: str) -> None:
        if self._dead:
            raise Crash
        self.on_point()
        actor = self._actors.get(self.actor())
        if actor is None:
            return
        actor.at = label
        actor.yielded.release()
        actor.turn.acquire()
        if self._dead:
            raise Crash

    def is_busy(self, name: str) -> bool:
        return name in self._actors

    def start(self, name: str, play: Callable[[], object]) -> None:
        actor = _Actor()
        self._actors[name] = actor

        def run() -> None:
            self._names.name = name
            actor.turn.acquire()
            try:
                if not self._dead:
                    play()
            except Crash:
                pass
            except BaseException as error:  # noqa: BLE001 (handed to the test's own thread)
                actor.failure = error
            actor.finished = True
            actor.yielded.release()

        threading.Thread(target=run, daemon=True).start()

    def step(self, name: str) -> None:
        """Lets an actor run to its next point, or to its end."""
        actor = self._actors[name]
        actor.turn.release()
        actor.yielded.acquire()
        if actor.finished:
            del self._actors[name]
            if actor.failure is not None:
                raise actor.failure

    def finish(self, name: str) -> None:
        while self.is_busy(name):
            self.step(name)

    def crash(self) -> None:
        """Kills every actor at its current point."""
        self._dead = True
        for name in list(self._actors):
            while self.is_busy(name):
                self.step(name)
        self._dead = False
