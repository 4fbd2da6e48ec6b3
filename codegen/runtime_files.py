"""The runtime's files, of which each package contains a copy, and the version of generated code.

Copied, since two packages in one environment may come from two versions of the generator.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import Final

from codegen.source import PYRIGHT
from codegen.source_stripping import stripped

RENDERER_VERSION: Final = 13
"""To raise when the code that is rendered for a schema changes; a test compares that code."""

DOCUMENTED: Final = frozenset({
    "AvroError", "InvalidAvro", "InvalidValue", "MissingCodec", "NotInArrow", "NotInSpark",
    "UnknownSchema", "UnresolvableSchema", "Column", "Duration", "FrozenMap", "Items", "Row",
})  # fmt: skip
"""The classes whose values a package's users hold: editors show what is written of them."""


@functools.cache
def runtime_files() -> Mapping[str, bytes]:
    """The modules of ``codegen.runtime`` by file name, as packages contain them."""
    modules = (file for file in files("codegen.runtime").iterdir() if file.name.endswith(".py"))
    return MappingProxyType(
        {file.name: _packaged(file) for file in sorted(modules, key=lambda file: file.name)}
    )


def _packaged(file: Traversable) -> bytes:
    """Comments and docstrings would be a fifth of a package's bytes."""
    if file.name == "__init__.py":
        # It says what the others lack.
        return file.read_bytes()
    text = stripped(file.read_text("utf-8"), DOCUMENTED)
    # Where a package is checked as part of its user's own code; in the place of the docstring.
    return (PYRIGHT + text if text.startswith("\n") else text).encode()


@functools.cache
def runtime_version() -> str:
    """Identifies the code that every package is made of, apart from its schema: 16 hex digits."""
    return version_of(runtime_files(), RENDERER_VERSION)


def version_of(modules: Mapping[str, bytes], renderer_version: int) -> str:
    """``runtime_version`` of these modules, in any order."""
    digest = hashlib.sha256(b"renderer %d" % renderer_version)
    for name in sorted(modules):
        digest.update(f"\n{name} {hashlib.sha256(modules[name]).hexdigest()}".encode())
    return digest.hexdigest()[:16]
