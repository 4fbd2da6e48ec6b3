from dataclasses import replace

import pytest

from lakeschema.catalog.column_types import UnknownType, parse_type
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Column, Dialect, Relation, SchemaMode, ViewText
from lakeschema.translation.deriving.derivation import derive, derive_view, upstreams_of
from lakeschema.translation.deriving.derivation_json import derivation_from_json, derivation_to_json
from lakeschema.translation.deriving.hashing import inputs_hash, interface_hash
from lakeschema.translation.model.errors import (
    AmbiguousColumn,
    MalformedSql,
    TypeMismatch,
    UnknownColumn,
    UnknownRelation,
    Unsupported,
    UnsupportedConstruct,
    UnsupportedFunction,
    UnsupportedType,
)
from lakeschema.translation.model.interface import (
    Casing,
    Derivation,
    Interface,
    Nullability,
    Options,
    Returns,
    ReturnsArgument,
    ReturnsRows,
    SourceColumn,
    ViewEvolution,
)
from lakeschema.translation.plan.expressions import Literal, RowExpression, walk
from lakeschema.translation.plan.relations import expressions
from tests.lakeschema.translation.relations import columns, derived, field, interfaces

T = """CREATE TABLE t (id INT NOT NULL, name STRING, amount DECIMAL(15,2), tags ARRAY<STRING>,
  s STRUCT<a:INT,b:STRUCT<c:STRING>>);
CREATE TABLE u (id INT NOT NULL, label STRING);
"""


def view(query: str, dialect: Dialect = Dialect.HIVE, options: Options | None = None) -> Derivation:
    return derived(f"{T}CREATE VIEW v AS {query};", dialect=dialect, options=options or Options())


def test_upstreams_are_named_once_in_order_of_first_mention() -> None:
    relation = relations_from_ddl(
        ["CREATE VIEW db.v AS SELECT * FROM b JOIN other.a ON b.x = a.x JOIN b AS again ON 1 = 1"]
    )[RelationName.of("db", "v")]

    assert upstreams_of(relation) == (
        RelationName.of("default", "b"),
        RelationName.of("other", "a"),
    )


def test_a_common_table_in_scope_is_not_an_upstream() -> None:
    query = "WITH x AS (SELECT id FROM x) SELECT * FROM x WHERE id IN (SELECT id FROM db.x)"
    relation = relations_from_ddl([f"CREATE VIEW v AS {query}"])[RelationName.of("default", "v")]

    assert upstreams_of(relation) == (RelationName.of("default", "x"), RelationName.of("db", "x"))


def test_a_table_has_no_upstreams_and_no_lineage() -> None:
    derivation = derived(T, "t")

    assert (derivation.upstreams, derivation.lineage) == ((), ())


def test_lineage_names_the_columns_and_nested_fields_that_values_come_from() -> None:
    derivation = view("SELECT s.b.c AS c, concat(name, label) AS both FROM t JOIN u ON t.id = u.id")

    t, u = RelationName.of("default", "t"), RelationName.of("default", "u")
    assert [line.sources for line in derivation.lineage] == [
        (SourceColumn(t, "s", ("b", "c")),),
        (SourceColumn(t, "name"), SourceColumn(u, "label")),
    ]


def test_a_derivation_survives_json() -> None:
    derivation = view("SELECT s, tags, amount + 1 AS more FROM t")

    assert derivation_from_json(derivation_to_json(derivation)) == derivation


def test_an_interface_hash_tells_types_apart_that_avro_does_not() -> None:
    first, second = (
        interface_hash(derived(f"CREATE TABLE t (c {type_})", "t").interface)
        for type_ in ("VARCHAR(10)", "STRING")
    )

    assert first != second


def test_an_inputs_hash_depends_on_facts_upstreams_and_options() -> None:
    relation = relations_from_ddl([T])[RelationName.of("default", "t")]
    name = RelationName.of("default", "u")

    hashes = {
        inputs_hash(relation, {}, Options()),
        inputs_hash(replace(relation, comment="new"), {}, Options()),
        inputs_hash(relation, {name: "a"}, Options()),
        inputs_hash(relation, {name: "b"}, Options()),
        inputs_hash(relation, {}, Options(strict=True)),
        inputs_hash(relation, {}, Options(udfs={"c.F": ReturnsArgument(0)})),
    }

    assert len(hashes) == 6


