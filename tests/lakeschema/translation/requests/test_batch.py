from typing import Any

import pytest

from lakeschema.translation.requests.batch import answer

DDL = ["CREATE TABLE t (id INT, name STRING)", "CREATE VIEW w AS SELECT * FROM t"]


def request(**changes: Any) -> dict[str, Any]:
    return {"id": 7, "ddl": DDL, "relation": "default.w", "to": "avro", **changes}


def test_a_request_is_answered_under_its_id() -> None:
    found = answer(request())

    assert found["id"] == 7
    assert [field["name"] for field in found["result"]["fields"]] == ["id", "name"]


def test_views_follow_a_table_that_changes_after_them() -> None:
    found = answer(request(ddl=[*DDL, "ALTER TABLE t ADD COLUMNS (more STRING)"]))

    assert [field["name"] for field in found["result"]["fields"]] == ["id", "name", "more"]


def test_the_last_relation_of_the_statements_counts_unless_one_is_named() -> None:
    stated = {"ddl": [*DDL, "CREATE VIEW v AS SELECT name AS n FROM w"], "to": "avro"}

    assert [field["name"] for field in answer(stated)["result"]["fields"]] == ["n"]


def test_a_plan_is_printed_for_people() -> None:
    ddl = [DDL[0], "CREATE VIEW w AS SELECT name, count(*) AS n FROM t WHERE id > 3 GROUP BY name"]

    assert answer(request(ddl=ddl, to="plan"))["result"].splitlines() == [
        "project name as name, count as n",
        "  aggregate by (name): count(1)",
        "    filter (id > 3)",
        "      scan default.t (id int, name string)",
    ]


@pytest.mark.parametrize("target", ["plan", "spark"])
def test_a_table_without_policies_has_nothing_but_a_schema(target: str) -> None:
    error = answer(request(relation="default.t", to=target))["error"]

    assert error["type"] == "InvalidRequest"
    assert "default.t is a table" in error["message"]
    assert "with policies" in error["hint"]


def test_a_table_is_written_as_the_readers_under_policies_get_it() -> None:
    rules = [{"tables": ["default.t"], "columns": ["name"], "mask": "null"}]

    found = answer(request(relation="default.t", to="spark", policies={"rules": rules}))["result"]

    assert found["sql"] == (
        "SELECT t1.`id`, CAST(NULL AS STRING) AS `name` FROM `default`.`t` AS t1"
    )
    assert found["policies"]["columns"] == [
        {"name": "name", "tags": [], "masks": [{"column": "default.t.name", "mask": "null"}]}
    ]


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"surprise": 1}, "'surprise'"),
        ({"to": "cobol"}, "'cobol'"),
        ({"ddl": "CREATE"}, "'ddl'"),
        ({"relation": None}, "'relation'"),
        ({"dialect": "db2"}, "'db2'"),
        ({"options": {"casting": "lower"}}, "'casting'"),
        ({"options": {"casing": "upper"}}, "'upper'"),
        ({"options": {"strict": 1}}, "'strict'"),
        ({"udfs": {"c.F": {"returns_nothing": 1}}}, "'c.F'"),
        ({"udfs": []}, "'udfs'"),
    ],
)
def test_a_wrong_request_is_told_what_is_wrong(changes: dict[str, Any], named: str) -> None:
    error = answer(request(**changes))["error"]

    assert error["type"] == "InvalidRequest"
    assert named in error["message"]


@pytest.mark.parametrize(
    ("changes", "type_"),
    [
        ({"relation": "default.nope"}, "UnknownRelation"),
        ({"ddl": ["CREATE VIEW w AS SELECT frob(1) AS x"]}, "UnsupportedFunction"),
        ({"ddl": ["CREATE TABLE ("]}, "MalformedDdl"),
        ({"relation": "a..b"}, "MalformedName"),
        ({"udfs": {"c.F": {"returns": "nothing"}}}, "MalformedType"),
        (
            {"ddl": ["CREATE VIEW w AS SELECT * FROM x; CREATE VIEW x AS SELECT * FROM w"]},
            "DefinedByItself",
        ),
    ],
)
def test_a_failure_has_its_errors_name(changes: dict[str, Any], type_: str) -> None:
    assert answer(request(**changes))["error"]["type"] == type_


