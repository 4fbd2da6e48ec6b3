"""Confirms deletions that a snapshot held because there were too many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from publisher.commands.failures import NO, Refused
from publisher.commands.noted import Noted
from publisher.settling.deletions import HeldDeletions
from publisher.state.protocol import State


class ConfirmsDeletions(Protocol):
    """The part of an engine that is needed here."""

    def confirm_deletions(self, namespace: tuple[str, ...] = ()) -> None: ...


def confirm(
    engine: ConfirmsDeletions, state: State, namespace: str | None
) -> Sequence[HeldDeletions]:
    """Makes the next snapshot carry out the held deletions of a namespace, or all for None.

    Raises:
        Refused: nothing is held there.
    """
    held = Noted.read(state.read(lambda tx: tx.journal.notes("@"))).held_deletions
    if namespace is None:
        chosen = held
    else:
        known = state.read(lambda tx: tx.graph.in_namespace(_parts(namespace)))
        chosen = _of_namespace(held, namespace.lower(), exists=bool(known))
    if not chosen:
        where = "" if namespace is None else f" of namespace {namespace!r}"
        held_names = ", ".join(h.namespace or "the whole catalog" for h in held)
        hint = f"held: {held_names}" if held else "schema-publisher status shows held deletions"
        raise Refused(NO, f"no deletions{where} are held", hint)
    for each in chosen:
        engine.confirm_deletions(_parts(each.namespace))
    return chosen


def _of_namespace(
    held: Sequence[HeldDeletions], namespace: str, *, exists: bool
) -> Sequence[HeldDeletions]:
    """The namespace's held deletions, or its part of deletions held for the whole catalog."""
    own = [h for h in held if h.namespace == namespace]
    if own or not exists:
        return own
    return [HeldDeletions(namespace, h.reason) for h in held if not h.namespace]


def _parts(namespace: str) -> tuple[str, ...]:
    """The parts of a namespace in a brake's note; either reading of its dots gives the same brake."""
    return tuple(namespace.lower().split(".")) if namespace else ()
