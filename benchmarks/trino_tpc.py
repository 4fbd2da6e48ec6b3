"""TPC-H's and TPC-DS's queries as views of Trino, in Avro and in Spark: ``make bench-trino_tpc``.

Trino 476 makes each view in a metastore, over the ``tiny`` tables of its own connectors. The view is read
back from the metastore. The types of its text and the Avro schema are compared with those of Trino's
DESCRIBE; the rows that Spark returns for the emitted SQL with Trino's, over the same files. For the rows,
a query's order also has all its columns as last keys, so that ties do not decide what its LIMIT takes;
rows are then compared in that order. Exit status: 0 if nothing is wrong.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from pathlib import Path

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

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
from tests.judges.queries.tpc_queries import TpcQuery, fully_ordered, has_order, tpc_queries
from tests.judges.recorded.engines import first_line

EQUAL, NO_ROWS, BOTH_REFUSE = "equal", "equal, without rows", "both refuse"
REFUSED, WRONG = "refused, with the reason", "WRONG"
_OPTIONS = Options()
_NO_NAMES = {"MISSING_COLUMN_NAME", "DUPLICATE_COLUMN_NAME"}
_RELATIVE = 1e-9
"""Doubles are added in another order."""
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


@dataclass(frozen=True, slots=True)
class Verdict:
    schema: str
    rows: str
    details: tuple[str, ...] = ()


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
    for what in ("schema", "rows"):
        counts = Counter((query.suite, getattr(v, what)) for query, v in verdicts)
        shown = "; ".join(f"{suite}: {number} {found}" for (suite, found), number in counts.items())
        print(f"{what} of {len(verdicts)}: {shown}")
    return int(any(WRONG in {verdict.schema, verdict.rows} for _, verdict in verdicts))


@dataclass(frozen=True, slots=True)
class _Names:
    """Made up for a query's columns, if it has two of one name or one without; Trino's views have to be given
    names by an alias.
    """

    width: int = 0

    def given_to(self, text: str) -> str:
        if not self.width:
            return text
        names = ", ".join(f"c{place}" for place in range(self.width))
        return f"SELECT * FROM ({text}) AS named ({names})"


class _Judge:
    def __init__(self, servers: TpcServers) -> None:
        self._servers = servers
        names = tables_of(servers.catalog)
        self._tables: Mapping[RelationName, Interface] = {
            name: base_table_interface(relation, _OPTIONS)
            for name, relation in servers.catalog.read(names).items()
        }

    def verdict(self, query: TpcQuery) -> Verdict:
        name = RelationName.of(VIEWS, query.label)
        names, types = self._make(name, query.text)
        view = self._servers.catalog.read([name])[name]
        schema, why = self._schema(view, types)
        rows, more = self._rows(view, names.given_to(fully_ordered(query.text, len(types))))
        verdict = Verdict(schema, rows, (*why, *more))
        if verdict != Verdict(EQUAL, EQUAL):
            print(f"{query.label}: schema {schema}, rows {rows}", *verdict.details, sep="\n    ")
            sys.stdout.flush()
        return verdict

    def _make(self, name: RelationName, text: str) -> tuple[_Names, list[tuple[str, str]]]:
        """Makes the view; the names that it had to be given, and what Trino says of its columns."""
        made = f"CREATE VIEW {CATALOG}.{name} AS"
        trino, names = self._servers.trino, _Names()
        try:
            trino.answer(f"{made} {text}")
        except Refused as error:
            if error.name not in _NO_NAMES:
                raise
            names = _Names(len(trino.answer(f"SELECT * FROM ({text}) LIMIT 0").columns))
            trino.answer(f"{made} {names.given_to(text)}")
        described = trino.answer(f"DESCRIBE {CATALOG}.{name}").rows
        return names, [(str(column), str(type_)) for column, type_, *_ in described]

    def _schema(
        self, view: Relation, types: Sequence[tuple[str, str]]
    ) -> tuple[str, tuple[str, ...]]:
        try:
            # Without the stored columns, the types are those of the text.
            _, plan = derive_view(replace(view, columns=()), self._tables, _OPTIONS)
            derivation, _ = derive_view(view, self._tables, _OPTIONS)
        except Unsupported as error:
            return REFUSED, (str(error),)
        except TranslationError as error:
            return WRONG, (f"{type(error).__name__}: {error}",)
        ours = [(c.name.lower(), print_trino_type(c.type)) for c in plan.columns]
        theirs = [(n, print_trino_type(parse_trino_type(type_))) for n, type_ in types]
        if ours != theirs:
            return WRONG, (f"ours {_only(ours, theirs)}", f"Trino's {_only(theirs, ours)}")
        fields = [_branch(field.type) for field in derivation.interface.schema.fields]
        wanted = [_avro_of(type_) for _, type_ in types]
        if fields != wanted:
            return WRONG, (f"Avro {fields}", f"expected {wanted}")
        return EQUAL, ()

    def _rows(self, view: Relation, text: str) -> tuple[str, tuple[str, ...]]:
        assert view.view is not None
        asked = replace(view.view, text=text, original_text=text)
        try:
            query = spark_view(replace(view, columns=(), view=asked), self._tables, _OPTIONS)
        except Unsupported as error:
            return REFUSED, (str(error),)
        except TranslationError as error:
            return WRONG, (f"{type(error).__name__}: {error}",)
        try:
            expected = self._servers.trino.answer(text)
        except Refused as error:
            return self._both_refuse(error, query)
        try:
            found = self._spark_rows(query.sql, query.settings)
        except (PySparkException, Py4JJavaError) as error:
            return WRONG, (f"Spark refuses: {first_line(str(error))}", query.sql)
        types = [type_ for _, type_ in expected.columns]
        wanted = [
            [_of_trino(value, type_) for value, type_ in zip(row, types, strict=True)]
            for row in expected.rows
        ]
        if not has_order(text):
            found, wanted = sorted(found, key=_key), sorted(wanted, key=_key)
        if len(found) != len(wanted):
            return WRONG, (f"{len(found)} rows, Trino's {len(wanted)}", query.sql)
        differing = [(a, b) for a, b in zip(found, wanted, strict=True) if not _same(a, b)]
        if differing:
            return WRONG, (f"{len(differing)} of {len(wanted)}: {differing[:2]}", query.sql)
        return EQUAL if wanted else NO_ROWS, ()

    def _both_refuse(self, error: Refused, query: SparkQuery) -> tuple[str, tuple[str, ...]]:
        """The rows of the tables may be such that a query of them fails."""
        try:
            found = self._spark_rows(query.sql, query.settings)
        except (PySparkException, Py4JJavaError) as refused:
            return BOTH_REFUSE, (f"Trino: {error}", f"Spark: {first_line(str(refused))}")
        return WRONG, (f"{len(found)} rows, but Trino: {error}", query.sql)

    def _spark_rows(self, sql: str, settings: Mapping[str, str]) -> list[list[object]]:
        for key, value in settings.items():
            self._servers.spark.conf.set(key, value)
        return [list(row) for row in self._servers.spark.sql(sql).collect()]


def _only(
    some: Sequence[tuple[str, str]], others: Sequence[tuple[str, str]]
) -> Sequence[tuple[str, str]]:
    return [each for each in some if each not in others]


def _branch(schema: Schema) -> Schema:
    """The type of what is not null."""
    if not isinstance(schema, Union):
        return schema
    (branch,) = (b for b in schema.branches if b != Primitive("null"))
    return branch


def _avro_of(trino_type: str) -> Primitive:
    if decimal := _DECIMAL.fullmatch(trino_type):
        return Primitive("bytes", LogicalType("decimal", int(decimal[1]), int(decimal[2])))
    return _AVRO[trino_type.partition("(")[0]]


def _of_trino(value: object, type_: str) -> object:
    """A JSON value as Spark collects it."""
    match value:
        case str() if type_.startswith("decimal"):
            return Decimal(value)
        case str() if type_ == "date":
            return date.fromisoformat(value)
        case str() | int() if type_ == "double":
            return float(value)
        case _:
            return value


def _key(row: Sequence[object]) -> list[tuple[bool, str]]:
    return [(v is None, f"{v:.6g}" if isinstance(v, float) else str(v)) for v in row]


def _same(one: Sequence[object], other: Sequence[object]) -> bool:
    return all(
        (isinstance(a, float) and isinstance(b, float) and _close(a, b))
        or (type(a) is type(b) and a == b)
        for a, b in zip(one, other, strict=True)
    )


def _close(one: float, other: float) -> bool:
    if math.isnan(one) or math.isnan(other):
        return math.isnan(one) and math.isnan(other)
    return math.isclose(one, other, rel_tol=_RELATIVE)


if __name__ == "__main__":
    sys.exit(main())