@pytest.mark.parametrize(
    ("query", "error", "place"),
    [
        ("SELECT nope FROM t", UnknownColumn, (1, 8)),
        ("SELECT id\nFROM t, u", AmbiguousColumn, (1, 8)),
        ("SELECT id FROM t\nJOIN missing m ON m.x = t.id", UnknownRelation, (2, 6)),
        ("SELECT id, frobnicate(id) AS f FROM t", UnsupportedFunction, (1, 12)),
        ("SELECT s.nope FROM t", UnknownColumn, (1, 8)),
        ("SELECT CAST(s AS INT) AS i FROM t", TypeMismatch, (1, 8)),
        ("SELECT id FROM t WHERE", MalformedSql, (1, 23)),
    ],
)
def test_an_error_says_where_in_the_text_it_is(
    query: str, error: type[Exception], place: tuple[int, int]
) -> None:
    with pytest.raises(error) as raised:
        view(query)

    position = getattr(raised.value, "position", None)
    assert position is not None
    assert (position.line, position.column) == place
    assert str(raised.value).startswith("default.v: ")


def test_an_unknown_column_names_those_that_exist_and_the_nearest() -> None:
    with pytest.raises(UnknownColumn) as raised:
        view("SELECT nmae FROM t")

    assert "t.name" in raised.value.candidates
    assert "name" in raised.value.hint


@pytest.mark.parametrize(
    "query",
    [
        "SELECT id FROM t VERSION AS OF 1",
    ],
)
def test_what_is_not_known_is_named_and_unsupported(query: str) -> None:
    with pytest.raises(UnsupportedConstruct) as raised:
        view(query)

    assert raised.value.construct


def test_a_column_that_is_not_grouped_is_refused() -> None:
    with pytest.raises(TypeMismatch, match="name is neither in GROUP BY"):
        view("SELECT id, name, count(*) AS n FROM t GROUP BY id")


def test_two_output_columns_of_one_name_are_refused() -> None:
    with pytest.raises(AmbiguousColumn):
        view("SELECT id, name AS ID FROM t")


def test_a_spark_view_needs_names_for_its_expressions() -> None:
    with pytest.raises(MalformedSql, match="column 2 of the view has no name"):
        view("SELECT id, count(1) FROM t GROUP BY id", Dialect.SPARK)


def test_an_undeclared_function_says_how_to_declare_it() -> None:
    with pytest.raises(UnsupportedFunction) as raised:
        view("SELECT standardize(name) AS n FROM t")

    assert "standardize of view default.v" in str(raised.value)
    assert "'functions'" in raised.value.hint


@pytest.mark.parametrize(
    "call", ["standardize(name)", "v_standardize(name)", "default_v_STANDARDIZE(name)"]
)
def test_a_declared_function_is_found_with_and_without_its_views_name(call: str) -> None:
    ddl = (
        f"{T}CREATE VIEW v TBLPROPERTIES ('functions' = 'x:c.X, STANDARDIZE:c.Standardize')"
        f" AS SELECT {call} AS n FROM t;"
    )
    options = Options(udfs={"c.Standardize": Returns(parse_type("bigint"))})

    assert columns(derived(ddl, options=options)) == [("n", "bigint", True)]


def test_a_function_that_returns_its_argument_keeps_its_schema() -> None:
    options = Options(udfs={"same": ReturnsArgument(0)})

    derivation = view("SELECT same(id, name) AS kept FROM t", options=options)

    assert columns(derivation) == [("kept", "int", False)]


def test_a_table_function_yields_its_declared_columns() -> None:
    options = Options(udfs={"rows_of": ReturnsRows(parse_type("struct<k:int,w:string>"))})

    derivation = view("SELECT id, k, w FROM t LATERAL VIEW rows_of(id) r", options=options)

    assert columns(derivation)[1:] == [("k", "int", True), ("w", "string", True)]


def test_options_lower_names_and_make_everything_nullable() -> None:
    options = Options(casing=Casing.LOWER, nullability=Nullability.ALL_NULLABLE)

    derivation = view("SELECT id AS MemberId FROM t", options=options)

    assert field(derivation, "memberid").default is None
    assert derivation.interface.columns[0].nullable


def test_a_column_of_unknown_type_harms_only_who_reads_it() -> None:
    upstream = Interface(
        RelationName.of("default", "w"),
        (Column("a", parse_type("int")), Column("b", UnknownType("geometry"))),
        derived("CREATE TABLE w (a INT, b INT)", "w").interface.schema,
    )
    upstreams = {upstream.name: upstream}

    assert len(derive(_hive("SELECT a FROM w"), upstreams, Options()).interface.columns) == 1
    # Its field is known, and passed on.
    assert len(derive(_hive("SELECT b FROM w"), upstreams, Options()).interface.columns) == 1
    with pytest.raises(UnsupportedType, match="column b"):
        derive(_hive("SELECT b + 1 AS c FROM w"), upstreams, Options())


