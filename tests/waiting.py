"""Waits for the effects of another thread or process."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

# Only a hang lasts so long: a busy machine must not fail a test.
PATIENCE_SECONDS: Final = 300.0


def eventually(condition: Callable[[], bool], seconds: float = PATIENCE_SECONDS) -> bool:
    """Whether the condition came true before the time was over."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True
