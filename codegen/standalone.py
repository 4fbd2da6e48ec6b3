"""Writes the package of one schema to disk, without the service."""

from __future__ import annotations

import keyword
from pathlib import Path

from codegen.errors import UnfitSchema
from codegen.modules import render_modules
from lakeschema.avro.model import Record


def generate(schema: Record, package: str, output: Path, *, immutable: bool = False) -> Path:
    """Writes the package ``package`` (a dotted name) into ``output``; returns its folder.

    Raises:
        UnfitSchema: the package's name cannot be imported.
        CodegenError: the schema cannot be laid out in Python.
    """
    parts = package.split(".")
    if not all(part.isidentifier() and part.isascii() for part in parts) or any(
        map(keyword.iskeyword, parts)
    ):
        raise UnfitSchema(package, "not a name that Python can import")
    for path, data in render_modules(schema, package, immutable=immutable).items():
        target = output / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return output.joinpath(*parts)
