"""Threads that take turns: one runs at a time, and the test decides which one continues.

So the test, not the operating system, chooses the interleavings, which are repeatable.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field


class Crash(BaseException):
    """The process is killed here. Nothing may catch it."""


def _locked() -> threading.Lock:
    lock = threading.Lock()
    lock.acquire()
    return lock


@dataclass
class _Actor:
    """``points``: how many points it may still pass in its turn."""

    play: Callable[[], object]
    points: int = 0
    turn: threading.Lock = field(default_factory=_locked)
    yielded: threading.Lock = field(default_factory=_locked)
    finished: bool = False
    killed: bool = False
    failure: BaseException | None = None
    at: str = ""

    def run(self) -> None:
        self.turn.acquire()
        try:
            if not self.killed:
                self.play()
        except Crash:
            pass
        except BaseException as error:  # noqa: BLE001 (handed to the test's own thread)
            self.failure = error
        self.finished = True


class _Thread:
    """Runs actors one after another: a history has many, and starting a thread is slow."""

    def __init__(self) -> None:
        self._given = _locked()
        self._actor: _Actor | None = None
        threading.Thread(target=self._run, daemon=True).start()

    def give(self, actor: _Actor) -> None:
        self._actor = actor
        self._given.release()

    def _run(self) -> None:
        while True:
            self._given.acquire()
            assert self._actor is not None
            actor, self._actor = self._actor, None
            _CURRENT.actor = actor
            actor.run()
            _IDLE.append(self)
            actor.yielded.release()


_CURRENT = threading.local()
_IDLE: list[_Thread] = []


def stay_on_one_core(number: int) -> None:
    """Keeps this process on one core, where threads hand over turns several times faster."""
    if sys.platform == "linux":
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[number % len(cores)]})


class Stage:
    """Actors stop at every ``point``; code that runs in no actor does not stop."""

    def __init__(self) -> None:
        self._actors: dict[str, _Actor] = {}
        self._playing = ""
        self.on_point: Callable[[], None] = lambda: None

    def actor(self) -> str:
        """The name of the actor whose turn it is; "" outside of turns."""
        return self._playing

    def point(self, label: str) -> None:
        actor: _Actor | None = getattr(_CURRENT, "actor", None)
        if actor is None:
            self.on_point()
            return
        if actor.killed:
            raise Crash
        self.on_point()
        actor.at = label
        actor.points -= 1
        if actor.points > 0:
            return
        actor.yielded.release()
        actor.turn.acquire()
        if actor.killed:
            raise Crash

    def is_busy(self, name: str) -> bool:
        return name in self._actors

    def at(self, name: str) -> str:
        """The point at which a busy actor stands; "" before its first."""
        return self._actors[name].at

    def start(self, name: str, play: Callable[[], object]) -> None:
        actor = self._actors[name] = _Actor(play)
        thread = _IDLE.pop() if _IDLE else _Thread()
        thread.give(actor)

    def step(self, name: str, points: int = 1) -> int:
        """Lets an actor pass ``points`` points, or run to its end; returns how many were left."""
        actor = self._actors[name]
        actor.points = points
        self._playing = name
        actor.turn.release()
        actor.yielded.acquire()
        self._playing = ""
        if actor.finished:
            del self._actors[name]
            if actor.failure is not None:
                raise actor.failure
            return actor.points - 1
        return 0

    def finish(self, name: str) -> None:
        while self.is_busy(name):
            self.step(name, points=1_000)

    def busy(self) -> Sequence[str]:
        return tuple(self._actors)

    def kill(self, names: Iterable[str]) -> None:
        """Kills actors at their current points."""
        for name in names:
            self._actors[name].killed = True
            self.finish(name)

    def crash(self) -> None:
        """Kills every actor."""
        self.kill(self.busy())
