"""The queries of TPC-H and TPC-DS in Trino's dialect, from the registry.

Each is a text with placeholders for catalog and schema. Ties of an ORDER BY leave open which rows a
LIMIT takes, so ``fully_ordered`` gives a text that sorts by all its columns.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass

import sqlglot

from deploy.jars import downloaded_jars
from deploy.jdk import find_jdk

SUITES = ("tpch", "tpcds")
_FILE = re.compile(r"sql/presto/(tpch|tpcds)/(q\d+)\.sql")
_DEEPER = {"L_PAREN": 1, "R_PAREN": -1}


@dataclass(frozen=True, slots=True)
class TpcQuery:
    """``text`` reads tables of the schema that is named after the suite."""

    suite: str
    name: str
    text: str

    @property
    def label(self) -> str:
        return f"{self.suite}_{self.name}"


def tpc_queries(catalog: str) -> list[TpcQuery]:
    """All queries, in order."""
    (jar,) = downloaded_jars(find_jdk(), "tpc")
    with zipfile.ZipFile(jar) as opened:
        found = [
            (m, opened.read(m[0]).decode()) for m in map(_FILE.fullmatch, opened.namelist()) if m
        ]
    queries = [TpcQuery(m[1], m[2], _filled(text, catalog, m[1])) for m, text in found]
    return sorted(queries, key=lambda query: (SUITES.index(query.suite), query.name))


def _filled(text: str, catalog: str, schema: str) -> str:
    values = {"database": catalog, "schema": schema, "prefix": ""}
    return re.sub(r"\$\{(\w+)\}", lambda m: values[m[1]], text).strip().rstrip(";").strip()


def has_order(text: str) -> bool:
    """Whether the query orders its rows."""
    return any(kind == "ORDER_BY" for kind, _ in _outermost(text))


def fully_ordered(text: str, width: int) -> str:
    """The query with its ``width`` columns as its last sort keys, if it has an order."""
    if not has_order(text):
        return text
    limits = [start for kind, start in _outermost(text) if kind == "LIMIT"]
    end = limits[-1] if limits else len(text)
    keys = ", ".join(str(place) for place in range(1, width + 1))
    return f"{text[:end].rstrip()}, {keys}\n{text[end:]}"


def _outermost(text: str) -> Iterator[tuple[str, int]]:
    """The tokens outside of all parentheses: their kinds and positions."""
    depth = 0
    for token in sqlglot.tokenize(text, read="trino"):
        kind = token.token_type.name
        depth += _DEEPER.get(kind, 0)
        if not depth:
            yield kind, token.start
