"""Relations that a catalog no longer lists → what to do about each: steps as values, none performed.

A listing alone is not trusted: a worker reads each relation by name before it counts as dropped,
and an implausible number of deletions is held until a person confirms it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TypeAlias

from lakeschema.catalog.identifiers import RelationName
from publisher.policy import DeletionLimit


@dataclass(frozen=True, slots=True)
class ConfirmMissing:
    """The catalog did not list it: a worker reads it by name before it counts as dropped."""

    relation: RelationName


@dataclass(frozen=True, slots=True)
class HoldDeletions:
    """Too many of a namespace's relations (None: of all) are missing: a person must confirm."""

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
    """The steps: relations to confirm, then deletions to hold.

    Args:
        listed: all that the catalog lists.
        known: all that is known to exist; what is known to be missing is not in it.
        limit: of deletions, in each namespace and in total.
        released: namespaces whose deletions a person confirmed.
    """
    unlisted = sorted(known - listed)
    unconfirmed = [name for name in unlisted if name.namespace not in released]
    if limit.exceeded(len(unconfirmed), len(known)):
        held: tuple[Step, ...] = (HoldDeletions(None, len(unconfirmed), len(known)),)
        held_namespaces = frozenset(name.namespace for name in unconfirmed)
    else:
        held, held_namespaces = _held_namespaces(unconfirmed, known, limit)
    missing = tuple(ConfirmMissing(n) for n in unlisted if n.namespace not in held_namespaces)
    return missing + held


def _held_namespaces(
    unconfirmed: list[RelationName], known: frozenset[RelationName], limit: DeletionLimit
) -> tuple[tuple[Step, ...], frozenset[tuple[str, ...]]]:
    size = Counter(name.namespace for name in known)
    missing = Counter(name.namespace for name in unconfirmed)
    held_namespaces = sorted(n for n, count in missing.items() if limit.exceeded(count, size[n]))
    held = tuple(HoldDeletions(n, missing[n], size[n]) for n in held_namespaces)
    return held, frozenset(held_namespaces)
