"""Every name that generated modules use, for schemas whose types and fields have these names."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from codegen.modules import render_modules
from tests.codegen.generated import record, record_of

_NO_NAMES_OF_TYPES = {"null", "boolean", "int", "long", "float", "double", "bytes", "string"}

_ROOT = "plain"
"""A parameter's name, too."""


def named_as_the_package_is(sample: Mapping[str, Any], *, immutable: bool) -> dict[str, Any]:
    """A schema with a field for each name in the sample's package, of a record of that name."""
    modules = render_modules(record_of(sample), "p", immutable=immutable)
    names = {
        name
        for path, source in modules.items()
        if path.endswith(".py") and "/_avro/" not in path
        for name in _names(ast.parse(source))
    }
    parts = {
        name: {"type": ["null", record({"x": {"type": ["null", "int"], "default": None}}, name)],
               "default": None}
        for name in sorted(names - _NO_NAMES_OF_TYPES - {_ROOT})
    }  # fmt: skip
    return record(parts, _ROOT)


def _names(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.arg(arg=name) | ast.Name(id=name) | ast.Attribute(attr=name):
                yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.alias(name=name, asname=other):
                yield from (other or name).split(".")
