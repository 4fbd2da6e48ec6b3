"""Compares a relation's facts and inputs with those of its last derivation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from lakeschema.catalog.facts_json import facts_hash
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation

InputsHash: TypeAlias = Callable[[Relation, Mapping[RelationName, str]], str]
"""``hashing.inputs_hash`` with one deployment's options; gets the upstreams' interface hashes."""


@dataclass(frozen=True, slots=True)
class KnownRelation:
    """Hashes of a relation's facts and inputs at its last derivation.

    Attributes:
        used: the interface hashes of its upstreams at that time.
        inputs_hash: the hash of all inputs; None if inputs are not compared.
    """

    facts_hash: str
    used: tuple[tuple[RelationName, str], ...] = ()
    inputs_hash: str | None = None


def differs(relation: Relation, known: KnownRelation | None, inputs_hash: InputsHash) -> bool:
    """Whether the facts or the inputs (options, UDFs, the deriver's version) changed."""
    if known is None or known.facts_hash != facts_hash(relation):
        return True
    return (
        known.inputs_hash is not None
        and inputs_hash(relation, dict(known.used)) != known.inputs_hash
    )


def has_same_facts(relation: Relation | None, known: KnownRelation | None) -> bool:
    """Whether the catalog's facts are the same, so that a difference has other causes."""
    return relation is not None and known is not None and known.facts_hash == facts_hash(relation)
