"""Limits for a child process, its handlers, and the report of its death."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one child.

    Attributes:
        timeout_seconds: the time for one question, from its first byte to the last byte of the
            answer.
        memory_bytes: the address space, partly used by Python itself.
        max_answer_bytes: a child that answers with more is killed.
        has_network: whether the child may reach other machines, such as storages.
    """

    timeout_seconds: float = 30.0
    memory_bytes: int = 2 * 1024**3
    max_answer_bytes: int = 64 * 1024**2
    has_network: bool = False


@dataclass(frozen=True, slots=True)
class Handler:
    """Answers one kind of question in the child.

    Attributes:
        factory: ``module:function``, called once in the child with ``argument``; returns the
            function from a question to its answer, both JSON values or ``frames.Attached``.
        argument: the program's own values, pickled for the child; never untrusted objects.
    """

    factory: str
    argument: Any = None


Handlers: TypeAlias = Mapping[str, Handler]


class ProcessDied(Exception):
    """The child crashed, exceeded a limit or was killed, so there is no answer."""

    def __init__(self, reason: str, *, timed_out: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.timed_out = timed_out


class PoolClosed(Exception):
    """The pool is closed because the program is ending: no process takes questions any more."""

    def __str__(self) -> str:
        return "the program is ending"
