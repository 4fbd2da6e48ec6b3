"""Explains what a snapshot leaves undone for catalogs that it could not read."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.listing import Listing

NO_ANSWER = "no answer from"
"""The beginning of why a snapshot is due that follows one without all catalogs."""


def without_settings(existing: Iterable[RelationName], listing: Listing) -> Mapping[str, str]:
    """A note for each catalog that was removed from the settings: what happens to its relations."""
    kept = Counter(name.catalog for name in existing if name.catalog not in listing.catalogs)
    return {
        catalog: f"{count} relations keep their packages, which follow no change"
        for catalog, count in kept.items()
    }


def why_unknown(catalog: str, state: str) -> str:
    """Why the catalog is not listed, for a person who has not accepted its ``state`` yet."""
    return (
        f"the settings have no [[catalog]] with this name; {state}; "
        f"if this is intended: snapshot.removed_catalogs = {json.dumps([catalog])}"
    )


def why_another(silent: frozenset[str]) -> str:
    """Why another snapshot is due.

    The events of changes in a catalog that did not answer may be lost.
    """
    if not silent:
        return ""
    names = ", ".join(name or "the default catalog" for name in sorted(silent))
    return f"{NO_ANSWER} {names}"
