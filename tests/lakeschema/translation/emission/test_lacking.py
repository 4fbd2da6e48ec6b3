"""Functions without a form for an engine, listed in ``lacking.tsv``.

When you add a function, add its form for each engine, or its name to that list. To write the list again:
``python -m tests.lakeschema.translation.emission.test_lacking``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from lakeschema.catalog.relations import Dialect
from lakeschema.translation.emission.hive.spark_rows import SPARK as SPARK_IN_HIVE
from lakeschema.translation.emission.pig.aggregates import FORMS as AGGREGATES_IN_PIG
from lakeschema.translation.emission.pig.forms import BY_NAME as SCALARS_IN_PIG
from lakeschema.translation.emission.spark import functions as spark
from lakeschema.translation.emission.spark.from_hive import classes, missing, typed_forms
from lakeschema.translation.emission.spark.from_hive import forms as from_hive
from lakeschema.translation.emission.trino.hive_rows import HIVE as HIVE_IN_TRINO
from lakeschema.translation.emission.trino.shared_rows import SHARED as BOTH_IN_TRINO
from lakeschema.translation.emission.trino.spark_rows import SPARK as SPARK_IN_TRINO
from lakeschema.translation.functions.aliases import ALIASES
from lakeschema.translation.functions.binding import find, rows_by_name
from lakeschema.translation.functions.builtin_names import builtin_names
from lakeschema.translation.functions.signature import Kind

LIST = Path(__file__).with_name("lacking.tsv")
_FROM_HIVE = {*from_hive.FORMS, *from_hive.WRITERS, *from_hive.AGGREGATES, *typed_forms.TYPED}
_IN_SPARK = {
    *(*_FROM_HIVE, *classes.ALONE, *classes.BESIDE_SPARKS, *missing.MISSING),
    *(*spark.FORMS, *spark.BINARY, *spark.QUANTIFIED),
    *builtin_names(Dialect.SPARK),
}
"""Another function of Hive would be written by its name, which Spark does not know."""
_IN_PIG = {*SCALARS_IN_PIG, *(name for form in AGGREGATES_IN_PIG for name in form.names.split())}
TABLES = {
    (Dialect.HIVE, "trino"): {*HIVE_IN_TRINO, *BOTH_IN_TRINO},
    (Dialect.SPARK, "trino"): {*SPARK_IN_TRINO, *BOTH_IN_TRINO},
    (Dialect.SPARK, "hive"): {*SPARK_IN_HIVE},
    (Dialect.HIVE, "spark"): _IN_SPARK,
    (Dialect.HIVE, "pig"): _IN_PIG,
}


def functions(dialect: Dialect) -> Iterator[str]:
    """The canonical names of functions that stand in expressions."""
    for name in rows_by_name(dialect):
        function = find(name, dialect)
        if function is not None and function.kind in {Kind.SCALAR, Kind.AGGREGATE}:
            yield function.operator.name


def lacking(dialect: Dialect, engine: str) -> set[str]:
    return set(functions(dialect)) - TABLES[dialect, engine]


def listed() -> Iterable[tuple[Dialect, str, str]]:
    for line in LIST.read_text(encoding="utf-8").splitlines():
        dialect, engine, name = line.split("\t")
        yield Dialect(dialect), engine, name


@pytest.mark.parametrize(("dialect", "engine"), TABLES)
def test_each_function_has_a_form_or_is_listed_as_lacking(dialect: Dialect, engine: str) -> None:
    expected = {name for of, to, name in listed() if (of, to) == (dialect, engine)}

    assert lacking(dialect, engine) == expected


@pytest.mark.parametrize(
    "table", [*(TABLES[pair] for pair in TABLES if pair[1] != "spark"), _FROM_HIVE]
)
def test_engines_tables_have_canonical_names_only(table: set[str]) -> None:
    canonical = {*functions(Dialect.HIVE), *functions(Dialect.SPARK)}
    aliases = {*ALIASES[Dialect.HIVE], *ALIASES[Dialect.SPARK]}

    assert table & (aliases - canonical) == set()


if __name__ == "__main__":
    lines = [
        f"{dialect.value}\t{engine}\t{name}\n"
        for dialect, engine in TABLES
        for name in sorted(lacking(dialect, engine))
    ]
    LIST.write_text("".join(lines), encoding="utf-8")
