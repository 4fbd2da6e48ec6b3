"""Every user-defined function of an emitted query: its name, its class on Spark, its artifacts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeschema.catalog.column_types import INT, STRING
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, Relation, ViewText
from lakeschema.translation.emission.spark.query import SparkQuery
from lakeschema.translation.emission.spark.udf_rules import rule_problem
from lakeschema.translation.emission.spark.udfs import SparkFunctions, SparkUdf
from lakeschema.translation.emission.spark.view import spark_view
from lakeschema.translation.model.errors import MalformedDependency, TooLarge, UnsupportedFunction
from lakeschema.translation.model.interface import Options, Returns, ReturnsRows, SparkUdfRule
from lakeschema.translation.model.patterns import match_pattern
from lakeschema.translation.requests.batch import answer
from tests.lakeschema.translation.relations import derived_in, interfaces

V = RelationName.of("default", "v")
STANDARDIZE = "com.acme.hive.Standardize"
NESTED = f"""
CREATE TABLE t (title STRING);
CREATE VIEW v1 TBLPROPERTIES (
  'functions' = 'STANDARDIZE:{STANDARDIZE}', 'dependencies' = 'com.acme:standardize-hive:1.0'
) AS SELECT STANDARDIZE(title) AS title FROM t;
CREATE VIEW v2 TBLPROPERTIES (
  'functions' = 'STANDARDIZE:{STANDARDIZE}', 'dependencies' = 'com.acme:standardize-hive:2.0'
) AS SELECT STANDARDIZE(title) AS title FROM v1;
"""
OPTIONS = Options(udfs={STANDARDIZE: Returns(STRING)})


def emitted(ddl: str, options: Options, name: str = "v") -> SparkQuery:
    relations = relations_from_ddl([ddl], Dialect.HIVE)
    wanted = RelationName.of("default", name)
    return spark_view(relations[wanted], interfaces(relations, wanted, options), options)


def one_view(functions: str, dependencies: str, text: str = "SELECT f(1) AS a") -> str:
    return (
        f"CREATE VIEW v TBLPROPERTIES ('functions' = '{functions}',"
        f" 'dependencies' = '{dependencies}') AS {text}"
    )


def mapped(*rules: SparkUdfRule, class_name: str = "com.acme.hive.F") -> Options:
    return Options(udfs={class_name: Returns(INT)}, spark_udfs=rules)


def udfs_of(dependencies: str, *rules: SparkUdfRule) -> tuple[SparkUdf, ...]:
    return emitted(one_view("f:com.acme.hive.F", dependencies), mapped(*rules)).udfs


def test_nested_views_use_two_versions_under_two_names() -> None:
    lower, upper = emitted(NESTED, OPTIONS, "v1"), emitted(NESTED, OPTIONS, "v2")

    assert lower.udfs == (
        SparkUdf("default_v1_standardize", STANDARDIZE, ("ivy://com.acme:standardize-hive:1.0",)),
    )
    assert upper.udfs == (
        SparkUdf("default_v2_standardize", STANDARDIZE, ("ivy://com.acme:standardize-hive:2.0",)),
    )
    assert "`default_v1_standardize`(t1.`title`)" in lower.sql
    assert "`default_v2_standardize`(t1.`title`)" in upper.sql


def test_two_versions_are_kept_apart_in_hives_expanded_text() -> None:
    relations = dict(relations_from_ddl([NESTED], Dialect.HIVE))
    name = RelationName.of("default", "v2")
    # Hive quotes what is not its own, the function too, and qualifies the view below.
    expanded = "SELECT `default_v2_STANDARDIZE`(`v1`.`title`) AS `title` FROM `default`.`v1`"
    original = "SELECT default_v2_STANDARDIZE(title) AS title FROM v1"
    view = ViewText(Dialect.HIVE, expanded, original, ("default",))
    relations[name] = replace(relations[name], view=view)

    query = spark_view(relations[name], interfaces(relations, name, OPTIONS), OPTIONS)

    assert [udf.name for udf in query.udfs] == ["default_v2_standardize"]
    assert query.udfs[0].artifacts == ("ivy://com.acme:standardize-hive:2.0",)
    assert "`default_v2_standardize`(t1.`title`)" in query.sql
    assert derived_in(relations, name, OPTIONS).upstreams == (RelationName.of("default", "v1"),)


def test_a_rule_may_map_two_versions_of_a_class_to_two_classes() -> None:
    rules = (
        SparkUdfRule(STANDARDIZE, "com.acme:*:1.*", "com.acme.one.Standardize"),
        SparkUdfRule(STANDARDIZE, "com.acme:*:2.*", "com.acme.two.Standardize"),
    )
    options = replace(OPTIONS, spark_udfs=rules)

    classes = [emitted(NESTED, options, name).udfs[0].class_name for name in ("v1", "v2")]

    assert classes == ["com.acme.one.Standardize", "com.acme.two.Standardize"]


def test_without_a_rule_the_class_and_its_own_dependencies_stay() -> None:
    found = udfs_of("org:a:1 ivy://org:b:2?transitive=false")

    artifacts = ("ivy://org:a:1", "ivy://org:b:2?transitive=false")
    assert found == (SparkUdf("default_v_f", "com.acme.hive.F", artifacts),)


def test_a_rule_rewrites_the_class_and_the_artifact() -> None:
    rule = SparkUdfRule("*.hive.*", "*:*-hive:*", "{1}.spark.{2}", "{1}:{2}-spark_2.13:{3}")

    found = udfs_of("com.acme:udf-hive:1.0 org:other:3", rule)

    artifacts = ("ivy://com.acme:udf-spark_2.13:1.0", "ivy://org:other:3")
    assert found == (SparkUdf("default_v_f", "com.acme.spark.F", artifacts),)


@pytest.mark.parametrize(
    ("replacement", "artifact"),
    [
        ("{1}:{2}_spark:{3}", "ivy://org:a_spark:1?transitive=false"),
        ("ivy://{1}:{2}:{3}?classifier=spark", "ivy://org:a:1?classifier=spark"),
        ("{1}:{2}:{3}?", "ivy://org:a:1"),
        ("other:fixed:9", "ivy://other:fixed:9?transitive=false"),
    ],
)
def test_a_replacements_own_query_goes_before_the_dependencys(
    replacement: str, artifact: str
) -> None:
    rule = SparkUdfRule("*", "*:*:*", spark_dependency=replacement)

    assert udfs_of("org:a:1?transitive=false", rule)[0].artifacts == (artifact,)


def test_a_rule_without_a_pattern_of_dependencies_replaces_them_all() -> None:
    rule = SparkUdfRule("com.*", None, "{package}.Spark{name}", "org:all:1")

    found = udfs_of("org:a:1 this is malformed", rule)

    assert found == (SparkUdf("default_v_f", "com.acme.hive.SparkF", ("ivy://org:all:1",)),)


def test_the_first_rule_that_holds_counts() -> None:
    rules = (
        SparkUdfRule("org.*", None, "x.Never"),
        SparkUdfRule("*", "org:b:*", "x.NeverEither"),
        SparkUdfRule("*", "org:a:*", "x.First"),
        SparkUdfRule("*", "org:*:*", "x.Second"),
    )

    assert udfs_of("org:a:1", *rules)[0].class_name == "x.First"


@pytest.mark.parametrize(
    "dependencies",
    ["nonsense", "org:a:1 c:\\\\evil.jar", "hdfs:///udf.jar", "org:a:1`", "a:b:[1,2)"],
)
def test_a_malformed_dependency_of_a_used_function_is_an_error(dependencies: str) -> None:
    with pytest.raises(MalformedDependency, match=r"default\.v: function f depends on"):
        udfs_of(dependencies)


def test_more_dependencies_than_anyone_has_are_refused() -> None:
    with pytest.raises(TooLarge, match="depends on 201 artifacts"):
        udfs_of(" ".join(f"org:m{number}:1" for number in range(201)))


def test_an_artifact_that_is_written_twice_is_one() -> None:
    assert udfs_of("org:a:1 ivy://org:a:1")[0].artifacts == ("ivy://org:a:1",)


def test_a_malformed_dependency_fails_no_view_without_functions() -> None:
    query = emitted(one_view("f:c.F", "nonsense", "SELECT 1 AS a"), Options())

    assert query.udfs == ()


@pytest.mark.parametrize("template", ["{package}.'; DROP TABLE t; --", "{package}..{name}", ""])
def test_a_rule_that_makes_no_class_name_is_an_error(template: str) -> None:
    with pytest.raises(UnsupportedFunction, match="not a valid class name"):
        udfs_of("org:a:1", SparkUdfRule("*", None, template, "org:a:1"))


def test_a_rule_that_makes_no_artifact_is_an_error() -> None:
    with pytest.raises(UnsupportedFunction, match="not a valid artifact"):
        udfs_of("org:a:1", SparkUdfRule("*", "*:*:*", None, "{1}:{2}"))


def test_two_declarations_that_would_share_a_name_are_kept_apart() -> None:
    options = Options(udfs={"c.A": Returns(INT), "c.B": Returns(INT)})
    text = "SELECT f(1) + default_v_f(2) AS a"

    query = emitted(one_view("f:c.A default_v_f:c.B", "", text), options)

    assert {udf.name: udf.class_name for udf in query.udfs} == {
        "default_v_f": "c.A",
        "default_v_f_2": "c.B",
    }
    assert "`default_v_f`(1)" in query.sql
    assert "`default_v_f_2`(2)" in query.sql


def test_two_declarations_of_one_class_are_one_function() -> None:
    options = Options(udfs={"c.A": Returns(INT)})
    text = "SELECT f(1) + default_v_f(2) AS a"

    query = emitted(one_view("f:c.A default_v_f:c.A", "", text), options)

    assert query.udfs == (SparkUdf("default_v_f", "c.A", ()),)


def test_a_name_that_is_taken_in_the_session_goes_to_the_same_function_only() -> None:
    relations = relations_from_ddl([one_view("f:c.F", "org:a:1")], Dialect.HIVE)
    options = Options(udfs={"c.F": Returns(INT)})
    same = SparkUdf("default_v_f", "c.F", ("ivy://org:a:1",))
    other = SparkUdf("default_v_f", "c.F", ("ivy://org:a:2",))

    def name_beside(taken: SparkUdf) -> str:
        return (
            spark_view(relations[V], {}, options, functions=SparkFunctions((), {taken.name: taken}))
            .udfs[0]
            .name
        )

    assert name_beside(same) == "default_v_f"
    assert name_beside(other) == "default_v_f_2"


def test_a_table_function_is_registered_too() -> None:
    ddl = "CREATE TABLE t (a STRING);" + one_view(
        "rows_of:c.Rows", "", "SELECT r.k FROM t LATERAL VIEW rows_of(a) r AS k"
    )

    query = emitted(ddl, Options(udfs={"c.Rows": ReturnsRows(INT)}))

    assert [udf.class_name for udf in query.udfs] == ["c.Rows"]
    assert "LATERAL VIEW `default_v_rows_of`(" in query.sql


@pytest.mark.parametrize("name", ["evil) from secrets --", "it's", "two words", "`"])
def test_a_function_of_the_engines_own_stays_one_name(name: str) -> None:
    quoted = "`" + name.replace("`", "``") + "`"
    view = ViewText(Dialect.HIVE, f"SELECT {quoted}(1) AS a", "", ("default",))

    query = spark_view(Relation(V, (), view=view), {}, Options(udfs={name: Returns(INT)}))

    assert query.sql == f"SELECT CAST({quoted}(1) AS INT) AS `a`"
    assert query.udfs == ()


def test_a_function_of_another_database_keeps_its_two_names() -> None:
    view = ViewText(Dialect.SPARK, "SELECT tools.F(1) AS a", "", ("default",))

    query = spark_view(Relation(V, (), view=view), {}, Options(udfs={"tools.f": Returns(INT)}))

    assert "`tools`.`f`(1)" in query.sql


def test_ten_thousand_functions_are_named_apart() -> None:
    functions = " ".join(f"f{number}:c.F{number}" for number in range(10_000))
    called = range(0, 10_000, 25)
    options = Options(udfs={f"c.F{number}": Returns(INT) for number in called})
    calls = ", ".join(f"f{number}(1) AS a{number}" for number in called)

    query = emitted(one_view(functions, "org:a:1", f"SELECT {calls}"), options)

    assert len({udf.name for udf in query.udfs}) == len(called)


def request(**changes: Any) -> dict[str, Any]:
    return {
        "id": 1,
        "ddl": [NESTED],
        "relation": "default.v2",
        "to": "spark",
        "udfs": {STANDARDIZE: {"returns": "string"}},
        **changes,
    }


def test_a_batch_states_name_class_and_artifacts() -> None:
    rule = {
        "class": "*.hive.*",
        "dependency": "*:*-hive:*",
        "spark_class": "{1}.spark.{2}",
        "spark_dependency": "{1}:{2}-spark:{3}",
    }

    plain = answer(request())["result"]["udfs"]
    ruled = answer(request(options={"spark_udfs": [rule]}))["result"]["udfs"]

    assert plain == [
        {
            "name": "default_v2_standardize",
            "class": STANDARDIZE,
            "artifacts": ["ivy://com.acme:standardize-hive:2.0"],
        }
    ]
    assert ruled == [
        {
            "name": "default_v2_standardize",
            "class": "com.acme.spark.Standardize",
            "artifacts": ["ivy://com.acme:standardize-spark:2.0"],
        }
    ]


@pytest.mark.parametrize(
    "rules",
    [
        "none",
        [1],
        [{}],
        [{"class": 1}],
        [{"class": "*", "surprise": "x"}],
        [{"class": "*"}],
        [{"class": "*", "spark_class": "{2}"}],
        [{"class": "*", "spark_dependency": "{1}:a:b"}],
    ],
)
def test_a_wrong_rule_is_a_wrong_request(rules: object) -> None:
    error = answer(request(options={"spark_udfs": rules}))["error"]

    assert error["type"] == "InvalidRequest"
    assert "spark_udfs" in error["message"]


@pytest.mark.parametrize("option", ["udf_resolver", "udf_plugins", "udfs"])
def test_a_request_can_name_no_plugin(option: str) -> None:
    error = answer(request(options={option: "os:system"}))["error"]

    assert error["type"] == "InvalidRequest"
    assert option in error["message"]


@pytest.mark.parametrize(
    ("pattern", "text", "stars"),
    [
        ("a.B", "a.B", []),
        ("a.B", "a.b", None),
        ("*", "", [""]),
        ("a.*", "a.b.C", ["b.C"]),
        ("*.C", "a.b.C", ["a.b"]),
        ("*.hive.*", "a.hive.b.hive.C", ["a", "b.hive.C"]),
        ("*:*:*", "org:mod:1", ["org", "mod", "1"]),
        ("aba*aba", "aba", None),
        ("*x*", "abc", None),
        ("a**b", "a12b", ["", "12"]),
    ],
)
def test_a_pattern_gives_what_its_stars_stand_for(
    pattern: str, text: str, stars: list[str] | None
) -> None:
    found = match_pattern(pattern, text)

    assert (None if found is None else list(found.values())) == stars


@given(st.text("ab.*", max_size=8), st.text("ab.", max_size=12))
def test_what_the_stars_stand_for_makes_up_the_text(pattern: str, text: str) -> None:
    found = match_pattern(pattern, text)

    if found is not None:
        parts = iter(found.values())
        rebuilt = "".join(next(parts) if c == "*" else c for c in pattern)
        assert rebuilt == text


def test_a_pattern_of_many_stars_is_matched_at_once() -> None:
    assert match_pattern("a*" * 200 + "b", "a" * 100_000) is None


def test_a_rule_that_replaces_nothing_is_refused() -> None:
    assert rule_problem(SparkUdfRule("*")) is not None
    assert rule_problem(SparkUdfRule("*", spark_class="{package}.{name}{1}")) is None
