"""The type and nullability of expressions where engines or rules differ.

``r_`` columns are required, ``n_`` columns may be null.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.model.errors import TypeMismatch
from lakeschema.translation.requests.batch import answer
from tests.lakeschema.translation.relations import columns, derived, derived_in

HIVE, SPARK = Dialect.HIVE, Dialect.SPARK
TABLE = (
    "CREATE TABLE t (r_i INT NOT NULL, n_i INT, r_b BIGINT NOT NULL, r_s STRING NOT NULL, n_s STRING,"
    " r_d DECIMAL(10,2) NOT NULL, w_d DECIMAL(38,18) NOT NULL, r_f FLOAT NOT NULL,"
    " r_t TIMESTAMP NOT NULL, n_a ARRAY<INT>, r_bool BOOLEAN NOT NULL)"
)
ENFORCED = {HIVE: TABLE, SPARK: f"{TABLE} USING delta"}


@pytest.mark.parametrize(
    ("dialect", "expression", "type_", "nullable"),
    [
        (HIVE, "size(n_a)", "int", False),
        (SPARK, "size(n_a)", "int", True),
        (HIVE, "to_date(r_s)", "date", True),
        (HIVE, "year(r_t)", "int", True),
        (SPARK, "year(r_t)", "int", False),
        (HIVE, "coalesce(n_i, r_i)", "int", False),
        (HIVE, "coalesce(n_i, n_i)", "int", True),
        (HIVE, "nullif(r_i, 1)", "int", True),
        (HIVE, "r_i / 2", "double", True),
        (HIVE, "r_i + 1", "int", False),
        (HIVE, "r_d + 1", "decimal(11,2)", True),
        (SPARK, "r_d + 1", "decimal(11,2)", False),
        (HIVE, "concat(r_s, 'x')", "string", False),
        (HIVE, "concat(r_s, n_s)", "string", True),
        (HIVE, "CAST(r_s AS INT)", "int", True),
        (HIVE, "CAST(r_d AS DECIMAL(8,2))", "decimal(8,2)", True),
        (HIVE, "CAST(r_d AS DECIMAL(12,2))", "decimal(12,2)", False),
        (HIVE, "CASE WHEN r_bool THEN r_i END", "int", True),
        (HIVE, "CASE WHEN r_bool THEN r_i ELSE 0 END", "int", False),
        (HIVE, "n_a[0]", "int", True),
        (HIVE, "greatest(r_i, n_i)", "int", True),
        (HIVE, "lag(r_i) OVER (ORDER BY r_i)", "int", True),
        (HIVE, "count(n_i) OVER ()", "bigint", False),
        (HIVE, "n_i <=> 1", "boolean", False),
        (HIVE, "n_i = 1", "boolean", True),
        (HIVE, "r_d * r_b", "decimal(30,2)", True),
        (SPARK, "r_d * r_b", "decimal(31,2)", False),
        (HIVE, "w_d + r_d", "decimal(38,17)", True),
        (HIVE, "if(r_bool, w_d, r_b)", "decimal(38,18)", False),
        (SPARK, "if(r_bool, w_d, CAST(r_d AS DECIMAL(38,2)))", "decimal(38,2)", True),
        (HIVE, "1.50", "decimal(2,1)", False),
        (SPARK, "1.50", "decimal(3,2)", False),
        (HIVE, "1.5 + -2", "decimal(3,1)", True),
        (SPARK, "1.5 + -2", "decimal(3,1)", False),
        (SPARK, "1.5 + 2Y", "decimal(5,1)", False),
        (SPARK, "1.5 + 2S", "decimal(3,1)", False),
        (SPARK, "1.5 + 2L", "decimal(3,1)", False),
        (HIVE, "-2147483648", "bigint", False),
        (SPARK, "-2147483648", "int", False),
        (SPARK, "-9223372036854775808", "bigint", False),
        (SPARK, "coalesce(r_i, r_f)", "double", False),
        (HIVE, "coalesce(r_i, r_f)", "float", False),
        (SPARK, "coalesce(n_i, '1')", "bigint", True),
        (SPARK, "array_remove(n_a, 1)", "array<int>", True),
        (SPARK, "array_remove(n_a, r_b)", "array<bigint>", True),
        (SPARK, "array_remove(array(DATE '2020-01-01'), r_t)", "array<timestamp>", False),
        (SPARK, "approx_percentile(r_s, 0.5)", "double", True),
        (HIVE, "instr(r_s, r_s)", "int", False),
        (HIVE, "least(NULL, r_i, 1)", "int", True),
        (HIVE, "map(r_i, NULL)", "map<int,string>", False),
        (HIVE, "map()", "map<string,string>", False),
        (SPARK, "map(r_i, NULL)", "map<int,void>", False),
        (HIVE, "instr(r_s, r_s, 1, r_i)", "int", True),
        (SPARK, "instr(r_s, r_s)", "int", False),
        (SPARK, "date_part('YEAR', r_s)", "int", True),
        (SPARK, "date_part('YEAR', r_t)", "int", False),
        (SPARK, "uniform(1.25, 9)", "decimal(3,2)", False),
        (SPARK, "uniform(1.25, 100)", "decimal(3,2)", True),
    ],
)
def test_an_expression_has_its_dialects_type_and_nulls(
    dialect: Dialect, expression: str, type_: str, nullable: bool
) -> None:
    tables = ENFORCED[dialect]
    found = derived(f"{tables}; CREATE VIEW v AS SELECT {expression} AS x FROM t", dialect=dialect)

    assert columns(found) == [("x", type_, nullable)]


@pytest.mark.parametrize(
    ("expression", "type_", "in_ansi_mode", "otherwise"),
    [
        ("make_date(r_i, r_i, r_i)", "date", False, True),
        ("timestamp_seconds(r_f)", "timestamp", True, True),
        ("timestamp_seconds(r_i)", "timestamp", False, False),
        ("sum(w_d) OVER (PARTITION BY r_i)", "decimal(38,18)", False, True),
        ("avg(w_d) OVER (PARTITION BY r_i)", "decimal(38,22)", False, True),
        ("sum(r_d) OVER (PARTITION BY r_i)", "decimal(20,2)", False, False),
        ("size(n_a)", "int", True, False),
        ("to_char(r_s, '999')", "string", True, True),
        ("to_char(r_i, '999')", "string", False, False),
    ],
)
def test_an_expression_may_be_null_where_it_is_not_an_error(
    expression: str, type_: str, in_ansi_mode: bool, otherwise: bool
) -> None:
    relations = relations_from_ddl(
        [ENFORCED[SPARK], f"CREATE VIEW v AS SELECT {expression} AS x FROM t"], SPARK
    )
    name = RelationName.of("default", "v")
    view = relations[name].view
    assert view is not None
    legacy = replace(view, sql_configs={"spark.sql.ansi.enabled": "false"})
    legacy_relations = {**relations, name: replace(relations[name], view=legacy)}

    assert columns(derived_in(relations, name)) == [("x", type_, in_ansi_mode)]
    assert columns(derived_in(legacy_relations, name)) == [("x", type_, otherwise)]


@pytest.mark.parametrize("pair", [("r_s", "r_i"), ("r_t", "r_s"), ("r_bool", "r_s")])
def test_hive_refuses_to_unite_text_with_other_types(pair: tuple[str, str]) -> None:
    a, b = pair

    with pytest.raises(TypeMismatch):
        derived(f"{TABLE}; CREATE VIEW v AS SELECT {a} AS x FROM t UNION ALL SELECT {b} FROM t")


@pytest.mark.parametrize(
    ("dialect", "expression", "emitted"),
    [
        (HIVE, "CAST(r_bool AS STRING)", "upper(CAST(t1.`r_bool` AS STRING))"),
        (HIVE, "greatest(r_i, n_i)", "if(t1.`r_i` IS NULL OR t1.`n_i` IS NULL, NULL, greatest("),
        (SPARK, "trim(BOTH 'a' FROM r_s)", "trim('a', t1.`r_s`)"),
        (SPARK, "trim('a', r_s)", "trim('a', t1.`r_s`)"),
        (SPARK, "btrim(r_s, 'a')", "btrim(t1.`r_s`, 'a')"),
        (SPARK, "trim(LEADING 'a' FROM r_s)", "ltrim('a', t1.`r_s`)"),
        (SPARK, "rtrim('a', r_s)", "rtrim('a', t1.`r_s`)"),
        (SPARK, "approx_count_distinct(r_s, 0.1)", "approx_count_distinct(t1.`r_s`, 0.1D)"),
        (SPARK, "r_b + 1", "(t1.`r_b` + 1L)"),
        (SPARK, "try_add(r_s, r_i)", "try_add(t1.`r_s`, t1.`r_i`)"),
    ],
)
def test_an_expression_is_emitted_with_its_own_meaning(
    dialect: Dialect, expression: str, emitted: str
) -> None:
    response = answer(
        {
            "id": 1,
            "ddl": [TABLE, f"CREATE VIEW v AS SELECT {expression} AS x FROM t"],
            "relation": "default.v",
            "to": "spark",
            "dialect": dialect.value,
        }
    )

    assert emitted in str(response)
