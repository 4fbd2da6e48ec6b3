"""Requests about stored rows: the answers, their form, and refusals."""

from __future__ import annotations

from typing import Any

import pytest

from lakeschema.translation.requests.batch import answer

DDL = [
    "CREATE TABLE t (k INT, n BIGINT); CREATE TABLE u (k INT, w STRING); CREATE TABLE short (k INT)",
    "CREATE VIEW v AS SELECT k, n FROM t WHERE n > 3",
    "CREATE VIEW g AS SELECT k, count(*) AS c FROM t GROUP BY k",
]
CHANGED = {"t": "t_new"}


def request(**changes: Any) -> dict[str, Any]:
    return {"id": 7, "ddl": DDL, "relation": "v", "to": "spark", "changed": CHANGED, **changes}


def result(**changes: Any) -> Any:
    return answer(request(**changes))["result"]


def error(**changes: Any) -> Any:
    return answer(request(**changes))["error"]


def test_rows_to_add_are_a_query_of_the_inserted_ones() -> None:
    found = result()

    assert found["kind"] == "append"
    assert found["sql"] == (
        "SELECT t1.`k`, t1.`n` FROM `default`.`t_new` AS t1 WHERE (t1.`n` > 3L)"
    )
    assert found["schema"] == "`k` INT, `n` BIGINT"


def test_groups_are_merged_with_the_stored_ones() -> None:
    found = result(relation="g", stored="kept.g", to="trino")

    assert (found["kind"], found["keys"], found["stored"]) == ("merge", ["k"], "kept.g")
    assert '"kept"."g"' in found["sql"]
    assert '"default"."t_new"' in found["sql"]
    assert [column["type"] for column in found["columns"]] == ["integer", "bigint"]


def test_options_of_functions_hold_for_what_is_added() -> None:
    query = "SELECT substr(w, 2) AS w FROM u"
    found = result(
        relation="q", query=query, changed={"u": "u_new"}, options={"hive_functions": "own-class"}
    )

    assert [udf["name"] for udf in found["udfs"]] == ["hive$substr"]


def test_a_view_is_stored_under_its_own_name_unless_it_is_told() -> None:
    assert result(relation="g", to="plan")["stored"] == "default.g"


def test_a_query_may_be_what_is_refreshed() -> None:
    found = result(relation="m.q", query="SELECT k FROM default.t", dialect="spark")

    assert found["sql"] == "SELECT t1.`k` FROM `default`.`t_new` AS t1"


def test_a_view_that_reads_nothing_of_it_is_unchanged() -> None:
    assert result(changed={"u": "u_new"}) == {"kind": "unchanged", "stored": "default.v"}


def test_rows_before_may_have_a_name_of_their_own() -> None:
    query = "SELECT a.k FROM t a JOIN t b ON a.k = b.k"
    found = result(
        relation="q", query=query, changed={"t": {"inserted": "t_new", "before": "old.t"}}
    )

    assert "`old`.`t`" in found["sql"]


def test_a_view_whose_rows_do_not_follow_is_refused_with_the_reason() -> None:
    found = error(relation="q", query="SELECT k FROM t GROUP BY k HAVING count(*) > 1")

    assert found["type"] == "CannotRefresh"
    assert found["message"] == (
        "default.q: inserted rows alone do not say what its rows become: groups for which"
        " (count(1) > 1) is not true are not stored"
    )


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"to": "avro"}, "'to'"),
        ({"to": "pig"}, "'to'"),
        ({"changed": []}, "'changed'"),
        ({"changed": {}}, "'changed'"),
        ({"changed": None}, "'changed'"),
        ({"changed": {"t": 3}}, "default.t"),
        ({"changed": {"t": {"inserted": "a", "after": "b"}}}, "default.t"),
        ({"changed": {"t": {"before": "b"}}}, "default.t"),
        ({"changed": {"t": {"inserted": "a", "before": None}}}, "'before'"),
        ({"changed": {"t": "a", "DEFAULT.T": "b"}}, "twice"),
        ({"changed": {"t": "t"}}, "must be separate relations"),
        ({"changed": {"t": {"inserted": "a", "before": "a"}}}, "must be separate relations"),
        ({"changed": {"t": "a"}, "stored": "a"}, "must be separate relations"),
        ({"changed": {"v": "a"}}, "default.v"),
        ({"changed": {"t": "short"}}, "default.short"),
        ({"changed": {"t": {"inserted": "t_new", "before": "u"}}}, "default.u"),
        ({"stored": 3}, "'stored'"),
        ({"policies": {"rules": []}}, "policies"),
        ({"relation": "t"}, "table"),
    ],
)
def test_a_wrong_request_is_told_what_is_wrong(changes: dict[str, Any], named: str) -> None:
    found = error(**changes)

    assert found["type"] == "InvalidRequest"
    assert named in found["message"]


def test_a_misspelt_table_is_not_taken_for_one_that_stays() -> None:
    assert error(changed={"tt": "t_new"})["type"] == "UnknownRelation"


def test_stored_rows_are_asked_for_beside_what_changed() -> None:
    found = answer({"ddl": DDL, "relation": "v", "to": "spark", "stored": "s"})["error"]

    assert found["message"] == "expected 'changed' with 'stored'"


def test_a_script_has_no_stored_rows() -> None:
    found = answer({"script": "A = LOAD 'x';", "to": "pig", "changed": CHANGED})["error"]

    assert found["type"] == "InvalidRequest"


QUERY = "SELECT k, count(*) AS c FROM t WHERE k > 1 GROUP BY k"


def asked(**changes: Any) -> dict[str, Any]:
    wanted = {"id": 7, "ddl": DDL, "query": QUERY, "to": "spark", "materialized": ["g"]}
    return answer({**wanted, **changes})


def test_a_query_reads_the_rows_of_a_stored_view() -> None:
    found = asked()["result"]

    assert found["sql"] == (
        "SELECT t1.`k`, t1.`c` AS `c` FROM `default`.`g` AS t1 WHERE (t1.`k` > 1)"
    ).replace(" AS `c`", "")
    assert found["materialized"] == ["default.g"]


def test_a_stored_view_may_have_its_rows_elsewhere() -> None:
    found = asked(materialized={"v": "kept.v", "g": "kept.g"}, to="trino")["result"]

    assert '"kept"."g"' in found["sql"]
    assert found["materialized"] == ["default.g"]
    assert [column["name"] for column in found["columns"]] == ["k", "c"]


def test_a_query_that_follows_from_no_stored_view_is_refused() -> None:
    found = asked(materialized=["v"])["error"]

    assert found["type"] == "CannotSubstitute"
    assert "default.v: the view keeps only rows for which" in found["message"]


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"to": "avro"}, "'to'"),
        ({"materialized": []}, "'materialized'"),
        ({"materialized": "g"}, "'materialized'"),
        ({"materialized": [3]}, "'materialized'"),
        ({"materialized": {"g": None}}, "'materialized'"),
        ({"materialized": ["t"]}, "table"),
        ({"materialized": ["query"]}, "the requested relation"),
        ({"changed": CHANGED}, "not both"),
        ({"stored": "g"}, "not both"),
        ({"policies": {"rules": []}}, "policies"),
    ],
)
def test_a_wrong_question_of_stored_views_is_told_what_is_wrong(
    changes: dict[str, Any], named: str
) -> None:
    found = asked(**changes)["error"]

    assert found["type"] == "InvalidRequest"
    assert named in found["message"]


def test_a_stored_view_that_does_not_exist_is_named() -> None:
    assert asked(materialized=["gg"])["error"]["type"] == "UnknownRelation"
