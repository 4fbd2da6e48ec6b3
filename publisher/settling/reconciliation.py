"""What must be done so that the state knows what the catalog says: steps as values, nothing done.

A snapshot compares hashes only. What differs is read again by a worker, which believes the catalog
and not the snapshot; so a step that is out of date is harmless.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from lakeschema.catalog.identifiers import RelationName


@dataclass(frozen=True, slots=True)
class ReadAgain:
    """The catalog's facts are not those of the last derivation."""

    relation: RelationName


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


Step: TypeAlias = ReadAgain | ConfirmMissing | HoldDeletions


@dataclass(frozen=True, slots=True)
class DeletionLimit:
    """More than ``at_least`` and more than ``share`` of what is known: too much to be meant."""

    at_least: int = 10
    share: float = 0.2

    def exceeded(self, missing: int, known: int) -> bool:
        return missing > self.at_least and missing > known * self.share


NO_LIMIT = DeletionLimit(share=1.0)


def reconcile(
    listed: Mapping[RelationName, str],
    known: Mapping[RelationName, str],
    limit: DeletionLimit,
    released: frozenset[tuple[str, ...]] = frozenset(),
) -> tuple[Step, ...]:
    """Steps from facts hashes, of all that the catalog lists and all that is known to exist.

    Args:
        listed: facts hash of each relation of the catalog.
        known: facts hash of each relation as last read, without those known to be missing.
        limit: of deletions, in each namespace and in total.
        released: namespaces whose deletions a person confirmed.
    """
    differing = tuple(ReadAgain(name) for name in sorted(listed) if listed[name] != known.get(name))
    return differing + deletions(frozenset(listed), frozenset(known), limit, released)


def deletions(
    listed: frozenset[RelationName],
    known: frozenset[RelationName],
    limit: DeletionLimit,
    released: frozenset[tuple[str, ...]] = frozenset(),
) -> tuple[Step, ...]:
    """The part of ``reconcile`` that is about what the catalog no longer lists."""
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
