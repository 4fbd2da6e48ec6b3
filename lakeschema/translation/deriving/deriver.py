"""Derives one relation at a time, in this process or in a child process that may be killed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.model.interface import Interface
from lakeschema.translation.model.outcome import Failed, Outcome


class DerivationCrashed(Exception):
    """The derivation crashed its process, or was killed at a limit. It has no outcome."""

    def __init__(self, relation: RelationName, reason: str) -> None:
        super().__init__(relation, reason)
        self.relation = relation
        self.reason = reason

    def __str__(self) -> str:
        return f"the derivation of {self.relation} crashed: {self.reason}"


class Deriver(Protocol):
    """Derives relations. ``upstreams`` and ``derive`` may raise ``DerivationCrashed``."""

    def upstreams(self, relation: Relation) -> tuple[RelationName, ...] | Failed: ...

    def derive(
        self, relation: Relation, upstreams: Mapping[RelationName, Interface]
    ) -> Outcome: ...

    def inputs_hash(
        self, relation: Relation, upstream_hashes: Mapping[RelationName, str]
    ) -> str: ...

    def interface_hash(self, interface: Interface) -> str: ...
