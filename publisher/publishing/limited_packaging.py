"""Runs the generator in child processes, because it reads, compares and renders untrusted input.

A schema may take long to compare or to render, and a wheel of the index much memory to read. A child that
exceeds its limits is killed, and only its current answer is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import cache
from importlib.metadata import version
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from codegen.errors import CodegenError
from codegen.package import PackageRequest, Wheel
from lakeschema.avro.compatibility import Change
from lakeschema.avro.errors import MalformedAvroSchema
from lakeschema.avro.model import Schema
from lakeschema.avro.printing import to_text
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.isolation.frames import Attached
from lakeschema.isolation.limits import Handler, ProcessDied
from lakeschema.isolation.pool import LimitedProcesses
from lakeschema.translation.model.interface import Derivation
from publisher.publishing.packaging import WheelPackaging
from publisher.publishing.packaging_protocol import (
    DraftedPackage,
    OpinionMode,
    PackagingCrashed,
    Predecessors,
    ReadPackage,
)
from publisher.publishing.request_json import (
    change_from_json,
    change_to_json,
    package_from_json,
    package_to_json,
    predecessors_from_json,
    predecessors_to_json,
    read_schema,
    request_from_json,
    request_to_json,
)
from publisher.settling.contents import BuildKeys
from publisher.state.records import VersionRecord, VersionStatus

if TYPE_CHECKING:
    from publisher.publishing.second_opinion import SecondOpinions

HANDLER = "packaging"
_NO_TEXTS: Mapping[str, str] = MappingProxyType({})


def packaging_handler(
    prefix: str,
    *,
    immutable: bool,
    project_urls: Mapping[str, str],
    second_opinion: OpinionMode,
) -> Handler:
    """The handler for the processes of a ``LimitedPackaging``, with the packaging's options."""
    return Handler(
        "publisher.publishing.limited_packaging:answer_about_packages",
        {
            "second_opinion": second_opinion,
            "options": {
                "prefix": prefix,
                "immutable": immutable,
                "project_urls": dict(project_urls),
            },
        },
    )


class LimitedPackaging:
    """A ``Packaging`` that works in ``processes``, whose handler ``HANDLER`` is ``packaging_handler``.

    ``packaging`` makes names and requests in this process. It needs the handler's options, and
    ``second_opinion`` needs the handler's value.
    """

    def __init__(
        self, processes: LimitedProcesses, packaging: WheelPackaging, second_opinion: OpinionMode
    ) -> None:
        self._processes = processes
        self._packaging = packaging
        self._second_opinion = second_opinion

    @property
    def build_keys(self) -> BuildKeys:
        return replace(self._packaging.build_keys, checks=_checks(self._second_opinion))

    @property
    def prefix(self) -> str:
        return self._packaging.prefix

    def distribution(self, relation: RelationName) -> str:
        return self._packaging.distribution(relation)

    def request(self, relation: Relation, derivation: Derivation) -> PackageRequest:
        return self._packaging.request(relation, derivation)

    def content_hash(self, request: PackageRequest) -> str:
        question = {"ask": "content_hash", "request": request_to_json(request)}
        found: str = self._ask(request.relation, question)["content_hash"]
        return found

    def next_version(
        self, relation: RelationName, schema: Schema, predecessors: Predecessors
    ) -> tuple[str, Change]:
        question = {
            "ask": "next_version",
            "relation": relation.to_json(),
            "schema": to_text(schema),
            "predecessors": predecessors_to_json(predecessors),
        }
        answer = self._ask(relation, question)
        return answer["number"], change_from_json(answer["change"])

    def draft(self, request: PackageRequest, predecessors: Predecessors) -> DraftedPackage:
        question = {
            "ask": "draft",
            "request": request_to_json(request),
            "predecessors": predecessors_to_json(predecessors),
        }
        answer = self._ask(request.relation, question)
        wheel = _wheel_from_answer(answer)
        return DraftedPackage(change_from_json(answer.value["change"]), wheel)

    def rebuild(
        self, version: VersionRecord, provenance: str, earlier: Mapping[str, str] = _NO_TEXTS
    ) -> Wheel | None:
        question = {
            "ask": "rebuild",
            "relation": version.relation.to_json(),
            "number": version.number,
            "schema": version.schema_text,
            "sha256": version.wheel_sha256,
            "provenance": provenance,
            "earlier": dict(earlier),
        }
        answer = self._ask(version.relation, question)
        return _wheel_from_answer(answer) if isinstance(answer, Attached) else None

    def read(self, wheel: bytes) -> ReadPackage:
        try:
            return package_from_json(self._answer(Attached({"ask": "read"}, wheel))["package"])
        except ProcessDied as error:
            raise CodegenError(f"reading the wheel killed a process: {error.reason}") from error

    def _ask(self, relation: RelationName, question: Mapping[str, Any]) -> Any:
        try:
            return self._answer(question)
        except ProcessDied as error:
            raise PackagingCrashed(relation, error.reason) from error

    def _answer(self, question: Any) -> Any:
        answer = self._processes.ask(HANDLER, question)
        if not isinstance(answer, Attached) and "refused" in answer:
            raise CodegenError(answer["refused"])
        return answer


