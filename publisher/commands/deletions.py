"""Confirms deletions that a snapshot held because they were too many to be meant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from publisher.commands.failures import NO, Refused
from publisher.commands.noted import Noted
from publisher.settling.deletions import HeldDeletions
from publisher.state.protocol import State


class ConfirmsDeletions(Protocol):
    """An engine, as far as it is asked here."""

    def confirm_deletions(self, namespace: tuple[str, ...] = ()) -> None: ...


def confirm(
    engine: ConfirmsDeletions, state: State, namespace: str | None
) -> Sequence[HeldDeletions]:
    """Has the next snapshot carry out what is held in a namespace, or with None whatever is held.

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
    """Its own; or its part of what is held of the whole catalog."""
    own = [h for h in held if h.namespace == namespace]
    if own or not exists:
        return own
    return [HeldDeletions(namespace, h.reason) for h in held if not h.namespace]


def _parts(namespace: str) -> tuple[str, ...]:
    """Of the text that a brake's note has; dots join parts, so that either reading is one brake."""
    return tuple(namespace.lower().split(".")) if namespace else ()