def _hive(text: str, original: str | None = None, stored: tuple[Column, ...] = ()) -> Relation:
    view_text = ViewText(Dialect.HIVE, text, original or text, ("default",))
    return Relation(RelationName.of("default", "v"), stored, view=view_text)


def _table(columns_: str) -> dict[RelationName, Interface]:
    interface = derived(f"CREATE TABLE w ({columns_})", "w").interface
    return {interface.name: interface}


def test_hives_wrapper_around_a_column_list_keeps_the_case_of_the_base() -> None:
    literal = '{"type": "record", "name": "W", "fields": [{"name": "Id", "type": "int"}]}'
    ddl = f"CREATE TABLE w (id INT) TBLPROPERTIES ('avro.schema.literal' = '{literal}')"
    interface = derived(ddl, "w").interface
    text = "SELECT `id` AS `id`, `_c1` AS `more` FROM (SELECT `w`.`id`, `w`.`id` + 1 FROM `default`.`w`) `default.v`"

    derivation = derive(_hive(text), {interface.name: interface}, Options())

    assert [c.name for c in derivation.interface.columns] == ["Id", "more"]


def test_following_expands_the_original_texts_stars_again() -> None:
    relation = _hive("SELECT `w`.`a` FROM `default`.`w`", "SELECT * FROM w")
    upstreams = _table("a INT, b STRING")

    engine = derive(relation, upstreams, Options())
    follow = derive(relation, upstreams, Options(view_evolution=ViewEvolution.FOLLOW))

    assert [c.name for c in engine.interface.columns] == ["a"]
    assert [c.name for c in follow.interface.columns] == ["a", "b"]


def test_following_refuses_an_expanded_text_above_the_limit() -> None:
    relation = _hive("SELECT `w`.`a` FROM `default`.`w`", "SELECT * FROM w")
    options = Options(view_evolution=ViewEvolution.FOLLOW, max_sql_bytes=20)

    with pytest.raises(Unsupported, match="more than the 20 allowed"):
        derive(relation, _table("a INT"), options)


def _spark(mode: SchemaMode, stored: str, query_columns: tuple[str, ...]) -> Relation:
    text = ViewText(
        Dialect.SPARK,
        "SELECT * FROM w",
        "SELECT * FROM w",
        ("default",),
        schema_mode=mode,
        query_columns=query_columns,
    )
    types = derived(f"CREATE TABLE stored ({stored})", "stored").interface.columns
    return Relation(RelationName.of("default", "v"), types, view=text)


@pytest.mark.parametrize(
    "mode", [SchemaMode.BINDING, SchemaMode.COMPENSATION, SchemaMode.TYPE_EVOLUTION]
)
def test_a_spark_view_does_not_see_a_column_added_later(mode: SchemaMode) -> None:
    relation = _spark(mode, "x INT", ("a",))

    derivation = derive(relation, _table("b STRING, a INT"), Options())

    assert columns(derivation) == [("x", "int", True)]


def test_a_spark_view_with_schema_evolution_sees_a_column_added_later() -> None:
    relation = _spark(SchemaMode.EVOLUTION, "a INT", ("a",))

    derivation = derive(relation, _table("a INT, b STRING"), Options())

    assert columns(derivation) == [("a", "int", True), ("b", "string", True)]


def test_a_spark_view_compensates_a_widened_type_with_a_cast() -> None:
    relation = _spark(SchemaMode.COMPENSATION, "a INT", ("a",))

    derivation = derive(relation, _table("a BIGINT"), Options())

    assert columns(derivation) == [("a", "int", True)]


def test_a_binding_spark_view_refuses_a_widened_type() -> None:
    relation = _spark(SchemaMode.BINDING, "a INT", ("a",))

    with pytest.raises(TypeMismatch, match="column a was int"):
        derive(relation, _table("a BIGINT"), Options())


def test_a_type_evolving_spark_view_follows_a_widened_type() -> None:
    relation = _spark(SchemaMode.TYPE_EVOLUTION, "a INT", ("a",))

    derivation = derive(relation, _table("a BIGINT"), Options())

    assert columns(derivation) == [("a", "bigint", True)]


def test_a_nested_field_added_under_a_compensating_spark_view_breaks_it() -> None:
    relation = _spark(SchemaMode.COMPENSATION, "s STRUCT<a:INT>", ("s",))

    with pytest.raises(TypeMismatch, match="column s was struct<a:int>"):
        derive(relation, _table("s STRUCT<a:INT,b:INT>"), Options())


def test_a_column_that_a_spark_view_needs_and_no_longer_finds_breaks_it() -> None:
    relation = _spark(SchemaMode.COMPENSATION, "a INT", ("a",))

    with pytest.raises(UnknownColumn):
        derive(relation, _table("b INT"), Options())


