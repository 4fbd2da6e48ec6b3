"""The effort of a run: its Hypothesis profile, and the number of examples of a property.

Under ``quick``, ``turn`` and ``thorough`` every run draws the same examples and reads no clock; ``hunt`` draws
new ones, which ``--hypothesis-seed`` repeats.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final

import hypothesis.internal.conjecture.providers as hypothesis_providers
from hypothesis import HealthCheck, settings

QUICK: Final = "quick"
TURN: Final = "turn"
THOROUGH: Final = "thorough"
HUNT: Final = "hunt"

DEFAULT_EXAMPLES: Final = 100
_EFFORT: Final = {QUICK: 0.2, TURN: 0.4, THOROUGH: 1.0, HUNT: 5.0}


def examples(thorough: int, profile: str | None = None) -> int:
    """As many examples as the profile in force draws, where a thorough run draws ``thorough``."""
    current = settings.get_current_profile_name() if profile is None else profile
    return max(int(thorough * _EFFORT.get(current, 1.0)), 1)


def sampled(cases: Sequence[str], most: int) -> Sequence[str]:
    """At most so many of the cases of each test, evenly chosen, the first among them; in order.

    ``cases``: as pytest names them, ``path::test[parameters]``.
    """
    of_each: dict[str, list[str]] = {}
    for case in cases:
        of_each.setdefault(case.partition("[")[0], []).append(case)
    kept = {
        found[place * len(found) // most] if len(found) > most else case
        for found in of_each.values()
        for place, case in enumerate(found[:most])
    }
    return [case for case in cases if case in kept]


def in_turn(groups: Sequence[Hashable], keep: int, turn: int) -> Sequence[bool]:
    """Which cases a turn takes: of each group at most ``keep``, others at the next turn.

    ``groups``: of each case the group of those that are like it. Groups begin at different places, so
    that a turn takes different cases of each.
    """
    of_each: dict[Hashable, list[int]] = {}
    for place, group in enumerate(groups):
        of_each.setdefault(group, []).append(place)
    taken = {
        found[(start + kept * len(found) // keep) % len(found)]
        for start, found in enumerate(of_each.values(), turn)
        for kept in range(keep)
    }
    return [place in taken for place in range(len(groups))]


def register_profiles() -> None:
    """Before any test module is imported: its ``@settings`` inherit from the profile in force."""
    for profile in _EFFORT:
        settings.register_profile(
            profile,
            max_examples=examples(DEFAULT_EXAMPLES, profile),
            derandomize=profile != HUNT,
            database=None,
            # A busy machine is no defect of what is tested.
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow],
            print_blob=True,
        )
    settings.load_profile(THOROUGH)
    _ignore_constants_of_imported_modules()


def _ignore_constants_of_imported_modules() -> None:
    """Hypothesis draws literals of the modules imported so far, which differ between runs.

    They depend on the order of tests, on the worker, and on the path of the checkout.
    """
    vars(hypothesis_providers)["is_local_module_file"] = lambda _: False
