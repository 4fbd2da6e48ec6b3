"""Reads the classes of a package's ``_types.py`` for people: fields, types and documentation.

The source may come from another program, so it is only parsed and never executed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final

# Up to Python 3.12, threads that parse at the same time can fail with a SystemError.
_PARSING: Final = Lock()

# The line ends that Python counts.
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_ALIAS: Final = re.compile(r"\b__type_(\w+)__\b")
_PRIVATE: Final = re.compile(r"(?<![\w.])_(datetime|decimal|uuid|enum|Duration|Mapping)\b")


@dataclass(frozen=True, slots=True)
class Member:
    """A field or an enum's member; ``name`` is its Python name."""

    name: str
    declaration: str
    documentation: str


@dataclass(frozen=True, slots=True)
class DeclaredClass:
    """A declared class; ``header`` is its first line, such as ``class Tier(enum.Enum):``."""

    name: str
    header: str
    documentation: str
    members: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class ClassLine:
    """A line of code; ``member`` names the field or member that it declares, or is ""."""

    text: str
    class_name: str
    member: str = ""


class UnreadableSource(ValueError):
    """The text is not Python, or is nested too deeply."""


def declared_classes(source: str) -> tuple[DeclaredClass, ...]:
    """The public classes, in the order of the source.

    Raises:
        UnreadableSource
    """
    try:
        with _PARSING:
            module = ast.parse(source)
        lines = _LINE_END.split(source)
        return tuple(
            _declared(each, lines)
            for each in module.body
            if isinstance(each, ast.ClassDef) and not each.name.startswith("_")
        )
    except (SyntaxError, ValueError, IndexError, RecursionError, MemoryError) as error:
        raise UnreadableSource(str(error)) from error


def class_lines(classes: Sequence[DeclaredClass]) -> Iterator[ClassLine]:
    """The lines of the classes' code, with two empty lines between classes."""
    for number, each in enumerate(classes):
        if number:
            yield from (ClassLine("", each.name), ClassLine("", each.name))
        yield ClassLine(each.header, each.name)
        yield from _docstring(each.documentation, each.name)
        if each.documentation and each.members:
            yield ClassLine("", each.name)
        for member in each.members:
            yield ClassLine(f"    {member.declaration}", each.name, member.name)
            yield from _docstring(member.documentation, each.name)
        if not each.documentation and not each.members:
            yield ClassLine("    ...", each.name)


def classes_from_json(value: Sequence[Mapping[str, object]]) -> tuple[DeclaredClass, ...]:
    """The inverse of ``dataclasses.asdict`` for each class, after JSON."""
    return tuple(
        DeclaredClass(
            str(each["name"]),
            str(each["header"]),
            str(each["documentation"]),
            tuple(Member(**member) for member in _list(each["members"])),
        )
        for each in value
    )


def _list(value: object) -> Sequence[Mapping[str, str]]:
    return value if isinstance(value, list) else ()


def _declared(found: ast.ClassDef, lines: Sequence[str]) -> DeclaredClass:
    bases = ", ".join(_readable(ast.unparse(base)) for base in found.bases)
    documentation = ast.get_docstring(found, clean=False) or ""
    # The section "Attributes" is omitted, since it repeats the documentation of the fields.
    described = documentation.partition("\n\n    Attributes:\n")[0].strip()
    header = f"class {found.name}({bases}):" if bases else f"class {found.name}:"
    return DeclaredClass(found.name, header, described, tuple(_members(found.body, lines)))


def _members(body: Sequence[ast.stmt], lines: Sequence[str]) -> Iterator[Member]:
    for statement, following in zip(body, [*body[1:], None], strict=True):
        name = _declared_name(statement)
        # The generator writes each declaration on one line.
        if name and not name.startswith("__") and statement.lineno == statement.end_lineno:
            line = lines[statement.lineno - 1].strip()
            text = _readable(line) if isinstance(statement, ast.AnnAssign) else line
            yield Member(name, text, _constant_text(following))


def _declared_name(statement: ast.stmt) -> str:
    match statement:
        case ast.AnnAssign(target=ast.Name(id=name)):
            return name
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant()):
            return name
        case _:
            return ""


def _constant_text(statement: ast.stmt | None) -> str:
    match statement:
        case ast.Expr(value=ast.Constant(value=str(text))):
            return text.strip()
        case _:
            return ""


def _readable(annotation: str) -> str:
    """The annotation as people write it: ``datetime.date``, not ``_datetime.date``, and no aliases."""
    return _PRIVATE.sub(r"\1", _ALIAS.sub(r"\1", annotation.replace("_builtins.", "")))


def _docstring(text: str, class_name: str) -> Iterator[ClassLine]:
    if not text:
        return
    escaped = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    lines = [line.strip() for line in escaped.split("\n")]
    if len(lines) == 1:
        end = " " if escaped.endswith('"') else ""
        yield ClassLine(f'    """{escaped}{end}"""', class_name)
        return
    yield ClassLine(f'    """{lines[0]}', class_name)
    for line in lines[1:]:
        yield ClassLine(f"    {line}" if line else "", class_name)
    yield ClassLine('    """', class_name)
