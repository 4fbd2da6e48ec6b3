"""The runtime's modules as source text."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files


def runtime_sources() -> Mapping[str, str]:
    return {
        file.name.removesuffix(".py"): file.read_text("utf-8")
        for file in files("codegen.runtime").iterdir()
        if file.name.endswith(".py") and file.name != "__init__.py"
    }
