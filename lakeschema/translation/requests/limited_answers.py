"""Answers translation requests in a limited process: see ``answering``.

The process gets a request as bytes, so that no other process parses untrusted input. It knows only
the relations that come with the request. If it needs further relations, it answers with their
names, and gets the request again with these relations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

from lakeschema.catalog.facts_json import facts_to_json
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.isolation.frames import Attached
from lakeschema.isolation.limits import Handler
from lakeschema.translation.deriving.derivation_json import udf_to_json
from lakeschema.translation.deriving.limited_deriver import for_child
from lakeschema.translation.model.interface import Options, UdfAnswer

HANDLER: Final = "translate"
TARGETS: Final = ("avro", "spark", "trino", "hive", "pig", "lineage", "plan")
DIALECTS: Final = ("hive", "spark", "trino")
UNNAMED_QUERY: Final = "default.query"
"""The name for a query whose request states no name."""
MAX_RELATIONS: Final = 1000
"""The maximum number of relations that one request may need from its surroundings."""


class Form(Enum):
    """The form of an answer: JSON, or text for people."""

    JSON = "json"
    TEXT = "text"


class Result(Enum):
    """The kind of an answer.

    INVALID: a malformed request. UNTRANSLATABLE: there is no answer. FAULT: a fault of this program.
    """

    OK = "ok"
    INVALID = "invalid"
    UNTRANSLATABLE = "untranslatable"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Wanted:
    """The relations that the process needs before it can answer a request.

    Attributes:
        relations: the relations whose facts are needed.
        interfaces: the relations for which the interface is enough.
        names: the texts in which the request names relations.
    """

    relations: tuple[RelationName, ...] = ()
    interfaces: tuple[RelationName, ...] = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer. ``details`` are sentences for people about its use; empty with ``Form.JSON``."""

    result: Result
    text: bytes
    details: tuple[str, ...] = ()


@dataclass(slots=True)
class Told:
    """Facts that accompany a request, as JSON values.

    Attributes:
        relations: facts by relation name; null if the relation does not exist.
        interfaces: stored derivations by relation name; null if the relation does not exist.
        udfs: the resolver's answers for the classes of these relations.
        similar: names that the request may have meant, by the name of a missing relation.
        names: the names of relations, by the texts that mean them; null if the deployment has no
            such catalog.
    """

    relations: dict[str, Any] = field(default_factory=dict)
    interfaces: dict[str, Any] = field(default_factory=dict)
    udfs: dict[str, Any] = field(default_factory=dict)
    similar: dict[str, Sequence[str]] = field(default_factory=dict)
    names: dict[str, str | None] = field(default_factory=dict)

    def add_relation(
        self, name: RelationName, relation: Relation | None, udfs: Mapping[str, UdfAnswer]
    ) -> None:
        self.relations[str(name)] = None if relation is None else facts_to_json(relation)
        self.udfs |= {class_name: udf_to_json(udf) for class_name, udf in udfs.items()}


def translation_handler(options: Options, max_answer_bytes: int) -> Handler:
    """The handler that answers requests; a deployment's options are the defaults."""
    return Handler(
        "lakeschema.translation.requests.answering:answer_translations",
        (for_child(options), max_answer_bytes),
    )


def question(request: bytes, form: Form, told: Told) -> Attached:
    stated = [form.value, told.relations, told.interfaces, told.udfs, told.similar, told.names]
    return Attached(stated, request)


def read_answer(answer: Any) -> Answer | Wanted:
    if isinstance(answer, Attached):
        result, details = answer.value
        return Answer(Result(result), answer.data, tuple(details))
    relations, interfaces = (
        tuple(RelationName.from_json(name) for name in part) for part in answer[:2]
    )
    return Wanted(relations, interfaces, tuple(answer[2]))
