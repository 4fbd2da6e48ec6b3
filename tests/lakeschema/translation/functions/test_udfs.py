"""The declarations in a view's properties, the questions to resolvers, and untrusted text."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from lakeschema.catalog.column_types import BIGINT, STRING, parse_type
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Column, Dialect, Relation, ViewText
from lakeschema.translation.deriving.derivation import derive
from lakeschema.translation.deriving.hashing import inputs_hash
from lakeschema.translation.functions.udfs import resolver_answers
from lakeschema.translation.model.errors import (
    UdfResolverFailed,
    UnsupportedConstruct,
    UnsupportedFunction,
)
from lakeschema.translation.model.interface import (
    Derivation,
    Options,
    ResolverFailure,
    Returns,
    ReturnsArgument,
    ReturnsRows,
    SparkUdfRule,
    UdfAnswer,
)
from tests.lakeschema.translation.relations import columns

V = RelationName.of("db", "v")


@dataclass
class Registry:
    """A resolver that says what it is told and notes what it was asked."""

    answers: dict[str, UdfAnswer] = field(default_factory=dict)
    asked: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    def __call__(self, class_name: str, dependencies: tuple[str, ...], /) -> UdfAnswer | None:
        self.asked.append((class_name, dependencies))
        return self.answers.get(class_name)


def view(
    text: str, functions: str = "", dependencies: str = "", dialect: Dialect = Dialect.HIVE
) -> Relation:
    properties = {"functions": functions, "dependencies": dependencies}
    return Relation(V, (), properties=properties, view=ViewText(dialect, text, text, ("db",)))


def derived(relation: Relation, options: Options) -> Derivation:
    return derive(relation, {}, options)


@pytest.mark.parametrize("call", ["up", "UP", "db_v_Up", "v_up", "`up`", "`DB_V_UP`"])
@pytest.mark.parametrize("dialect", [Dialect.HIVE, Dialect.SPARK])
def test_a_function_may_be_called_with_the_views_name_before_it(
    call: str, dialect: Dialect
) -> None:
    relation = view(f"SELECT {call}('x') AS a", "Up:com.acme.Up", dialect=dialect)

    found = derived(relation, Options(udfs={"com.acme.Up": Returns(BIGINT)}))

    assert columns(found) == [("a", "bigint", True)]


def test_a_declaration_may_itself_have_the_views_name() -> None:
    relation = view("SELECT db_v_up('x') AS a", "db_v_up:com.acme.Up")

    found = derived(relation, Options(udfs={"com.acme.Up": Returns(BIGINT)}))

    assert columns(found) == [("a", "bigint", True)]


def test_an_engines_function_that_we_lack_is_no_missing_declaration() -> None:
    relation = view("SELECT FROM_PROTOBUF(X'00', 'y') AS a", "", dialect=Dialect.SPARK)

    with pytest.raises(UnsupportedFunction) as raised:
        derived(relation, Options())

    assert "is a function of Spark 4.3 that is not supported yet" in str(raised.value)
    assert "no setting is missing" in raised.value.hint


def test_a_function_that_no_view_can_call_is_refused_with_the_reason() -> None:
    relation = view("SELECT internal_interval(1, '2') AS a", "")

    with pytest.raises(UnsupportedFunction, match="cannot be called: Hive's planner writes it"):
        derived(relation, Options())


def test_a_view_may_declare_a_function_of_its_engine() -> None:
    relation = view("SELECT from_json('x') AS a", "from_json:c.F", dialect=Dialect.SPARK)

    found = derived(relation, Options(udfs={"c.F": Returns(BIGINT)}))

    assert columns(found) == [("a", "bigint", True)]


def test_another_views_prefix_is_not_a_prefix() -> None:
    relation = view("SELECT db_w_up('x') AS a", "up:com.acme.Up")

    with pytest.raises(UnsupportedFunction, match=r"db_w_up of view db\.v is not declared"):
        derived(relation, Options(udfs={"com.acme.Up": Returns(BIGINT)}))


def test_the_resolver_is_asked_with_the_views_artifacts() -> None:
    registry = Registry({"com.acme.Up": Returns(STRING)})
    relation = view(
        "SELECT up('x') AS a",
        "up:com.acme.Up",
        "ivy://com.acme:up:1.0?transitive=false, a:b:2 junk",
    )

    found = derived(relation, Options(udf_resolver=registry))

    assert columns(found) == [("a", "string", True)]
    up = ("com.acme.Up", ("com.acme:up:1.0?transitive=false", "a:b:2"))
    assert set(registry.asked) == {up}


def test_a_static_entry_goes_before_the_resolver() -> None:
    registry = Registry({"c.F": Returns(STRING)})
    relation = view("SELECT f('x') AS a", "f:c.F")

    found = derived(relation, Options(udfs={"c.F": Returns(BIGINT)}, udf_resolver=registry))

    assert columns(found) == [("a", "bigint", True)]
    assert registry.asked == []


def test_a_resolved_table_function_makes_rows() -> None:
    registry = Registry({"c.Rows": ReturnsRows(parse_type("struct<k:int,w:string>"))})
    text = "SELECT r.k, r.w FROM (SELECT 1 AS one) s LATERAL VIEW rows_of('x') r AS k, w"

    found = derived(view(text, "rows_of:c.Rows"), Options(udf_resolver=registry))

    assert columns(found) == [("k", "int", True), ("w", "string", True)]


def test_a_resolved_function_may_keep_its_argument() -> None:
    registry = Registry({"c.Same": ReturnsArgument(1)})

    found = derived(
        view("SELECT same('x', 5L) AS a", "same:c.Same"), Options(udf_resolver=registry)
    )

    assert columns(found) == [("a", "bigint", False)]


def test_an_undeclared_class_is_an_error_that_names_it() -> None:
    relation = view("SELECT f('x') AS a", "f:c.Unheard")

    with pytest.raises(UnsupportedFunction, match=r"function f of view db\.v is class c\.Unheard"):
        derived(relation, Options(udf_resolver=Registry()))


def test_a_resolver_that_fails_is_an_error_that_names_the_class_and_the_view() -> None:
    registry = Registry({"c.F": ResolverFailure("the registry is down")})
    relation = view("SELECT f('x') AS a", "f:c.F")

    with pytest.raises(UdfResolverFailed, match=r"db\.v: .*c\.F .*the registry is down"):
        derived(relation, Options(udf_resolver=registry))


def test_a_failure_for_a_class_that_is_only_mentioned_fails_nothing() -> None:
    registry = Registry({"c.F": ResolverFailure("the registry is down")})

    found = derived(view("SELECT 1 AS f", "f:c.F"), Options(udf_resolver=registry))

    assert columns(found) == [("f", "int", False)]


def test_an_answer_is_part_of_the_inputs_as_a_static_entry_is() -> None:
    relation = view("SELECT f('x') AS a", "f:c.F")
    resolved = Options(udf_resolver=Registry({"c.F": Returns(STRING)}))

    hashes = {
        inputs_hash(relation, {}, options)
        for options in (
            Options(),
            Options(udf_resolver=Registry({"c.F": Returns(BIGINT)})),
            Options(udf_resolver=Registry({"c.F": ReturnsArgument(0)})),
            Options(udf_resolver=Registry({"c.F": ResolverFailure("down")})),
            resolved,
        )
    }

    assert len(hashes) == 5
    static = Options(udfs={"c.F": Returns(STRING)})
    assert inputs_hash(relation, {}, resolved) == inputs_hash(relation, {}, static)


def test_an_answer_for_an_unused_class_is_not_an_input() -> None:
    relation = view("SELECT f('x') AS a", "f:c.F g:c.G")
    less = Options(udf_resolver=Registry({"c.F": Returns(STRING)}))
    more = Options(udf_resolver=Registry({"c.F": Returns(STRING), "c.G": Returns(STRING)}))

    assert inputs_hash(relation, {}, less) == inputs_hash(relation, {}, more)


def test_a_table_asks_no_resolver() -> None:
    registry = Registry()
    table = Relation(V, (Column("a", STRING),), properties={"functions": "a:c.F"})

    assert resolver_answers(table, Options(udf_resolver=registry)) == {}
    assert registry.asked == []


HOSTILE = [
    "f:c.F'; DROP TABLE t; --",
    "f:c.`F`",
    "f`:c.F",
    "'f':c.F",
    "f:c.F\\",
    "f:c..F",
    "f:../../etc/passwd",
    "f:",
    ":c.F",
    "f",
    "f:c.F:more",
    "f:" + "c." * 300 + "F",
    "\x00f:c.F",
    "f:__import__('os')",
]


@pytest.mark.parametrize("functions", HOSTILE)
def test_a_malformed_entry_declares_nothing_and_is_shown_where_it_is_called(
    functions: str,
) -> None:
    registry = Registry()
    relation = view("SELECT f('x') AS a", functions)

    with pytest.raises(UnsupportedFunction, match="is not declared") as raised:
        derived(relation, Options(udf_resolver=registry))

    assert "entries are malformed" in raised.value.hint
    assert registry.asked == []
    assert len(raised.value.hint) < 500


@pytest.mark.parametrize("functions", HOSTILE)
def test_a_malformed_entry_that_is_not_called_is_ignored(functions: str) -> None:
    relation = view("SELECT g('x') AS a", f"{functions}\ng:c.G")

    found = derived(relation, Options(udfs={"c.G": Returns(STRING)}))

    assert columns(found) == [("a", "string", True)]


def test_a_name_with_two_classes_declares_neither() -> None:
    relation = view("SELECT f('x') AS a", "f:c.F F:c.Other f:c.F")

    with pytest.raises(UnsupportedFunction) as raised:
        derived(relation, Options(udfs={"c.F": Returns(STRING), "c.Other": Returns(BIGINT)}))

    assert "F:c.Other" in raised.value.hint


def test_of_ten_thousand_functions_only_those_in_the_text_are_asked_for() -> None:
    registry = Registry({"c.F9999": Returns(STRING)})
    functions = ",".join(f"f{number}:c.F{number}" for number in range(10_000))
    dependencies = ",".join(f"org:m{number}:1" for number in range(10_000))

    found = derived(
        view("SELECT f9999('x') AS a", functions, dependencies), Options(udf_resolver=registry)
    )

    assert columns(found) == [("a", "string", True)]
    assert {class_name for class_name, _ in registry.asked} == {"c.F9999"}


def test_distinct_in_a_call_is_refused_rather_than_dropped() -> None:
    relation = view("SELECT f(DISTINCT 'x') AS a", "f:c.F")

    with pytest.raises(UnsupportedConstruct, match="DISTINCT"):
        derived(relation, Options(udfs={"c.F": Returns(STRING)}))


def test_a_spark_rule_is_not_an_input_of_a_schema() -> None:
    relation = view("SELECT f('x') AS a", "f:c.F")
    options = Options(udfs={"c.F": Returns(STRING)})
    mapped = replace(options, spark_udfs=(SparkUdfRule("*", spark_class="d.{name}"),))

    assert inputs_hash(relation, {}, options) == inputs_hash(relation, {}, mapped)
