"""Confirms deletions that a snapshot held because there were too many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lakeschema.catalog.errors import MalformedName
from lakeschema.catalog.identifiers import Namespace
from publisher.commands.failures import NO, Refused
from publisher.daemon.noted import Noted
from publisher.settling.deletions import HeldDeletions
from publisher.state.protocol import State


class ConfirmsDeletions(Protocol):
    """The part of an engine that confirming deletions needs."""

    def confirm_deletions(self, namespace: Namespace | None = None) -> None: ...


def confirm(
    engine: ConfirmsDeletions, state: State, namespace: str | None
) -> Sequence[HeldDeletions]:
    """Makes the next snapshot carry out the held deletions of a namespace; None means all of them.

    Raises:
        Refused: no deletion is held there.
    """
    held = Noted.read(state.read(lambda tx: tx.journal.notes("@"))).held_deletions
    if namespace is None:
        chosen = held
    else:
        stated = _namespace(namespace)
        known = state.read(lambda tx: tx.graph.in_namespace(stated))
        chosen = _of_namespace(held, str(stated), exists=bool(known))
    if not chosen:
        where = "" if namespace is None else f" of namespace {namespace!r}"
        held_names = ", ".join(h.namespace or "the whole catalog" for h in held)
        hint = f"held: {held_names}" if held else "schema-publisher status shows held deletions"
        raise Refused(NO, f"no deletions{where} are held", hint)
    for each in chosen:
        engine.confirm_deletions(_namespace(each.namespace) if each.namespace else None)
    return chosen


def _of_namespace(
    held: Sequence[HeldDeletions], namespace: str, *, exists: bool
) -> Sequence[HeldDeletions]:
    """The namespace's held deletions, or its part of deletions held for the whole catalog."""
    own = [h for h in held if h.namespace == namespace]
    if own or not exists:
        return own
    return [HeldDeletions(namespace, h.reason) for h in held if not h.namespace]


def _namespace(text: str) -> Namespace:
    """The namespace in a text such as ``db``, or ``prod:sales.eu`` as ``status`` shows it.

    Raises:
        Refused: the text is not a namespace.
    """
    try:
        namespace = Namespace.from_key(text)
    except MalformedName as error:
        raise Refused(NO, f"{text!r} is not a namespace", error.hint) from None
    if namespace.catalog:
        return namespace
    return Namespace(tuple(level.lower() for level in namespace.levels))
