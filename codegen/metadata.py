"""Writes a wheel's METADATA, which indexes and ``pip show`` display.

Text from the catalog is escaped for Markdown, and put on one line in headers, so that no comment
can add a header, a link or markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote

from codegen.changelog import changelog_lines, first_lines, releases
from codegen.default_values import unheld_defaults
from codegen.escaping import markdown, one_line
from codegen.layout import Layout
from codegen.naming import distribution_name, import_name
from codegen.package import PackageRequest
from codegen.shapes import PackageShape
from lakeschema.avro.fingerprint import Fingerprints
from lakeschema.avro.json_text import shown
from lakeschema.avro.key_value_maps import is_key_value_array, key_and_value
from lakeschema.avro.model import (
    Array,
    EnumSchema,
    Field,
    Fixed,
    MapSchema,
    Primitive,
    Record,
    Reference,
    Schema,
    Union,
    is_nullable,
)
from lakeschema.avro.omissions import omissions_of

METADATA_VERSION = "2.2"
_MAX_SUMMARY = 200
_MAX_DOC = 300
_MAX_CHANGELOG_LINES = 100


def metadata(request: PackageRequest, layout: Layout) -> bytes:
    head = "\n".join(f"{name}: {value}" for name, value in _headers(request))
    body = "\n".join(_description(request, layout))
    return f"{head}\n\n{body}\n".encode("utf-8", "backslashreplace")


def _headers(request: PackageRequest) -> Iterator[tuple[str, str]]:
    distribution = distribution_name(request.relation, request.prefix)
    keywords = ",".join(["avro", "schema", *map(_keyword, request.relation.parts)])
    yield "Metadata-Version", METADATA_VERSION
    yield "Name", distribution
    yield "Version", request.version
    yield "Summary", _summary(request)
    yield "Keywords", keywords
    yield from _FIXED_HEADERS
    for label, url in _project_urls(request, distribution):
        yield "Project-URL", f"{label}, {url}"
    yield "Description-Content-Type", "text/markdown; charset=UTF-8; variant=GFM"


_FIXED_HEADERS = (
    ("Classifier", "Programming Language :: Python :: 3"),
    ("Classifier", "Typing :: Typed"),
    ("Requires-Python", ">=3.11"),
    ("Provides-Extra", "arrow"),
    ("Provides-Extra", "spark"),
    ("Requires-Dist", 'pyarrow>=14; extra == "arrow"'),
    ("Requires-Dist", 'pyspark>=3.5; extra == "spark"'),
    ("Provides-Extra", "snappy"),
    ("Requires-Dist", 'cramjam>=2.8; extra == "snappy"'),
    ("Provides-Extra", "zstandard"),
    ("Requires-Dist", 'backports.zstd>=1.0; extra == "zstandard" and python_version < "3.14"'),
)


@dataclass(frozen=True, slots=True)
class Extra:
    """An extra of a package, and the requirement of the library that it adds."""

    name: str
    requirement: str


def stated_extras(text: str) -> tuple[Extra, ...]:
    """The extras in the headers of a METADATA, each with its library.

    Only plain requirements are returned, since readers may copy them into a shell.
    """
    headers = text.partition("\n\n")[0]
    return tuple(Extra(name, requirement) for requirement, name in _EXTRA.findall(headers))


_EXTRA = re.compile(
    r'^Requires-Dist: ([A-Za-z0-9._-]+(?:>=[0-9.]+)?); extra == "([a-z]+)"', re.MULTILINE
)


def _description(request: PackageRequest, layout: Layout) -> Iterator[str]:
    record, shape = request.schema, layout.shape
    yield f"# {markdown(one_line(str(request.relation)))}"
    yield ""
    if record.doc:
        yield markdown(one_line(record.doc))
        yield ""
    yield "```python"
    yield f"from {import_name(request.relation, request.prefix)} import {shape.root.class_name}"
    yield "```"
    yield ""
    yield from _fields_table(record, shape)
    yield ""
    for name, default in _unheld(layout):
        yield f"{markdown(name)} must be given: Python cannot hold its default {markdown(one_line(default))}"
        yield ""
    for omitted in omissions_of(record):
        yield f"Left out: {markdown(one_line(str(omitted)))}"
        yield ""
    yield from _facts_table(request, layout.fingerprints)
    yield ""
    yield "# Changelog"
    yield ""
    yield from changelog_lines(first_lines(releases(request), _MAX_CHANGELOG_LINES))


def _unheld(layout: Layout) -> Iterator[tuple[str, str]]:
    """Attributes that are required although the schema has a default, with the default."""
    for record in layout.shape.records:
        for attribute, default in unheld_defaults(record, layout.defaults):
            yield f"{record.class_name}.{attribute.name}", shown(default)


def _facts_table(request: PackageRequest, fingerprints: Fingerprints) -> Iterator[str]:
    provenance = request.provenance
    yield "| | |"
    yield "|---|---|"
    yield f"| Version | {markdown(request.version)} ({markdown(provenance.change)}) |"
    yield f"| Kind | {markdown(provenance.kind)} |"
    yield f"| Fingerprint CRC-64-AVRO | `{fingerprints.crc_64_avro:016x}` |"
    yield f"| Fingerprint SHA-256 | `{fingerprints.sha_256}` |"
    yield f"| Generator | schema-publisher {markdown(provenance.generator_version)} |"
    if provenance.upstreams:
        names = ", ".join(markdown(one_line(name)) for name in sorted(provenance.upstreams))
        yield f"| Reads | {names} |"
    if provenance.event_id is not None:
        yield f"| Event | {int(provenance.event_id)} |"


def _project_urls(request: PackageRequest, distribution: str) -> Iterator[tuple[str, str]]:
    relation = quote(str(request.relation), safe="")
    for label, url in request.project_urls.items():
        yield label, url.replace("{name}", distribution).replace("{relation}", relation)


def _summary(request: PackageRequest) -> str:
    doc = one_line(request.schema.doc or "")
    kind = "view" if request.provenance.kind == "view" else "table"
    text = doc or f"Typed records of the {kind} {one_line(str(request.relation))}"
    return text if len(text) <= _MAX_SUMMARY else text[: _MAX_SUMMARY - 1] + "…"


def _fields_table(record: Record, shape: PackageShape) -> Sequence[str]:
    classes = {each.full_name: each.class_name for each in shape.classes}
    attributes = shape.root.attributes
    rows = [_field_row(f, a.name, classes) for f, a in zip(record.fields, attributes, strict=True)]
    return ["| field | type | null | description |", "|---|---|---|---|", *rows]


def _field_row(field: Field, attribute: str, classes: Mapping[str, str]) -> str:
    name = _cell(field.name)
    if attribute != field.name:
        name += f" (in Python: {markdown(attribute)})"
    doc = one_line(" ".join(_docs(field)))
    short = doc if len(doc) <= _MAX_DOC else doc[: _MAX_DOC - 1] + "…"
    null = "yes" if is_nullable(field.type) else "no"
    return f"| {name} | {_cell(describe(field.type, classes))} | {null} | {markdown(short)} |"


def _docs(field: Field) -> Iterator[str]:
    """The field's documentation, and the documentation of an enum in its type."""
    if field.doc:
        yield field.doc
    enum = _enum_of(field.type)
    if enum is not None and enum.doc and enum.doc != field.doc:
        yield f"{enum.name}: {enum.doc}"


