"""Derives in this process: for trusted text, and inside the child process."""

from __future__ import annotations

from collections.abc import Mapping

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.deriving import hashing
from lakeschema.translation.deriving.derivation import derive, upstreams_of
from lakeschema.translation.model.errors import TranslationError
from lakeschema.translation.model.interface import Interface, Options
from lakeschema.translation.model.outcome import Derived, Failed, Outcome, failure


class DirectDeriver:
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
