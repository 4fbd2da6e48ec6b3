"""Answers the questions that ``limited_answers`` writes, in a process that may be killed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lakeschema.catalog.facts_json import facts_from_json
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.isolation.frames import Attached
from lakeschema.translation.deriving.derivation_json import interface_from_json, udf_from_json
from lakeschema.translation.deriving.limited_deriver import ParentsAnswers
from lakeschema.translation.model.errors import TooLarge, UnknownRelation
from lakeschema.translation.model.interface import Interface, Options
from lakeschema.translation.requests.batch import translated
from lakeschema.translation.requests.batch_answers import (
    InvalidRequest,
    answered,
    ending_with_memory,
    parsed_request,
    refused,
)
from lakeschema.translation.requests.limited_answers import MAX_RELATIONS, Form, Result, Wanted
from lakeschema.translation.requests.shown_answers import shown_answer


def answer_translations(argument: tuple[Options, int]) -> Callable[[Attached], Any]:
    """The function with which the child process answers a question."""
    options, max_answer_bytes = argument
    resolver = ParentsAnswers()
    defaults = replace(options, udf_resolver=resolver)

    def answer(asked: Attached) -> Any:
        form, relations, interfaces, udfs, similar, names = asked.value
        resolver.answers = {name: udf_from_json(udf) for name, udf in udfs.items()}
        told = _ToldSurroundings(relations, interfaces, similar, names)
        found = _answered(asked.data, defaults, told)
        if isinstance(found, Wanted):
            wanted = (found.relations, found.interfaces)
            return [*([name.to_json() for name in part] for part in wanted), found.names]
        text, details = _in_form(Form(form), found)
        if len(text) + sum(map(len, details)) > max_answer_bytes:
            message = f"the answer has more than the {max_answer_bytes} bytes allowed"
            found = {"id": found["id"], "error": {"type": "TooLarge", "message": message}}
            text, details = _in_form(Form(form), found)
        return Attached([_result(found).value, details], text)

    return answer


class _NotTold(Exception):
    def __init__(self, wanted: Wanted) -> None:
        super().__init__(wanted)
        self.wanted = wanted


@dataclass(frozen=True, slots=True)
class _ToldSurroundings:
    """Surroundings with the relations in a question; they raise ``_NotTold`` for other relations."""

    told_relations: Mapping[str, Any]
    told_interfaces: Mapping[str, Any]
    similar: Mapping[str, Sequence[str]]
    names: Mapping[str, str | None]

    def named(self, text: str, /) -> RelationName:
        if text not in self.names:
            raise _NotTold(Wanted(names=(text,)))
        key = self.names[text]
        if key is None:
            raise UnknownRelation(RelationName.parse(text), hint="there is no such catalog")
        return RelationName.from_key(key)

    def relations(self, names: Sequence[RelationName], /) -> Mapping[RelationName, Relation]:
        unknown = _untold(names, self.told_relations)
        if unknown:
            raise _NotTold(Wanted(relations=unknown))
        found = {name: self.told_relations[str(name)] for name in names}
        return {name: facts_from_json(facts) for name, facts in found.items() if facts is not None}

    def interfaces(self, names: Sequence[RelationName], /) -> Mapping[RelationName, Interface]:
        unknown = _untold(names, self.told_interfaces)
        if unknown:
            raise _NotTold(Wanted(interfaces=unknown))
        found = {name: self.told_interfaces[str(name)] for name in names}
        return {
            name: interface_from_json(value) for name, value in found.items() if value is not None
        }


def _untold(names: Sequence[RelationName], told: Mapping[str, Any]) -> tuple[RelationName, ...]:
    unknown = tuple(dict.fromkeys(name for name in names if str(name) not in told))
    if len(unknown) + len(told) > MAX_RELATIONS:
        raise TooLarge(
            f"the request reads more than {MAX_RELATIONS} relations that it does not create",
            hint="split it, or create some of them in its ddl",
        )
    return unknown


def _answered(
    request: bytes, defaults: Options, surroundings: _ToldSurroundings
) -> dict[str, Any] | Wanted:
    def result(valid: Mapping[str, Any]) -> Any:
        try:
            return translated(valid, defaults, surroundings)
        except _NotTold as not_told:
            return not_told.wanted
        except UnknownRelation as error:
            if meant := surroundings.similar.get(str(error.missing)):
                error.hint = f"did you mean {' or '.join(meant)}?"
            raise

    try:
        stated = parsed_request(request)
    except InvalidRequest as error:
        return refused(error)
    found = answered(stated, ending_with_memory(result))
    wanted = found.get("result")
    return wanted if isinstance(wanted, Wanted) else found


def _in_form(form: Form, found: Mapping[str, Any]) -> tuple[bytes, Sequence[str]]:
    if form is Form.JSON:
        return json.dumps(found).encode("ascii"), ()
    text, details = shown_answer(found)
    return text.encode("utf-8", "replace"), details


def _result(found: Mapping[str, Any]) -> Result:
    match found:
        case {"error": {"type": "InvalidRequest" | "MalformedName"}}:
            return Result.INVALID
        case {"error": {"type": "InternalError"}}:
            return Result.FAULT
        case {"error": _}:
            return Result.UNTRANSLATABLE
        case _:
            return Result.OK
