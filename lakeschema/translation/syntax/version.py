"""Which parser reads the text: part of what a derivation depends on."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version


@cache
def parser_version() -> str:
    return version("sqlglot")
