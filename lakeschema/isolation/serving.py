"""The child's side: sets limits first, then answers until its pipe closes.

An unexpected error ends the child, with a trace that the parent reports.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import resource
import signal
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, BinaryIO, TypeAlias

from lakeschema.isolation.frames import Attached, decode, encode, frame, read_frame
from lakeschema.isolation.limits import Handler, Limits

Answering: TypeAlias = Callable[[Any], Any]

_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000
_MAX_FILE_BYTES = 64 * 1024**2
_ALARM_MARGIN_SECONDS = 5


def serve(imports: Iterable[str] = ()) -> None:
    """Answers questions from standard input, each with a frame on standard output.

    ``imports`` are this project's modules that handlers need; they are imported while the parent
    starts.
    """
    for module in imports:
        import_module(module)
    questions = sys.stdin.buffer
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # printed text must not mix with the answers
    start = read_frame(questions)
    if start is None:
        return
    handlers, limits = pickle.loads(start)  # noqa: S301 (from our own parent)
    refusal = _confine(limits)
    answering = {name: _answering(handler) for name, handler in handlers.items()}
    _send(answers, {"network_cut": not refusal, "why": refusal}, limits)
    while (message := read_frame(questions)) is not None:
        # If the parent has died, only this stops an endless question.
        signal.alarm(int(limits.timeout_seconds) + _ALARM_MARGIN_SECONDS)
        question = decode(message)
        if isinstance(question, Attached):
            name, value = question.value
            question = Attached(value, question.data)
        else:
            name, question = question
        _send(answers, answering[name](question), limits)
        signal.alarm(0)


def _send(answers: BinaryIO, answer: Any, limits: Limits) -> None:
    message = encode(answer)
    if len(message) > limits.max_answer_bytes:
        raise OverflowError(f"the answer exceeds {limits.max_answer_bytes} bytes")
    answers.write(frame(message))
    answers.flush()


def _answering(handler: Handler) -> Answering:
    module, _, function = handler.factory.partition(":")
    answering: Answering = getattr(import_module(module), function)(handler.argument)
    return answering


def _confine(limits: Limits) -> str:
    """Limits this process. Returns why the network could not be cut off, or "" if it was."""
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory_bytes, limits.memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_MAX_FILE_BYTES, _MAX_FILE_BYTES))
    return "it needs the network" if limits.has_network else _cut_network()


def _cut_network() -> str:
    """Moves this process to an empty network namespace, if the system allows it."""
    if sys.platform != "linux":
        return f"not possible on {sys.platform}"
    libc = ctypes.CDLL(None, use_errno=True)
    # In a separate user namespace if the process may not do so directly.
    for flags in (_CLONE_NEWNET, _CLONE_NEWUSER | _CLONE_NEWNET):
        if libc.unshare(flags) == 0:
            return ""
    return os.strerror(ctypes.get_errno())
