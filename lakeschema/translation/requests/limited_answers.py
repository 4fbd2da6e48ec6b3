"""Requests for translations, to a process that knows of the catalog what it is told: ``answering``.

A request goes there as its bytes: neither the service nor anybody else parses what untrusted clients send.
Where it reads relations that it does not bring, the answer asks for them, and the request is asked again.
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
"""That one request may want to be told of."""


class Form(Enum):
    """JSON, or text for people."""

    JSON = "json"
    TEXT = "text"


class Result(Enum):
    """How a request ended.

    INVALID: the request means nothing. UNTRANSLATABLE: what it asks for has no answer. FAULT: of the
    program.
    """

    OK = "ok"
    INVALID = "invalid"
    UNTRANSLATABLE = "untranslatable"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a request reads and does not bring.

    Attributes:
        relations: whose facts are needed.
        interfaces: of which it is enough to know what dependents may know.
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
    """What a process is told beside a request, all JSON values; null for what does not exist.

    Attributes:
        relations: facts by name.
        interfaces: as JSON texts of derivations have them, by name.
        udfs: the resolver's answers of these relations' classes.
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
    """How a process answers, with a deployment's options as defaults of each request's own."""
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
