"""The names of all built-in functions of each engine, whether or not our tables have them.

A function that is listed here only is a gap in our tables, which no deployment can declare away.
Source: ``SHOW FUNCTIONS`` of Hive 4.0.1 and of Spark 4.3.0, without operators, stored in text files
in this folder; a test compares them. They are read when a function is not found.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

from lakeschema.catalog.relations import Dialect

_ENGINES: Final = {Dialect.HIVE: "Hive 4.0.1", Dialect.SPARK: "Spark 4.3"}


def engine_of_builtin(name: str, dialect: Dialect) -> str | None:
    """The engine and version if it has a function of this name, in any case; otherwise None."""
    engine = _ENGINES.get(dialect)
    return engine if engine and name.lower() in builtin_names(dialect) else None


@cache
def builtin_names(dialect: Dialect) -> frozenset[str]:
    """Names in lower case, without operators."""
    file = files("lakeschema.translation.functions") / f"{dialect.value}_names.txt"
    return frozenset(file.read_text(encoding="utf-8").split())
