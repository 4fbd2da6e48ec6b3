"""Random views over random nested tables: an answer or an error of ours, never anything else."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avro_schema.parsing import parse_schema
from avro_schema.printing import to_text
from catalog.column_types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INT,
    STRING,
    TIMESTAMP,
    ArrayType,
    ColumnType,
    DecimalType,
    MapType,
    StructField,
    StructType,
    print_type,
)
from catalog.ddl_files import relations_from_ddl
from catalog.identifiers import RelationName
from catalog.relations import Dialect
from tests.effort import examples
from tests.translation.relations import derived, derived_in
from translation.errors import TranslationError

names = st.sampled_from(["a", "b", "c", "d"])
leaves: st.SearchStrategy[ColumnType] = st.sampled_from(
    [INT, BIGINT, DOUBLE, STRING, BOOLEAN, DATE, TIMESTAMP, DecimalType(10, 2), DecimalType(38, 10)]
)


def structs(inner: st.SearchStrategy[ColumnType]) -> st.SearchStrategy[ColumnType]:
    fields = st.lists(st.tuples(names, inner), min_size=1, max_size=3, unique_by=lambda f: f[0])
    return fields.map(lambda parts: StructType(tuple(StructField(n, t) for n, t in parts)))


types = st.recursive(
    leaves,
    lambda inner: (
        inner.map(ArrayType) | inner.map(lambda value: MapType(STRING, value)) | structs(inner)
    ),
    max_leaves=5,
)
others = st.sampled_from(["b", "c", "d"])
tables = st.lists(st.tuples(others, types), max_size=3, unique_by=lambda c: c[0]).map(
    lambda columns: [("a", INT), *columns]
)
literals = st.sampled_from(["1", "2.5", "'x'", "NULL", "true", "DATE '2020-01-01'", "10L"])
froms = st.sampled_from(
    [
        "t",
        "t JOIN u ON t.a = u.a",
        "t LEFT JOIN u ON true",
        "t LEFT JOIN u USING (a)",
        "t NATURAL JOIN u",
        "t LATERAL VIEW OUTER explode(array(1, 2)) x AS e",
        "(SELECT * FROM t UNION ALL SELECT * FROM t) t",
    ]
)


def paths(columns: list[tuple[str, ColumnType]]) -> list[str]:
    """How each column, nested field and element is written."""
    found: list[str] = []
    for name, type_ in columns:
        found.append(name)
        match type_:
            case StructType(fields):
                found += [f"{name}.{p}" for p in paths([(f.name, f.type) for f in fields])]
            case ArrayType():
                found.append(f"{name}[0]")
            case MapType():
                found.append(f"{name}['k']")
            case _:
                pass
    return found


def expressions(columns: list[tuple[str, ColumnType]]) -> st.SearchStrategy[str]:
    """Mostly of the table's own columns; types meet or they do not."""
    known = st.sampled_from([f"t.{path}" for path in paths(columns)])
    wild = st.lists(names, min_size=1, max_size=3).map(".".join)
    mark = st.sampled_from(["+", "-", "*", "/", "%", "=", "<", "<=>"])
    function = st.sampled_from(
        ["upper", "abs", "size", "count", "max", "min", "collect_list", "year"]
    )
    return st.recursive(
        st.one_of([known] * 12 + [literals] * 3 + [wild]),
        lambda inner: st.one_of(
            st.builds("({} IS NULL)".format, inner),
            st.builds("coalesce({0}, {0})".format, inner),
            st.builds("CASE WHEN {1} IS NULL THEN {0} ELSE {0} END".format, inner, inner),
            st.builds("array({0}, NULL, {0})".format, inner),
            st.builds("named_struct('F', {}, 'g', {})".format, inner, inner),
            st.builds("CAST({} AS STRING)".format, inner),
            st.builds("(SELECT count({}) FROM u)".format, inner),
            st.builds("({} {} {})".format, inner, mark, inner),
            st.builds("{}({})".format, function, inner),
            st.builds("CAST({} AS {})".format, inner, leaves.map(print_type)),
        ),
        max_leaves=4,
    )


@st.composite
def views(draw: st.DrawFn) -> str:
    columns, joined = draw(tables), draw(tables)
    items = draw(st.lists(expressions(columns), min_size=1, max_size=3))
    select = ", ".join(f"{e} AS x{i}" for i, e in enumerate(items))
    tail = draw(st.sampled_from(["", "", "", " LIMIT 3", f" GROUP BY {columns[0][0]} WITH ROLLUP"]))
    where = draw(st.just("") | expressions(columns).map(lambda e: f" WHERE {e} IS NOT NULL"))
    star = draw(st.sampled_from(["", "", "t.*, "]))
    return (
        f"{table('t', columns)}{table('u', joined)}"
        f"CREATE VIEW v AS SELECT {star}{select} FROM {draw(froms)}{where}{tail};"
    )


def table(name: str, columns: list[tuple[str, ColumnType]]) -> str:
    return f"CREATE TABLE {name} ({', '.join(f'{n} {print_type(t)}' for n, t in columns)});"


@pytest.mark.slow
@settings(max_examples=examples(300), deadline=None)
@given(views(), st.sampled_from([Dialect.HIVE, Dialect.SPARK]))
def test_a_random_view_derives_or_is_refused(ddl: str, dialect: Dialect) -> None:
    try:
        derivation = derived(ddl, dialect=dialect)
    except TranslationError as error:
        refused: RelationName | None = error.relation
    else:
        refused = None
        interface = derivation.interface
        assert len(interface.columns) == len(interface.schema.fields) == len(derivation.lineage)
        assert parse_schema(to_text(interface.schema)) == interface.schema
        return

    assert refused is not None


@settings(max_examples=examples(200), deadline=None)
@given(st.text(max_size=60))
def test_any_text_at_all_is_answered_or_refused(text: str) -> None:
    name = RelationName.of("default", "v")
    relations = dict(relations_from_ddl(["CREATE TABLE t (a INT); CREATE VIEW v AS SELECT 1 AS x"]))
    view = relations[name].view
    assert view is not None
    relations[name] = replace(relations[name], view=replace(view, text=text, original_text=text))

    try:
        found = derived_in(relations, name).interface.name
    except TranslationError as error:
        found = error.relation or RelationName.of("nobody")

    assert found == name
