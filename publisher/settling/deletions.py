"""Relations that a catalog no longer lists → what to do about each: steps as values, nothing done.

A listing is not believed: a worker asks for each relation by name before it counts as dropped, and
so many at once that it cannot be meant wait for a person.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TypeAlias

from lakeschema.catalog.identifiers import RelationName
from publisher.policy import DeletionLimit


@dataclass(frozen=True, slots=True)
class ConfirmMissing:
    """The catalog did not list it: a worker asks for it by name before it is believed dropped."""

    relation: RelationName


@dataclass(frozen=True, slots=True)
class HoldDeletions:
    """So many of a namespace's relations were not listed that a person decides (None: of all)."""

    namespace: tuple[str, ...] | None
    missing: int
    known: int


Step: TypeAlias = ConfirmMissing | HoldDeletions


def plan_deletions(
    listed: frozenset[RelationName],
    known: frozenset[RelationName],
    limit: DeletionLimit,
    released: frozenset[tuple[str, ...]] = frozenset(),
) -> tuple[Step, ...]:
    """The steps, those that are confirmed first.

    Args:
        listed: all that the catalog lists.
        known: all that is known to exist, without what is known to be missing.
        limit: of deletions, in each namespace and in total.
        released: namespaces whose deletions a person confirmed.
    """
    unlisted = sorted(known - listed)
    doubted = [name for name in unlisted if name.namespace not in released]
    if limit.exceeded(len(doubted), len(known)):
        held: tuple[Step, ...] = (HoldDeletions(None, len(doubted), len(known)),)
        doubtful = frozenset(name.namespace for name in doubted)
    else:
        held, doubtful = _held_namespaces(doubted, known, limit)
    confirmed = tuple(ConfirmMissing(n) for n in unlisted if n.namespace not in doubtful)
    return confirmed + held


def _held_namespaces(
    doubted: list[RelationName], known: frozenset[RelationName], limit: DeletionLimit
) -> tuple[tuple[Step, ...], frozenset[tuple[str, ...]]]:
    size = Counter(name.namespace for name in known)
    missing = Counter(name.namespace for name in doubted)
    doubtful = sorted(n for n, count in missing.items() if limit.exceeded(count, size[n]))
    held = tuple(HoldDeletions(n, missing[n], size[n]) for n in doubtful)
    return held, frozenset(doubtful)
