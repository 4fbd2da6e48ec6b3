"""The expressions that SQLite and PostgreSQL write differently; all other SQL is the same for both.

Each class is an expression that is compiled for the database of the connection. Text columns must
sort by code point, which only SQLite does by default: PostgreSQL needs the collation "C".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from sqlalchemy import BigInteger, Boolean, Dialect, Integer, Text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import psycopg
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

SQLITE: Final[Dialect] = sqlite.dialect(paramstyle="named")
POSTGRESQL: Final[Dialect] = psycopg.dialect()  # type: ignore[no-untyped-call]  # SQLAlchemy does not type it

TEXT: Final = Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
SERIAL: Final = BigInteger().with_variant(Integer, "sqlite")
"""The type of numbers that the database counts."""


class _Written(FunctionElement[Any]):
    """An expression with a text for each database; braces in the text stand for the expression's parts."""

    forms: ClassVar[Mapping[str, str]]


@compiles(_Written)
def _compile(element: _Written, compiler: SQLCompiler, **options: Any) -> str:
    parts = [compiler.process(each, **options) for each in element.clauses]
    return element.forms[compiler.dialect.name].format(*parts)


class EachOf(_Written):
    """The values of a list in JSON, for ``table_valued("value")``."""

    name = "each_of"
    forms: ClassVar = {
        "sqlite": "json_each({})",
        "postgresql": "json_array_elements_text(CAST({} AS JSON))",
    }


class Indexed(_Written):
    """An expression in an index. PostgreSQL requires brackets around it."""

    forms: ClassVar = {"sqlite": "{}", "postgresql": "({})"}


class LastThree(_Written):
    """The last three characters of a relation's name, in lower case."""

    type = Text()
    forms: ClassVar = {
        "sqlite": "lower(substr(name, -3))",
        "postgresql": "lower(right(name, 3))",
    }


class Resembles(_Written):
    """Whether a text matches a LIKE pattern; the case of ASCII letters does not matter.

    In SQLite, ``lower`` would double the time of a scan of all names.
    """

    type = Boolean()
    forms: ClassVar = {
        "sqlite": r"{} LIKE {} ESCAPE '\'",
        "postgresql": r"{} ILIKE {} ESCAPE '\'",
    }


class Truncated(_Written):
    """A number without its fraction; PostgreSQL's CAST would round it."""

    type = Integer()
    forms: ClassVar = {
        "sqlite": "CAST({} AS INTEGER)",
        "postgresql": "CAST(trunc({}) AS INTEGER)",
    }
