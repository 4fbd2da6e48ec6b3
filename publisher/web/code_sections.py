"""Makes the code on a version's page: shortened, with links to the table of fields and to whole files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final
from urllib.parse import quote

from codegen.declared_classes import class_lines
from codegen.usage_programs import NamedUse, UsageProgram
from publisher.web.addresses import version_address
from publisher.web.code_view import MAX_LINES, CodeLink, CodeView, code_view
from publisher.web.descriptions import PackageDescription
from publisher.web.fields import FieldRow
from publisher.web.spans import Span, spans

RAW_PYTHON: Final = "record.py"
RAW_SCHEMA: Final = "schema.avsc"
RAW_SQL: Final = "view.sql"

_MAX_TITLE: Final = 300
_WORD: Final = re.compile(r"\w+")
_MAX_SCHEMA_LINES: Final = 200


@dataclass(frozen=True, slots=True)
class ProgramView:
    title: str
    extra: str
    note: tuple[Span, ...]
    code: CodeView


@dataclass(frozen=True, slots=True)
class CodeSections:
    """The code on a version's page; None for each part that the wheel lacks.

    Attributes:
        programs: programs that read and write records, one for each source of data.
        uses: the package's other functions and methods, each with its purpose.
    """

    example: CodeView | None
    programs: tuple[ProgramView, ...]
    uses: tuple[NamedUse, ...]
    record: CodeView | None
    schema: CodeView | None
    sql: CodeView | None


def raw_files(description: PackageDescription) -> Mapping[str, str]:
    """The texts that can be fetched whole, by the name of the file."""
    code = description.code
    texts = {RAW_PYTHON: code.python, RAW_SCHEMA: code.schema, RAW_SQL: code.sql}
    return {name: text for name, text in texts.items() if text}


def code_sections(
    name: str, version: str, description: PackageDescription, listed: frozenset[str]
) -> CodeSections:
    """The sections for the page of a version.

    ``listed`` has the paths of the fields that the page's table shows; only these get links.
    """
    code = description.code
    folder = version_address(name, version)
    return CodeSections(
        example=code_view(code.example, "python") if code.example else None,
        programs=tuple(map(_program_view, code.programs)),
        uses=code.uses,
        record=code_view(
            code.python,
            "python",
            raw=f"{folder}/{RAW_PYTHON}",
            links=_field_links(description, listed),
        )
        if code.classes
        else None,
        schema=code_view(
            code.schema, "json", raw=f"{folder}/{RAW_SCHEMA}", max_lines=_MAX_SCHEMA_LINES
        )
        if code.schema
        else None,
        sql=code_view(code.sql, "sql", raw=f"{folder}/{RAW_SQL}") if code.sql else None,
    )


def _program_view(program: UsageProgram) -> ProgramView:
    code = code_view(program.text, "python")
    return ProgramView(program.title, program.extra, spans(program.note), code)


def _field_links(description: PackageDescription, listed: frozenset[str]) -> Mapping[int, CodeLink]:
    """The links from attributes to the rows of their fields, by the number of the line."""
    rows = {
        (class_name, row.attribute or row.path.rpartition(".")[2]): row
        for class_name, row in _rows_of_classes(description)
    }
    found = {}
    # Later lines are not shown.
    shown = islice(class_lines(description.code.classes), MAX_LINES)
    for number, line in enumerate(shown):
        row = rows.get((line.class_name, line.member))
        if row is not None and row.path in listed:
            address = f"#{quote(f'field-{row.path}')}"
            title = row.documentation or row.type
            found[number] = CodeLink(line.member, address, title[:_MAX_TITLE])
    return found


def _rows_of_classes(description: PackageDescription) -> Iterator[tuple[str, FieldRow]]:
    """Pairs of a class's name and the row of one of its fields.

    The rows of a class's fields follow the row whose type names the class. If that type names several
    classes, the rows are paired with "".
    """
    classes = {each.name for each in description.code.classes}
    owners: list[str] = []
    last = ""
    for row in description.rows:
        if row.depth > len(owners) - 1:
            owners.append(last if owners else description.contents.record_class)
        del owners[row.depth + 1 :]
        yield owners[-1], row
        named = classes.intersection(_WORD.findall(row.type))
        last = named.pop() if len(named) == 1 else ""