@cache
def _checks(second_opinion: OpinionMode) -> str:
    """Identifies the second opinions by the versions of their libraries."""
    if second_opinion == "off":
        return second_opinion
    return f"{second_opinion}, avro {version('avro')}, fastavro {version('fastavro')}"


def _wheel_from_answer(answer: Attached) -> Wheel:
    return Wheel(**answer.value["wheel"], data=answer.data)


_Drafting: TypeAlias = Callable[[PackageRequest, Predecessors], DraftedPackage]


def answer_about_packages(
    argument: Mapping[str, Any],
) -> Callable[[Any], Any]:
    """The function that the child process calls with a question; it returns the answer."""
    packaging = WheelPackaging(**argument["options"])

    @cache
    def opinions() -> SecondOpinions:
        # Only a child that builds wheels needs fastavro and Apache Avro, which are slow to import.
        from publisher.publishing.second_opinion import SecondOpinions

        return SecondOpinions(argument["second_opinion"])

    def draft(request: PackageRequest, predecessors: Predecessors) -> DraftedPackage:
        drafted = packaging.draft(request, predecessors)
        opinions().require(drafted.wheel, request.schema)
        return drafted

    def answer(question: Any) -> Any:
        try:
            if isinstance(question, Attached):
                return {"package": package_to_json(packaging.read(question.data))}
            return _answer(packaging, draft, question)
        except (CodegenError, MalformedAvroSchema) as error:
            return {"refused": str(error)}

    return answer


def _answer(packaging: WheelPackaging, draft: _Drafting, question: Mapping[str, Any]) -> Any:
    match question["ask"]:
        case "content_hash":
            return {"content_hash": packaging.content_hash(request_from_json(question["request"]))}
        case "next_version":
            number, change = packaging.next_version(
                RelationName.from_json(question["relation"]),
                read_schema(question["schema"]),
                predecessors_from_json(question["predecessors"]),
            )
            return {"number": number, "change": change_to_json(change)}
        case "draft":
            drafted = draft(
                request_from_json(question["request"]),
                predecessors_from_json(question["predecessors"]),
            )
            return _attach(drafted.wheel, {"change": change_to_json(drafted.change)})
        case "rebuild":
            rebuilt = packaging.rebuild(
                _version_of(question), question["provenance"], question["earlier"]
            )
            return {} if rebuilt is None else _attach(rebuilt, {})
        case asked:
            raise ValueError(f"not a question: {asked!r}")


def _version_of(question: Mapping[str, Any]) -> VersionRecord:
    """The parts of a version that its rebuilding needs."""
    return VersionRecord(
        distribution="",
        number=question["number"],
        relation=RelationName.from_json(question["relation"]),
        status=VersionStatus.PUBLISHED,
        content_hash=None,
        schema_text=question["schema"],
        wheel_sha256=question["sha256"],
        filename="",
    )


def _attach(wheel: Wheel, answer: Mapping[str, Any]) -> Attached:
    stated = {key: value for key, value in asdict(wheel).items() if key != "data"}
    return Attached({**answer, "wheel": stated}, wheel.data)
