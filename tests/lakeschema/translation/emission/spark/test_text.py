"""No text from a metastore escapes from its name or literal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeschema.catalog.column_types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DATE,
    INT,
    TIMESTAMP,
    ColumnType,
    parse_type,
)
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.spark.registration import temporary_names
from lakeschema.translation.emission.spark.text import literal, quoted, relation, string, type_text
from lakeschema.translation.emission.spark.view import spark_view
from lakeschema.translation.model.errors import UnsupportedConstruct, UnsupportedType
from lakeschema.translation.requests.batch import answer
from tests.lakeschema.translation.relations import DEFAULT, interfaces

HOSTILE = ["it's", "a\\", "'; DROP TABLE t; --", "\n\r\t\0", "`", "ä€😀", "/* */", "{0} {*}", "%_"]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_string_literal_is_read_back_as_the_text(text: str) -> None:
    assert read_back(text) == text


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=30))
def test_any_text_is_read_back(text: str) -> None:
    assert read_back(text) == text


def read_back(text: str) -> str:
    """By the parser of the views' own texts, escapes undone as Spark undoes them."""
    body = string(text)[1:-1]
    return body.encode("ascii").decode("unicode_escape")


@pytest.mark.parametrize("name", HOSTILE)
def test_an_identifier_stays_one_token(name: str) -> None:
    body = quoted(name)
    assert body[1:-1].replace("``", "").count("`") == 0
    assert body[1:-1].replace("``", "`") == name


@pytest.mark.parametrize(
    ("value", "type_", "text"),
    [
        ("5", INT, "5"),
        ("5", BIGINT, "5L"),
        ("2020-01-01 00:00:00", TIMESTAMP, "TIMESTAMP_LTZ '2020-01-01 00:00:00'"),
        (None, INT, "CAST(NULL AS INT)"),
        ("1.5", parse_type("decimal(2,1)"), "CAST(1.5BD AS DECIMAL(2,1))"),
        ("0aFF", BINARY, "X'0aFF'"),
        ("true", BOOLEAN, "true"),
        ("2020-01-01", DATE, "DATE '2020-01-01'"),
        ("5) OR (1=1", INT, "CAST('5) OR (1=1' AS INT)"),
        ("0a' --", BINARY, "CAST('0a\\' --' AS BINARY)"),
    ],
)
def test_a_literal_has_exactly_its_type(value: str | None, type_: ColumnType, text: str) -> None:
    assert literal(value, type_) == text


def test_a_type_that_spark_lacks_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedType, match="uniontype"):
        type_text(parse_type("uniontype<int,string>"))


def emitted(ddl: str, dialect: Dialect = Dialect.HIVE) -> str:
    relations = relations_from_ddl([ddl], dialect)
    name = RelationName.of("default", "v")
    return spark_view(relations[name], interfaces(relations, name), DEFAULT).sql


def test_braces_in_an_argument_are_not_placeholders() -> None:
    sql = emitted(
        "CREATE TABLE t (a STRING); CREATE VIEW v AS SELECT greatest('{1}', a) AS g FROM t"
    )

    assert "greatest('{1}', t1.`a`)" in sql


def test_what_is_computed_below_is_written_once() -> None:
    sql = emitted(
        "CREATE TABLE t (a INT);"
        "CREATE VIEW v AS SELECT s.x + s.x AS y FROM (SELECT rand() AS x FROM t) s"
    )

    assert sql.count("rand()") == 1


def test_an_aggregate_that_nothing_reads_still_makes_one_row() -> None:
    sql = emitted(
        "CREATE TABLE t (a INT);"
        "CREATE VIEW v AS SELECT 1 AS one FROM (SELECT count(a) AS n FROM t WHERE a < 0) s"
    )

    assert "count(t1.`a`)" in sql


def test_a_sub_query_sees_a_full_joins_common_column_whole() -> None:
    sql = emitted(
        "CREATE TABLE t (k INT); CREATE TABLE u (k INT); CREATE TABLE w (j INT);"
        "CREATE VIEW v AS SELECT k FROM t FULL JOIN u USING (k)"
        " WHERE EXISTS (SELECT 1 FROM w WHERE w.j = k)",
        Dialect.SPARK,
    )

    assert "(t3.`j` = coalesce(t1.`k`, t2.`k`))" in sql


def test_a_number_in_group_by_is_not_a_position() -> None:
    sql = emitted(
        "CREATE TABLE t (a INT); CREATE VIEW v AS SELECT 7 AS k, count(*) AS n FROM t GROUP BY 7"
    )

    assert "GROUP BY CAST(7 AS INT)" in sql


