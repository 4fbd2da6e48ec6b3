"""Finds the known name that a person means, or suggests similar ones, for commands and pages."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from difflib import SequenceMatcher, get_close_matches
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from lakeschema.catalog.identifiers import RelationName
    from lakeschema.catalog.typed_names import NamingRules

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
    """Similar names of relations or packages, the likeliest first; letter case does not count.

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
    return _closest(asked, related, most, at_least) or _closest(
        asked, by_count, most, max(at_least, _ALMOST_THE_SAME)
    )


def _closest(asked: str, names: Sequence[str], most: int, at_least: float) -> Sequence[str]:
    folded: dict[str, list[str]] = {}
    for name in names:
        folded.setdefault(name.lower(), []).append(name)
    closest = get_close_matches(asked, folded, most, at_least)
    return [name for found in closest for name in folded[found]][:most]


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


def complete_name(
    text: str, known: Collection[RelationName], rules: NamingRules
) -> RelationName | Sequence[str]:
    """The known relation that the text means, or the few that it may mean, as texts to type.

    Names that differ in letter case come first. Names with the same end follow, also from other
    catalogs, and then similar names.

    Raises:
        MalformedName: the text is not a dotted name.
        SessionRefused: the text before a colon is not a catalog.
    """
    # Every command waits for this module, and few for this function.
    from lakeschema.catalog.typed_names import resolve_name, typed_text

    asked = resolve_name(text, rules)
    if asked in known:
        return asked
    texts = {str(name): name for name in known}
    likely = (texts[each] for each in likely_names(str(asked), texts))
    found = dict.fromkeys([*_with_the_same_end(asked, known), *likely])
    return [typed_text(name, rules) for name in [*found][:_MAX_LIKELY]]


def _with_the_same_end(
    asked: RelationName, known: Collection[RelationName]
) -> Sequence[RelationName]:
    """Names that end like ``asked``, and names that are the end of ``asked``.

    The names with the longest common end come first.
    """
    wanted = _folded(asked)
    found = []
    for name in known:
        parts = _folded(name)
        shared = min(len(parts), len(wanted))
        if parts[-shared:] == wanted[-shared:]:
            found.append((parts != wanted, -shared, len(parts), name))
    return [name for *_, name in sorted(found)]


def _folded(name: RelationName) -> tuple[str, ...]:
    catalog = [name.catalog] if name.catalog else []
    return tuple(part.lower() for part in (*catalog, *name.parts))


def did_you_mean(names: Sequence[str]) -> str:
    """A hint for people; empty without names."""
    return f"did you mean {' or '.join(names)}?" if names else ""


def _stems(name: str) -> frozenset[str]:
    """The beginning and the end of each word; after a misspelling, one of them is still correct."""
    words = [word for word in _SEPARATORS.split(name) if word]
    return frozenset(
        stem for word in words for stem in (word[:_STEM_LENGTH], f"…{word[-_STEM_LENGTH:]}")
    )
