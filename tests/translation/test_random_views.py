"""Random views over random nested tables: an answer or an error of ours, never anything else."""

from dataclasses import replace

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
tables = st.lists(st.tuples(names, types), min_size=1, max_size=4, unique_by=lambda c: c[0])
literals = st.sampled_from(["1", "2.5", "'x'", "NULL", "true", "DATE '2020-01-01'", "10L"])
references = st.lists(names, min_size=1, max_size=3).map(".".join)
expressions = st.recursive(
    references | references.map(lambda r: f"t.{r}") | literals,
    lambda inner: st.one_of(
        st.builds(
            "({} {} {})".format,
            inner,
            st.sampled_from(["+", "-", "*", "/", "%", "=", "<", "<=>", "AND", "OR"]),
            inner,
        ),
        st.builds("CASE WHEN {} THEN {} ELSE {} END".format, inner, inner, inner),
        st.builds(
            "{}({})".format, st.sampled_from(["upper", "max", "count", "abs", "size"]), inner
        ),
        st.builds("coalesce({}, {})".format, inner, inner),
        st.builds("CAST({} AS {})".format, inner, leaves.map(print_type)),
        st.builds("{}[{}]".format, references, inner),
        st.builds("{} IS NULL".format, inner),
        st.builds("(SELECT max({}) FROM u)".format, inner),
    ),
    max_leaves=5,
)
froms = st.sampled_from(
    [
        "t",
        "t JOIN u ON t.a = u.a",
        "t LEFT JOIN u USING (a)",
        "t NATURAL JOIN u",
        "t LATERAL VIEW OUTER explode(a) x AS b",
        "(SELECT * FROM t UNION ALL SELECT * FROM u) t",
    ]
)


@st.composite
def views(draw: st.DrawFn) -> str:
    def table(name: str) -> str:
        columns = ", ".join(f"{n} {print_type(t)}" for n, t in draw(tables))
        return f"CREATE TABLE {name} ({columns});"

    items = draw(st.lists(expressions, min_size=1, max_size=3))
    select = ", ".join(f"{e} AS x{i}" for i, e in enumerate(items))
    tail = draw(st.sampled_from(["", " GROUP BY a", " GROUP BY a, b WITH ROLLUP", " LIMIT 3"]))
    where = draw(st.just("") | expressions.map(lambda e: f" WHERE {e}"))
    query = draw(st.sampled_from(["", "*, "])) + select
    return (
        f"{table('t')}{table('u')}CREATE VIEW v AS SELECT {query} FROM {draw(froms)}{where}{tail};"
    )


@settings(max_examples=300, deadline=None)
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


@settings(max_examples=200, deadline=None)
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
