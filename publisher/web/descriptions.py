"""Reads a package's description from its wheel in a limited process, for its page.

The folder of an index may contain wheels of other programs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from codegen.changelog import changelog_from_json
from codegen.errors import NotOurWheel
from codegen.naming import TypeNamer
from codegen.package import EarlierSchema, PackageContents
from codegen.wheel import read_extras, read_public_names, read_types, read_wheel
from lakeschema.avro.errors import MalformedAvroSchema
from lakeschema.avro.model import Record
from lakeschema.avro.omissions import omissions_of
from lakeschema.avro.parsing import parse_schema
from lakeschema.catalog.identifiers import RelationName
from lakeschema.isolation.frames import Attached
from lakeschema.isolation.limits import Handler, Limits, PoolClosed, ProcessDied
from lakeschema.isolation.pool import LimitedProcesses
from publisher.web.fields import FieldRow, field_rows, simple_name
from publisher.web.package_code import (
    NO_CODE,
    PackageCode,
    package_code,
    package_code_from_json,
    package_code_to_json,
)

HANDLER: Final = "descriptions"
COMPARISONS: Final = "comparisons"

_LIMITS: Final = Limits(timeout_seconds=10.0)


class Undescribed(Exception):
    """The wheel was not made by this program, or is too large to read."""


@dataclass(frozen=True, slots=True)
class PackageDescription:
    """The description of a package, read from its wheel.

    ``omitted`` has the relation's columns that the package lacks, with their types and the reasons.
    """

    contents: PackageContents
    documentation: str
    rows: tuple[FieldRow, ...]
    omitted: tuple[str, ...] = ()
    code: PackageCode = NO_CODE


def read_package(wheel: bytes) -> tuple[PackageContents, Record, str]:
    """The contents of a wheel's package, its schema, and the source of its classes or "".

    Raises:
        Undescribed: this program did not make the wheel.
    """
    try:
        contents = read_wheel(wheel)
        schema = parse_schema(contents.schema_text)
    except (NotOurWheel, MalformedAvroSchema) as error:
        raise Undescribed(str(error)) from error
    if not isinstance(schema, Record):
        raise Undescribed("its schema is not of a record")
    return contents, schema, read_types(wheel, contents.import_package)


def describe(wheel: bytes) -> PackageDescription:
    """The description of a wheel's package.

    Raises:
        Undescribed: this program did not make the wheel.
    """
    contents, schema, types = read_package(wheel)
    rows = field_rows(schema, _class_names(schema, contents))
    omitted = tuple(map(str, omissions_of(schema)))
    package = contents.import_package
    functions, extras = read_public_names(wheel, package), read_extras(wheel)
    code = package_code(contents, schema, types, functions, extras)
    return PackageDescription(contents, schema.doc or "", rows, omitted, code)


def _class_names(schema: Record, contents: PackageContents) -> Callable[[str], str]:
    """A function from a type's full name to its class name, or to its simple name if no class is known."""
    class_name = TypeNamer.of(schema).class_name
    if contents.record_class != class_name(schema.full_name):
        return simple_name
    return class_name


def description_processes() -> LimitedProcesses:
    """One process for descriptions and comparisons, which starts with the first wheel."""
    handlers = {
        HANDLER: Handler("publisher.web.descriptions:answer_about_wheels", {}),
        COMPARISONS: Handler("publisher.web.comparisons:answer_about_pairs", {}),
    }
    return LimitedProcesses(handlers, count=1, limits=_LIMITS)


def describe_limited(processes: LimitedProcesses, wheel: bytes) -> PackageDescription:
    """Like ``describe``, in one of ``description_processes``."""
    return _from_json(ask(processes, HANDLER, Attached({}, wheel), "reading it"))


def ask(processes: LimitedProcesses, handler: str, question: Attached, doing: str) -> Any:
    """The answer of a limited process.

    ``doing`` names the work in the error.

    Raises:
        Undescribed: the process refuses or dies.
    """
    try:
        answer = processes.ask(handler, question)
    except ProcessDied as error:
        raise Undescribed(f"{doing} killed a process: {error.reason}") from error
    except PoolClosed as error:
        raise Undescribed(str(error)) from error
    if "refused" in answer:
        raise Undescribed(answer["refused"])
    return answer


def or_refused(answer: Callable[[Attached], Any]) -> Callable[[Any], Any]:
    """Wraps the function of the child process so that ``ask`` receives its refusals."""

    def answer_or_refuse(question: Attached) -> Any:
        try:
            return answer(question)
        except Undescribed as error:
            return {"refused": str(error)}

    return answer_or_refuse


def answer_about_wheels(_argument: Mapping[str, Any]) -> Callable[[Any], Any]:
    """The function that the child process calls with a wheel; it returns the description."""
    return or_refused(lambda question: _to_json(describe(question.data)))


def _to_json(description: PackageDescription) -> Mapping[str, Any]:
    contents = description.contents
    return {
        "contents": {**asdict(contents), "relation": contents.relation.to_json()},
        "documentation": description.documentation,
        "rows": [asdict(row) for row in description.rows],
        "omitted": list(description.omitted),
        "code": package_code_to_json(description.code),
    }


def _from_json(value: Mapping[str, Any]) -> PackageDescription:
    stated = value["contents"]
    contents = PackageContents(
        **{
            **stated,
            "relation": RelationName.from_json(stated["relation"]),
            "changelog": changelog_from_json(stated["changelog"]),
            "earlier_schemas": tuple(
                EarlierSchema(**{**each, "versions": tuple(each["versions"])})
                for each in stated["earlier_schemas"]
            ),
        }
    )
    rows = tuple(
        FieldRow(
            **{
                **row,
                "symbols": tuple(row["symbols"]),
                "fields_at": tuple(row["fields_at"]),
            }
        )
        for row in value["rows"]
    )
    return PackageDescription(
        contents,
        value["documentation"],
        rows,
        tuple(value["omitted"]),
        package_code_from_json(value["code"]),
    )