def test_a_fault_of_the_program_is_an_answer_with_its_place() -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("of this program")

    declared = "TBLPROPERTIES ('functions' = 'up:com.example.Up', 'dependencies' = 'a:b:1')"
    ddl = ["CREATE TABLE t (id INT)", f"CREATE VIEW w {declared} AS SELECT up(id) AS x FROM t"]

    found = answer(request(ddl=ddl), fail)

    assert found["id"] == 7
    assert found["error"]["type"] == "InternalError"
    assert found["error"]["message"] == "ZeroDivisionError: of this program"
    assert found["error"]["where"].startswith("test_batch.py:")


def test_what_is_no_object_is_refused() -> None:
    assert answer([1])["error"]["type"] == "InvalidRequest"


@pytest.mark.thorough
def test_a_long_chain_of_views_is_answered() -> None:
    chain = [f"CREATE VIEW v{i + 1} AS SELECT * FROM v{i}" for i in range(1500)]

    found = answer(request(ddl=["CREATE TABLE v0 (id INT)", *chain], relation="v1500"))

    assert found["result"]["fields"][0]["name"] == "id"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"options": {"casing": "upper"}}, "option 'casing' is 'upper': expected one of preserve, lower"),
        ({"options": {"timestamp_unit": 3}}, "option 'timestamp_unit' is 3: expected one of micros, millis"),
        ({"options": {"strict": 1}}, "option 'strict' is 1: expected true or false"),
        ({"options": {"max_sql_bytes": True}}, "option 'max_sql_bytes' is True: expected a number of bytes"),
        ({"options": {"spark_udfs": {}}}, "option 'spark_udfs' is {}: expected a list of rules"),
        ({"options": {"spark_udfs": [{"class": 1}]}}, "option 'spark_udfs' is {'class': 1}: expected an object of strings"),
        ({"options": {"spark_udfs": [{"class": "*"}]}}, "it replaces neither the class nor the dependency"),
        ({"udfs": {"c.F": {"returns_argument": -1}}}, "option 'c.F' is {'returns_argument': -1}: expected exactly one of"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_told_with_what_is_expected(changes: dict[str, Any], message: str) -> None:
    error = answer(request(**changes))["error"]

    assert error["type"] == "InvalidRequest"
    assert message in error["message"]


POLICIES = {
    "groups": ["all"],
    "rules": [
        {"tables": ["default.t"], "columns": ["name"], "drop": True, "except_groups": ["all"]}
    ],
}


def test_policies_are_part_of_a_request() -> None:
    everybody = answer(request(to="spark", policies=POLICIES))["result"]
    group = answer(request(to="spark", policies=POLICIES, group="all"))["result"]
    schema = answer(request(policies=POLICIES))["result"]

    assert everybody["policies"] == {"columns": [], "dropped": ["name"], "filtered": []}
    assert everybody["schema"] == "`id` INT"
    assert group["schema"] == "`id` INT, `name` STRING"
    assert [field["name"] for field in schema["fields"]] == ["id"]


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"policies": POLICIES, "group": "none"}, "unknown group 'none'"),
        ({"policies": {"rules": [{}]}}, "rules[0]: expected exactly one of"),
        ({"group": "all"}, "expected 'policies' with 'group'"),
        (
            {"policies": POLICIES, "script": "x", "relation": None, "to": "pig"},
            "not to a 'script'",
        ),
    ],
)
def test_wrong_policies_of_a_request_are_told(changes: dict[str, Any], named: str) -> None:
    error = answer(request(**changes))["error"]

    assert error["type"] == "InvalidRequest"
    assert named in error["message"]


@pytest.mark.parametrize("target", ["plan", "spark", "trino", "hive", "pig"])
def test_policies_are_kept_for_every_target(target: str) -> None:
    policies = {"rules": [{"tag": "pii", "mask": "hash"}], "tags": {"pii": ["default.t.name"]}}

    dialect = "spark" if target == "hive" else "hive"
    found = answer(request(to=target, policies=policies, dialect=dialect))["result"]

    assert "sha2" in str(found)
    if target != "plan":
        masks = [{"column": "default.t.name", "mask": "hash"}]
        columns = [{"name": "name", "tags": ["pii"], "masks": masks}]
        assert found["policies"] == {"columns": columns, "dropped": [], "filtered": []}
