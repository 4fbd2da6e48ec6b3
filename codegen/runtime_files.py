"""The runtime's files, which each package carries a copy of, and the version of generated code.

Copied, since two packages in one environment may come from two versions of the generator.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType


@functools.cache
def runtime_files() -> Mapping[str, bytes]:
    """The modules of ``codegen.runtime`` by file name."""
    modules = (file for file in files("codegen.runtime").iterdir() if file.name.endswith(".py"))
    return MappingProxyType(
        {file.name: file.read_bytes() for file in sorted(modules, key=lambda file: file.name)}
    )
