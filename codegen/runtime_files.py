"""Provides the runtime's files, which are copied to each package, and the version of generated code.

Each package has a copy, since two packages in one environment may come from different versions of the
generator. ``codegen.runtime_packing`` joins and shortens the modules of ``codegen.runtime`` to these
files.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType
from typing import Final

RENDERER_VERSION: Final = 19
"""The version of the code that is rendered for a schema. Increase it when this code changes; a test
compares the code."""


@functools.cache
def runtime_files() -> Mapping[str, bytes]:
    """The runtime's modules by file name, as each package contains them."""
    return MappingProxyType({f"{name}.py": data for name, data in _packed(".txt").items()})


@functools.cache
def deflated_runtime() -> Mapping[bytes, bytes]:
    """Maps the content of each file in ``runtime_files`` to its deflated bytes."""
    deflated = _packed(".deflated")
    return MappingProxyType(
        {data: deflated[name.removesuffix(".py")] for name, data in runtime_files().items()}
    )


def _packed(ending: str) -> Mapping[str, bytes]:
    folder = files("codegen") / "packed_runtime"
    found = {file.name: file for file in folder.iterdir() if file.name.endswith(ending)}
    return {name.removesuffix(ending): found[name].read_bytes() for name in sorted(found)}


@functools.cache
def runtime_version() -> str:
    """Identifies the code that every package shares, apart from its schema: 16 hex digits."""
    return version_of(runtime_files(), RENDERER_VERSION)


def version_of(modules: Mapping[str, bytes], renderer_version: int) -> str:
    """The ``runtime_version`` of these modules, in any order."""
    digest = hashlib.sha256(b"renderer %d" % renderer_version)
    for name in sorted(modules):
        digest.update(f"\n{name} {hashlib.sha256(modules[name]).hexdigest()}".encode())
    return digest.hexdigest()[:16]
