"""The names of all functions that each engine has, known to our tables or not.

A view that calls one of the others misses nothing that a deployment could declare: we lack it.
Source: ``SHOW FUNCTIONS`` of Hive 4.0.1 and of Spark 4.3.0, without operators, in the text files
beside this module; a test compares. They are read when a function is not found.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

from lakeschema.catalog.relations import Dialect

_ENGINES: Final = {Dialect.HIVE: "Hive 4.0.1", Dialect.SPARK: "Spark 4.3"}


def engine_of_builtin(name: str, dialect: Dialect) -> str | None:
    """The engine, with its version, that has a function of this name, in any case; None if it has not."""
    engine = _ENGINES.get(dialect)
    return engine if engine and name.lower() in builtin_names(dialect) else None


@cache
def builtin_names(dialect: Dialect) -> frozenset[str]:
    """In lower case, without operators."""
    file = files("lakeschema.translation.functions") / f"{dialect.value}_names.txt"
    return frozenset(file.read_text(encoding="utf-8").split())
