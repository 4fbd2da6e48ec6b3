"""Append-only files of JSON lines, each with the seconds since the run began."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

Clock = Callable[[], float]
"""Seconds since the run began."""


def start_clock() -> Clock:
    began = time.monotonic()
    return lambda: time.monotonic() - began


class Journal:
    """Safe for threads; ``write`` passes the line to the operating system before it returns."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self.path = path
        self._clock = clock
        self._lock = threading.Lock()
        path.touch()

    def write(self, event: str, **facts: Any) -> None:
        line = json.dumps({"at": round(self._clock(), 3), "event": event, **facts})
        with self._lock, self.path.open("a") as file:
            file.write(line + "\n")


def read_journal(path: Path) -> Sequence[Mapping[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]
