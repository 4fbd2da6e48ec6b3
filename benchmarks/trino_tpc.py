"""TPC-H's and TPC-DS's queries as Trino views, in Avro and in Spark: ``make bench-trino_tpc``.

Trino 476 creates each view in a metastore, over the ``tiny`` tables of its connectors; we read the
view from the metastore. The types of its text and the Avro schema are compared with Trino's DESCRIBE, and
Spark's rows of the emitted SQL with Trino's rows, over the same files. For the rows, a query also sorts by
all its columns, so that ties do not decide its LIMIT; rows are compared in that order. Exit status: 0 if
nothing is wrong.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks.tpc_servers import CATALOG, VIEWS, TpcServers, tables_of, tpc_servers
from deploy.refused import Refused
from lakeschema.avro.model import LogicalType, Primitive, Schema, Union
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.catalog.trino_types import parse_trino_type, print_trino_type
from lakeschema.translation.avro.base_table import base_table_interface
from lakeschema.translation.deriving.derivation import derive_view
from lakeschema.translation.emission.spark.query import SparkQuery
from lakeschema.translation.emission.spark.view import spark_view
from lakeschema.translation.model.errors import TranslationError, Unsupported
from lakeschema.translation.model.interface import Interface, Options
from tests.judges.compared_values import Rows, same_rows
from tests.judges.engines.protocol import Engine, answer_or_refusal
from tests.judges.engines.spark import SparkEngine
from tests.judges.engines.trino import TrinoEngine
from tests.judges.queries.tpc_queries import TpcQuery, fully_ordered, has_order, tpc_queries
from tests.judges.verdicts import (
    BOTH_REFUSE,
    DOES_NOT_RAISE,
    EQUAL,
    EQUAL_TYPES,
    NO_ROWS,
    OTHER_ROWS,
    OTHER_TYPES,
    REFUSED_BY_US,
    REFUSED_TEXT,
    UNSUPPORTED,
    Verdict,
)

_OPTIONS = Options()
_NO_NAMES = {"MISSING_COLUMN_NAME", "DUPLICATE_COLUMN_NAME"}
_AVRO: Mapping[str, Primitive] = {
    "boolean": Primitive("boolean"),
    "integer": Primitive("int"),
    "bigint": Primitive("long"),
    "double": Primitive("double"),
    "real": Primitive("float"),
    "varchar": Primitive("string"),
    "char": Primitive("string"),
    "date": Primitive("int", LogicalType("date")),
}
_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")


class _Verdicts(NamedTuple):
    schema: Verdict
    rows: Verdict


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--only", default="", help="queries whose name has this text, as in tpcds_q05"
    )
    chosen = parser.parse_args()
    queries = [query for query in tpc_queries(CATALOG) if chosen.only in query.label]
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        tpc_servers(Path(folder)) as servers,
    ):
        judge = _Judge(servers)
        verdicts = [(query, judge.verdict(query)) for query in queries]
    for what in _Verdicts._fields:
        counts = Counter((query.suite, getattr(v, what).outcome) for query, v in verdicts)
        shown = "; ".join(f"{suite}: {number} {found}" for (suite, found), number in counts.items())
        print(f"{what} of {len(verdicts)}: {shown}")
    return int(any(verdict.is_wrong for _, found in verdicts for verdict in found))


@dataclass(frozen=True, slots=True)
class _Names:
    """Names for a query's columns if some are missing or equal; Trino's views need an alias with them."""

    width: int = 0

    def given_to(self, text: str) -> str:
        if not self.width:
            return text
        names = ", ".join(f"c{place}" for place in range(self.width))
        return f"SELECT * FROM ({text}) AS named ({names})"


class _Judge:
    def __init__(self, servers: TpcServers) -> None:
        self._servers = servers
        self._trino: Engine = TrinoEngine(servers.trino)
        names = tables_of(servers.catalog)
        self._tables: Mapping[RelationName, Interface] = {
            name: base_table_interface(relation, _OPTIONS)
            for name, relation in servers.catalog.read(names).items()
        }

    def verdict(self, query: TpcQuery) -> _Verdicts:
        name = RelationName.of(VIEWS, query.label)
        names, types = self._make(name, query.text)
        view = self._servers.catalog.read([name])[name]
        text = names.given_to(fully_ordered(query.text, len(types)))
        found = _Verdicts(self._schema(view, types), self._rows(view, text))
        for verdict in found:
            if verdict.outcome not in {EQUAL, EQUAL_TYPES}:
                print(f"{query.label}: {verdict.outcome}\n    {verdict.details}", flush=True)
        return found

    def _make(self, name: RelationName, text: str) -> tuple[_Names, list[tuple[str, str]]]:
        """Creates the view; returns its made-up names, and its columns by Trino."""
        made = f"CREATE VIEW {CATALOG}.{name} AS"
        trino, names = self._servers.trino, _Names()
        try:
            trino.answer(f"{made} {text}")
        except Refused as error:
            if error.name not in _NO_NAMES:
                raise
            names = _Names(len(self._trino.columns(text)))
            trino.answer(f"{made} {names.given_to(text)}")
        described = trino.answer(f"DESCRIBE {CATALOG}.{name}").rows
        return names, [(str(column), str(type_)) for column, type_, *_ in described]

    def _schema(self, view: Relation, types: Sequence[tuple[str, str]]) -> Verdict:
        try:
            # Without the stored columns, the types come from the text.
            _, plan = derive_view(replace(view, columns=()), self._tables, _OPTIONS)
            derivation, _ = derive_view(view, self._tables, _OPTIONS)
        except TranslationError as error:
            is_refused = isinstance(error, Unsupported)
            return Verdict(UNSUPPORTED if is_refused else REFUSED_BY_US, str(error))
        ours = [(c.name.lower(), print_trino_type(c.type)) for c in plan.columns]
        theirs = [(n, print_trino_type(parse_trino_type(type_))) for n, type_ in types]
        if ours != theirs:
            return Verdict(
                OTHER_TYPES, f"ours {_only(ours, theirs)}\n    Trino's {_only(theirs, ours)}"
            )
        fields = [_branch(field.type) for field in derivation.interface.schema.fields]
        wanted = [_avro_of(type_) for _, type_ in types]
        if fields != wanted:
            return Verdict(OTHER_TYPES, f"Avro {fields}\n    expected {wanted}")
        return Verdict(EQUAL_TYPES)

    def _rows(self, view: Relation, text: str) -> Verdict:
        assert view.view is not None
        asked = replace(view.view, text=text, original_text=text)
        try:
            query = spark_view(replace(view, columns=(), view=asked), self._tables, _OPTIONS)
        except TranslationError as error:
            is_refused = isinstance(error, Unsupported)
            return Verdict(UNSUPPORTED if is_refused else REFUSED_BY_US, str(error))
        wanted = answer_or_refusal(self._trino.rows, text)
        engine: Engine = SparkEngine(self._servers.spark, query.settings)
        rows = answer_or_refusal(partial(engine.rows, columns=query.columns), query.sql)
        if isinstance(wanted, Refused):
            return _on_refusal(wanted, rows, query)
        if isinstance(rows, Refused):
            return Verdict(REFUSED_TEXT, f"{rows}\n    {query.sql}")
        if not same_rows(wanted, rows, ordered=has_order(text)):
            return Verdict(OTHER_ROWS, f"{_difference(rows, wanted)}\n    {query.sql}")
        return Verdict(EQUAL if wanted else NO_ROWS)


def _on_refusal(error: Refused, found: Rows | Refused, query: SparkQuery) -> Verdict:
    """The verdict if Trino fails, which rows of the tables may cause."""
    if isinstance(found, Refused):
        return Verdict(BOTH_REFUSE, f"Trino: {error}\n    Spark: {found}")
    return Verdict(DOES_NOT_RAISE, f"{len(found)} rows, but Trino: {error}\n    {query.sql}")


def _difference(rows: Rows, wanted: Rows) -> str:
    if len(rows) != len(wanted):
        return f"{len(rows)} rows, Trino's {len(wanted)}"
    differing = [(a, b) for a, b in zip(rows, wanted, strict=True) if a != b]
    return f"{len(differing)} of {len(wanted)}: {differing[:2]}"


def _only(
    some: Sequence[tuple[str, str]], others: Sequence[tuple[str, str]]
) -> Sequence[tuple[str, str]]:
    return [each for each in some if each not in others]


def _branch(schema: Schema) -> Schema:
    """The schema of values that are not null."""
    if not isinstance(schema, Union):
        return schema
    (branch,) = (b for b in schema.branches if b != Primitive("null"))
    return branch


def _avro_of(trino_type: str) -> Primitive:
    if decimal := _DECIMAL.fullmatch(trino_type):
        return Primitive("bytes", LogicalType("decimal", int(decimal[1]), int(decimal[2])))
    return _AVRO[trino_type.partition("(")[0]]


if __name__ == "__main__":
    sys.exit(main())
