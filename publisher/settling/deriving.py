"""What the engine needs from the translation core, and derivations as stored text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Protocol

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation import hashing
from lakeschema.translation.derivation import derive, upstreams_of
from lakeschema.translation.derivation_json import derivation_from_json, derivation_to_json
from lakeschema.translation.errors import TranslationError
from lakeschema.translation.interface import Derivation, Interface, Options
from lakeschema.translation.outcome import Derived, Failed, Outcome, failure


class DerivationCrashed(Exception):
    """The derivation crashed its process, or exceeded a limit and was killed: no outcome."""

    def __init__(self, relation: RelationName, reason: str) -> None:
        super().__init__(relation, reason)
        self.relation = relation
        self.reason = reason

    def __str__(self) -> str:
        return f"the derivation of {self.relation} crashed: {self.reason}"


class Deriver(Protocol):
    """The translation core. ``upstreams`` and ``derive`` may raise ``DerivationCrashed``."""

    def upstreams(self, relation: Relation) -> tuple[RelationName, ...] | Failed: ...

    def derive(
        self, relation: Relation, upstreams: Mapping[RelationName, Interface]
    ) -> Outcome: ...

    def inputs_hash(
        self, relation: Relation, upstream_hashes: Mapping[RelationName, str]
    ) -> str: ...

    def interface_hash(self, interface: Interface) -> str: ...


class DirectDeriver:
    """Derives in this process: for trusted text, and in the child process that may be killed."""

    def __init__(self, options: Options) -> None:
        self._options = options

    def upstreams(self, relation: Relation) -> tuple[RelationName, ...] | Failed:
        try:
            return upstreams_of(relation, self._options)
        except TranslationError as error:
            return failure(error)

    def derive(self, relation: Relation, upstreams: Mapping[RelationName, Interface]) -> Outcome:
        try:
            return Derived(derive(relation, upstreams, self._options))
        except TranslationError as error:
            return failure(error)

    def inputs_hash(self, relation: Relation, upstream_hashes: Mapping[RelationName, str]) -> str:
        return hashing.inputs_hash(relation, upstream_hashes, self._options)

    def interface_hash(self, interface: Interface) -> str:
        return hashing.interface_hash(interface)


def derivation_to_text(derivation: Derivation) -> str:
    return json.dumps(derivation_to_json(derivation), separators=(",", ":"))


def derivation_from_text(text: str) -> Derivation:
    return derivation_from_json(json.loads(text))
