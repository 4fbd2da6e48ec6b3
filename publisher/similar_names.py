"""Suggests known names that are similar to an unknown one, for commands and pages."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from difflib import SequenceMatcher, get_close_matches
from typing import Final

_MAX_COMPARED: Final = 2_000
_MAX_LENGTH: Final = 300
_STEM_LENGTH: Final = 3
_ALMOST_THE_SAME: Final = 0.75
_MAX_LIKELY: Final = 3
_LIKELY: Final = 0.7
_SEPARATORS: Final = re.compile(r"[\W_]+")


def similar_names(
    asked: str, known: Collection[str], most: int = 10, at_least: float = 0.5
) -> Sequence[str]:
    """Similar names of relations or packages, the likeliest first.

    Names that share a word are compared letter by letter, other names only if they are nearly
    equal. So few of a catalog's 100,000 names are compared. ``at_least`` is the least similarity; 1
    is the same name.
    """
    asked = asked[:_MAX_LENGTH].lower()
    wanted = _stems(asked)
    shared = {name: wanted & _stems(name.lower()) for name in known}
    # A word that every name shares, such as the packages' prefix, tells nothing.
    common = frozenset.intersection(*shared.values()) if len(shared) > 1 else frozenset()
    counts = {name: len(stems - common) for name, stems in shared.items()}
    nearest = sorted(counts, key=lambda n: (-counts[n], abs(len(n) - len(asked)), n))
    by_count = nearest[:_MAX_COMPARED]
    related = [name for name in by_count if counts[name]]
    return get_close_matches(asked, related, most, at_least) or get_close_matches(
        asked, by_count, most, max(at_least, _ALMOST_THE_SAME)
    )


def likely_names(asked: str, known: Collection[str]) -> Sequence[str]:
    """The few similar names that ``did_you_mean`` can suggest.

    Within the same namespace, the table names themselves must be similar.
    """
    namespace, _, name = asked.lower().rpartition(".")
    found = similar_names(asked, known, _MAX_LIKELY, _LIKELY)
    return [each for each in found if _is_likely(namespace, name, each.lower())]


def _is_likely(namespace: str, name: str, known: str) -> bool:
    other, _, its_name = known.rpartition(".")
    if other != namespace:
        return True
    return SequenceMatcher(None, name, its_name).ratio() >= _LIKELY


def did_you_mean(names: Sequence[str]) -> str:
    """A hint for people; empty without names."""
    return f"did you mean {' or '.join(names)}?" if names else ""


def _stems(name: str) -> frozenset[str]:
    """The beginning and the end of each word: a misspelt letter leaves one of them intact."""
    words = [word for word in _SEPARATORS.split(name) if word]
    return frozenset(
        stem for word in words for stem in (word[:_STEM_LENGTH], f"…{word[-_STEM_LENGTH:]}")
    )
