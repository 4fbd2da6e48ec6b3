"""What Hive 4.0.1 answered of columns that are computed in a query below."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lakeschema.catalog.column_types import BOOLEAN, INT, DecimalType, print_type
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.functions.hive_constants import (
    known_number,
    possible_truths,
    written_integer,
)
from lakeschema.translation.functions.hive_first_types import first_type, unfolded_type
from lakeschema.translation.functions.hive_retyping import branch_types
from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.model.interface import Options
from lakeschema.translation.plan.expressions import Call, ColumnReference, Literal
from lakeschema.translation.plan.operators import NullClass, Operator, UserDefined
from lakeschema.translation.requests.batch import answer
from lakeschema.translation.requests.option_values import read_udf
from tests.lakeschema.translation.relations import derived_in

TABLE = "CREATE TABLE t (r INT, s STRING, bo BOOLEAN, de DECIMAL(10,2))"
VIEW = RelationName.of("default", "v")


def type_of(query: str) -> str:
    """Of the one column of a view."""
    relations = relations_from_ddl([TABLE, f"CREATE VIEW v AS {query}"])
    (column,) = derived_in(relations, VIEW).interface.columns
    return print_type(column.type)


@pytest.mark.parametrize(
    ("query", "type_"),
    [
        ("SELECT x FROM (SELECT coalesce(de, 0) AS x FROM t) q", "decimal(10,2)"),
        ("SELECT x + 2 AS x FROM (SELECT coalesce(de, 0) AS x FROM t) q", "decimal(11,2)"),
        ("SELECT x * 2 AS x FROM (SELECT coalesce(de, 0) AS x FROM t) q", "decimal(14,2)"),
        (
            "SELECT y * 2 AS x FROM (SELECT x + 1 AS y FROM (SELECT coalesce(de, 0) AS x FROM t) q) p",
            "decimal(15,2)",
        ),
        (
            "SELECT x * 2 AS x FROM (SELECT sum(coalesce(de, 0)) AS x FROM t GROUP BY s) q",
            "decimal(24,2)",
        ),
        (
            "SELECT k * 2 AS x FROM (SELECT coalesce(de, 0) AS k, count(*) AS n FROM t GROUP BY coalesce(de, 0)) q",
            "decimal(14,2)",
        ),
        (
            "SELECT a.x * 2 AS x FROM (SELECT coalesce(de, 0) AS x, r FROM t) a JOIN t b ON a.r = b.r",
            "decimal(14,2)",
        ),
        (
            "SELECT b.x * 2 AS x FROM t a JOIN (SELECT coalesce(de, 0) AS x, r FROM t) b ON a.r = b.r",
            "decimal(14,2)",
        ),
        (
            "SELECT x * 2 AS x FROM (SELECT DISTINCT coalesce(de, 0) AS x FROM t) q",
            "decimal(14,2)",
        ),
        ("SELECT x * 2 AS x FROM (SELECT coalesce(de, 0) AS x FROM t LIMIT 3) q", "decimal(14,2)"),
        ("SELECT avg(x) AS x FROM (SELECT coalesce(de, 0) AS x FROM t) q", "decimal(16,6)"),
        (
            "SELECT x * 2 AS x FROM (SELECT sum(coalesce(de, 0)) OVER (ORDER BY r) AS x FROM t) q",
            "decimal(24,2)",
        ),
    ],
)
def test_products_are_of_the_types_before_hives_optimiser_in_queries_below_too(
    query: str, type_: str
) -> None:
    assert type_of(query) == type_


@pytest.mark.parametrize(
    ("query", "type_"),
    [
        ("SELECT de + y AS x FROM (SELECT de, 1 + 1 AS y FROM t) q", "decimal(11,2)"),
        ("SELECT de * y AS x FROM (SELECT de, 5 AS y FROM t) q", "decimal(21,2)"),
        (
            "SELECT de + y AS x FROM (SELECT de, z AS y FROM (SELECT de, 5 AS z FROM t) p) q",
            "decimal(11,2)",
        ),
        ("SELECT de + y AS x FROM (SELECT DISTINCT de, 5 AS y FROM t LIMIT 3) q", "decimal(11,2)"),
        ("SELECT de + y AS x FROM (SELECT de, max(5) AS y FROM t GROUP BY de) q", "decimal(13,2)"),
        (
            "SELECT a.de + b.y AS x FROM t a JOIN (SELECT r, 5 AS y FROM t) b ON a.r = b.r",
            "decimal(11,2)",
        ),
        (
            "SELECT a.de + b.y AS x FROM t a LEFT JOIN (SELECT r, 5 AS y FROM t) b ON a.r = b.r",
            "decimal(13,2)",
        ),
        ("SELECT de + r AS x FROM t WHERE r = 5", "decimal(11,2)"),
        ("SELECT de + r AS x FROM t WHERE 5 = r AND bo", "decimal(11,2)"),
        ("SELECT de + r AS x FROM t WHERE r = 5 OR bo", "decimal(13,2)"),
        (
            "SELECT a.de + b.y AS x FROM t a CROSS JOIN (SELECT 5 AS y FROM t) b",
            "decimal(11,2)",
        ),
        ("SELECT y + 1.5 AS x FROM (SELECT 1 + 1 AS y FROM t) q", "decimal(12,1)"),
        (
            "SELECT if(bo, de, y) AS x FROM (SELECT de, bo, CAST(0 AS DECIMAL(20,5)) AS y FROM t) q",
            "decimal(10,2)",
        ),
    ],
)
def test_columns_that_are_constants_count_their_digits(query: str, type_: str) -> None:
    assert type_of(query) == type_


@pytest.mark.parametrize(
    "expression",
    [
        *(
            "de + year(DATE '2020-01-01')",
            "de + if(year(DATE '2020-01-01') = 2020, 2, 30)",
            "de + 1.25 / 3",
        ),
        *("if(bo, de, crc32('abc'))", "coalesce(de + 1, month(current_date))"),
        *(
            "de + coalesce(NULL, year(DATE '2020-01-01'))",
            "array(de, CAST(sqrt(4) AS DECIMAL(20,5)))",
        ),
        *(
            "de + coalesce(de, CAST(sqrt(4) AS DECIMAL(20,5)))",
            "de + CAST(1.5D * 2 AS DECIMAL(20,5))",
        ),
    ],
)
def test_a_constant_that_is_not_computed_here_is_refused_where_its_digits_matter(
    expression: str,
) -> None:
    with pytest.raises(UnsupportedConstruct, match="a constant whose digits decide the type"):
        type_of(f"SELECT {expression} AS x FROM t")


@pytest.mark.parametrize(
    ("expression", "type_"),
    [
        ("de * 100 + year(DATE '2020-01-01')", "decimal(15,2)"),
        ("de + unix_timestamp()", "decimal(22,2)"),
        ("de + CAST('x' AS INT)", "decimal(13,2)"),
        ("de + CAST('1_0' AS INT)", "decimal(13,2)"),
        ("de + CAST('1e9999999' AS INT)", "decimal(13,2)"),
        ("round(de, CAST('1e9999999' AS INT))", "decimal(10,2)"),
        ("greatest(de, CAST(concat('1e', '9999999') AS DECIMAL(20,5)))", "decimal(20,5)"),
        ("coalesce(de, year(DATE '2020-01-01'))", "decimal(12,2)"),
    ],
)
def test_a_constant_that_is_not_computed_here_is_taken_where_its_digits_do_not_matter(
    expression: str, type_: str
) -> None:
    assert type_of(f"SELECT {expression} AS x FROM t") == type_


def test_a_function_that_a_view_declares_is_not_the_built_in_of_its_name() -> None:
    functions = "TBLPROPERTIES ('functions' = 'abs:com.example.Length')"
    options = Options(
        udfs={"com.example.Length": read_udf("com.example.Length", {"returns": "decimal(20,5)"})}
    )
    view = f"CREATE VIEW v {functions} AS SELECT array(de, abs(5)) AS x FROM t"

    with pytest.raises(UnsupportedConstruct, match="a constant whose digits decide the type"):
        derived_in(relations_from_ddl([TABLE, view]), VIEW, options)


@pytest.mark.parametrize("dialect", ["hive", "spark", "trino"])
@pytest.mark.parametrize("call", ["greatest(1, 2)", "floor(1.25)", "least(1, 2)"])
def test_columns_below_that_are_constants_are_read_in_each_dialect(dialect: str, call: str) -> None:
    asked = {
        "id": 1,
        "ddl": [TABLE, f"CREATE VIEW v AS SELECT x FROM (SELECT {call} AS x) q"],
        "relation": "default.v",
        "dialect": dialect,
    }

    assert "result" in answer(asked)


def nested(times: int, form: str) -> str:
    text = "de"
    for number in range(times):
        text = form.format(text, number)
    return text


@pytest.mark.parametrize(
    ("expression", "type_"),
    [
        (f"if({' AND '.join(f'r = {n}' for n in range(60))}, de, 3000000000)", "decimal(12,2)"),
        (f"if({' OR '.join(f'r = {n}' for n in range(60))}, de, 3000000000)", "decimal(12,2)"),
        (f"if(r IN ({', '.join(map(str, range(500)))}), de, 3000000000)", "decimal(12,2)"),
        (nested(60, "if(r = {1}, {1}, {0})"), "decimal(10,2)"),
        (nested(60, "if(r = {1}, {0}, {1})"), "decimal(10,2)"),
        (nested(20, "if(({0}) > {1}, {1}, 7)"), "int"),
        (nested(18, "(CASE WHEN {0} = 1 THEN 1 ELSE 2 END)") + " + de", "decimal(13,2)"),
        (
            nested(18, "(CASE WHEN {0} BETWEEN 1 AND 5 THEN 1 ELSE 3 END)") + " + de",
            "decimal(13,2)",
        ),
    ],
)
def test_long_conditions_and_deep_choices_are_typed(expression: str, type_: str) -> None:
    """Each takes ages if what a condition can be is looked up anew for each way there."""
    assert type_of(f"SELECT {expression} AS x FROM t") == type_


MONTHS = " ".join(f"WHEN month(current_date) = {month} THEN de" for month in range(12))


@pytest.mark.parametrize(
    ("expression", "type_"),
    [
        (f"CASE {MONTHS} ELSE 0 END", "decimal(12,2)"),
        (
            "CASE WHEN r + rand() <> r + rand() THEN CAST(s AS DECIMAL(20,5)) WHEN bo THEN 1 ELSE de END",
            "decimal(20,5)",
        ),
        ("first_value(array(array(de + 1))) OVER ()", "array<array<decimal(13,2)>>"),
    ],
)
def test_conditions_that_hive_alone_computes_leave_the_types_that_all_outcomes_have(
    expression: str, type_: str
) -> None:
    assert type_of(f"SELECT {expression} AS x FROM t") == type_


@pytest.mark.parametrize("condition", ["2147483647 + 1 < 0", "(2147483647 + 1) IS NOT NULL"])
def test_a_whole_number_that_wraps_round_is_not_taken_for_null(condition: str) -> None:
    chosen = "THEN CAST(s AS DECIMAL(20,5)) WHEN bo THEN 1 ELSE de END"

    with pytest.raises(UnsupportedConstruct):
        type_of(f"SELECT CASE WHEN {condition} {chosen} AS x FROM t")


def test_a_number_of_more_digits_than_pythons_context_keeps_them() -> None:
    wide = "CAST('99999999999999999999.999999999999999999' AS DECIMAL(38,18))"

    assert type_of(f"SELECT -(if(bo, {wide}, -{wide})) AS x FROM t") == "decimal(38,18)"
    assert type_of(f"SELECT struct({wide}).col1 AS x FROM t") == "decimal(38,18)"


USER_DEFINED = UserDefined(VIEW, "f", "com.example.F", ())
DECIMAL = DecimalType(5, 2)


@pytest.mark.parametrize(
    "name", ["array_max", "abs", "if", "greatest", "coalesce", "+", "not", "isnull", "struct"]
)
@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_users_function_named_as_a_built_in_keeps_its_type(name: str, count: int) -> None:
    wide = ColumnReference(0, "wide", DecimalType(20, 5), nullable=True)
    operator = Operator(name, NullClass.PARTIAL, udf=USER_DEFINED)
    call = Call(operator, (wide,) * count, DECIMAL, nullable=True)
    condition = Call(operator, (wide,) * count, BOOLEAN, nullable=True)

    assert first_type(call) == unfolded_type(call) == DECIMAL
    assert known_number(call) is None
    assert possible_truths(condition) == {True, False, None}
    if count:
        assert branch_types([call, Literal("1", INT)], [condition], is_complete=True)[0] == DECIMAL


def test_a_users_function_named_negative_is_no_written_number() -> None:
    one = Literal("1", INT)
    own = Operator("negative", NullClass.TOTAL)

    assert written_integer(Call(own, (one,), INT, nullable=False)) == -1
    assert written_integer(Call(replace(own, udf=USER_DEFINED), (one,), INT, nullable=True)) is None


def test_a_field_of_a_written_struct_keeps_the_record_that_it_is() -> None:
    inner = (
        '{"type":"record","name":"Inner","doc":"hello","fields":[{"name":"mM","type":"string"}]}'
    )
    literal = (
        '{"type":"record","name":"W","fields":['
        '{"name":"a","type":{"type":"bytes","logicalType":"decimal","precision":10,"scale":2}},'
        f'{{"name":"c","type":{inner}}}]}}'
    )
    table = (
        "CREATE TABLE w (a DECIMAL(10,2), c STRUCT<mm:STRING>)"
        f" TBLPROPERTIES ('avro.schema.literal' = '{literal}')"
    )
    for query in (
        "SELECT struct(c, a + 1).col1 AS x FROM w",
        "SELECT named_struct('p', c, 'q', a + 1).p AS x FROM w",
        "SELECT first_value(struct(c, a + 1).col1) OVER () AS x FROM w",
    ):
        relations = relations_from_ddl([table, f"CREATE VIEW v AS {query}"])
        (field,) = derived_in(relations, VIEW).interface.schema.fields
        assert "Inner" in str(field.type), query
        assert "hello" in str(field.type), query
