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
from codegen.wheel import read_wheel
from lakeschema.avro.errors import MalformedAvroSchema
from lakeschema.avro.model import Record
from lakeschema.avro.omissions import omissions_of
from lakeschema.avro.parsing import parse_schema
from lakeschema.catalog.identifiers import RelationName
from lakeschema.isolation.frames import Attached
from lakeschema.isolation.limits import Handler, Limits, PoolClosed, ProcessDied
from lakeschema.isolation.pool import LimitedProcesses
from publisher.web.fields import FieldRow, field_rows, simple_name

HANDLER: Final = "descriptions"

_LIMITS: Final = Limits(timeout_seconds=10.0)


class Undescribed(Exception):
    """The wheel is not ours, or too large to read."""


@dataclass(frozen=True, slots=True)
class PackageDescription:
    """The description in a package's newest readable wheel.

    ``omitted``: the relation's columns that the package lacks, with their types and the reasons.
    """

    contents: PackageContents
    documentation: str
    rows: tuple[FieldRow, ...]
    omitted: tuple[str, ...] = ()


def describe(wheel: bytes) -> PackageDescription:
    """The description of a wheel's package.

    Raises:
        Undescribed: the wheel is not ours.
    """
    try:
        contents = read_wheel(wheel)
        schema = parse_schema(contents.schema_text)
    except (NotOurWheel, MalformedAvroSchema) as error:
        raise Undescribed(str(error)) from error
    if not isinstance(schema, Record):
        raise Undescribed("its schema is not of a record")
    rows = field_rows(schema, _class_names(schema, contents))
    omitted = tuple(map(str, omissions_of(schema)))
    return PackageDescription(contents, schema.doc or "", rows, omitted)


def _class_names(schema: Record, contents: PackageContents) -> Callable[[str], str]:
    """The package's class names, by full name; the types' simple names if the class names are unknown."""
    class_name = TypeNamer.of(schema).class_name
    if contents.record_class != class_name(schema.full_name):
        return simple_name
    return class_name


def description_processes() -> LimitedProcesses:
    """One process, which starts with the first wheel."""
    handler = Handler("publisher.web.descriptions:answer_about_wheels", {})
    return LimitedProcesses({HANDLER: handler}, count=1, limits=_LIMITS)


def describe_limited(processes: LimitedProcesses, wheel: bytes) -> PackageDescription:
    """Like ``describe``, in one of ``description_processes``."""
    try:
        answer = processes.ask(HANDLER, Attached({}, wheel))
    except ProcessDied as error:
        raise Undescribed(f"reading it killed a process: {error.reason}") from error
    except PoolClosed as error:
        raise Undescribed(str(error)) from error
    if "refused" in answer:
        raise Undescribed(answer["refused"])
    return _from_json(answer)


def answer_about_wheels(_argument: Mapping[str, Any]) -> Callable[[Any], Any]:
    """The child's function from a wheel to its description."""

    def answer(question: Attached) -> Any:
        try:
            return _to_json(describe(question.data))
        except Undescribed as error:
            return {"refused": str(error)}

    return answer


def _to_json(description: PackageDescription) -> Mapping[str, Any]:
    contents = description.contents
    return {
        "contents": {**asdict(contents), "relation": list(contents.relation.parts)},
        "documentation": description.documentation,
        "rows": [asdict(row) for row in description.rows],
        "omitted": list(description.omitted),
    }


def _from_json(value: Mapping[str, Any]) -> PackageDescription:
    stated = value["contents"]
    contents = PackageContents(
        **{
            **stated,
            "relation": RelationName.of(*stated["relation"]),
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
    return PackageDescription(contents, value["documentation"], rows, tuple(value["omitted"]))
