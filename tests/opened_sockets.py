"""Lets the warning about a socket that nobody closed name the code that opened it."""

from __future__ import annotations

import socket
import traceback
from typing import Any

_FRAMES = 12
_opened: dict[int, str] = {}
_init = socket.socket.__init__
_repr = socket.socket.__repr__


def _remembering(self: socket.socket, *arguments: Any, **named: Any) -> None:
    _init(self, *arguments, **named)
    if self.family in {socket.AF_INET, socket.AF_INET6}:
        stack = traceback.StackSummary.extract(
            traceback.walk_stack(None), limit=_FRAMES, lookup_lines=False
        )
        _opened[id(self)] = " < ".join(f"{f.filename}:{f.lineno}" for f in stack[1:])


def _placed(self: socket.socket) -> str:
    # By id, since weak references are gone when Python warns. A later socket with the same id replaces the entry.
    return f"{_repr(self)} opened by {_opened.get(id(self), 'unknown code')}"


def name_openers() -> None:
    """Takes effect for all later sockets; call it once."""
    socket.socket.__init__ = _remembering  # type: ignore[method-assign]
    socket.socket.__repr__ = _placed  # type: ignore[method-assign, assignment]