def _enum_of(schema: Schema) -> EnumSchema | None:
    """The first enum defined in optional types, arrays and maps."""
    match schema:
        case EnumSchema():
            return schema
        case Array(inner) | MapSchema(inner):
            return _enum_of(inner)
        case Union(branches):
            return next((found for found in map(_enum_of, branches) if found is not None), None)
        case _:
            return None


# Cached, because columns have few types, and many tables have columns of the same name.
_cell = lru_cache(10_000)(markdown)


def describe(schema: Schema, classes: Mapping[str, str]) -> str:
    """A type in words, without null: ``array of string``, ``decimal(10,2)``, ``Address``.

    ``classes`` are the names of the package's classes, by full name.
    """
    match schema:
        case Primitive(name, None):
            return name
        case Primitive(name, logical) | Fixed(name=name, logical=logical) if logical is not None:
            if logical.precision is not None:
                return f"{logical.name}({logical.precision},{logical.scale})"
            return logical.name
        case Array(Record() as entry) if is_key_value_array(schema) and key_and_value(entry):
            key, value = entry.fields
            return f"map of {describe(key.type, classes)} to {describe(value.type, classes)}"
        case Array(items):
            return f"array of {describe(items, classes)}"
        case MapSchema(values):
            return f"map of {describe(values, classes)}"
        case Union(branches):
            others = [branch for branch in branches if not is_nullable(branch)] or branches
            return " or ".join(describe(branch, classes) for branch in others)
        case Reference(full_name):
            return classes.get(full_name) or full_name.rpartition(".")[2]
        case Record() | EnumSchema() | Fixed():
            return classes.get(schema.full_name) or schema.name
        case Primitive(name):
            return name


def _keyword(part: str) -> str:
    return re.sub(r"[^0-9a-z_]+", "-", part.lower())[:40]