def test_ansi_mode_off_changes_what_types_meet_in() -> None:
    relation = _hive("SELECT if(a = 1, a, 'x') AS c FROM w")
    assert relation.view is not None
    ansi = replace(relation.view, dialect=Dialect.SPARK)
    legacy = replace(ansi, sql_configs={"spark.sql.ansi.enabled": "false"})

    types = [
        columns(derive(replace(relation, view=text), _table("a INT"), Options()))[0][1]
        for text in (ansi, legacy)
    ]

    assert types == ["bigint", "string"]


@pytest.mark.parametrize(
    ("query", "answers"),
    [
        ("SELECT " + "(" * 10_000 + "1" + ")" * 10_000 + " AS x FROM t", False),
        ("SELECT " + "NOT " * 10_000 + "true AS x FROM t", False),
        ("SELECT " + "- " * 10_000 + "1 AS x FROM t", False),
        ("SELECT " + "abs(" * 10_000 + "1" + ")" * 10_000 + " AS x FROM t", False),
        ("SELECT * FROM " + "(SELECT * FROM " * 10_000 + "t" + ") x" * 10_000, False),
        ("SELECT " + "CASE WHEN true THEN " * 5_000 + "1" + " END" * 5_000 + " AS x FROM t", False),
        ("SELECT " + "+".join(["1"] * 10_000) + " AS x FROM t", False),
        ("SELECT id IN (" + ",".join(["1"] * 5_000) + ") AS x FROM t", True),
        (" UNION ALL ".join(["SELECT id FROM t"] * 500), True),
        ("SELECT id FROM t WHERE " + " AND ".join(["id = 1"] * 1_000), True),
        *(
            pytest.param(query, True, marks=pytest.mark.slow)
            for query in (
                "SELECT id IN (" + ",".join(["1"] * 50_000) + ") AS x FROM t",
                " UNION ALL ".join(["SELECT id FROM t"] * 5_000),
                "SELECT id FROM t WHERE " + " AND ".join(["id = 1"] * 10_000),
            )
        ),
    ],
    ids=[
        "parentheses",
        "not",
        "minus",
        "calls",
        "sub-queries",
        "case",
        "plus",
        "in",
        "union",
        "and",
        "a long in",
        "a long union",
        "a long and",
    ],
)
def test_hostile_text_ends_in_an_answer_or_a_clear_error(query: str, answers: bool) -> None:
    if answers:
        assert len(view(query).interface.columns) == 1
    else:
        with pytest.raises(Unsupported):
            view(query)


def test_an_interval_below_a_view_needs_no_schema() -> None:
    table = "CREATE TABLE t (at TIMESTAMP);"
    inner = "SELECT at, at - TIMESTAMP '2020-01-01 00:00:00' AS since FROM t"

    kept = derived(f"{table} CREATE VIEW v AS SELECT at FROM ({inner}) x", dialect=Dialect.SPARK)

    assert columns(kept) == [("at", "timestamp", True)]
    given = derived(f"{table} CREATE VIEW v AS {inner}", dialect=Dialect.SPARK)
    assert columns(given)[1] == ("since", "interval day to second", True)


def test_text_above_the_limit_is_too_large() -> None:
    with pytest.raises(Unsupported, match="more than the 100 allowed"):
        view("SELECT id AS " + "x" * 100 + " FROM t", options=Options(max_sql_bytes=100))


@pytest.mark.parametrize("name", ["a b", "`", "ß", "x.y", "1", "class", "a'b", 'a"b', "日本"])
def test_names_with_special_characters_stay_and_become_legal_in_avro(name: str) -> None:
    quoted = "`" + name.replace("`", "``") + "`"

    derivation = view(f"SELECT id AS {quoted} FROM t")

    assert derivation.interface.columns[0].name == name
    assert derivation.interface.schema.fields[0].name.isascii()


def test_a_doubled_quote_is_one_to_spark_and_none_to_hive() -> None:
    view = "CREATE TABLE t (a INT); CREATE VIEW v AS SELECT 'it''s' AS a, 'a' 'b' AS b FROM t"

    assert literals(view, Dialect.SPARK) == ["it's", "ab"]
    assert literals(view, Dialect.HIVE) == ["its", "ab"]


def literals(ddl: str, dialect: Dialect) -> list[str]:
    relations = relations_from_ddl([ddl], dialect)
    name = RelationName.of("default", "v")
    _, plan = derive_view(relations[name], interfaces(relations, name), Options())
    return [_joined(expression) for expression in expressions(plan)]


def _joined(expression: RowExpression) -> str:
    """A literal's text, or that of the literals that are put together."""
    texts = [part.value or "" for part in walk(expression) if isinstance(part, Literal)]
    return "".join(texts)
