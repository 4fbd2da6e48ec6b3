"""Derives in child processes, because SQL is untrusted: one text can stop only one child.

A child reads its answer back before it sends it. An unreadable answer fails the relation in the
child and does not reach the parent.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from lakeschema.avro.errors import MalformedAvroSchema
from lakeschema.catalog.facts_json import facts_from_json, facts_to_json
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.isolation.limits import Handler, ProcessDied
from lakeschema.isolation.pool import LimitedProcesses
from lakeschema.translation.deriving import hashing
from lakeschema.translation.deriving.derivation_json import (
    derivation_from_json,
    derivation_to_json,
    interface_from_json,
    interface_to_json,
    udf_from_json,
    udf_to_json,
)
from lakeschema.translation.deriving.deriver import DerivationCrashed, Deriver
from lakeschema.translation.functions.udfs import resolver_answers
from lakeschema.translation.model.interface import Derivation, Interface, Options, UdfAnswer
from lakeschema.translation.model.outcome import Derived, Failed, Outcome, Status

HANDLER = "derivation"

Json: TypeAlias = Any


@dataclass(frozen=True, slots=True)
class DerivedText:
    """A derivation as the state stores it: ``translation.derivation_json`` as text."""

    text: str
    interface_hash: str


def derivation_handler(options: Options) -> Handler:
    """The handler for child processes of a ``LimitedDeriver``."""
    return Handler(
        "lakeschema.translation.deriving.limited_deriver:answer_questions", for_child(options)
    )


def for_child(options: Options) -> Options:
    """The options for a child, without the resolver: it stays in the parent, and questions have its answers."""
    return replace(
        options,
        udfs=dict(options.udfs),
        trino_catalogs=dict(options.trino_catalogs),
        catalogs=dict(options.catalogs),
        udf_resolver=None,
    )


class LimitedDeriver:
    """Derives in child processes; ``processes`` must have ``derivation_handler`` as ``HANDLER``."""

    def __init__(self, processes: LimitedProcesses, options: Options) -> None:
        self._processes = processes
        self._options = options

    def upstreams(self, relation: Relation) -> tuple[RelationName, ...] | Failed:
        if relation.view is None:
            return ()
        answer = self._ask(relation, {"ask": "upstreams"})
        if "failed" in answer:
            return _read_failure(answer)
        return tuple(RelationName.from_json(name) for name in answer["upstreams"])

    def derive(self, relation: Relation, upstreams: Mapping[RelationName, Interface]) -> Outcome:
        found = self.derive_text(relation, [interface_to_json(i) for i in upstreams.values()])
        if isinstance(found, Failed):
            return found
        return Derived(derivation_from_json(json.loads(found.text)))

    def derive_text(self, relation: Relation, upstreams: Sequence[Json]) -> DerivedText | Failed:
        """Like ``derive``, with interfaces as JSON values and the result as text.

        This saves time for callers that only store or send derivations.
        """
        question = {
            "ask": "derive",
            "upstreams": upstreams,
            # Resolved here, so that the derivation uses the answers that ``inputs_hash`` covers.
            "udfs": {
                name: udf_to_json(udf)
                for name, udf in resolver_answers(relation, self._options).items()
            },
        }
        answer = self._ask(relation, question)
        if "failed" in answer:
            return _read_failure(answer)
        return DerivedText(answer["derivation"], answer["interface_hash"])

    def inputs_hash(self, relation: Relation, upstream_hashes: Mapping[RelationName, str]) -> str:
        return hashing.inputs_hash(relation, upstream_hashes, self._options)

    def interface_hash(self, interface: Interface) -> str:
        return hashing.interface_hash(interface)

    def _ask(self, relation: Relation, question: Mapping[str, Json]) -> Mapping[str, Json]:
        try:
            answer: Mapping[str, Json] = self._processes.ask(
                HANDLER, {**question, "relation": facts_to_json(relation)}
            )
        except ProcessDied as error:
            raise DerivationCrashed(relation.name, error.reason) from error
        return answer


def _read_failure(answer: Mapping[str, Json]) -> Failed:
    status, reason = answer["failed"]
    return Failed(Status(status), reason)


# In the child


class ParentsAnswers:
    """The child's ``UdfResolver``. It returns the parent's answers, which the question contains."""

    def __init__(self) -> None:
        self.answers: Mapping[str, UdfAnswer] = {}

    def __call__(self, class_name: str, _dependencies: tuple[str, ...], /) -> UdfAnswer | None:
        return self.answers.get(class_name)


def answer_questions(
    options: Options, derive_with: Callable[[Options], Deriver] | None = None
) -> Callable[[Mapping[str, Json]], Mapping[str, Json]]:
    """The function with which the child answers a question; it uses a ``DirectDeriver`` by default."""
    # Only the child needs to import the modules that parse and resolve queries.
    from lakeschema.translation.deriving.direct_deriver import DirectDeriver

    resolver = ParentsAnswers()
    deriver = (derive_with or DirectDeriver)(replace(options, udf_resolver=resolver))

    def answer(question: Mapping[str, Json]) -> Mapping[str, Json]:
        relation = facts_from_json(question["relation"])
        if question["ask"] == "upstreams":
            return _name_upstreams(deriver.upstreams(relation))
        resolver.answers = {n: udf_from_json(udf) for n, udf in question["udfs"].items()}
        interfaces = [interface_from_json(value) for value in question["upstreams"]]
        return _describe(deriver.derive(relation, {i.name: i for i in interfaces}))

    return answer


def _name_upstreams(named: tuple[RelationName, ...] | Failed) -> Mapping[str, Json]:
    if isinstance(named, Failed):
        return _describe_failure(named)
    return {"upstreams": [name.to_json() for name in named]}


def _describe(outcome: Outcome) -> Mapping[str, Json]:
    match outcome:
        case Failed():
            return _describe_failure(outcome)
        case Derived(derivation):
            return _describe_derivation(derivation)


def _describe_failure(failed: Failed) -> Mapping[str, Json]:
    return {"failed": [failed.status.value, failed.reason]}


def _describe_derivation(derivation: Derivation) -> Mapping[str, Json]:
    text = json.dumps(derivation_to_json(derivation), separators=(",", ":"))
    try:
        derivation_from_json(json.loads(text))
    except (MalformedAvroSchema, ValueError, RecursionError) as error:
        reason = f"its schema cannot be published: {str(error) or type(error).__name__}"
        return _describe_failure(Failed(Status.UNSUPPORTED, reason))
    return {"derivation": text, "interface_hash": hashing.interface_hash(derivation.interface)}
