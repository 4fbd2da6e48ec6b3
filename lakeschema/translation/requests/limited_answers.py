"""Translation requests, answered in a limited process: see ``answering``.

The process gets a request as bytes, so that no other process parses untrusted input. It knows of
the catalog only what it is told: if it needs other relations, it asks for them and gets the request
again with these.
"""

from __future__ import annotations

from collections.abc import Mapping
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
MAX_RELATIONS: Final = 1000
"""How many relations one request may ask for."""


class Form(Enum):
    """JSON, or text for people."""

    JSON = "json"
    TEXT = "text"


class Result(Enum):
    """INVALID: a malformed request. UNTRANSLATABLE: there is no answer. FAULT: a bug of ours."""

    OK = "ok"
    INVALID = "invalid"
    UNTRANSLATABLE = "untranslatable"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Wanted:
    """The relations that a request reads but does not bring.

    Attributes:
        relations: those whose facts are needed.
        interfaces: those whose interface is enough.
    """

    relations: tuple[RelationName, ...] = ()
    interfaces: tuple[RelationName, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """``details`` are further text for people, "" with ``Form.JSON``."""

    result: Result
    text: bytes
    details: str = ""


@dataclass(slots=True)
class Told:
    """Facts that a process gets with a request, as JSON values; null if the relation does not exist.

    Attributes:
        relations: facts by name.
        interfaces: by name, in the form of stored derivations.
        udfs: the resolver's answers for these relations' classes.
    """

    relations: dict[str, Any] = field(default_factory=dict)
    interfaces: dict[str, Any] = field(default_factory=dict)
    udfs: dict[str, Any] = field(default_factory=dict)

    def add_relation(
        self, name: RelationName, relation: Relation | None, udfs: Mapping[str, UdfAnswer]
    ) -> None:
        self.relations[str(name)] = None if relation is None else facts_to_json(relation)
        self.udfs |= {class_name: udf_to_json(udf) for class_name, udf in udfs.items()}


def translation_handler(options: Options, max_answer_bytes: int) -> Handler:
    """Answers with a deployment's options as defaults for each request's own."""
    return Handler(
        "lakeschema.translation.requests.answering:answer_translations",
        (for_child(options), max_answer_bytes),
    )


def question(request: bytes, form: Form, told: Told) -> Attached:
    return Attached([form.value, told.relations, told.interfaces, told.udfs], request)


def read_answer(answer: Any) -> Answer | Wanted:
    if isinstance(answer, Attached):
        result, details = answer.value
        return Answer(Result(result), answer.data, details)
    relations, interfaces = (tuple(RelationName.of(*parts) for parts in part) for part in answer)
    return Wanted(relations, interfaces)
