"""Answers of the children in these tests, which import them by name."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lakeschema.isolation.frames import Attached


def answering(argument: Any) -> Callable[[Any], Any]:
    """Does what a question says."""
    asked: list[Any] = []

    def answer(question: Any) -> Any:
        asked.append(question)
        match question:
            case Attached():
                return question
            case "argument":
                return argument
            case "hang":
                time.sleep(3600)
            case "allocate":
                return len(bytearray(8 * 1024**3))
            case "exit":
                os._exit(9)
            case "raise":
                raise LookupError("unexpected")
            case "print":
                print("this must not disturb the answer")
                os.write(1, b"nor this")
            case "answer much":
                return "x" * 2_000_000
            case "answer deeply":
                os.write(_answers_pipe(), _deep_frame())
            case "environment":
                return dict(os.environ)
            case "import path":
                return sys.path
            case "third":
                if len(asked) == 3:
                    os._exit(9)
            case ["start", *command]:
                return subprocess.Popen(command).pid
            case ["connect", int(port)]:
                return _connects(port)
        return len(asked)

    return answer


def never_ready(_argument: Any) -> Callable[[Any], Any]:
    time.sleep(3600)
    raise AssertionError


def _connects(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 5).close()
    except OSError:
        return False
    return True


def _answers_pipe() -> int:
    """The pipe to the parent: the only other one is standard input."""
    pipes = [each for each in Path("/proc/self/fd").iterdir() if int(each.name) > 2]
    return next(int(p.name) for p in pipes if str(p.readlink()).startswith("pipe:"))


def _deep_frame() -> bytes:
    message = b"[" * 100_000 + b"]" * 100_000
    return len(message).to_bytes(8, "big") + message