def test_a_number_that_was_a_column_below_is_not_a_position() -> None:
    sql = emitted(
        "CREATE TABLE t (a INT); CREATE VIEW v AS"
        " SELECT k, count(*) AS n FROM (SELECT -2 AS k FROM t) s GROUP BY k"
    )

    assert "GROUP BY CAST(-2 AS INT)" in sql


def test_what_an_order_reads_is_followed_once_however_often_each_query_reads_it() -> None:
    # Followed at each mention, forty of them would never end.
    text = "SELECT a AS x FROM t"
    for _ in range(40):
        text = f"SELECT x + x AS x FROM ({text}) s"

    sql = emitted(f"CREATE TABLE t (a INT); CREATE VIEW v AS {text} ORDER BY x")

    assert "ORDER BY" in sql


@pytest.mark.parametrize(("pattern", "text"), [
    ("'b+'", "(t1.`a` RLIKE 'b+')"),
    ("b", "if(t1.`b` = '' AND t1.`a` IS NOT NULL, false, (t1.`a` RLIKE t1.`b`))"),
    ("''", "if('' = '' AND t1.`a` IS NOT NULL, false, (t1.`a` RLIKE ''))"),
])  # fmt: skip
def test_nothing_matches_an_empty_pattern_of_hives(pattern: str, text: str) -> None:
    sql = emitted(
        f"CREATE TABLE t (a STRING, b STRING); CREATE VIEW v AS SELECT a RLIKE {pattern} AS m FROM t"
    )

    assert text in sql


def test_hives_star_of_a_full_join_shows_the_left_side() -> None:
    sql = emitted(
        "CREATE TABLE t (k INT, a INT); CREATE TABLE u (k INT, b INT);"
        "CREATE VIEW v AS SELECT * FROM t FULL JOIN u USING (k)"
    )

    assert sql.startswith("SELECT t1.`k`, t1.`a`, t2.`b` FROM")


def test_a_function_that_differs_in_spark_is_refused_with_the_reason() -> None:
    with pytest.raises(UnsupportedConstruct, match="Hive's own version"):
        emitted("CREATE TABLE t (a INT); CREATE VIEW v AS SELECT version() AS h FROM t")


def test_a_batch_is_answered_with_all_that_spark_needs() -> None:
    request = {
        "id": 1,
        "ddl": [
            "CREATE TABLE t (Id INT, name STRING)",
            (
                "CREATE VIEW v TBLPROPERTIES ('functions' = 'Up:com.example.Up') AS "
                "SELECT Id, default_v_Up(name) AS Upper FROM t"
            ),
        ],
        "relation": "default.v",
        "to": "spark",
        "udfs": {"com.example.Up": {"returns": "string"}},
    }

    result = answer(request)["result"]

    assert result["udfs"] == [{"name": "default_v_up", "class": "com.example.Up", "artifacts": []}]
    assert result["settings"] == {"spark.sql.ansi.enabled": "false"}
    assert result["schema"].endswith("`Upper` STRING")
    assert "`default_v_up`(t1.`name`)" in result["sql"]


def test_a_table_has_no_query() -> None:
    request = {"id": 1, "ddl": ["CREATE TABLE t (a INT)"], "relation": "default.t", "to": "spark"}

    assert "is a table" in answer(request)["error"]["message"]


def test_temporary_views_of_two_relations_never_have_one_name() -> None:
    views = [RelationName.of("a_b", "c"), RelationName.of("a", "b_c"), RelationName.of("a", "b_c_")]

    names = temporary_names(views)

    assert names == {views[1]: "a_b_c", views[2]: "a_b_c_", views[0]: "a_b_c__"}


def test_temporary_views_differ_regardless_of_case_and_name_another_catalog() -> None:
    views = [
        RelationName(("a",), "T"),
        RelationName(("a",), "t"),
        RelationName(("sales", "e.u"), "T", "prod"),
    ]

    names = temporary_names(views)

    assert names == {views[0]: "a_T", views[1]: "a_t_", views[2]: "prod_sales_e.u_T"}


def test_a_name_of_another_catalog_begins_with_the_catalog() -> None:
    assert relation(RelationName.of("db", "t")) == "`db`.`t`"
    assert relation(RelationName(("a", "b.c"), "T`", "cat")) == "`cat`.`a`.`b.c`.`T```"


@pytest.mark.parametrize("text", ["${env:PATH}", "a$${system:user.dir}", "$${x}${y}"])
def test_no_literal_holds_what_spark_takes_for_a_variable(text: str) -> None:
    written = string(text)

    assert "${" not in written
    assert written.replace("\\u0024", "$") == f"'{text}'"
