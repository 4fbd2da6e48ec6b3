"""Reads from a wheel's contents what programmers need: classes, schema, SQL, and a runnable example."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from codegen.declared_classes import (
    DeclaredClass,
    UnreadableSource,
    class_lines,
    classes_from_json,
    declared_classes,
)
from codegen.errors import CodegenError
from codegen.lowering import lower
from codegen.metadata import Extra
from codegen.package import PackageContents
from codegen.shapes import PackageShape
from codegen.surface import surface_hash_of
from codegen.usage_example import general_example, usage_example
from codegen.usage_programs import NamedUse, UsageProgram, named_uses, usage_programs
from lakeschema.avro.model import Record
from lakeschema.translation.requests.sql_layout import lay_out_sql
from publisher.web.json_layout import lay_out_json

_IS_IMMUTABLE: Final = "__refuse_change__"
_METHOD: Final = re.compile(r"^    def ([a-z]\w*)\(", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PackageCode:
    """Code of a package for its page. A part that the wheel lacks is empty.

    Attributes:
        schema, sql: texts with line breaks for readers.
        programs: programs that read and write records, one for each source of data.
        uses: the package's other functions and methods, each with its purpose.
    """

    classes: tuple[DeclaredClass, ...] = ()
    schema: str = ""
    sql: str = ""
    example: str = ""
    programs: tuple[UsageProgram, ...] = ()
    uses: tuple[NamedUse, ...] = ()
    extras: tuple[Extra, ...] = ()

    @property
    def python(self) -> str:
        return "\n".join(line.text for line in class_lines(self.classes))


NO_CODE: Final = PackageCode()


def package_code(
    contents: PackageContents,
    schema: Record,
    types: str,
    functions: Collection[str],
    extras: tuple[Extra, ...],
) -> PackageCode:
    """The code of a package for its page.

    ``types`` is the source of the package's classes, or "". ``functions`` are the names of the
    package's public functions.
    """
    package, name = contents.import_package, contents.record_class
    names = {*functions, *_METHOD.findall(types)}
    has_examples = bool(package and name) and "example" in names
    shape = _shape(contents, schema, types) if has_examples else None
    return replace(
        package_texts(contents, types),
        example=_example(package, name, shape) if has_examples else "",
        programs=usage_programs(package, name, shape, names) if has_examples else (),
        uses=named_uses(names),
        extras=extras,
    )


def package_texts(contents: PackageContents, types: str) -> PackageCode:
    """Like ``package_code``, without the example, programs and uses."""
    stated = contents.provenance.get("view_text")
    try:
        classes = declared_classes(types)
    except UnreadableSource:
        classes = ()
    return PackageCode(
        classes,
        lay_out_json(contents.schema_text),
        lay_out_sql(stated) if isinstance(stated, str) else "",
    )


def package_code_to_json(code: PackageCode) -> Mapping[str, Any]:
    return asdict(code)


def package_code_from_json(value: Mapping[str, Any]) -> PackageCode:
    return PackageCode(
        **{
            **value,
            "classes": classes_from_json(value["classes"]),
            "programs": tuple(UsageProgram(**each) for each in value["programs"]),
            "uses": tuple(
                NamedUse(tuple(each["names"]), each["purpose"]) for each in value["uses"]
            ),
            "extras": tuple(Extra(**each) for each in value["extras"]),
        }
    )


def _shape(contents: PackageContents, schema: Record, types: str) -> PackageShape | None:
    """The shape of the package's classes; None if this release's generator would name them differently."""
    try:
        shape = replace(lower(schema), immutable=_IS_IMMUTABLE in types)
    except CodegenError:
        return None
    same = surface_hash_of(shape, contents.import_package) == contents.surface_hash
    return shape if same else None


def _example(package: str, name: str, shape: PackageShape | None) -> str:
    return general_example(package, name) if shape is None else usage_example(shape, package)
