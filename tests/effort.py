"""How much of what is drawn at random a run has time for."""

from __future__ import annotations

from hypothesis import settings

QUICK = "quick"


def examples(thorough: int, profile: str | None = None) -> int:
    """As many examples as the profile in force draws, where a thorough run draws ``thorough``."""
    current = settings.get_current_profile_name() if profile is None else profile
    return max(thorough // 5, 1) if current == QUICK else thorough
