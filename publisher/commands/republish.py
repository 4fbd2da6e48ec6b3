"""Marks relations so that their unchanged packages get a new version."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lakeschema.catalog.identifiers import RelationName
from publisher.commands.arguments import unknown_relation
from publisher.commands.failures import NO, Refused
from publisher.state.protocol import State


class Republishes(Protocol):
    """The part of an engine that republishing needs."""

    def republish(
        self, names: Sequence[RelationName], *, whatever_generator: bool = False
    ) -> Sequence[RelationName]:
        """Marks the packages of ``names`` to be published again; returns the marked packages.

        Without names it marks all packages that earlier generators built.

        With ``whatever_generator`` and without names it marks every package.
        """


def mark(
    engine: Republishes,
    state: State,
    names: Sequence[RelationName],
    *,
    whatever_generator: bool = False,
) -> Sequence[RelationName]:
    """Marks packages to be published again; returns them.

    If one of ``names`` is unknown, nothing is marked.

    Raises:
        Refused: names are unknown or have no package; the message lists them.
    """
    known = state.read(lambda tx: tx.graph.records(names))
    unknown = [name for name in names if name not in known]
    if unknown:
        message = f"not known here: {', '.join(map(str, unknown))}"
        every = state.read(lambda tx: tx.graph.every_record())
        raise unknown_relation(message, unknown[0], every, "check the spelling")
    marked = engine.republish(names, whatever_generator=whatever_generator)
    without = [name for name in names if name not in set(marked)]
    hint = "schema-publisher explain RELATION says why; the others were marked"
    if without:
        raise Refused(NO, f"without a package: {', '.join(map(str, without))}", hint)
    return sorted(marked)
