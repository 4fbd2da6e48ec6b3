"""The limits for a process that analyses one statement or request at a time."""

from __future__ import annotations

from typing import Final

from lakeschema.isolation.limits import Limits

LIMITS: Final = Limits()
GIVEN_UP: Final = "GivenUp"
"""The type of the error for a statement that exceeded the limits."""
REASON: Final = "given up: it takes more than the limits of time and memory allow"
