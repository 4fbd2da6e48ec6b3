"""The names of all built-in functions of each engine, including those missing in the tables.

A deployment cannot declare a function with one of these names, even if the tables lack it. The
names are the output of ``SHOW FUNCTIONS`` of Hive 4.0.1 and Spark 4.3.0, without operators, in text
files in this folder. A test compares them. They are read when a call's function is unknown.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

from lakeschema.catalog.relations import Dialect

_ENGINES: Final = {Dialect.HIVE: "Hive 4.0.1", Dialect.SPARK: "Spark 4.3"}


def engine_of_builtin(name: str, dialect: Dialect) -> str | None:
    """The engine and its version, if it has a function of this name in any letter case; else None."""
    engine = _ENGINES.get(dialect)
    return engine if engine and name.lower() in builtin_names(dialect) else None


@cache
def builtin_names(dialect: Dialect) -> frozenset[str]:
    """The names of the dialect's built-in functions in lower case, without operators."""
    file = files("lakeschema.translation.functions") / f"{dialect.value}_names.txt"
    return frozenset(file.read_text(encoding="utf-8").split())
