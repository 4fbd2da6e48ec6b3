"""Made-up records, one from a seed or many by Hypothesis: all can be written and read back equal."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codegen.standalone import generate
from tests.codegen.generated import imported, record, record_of, schemas_and_values
from tests.codegen.test_types_of_packages import every

TREE = record({"v": "int", "next": {"type": ["null", "Tree"]}}, "Tree")


def passes_everywhere(package: ModuleType, value: Any) -> None:
    kind = type(value)
    assert kind.from_avro(value.to_avro()) == value
    assert kind.from_json(value.to_json()) == value
    assert kind.from_dict(value.to_dict()) == value
    assert kind.resolve_from(package.SCHEMA)(value.to_avro()) == value


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(schemas_and_values(), st.booleans(), st.integers(0, 5))
def test_an_example_of_any_schema_can_be_written(
    drawn: tuple[dict[str, Any], list[Any]], immutable: bool, seed: int
) -> None:
    with imported(drawn[0], immutable=immutable) as package:
        passes_everywhere(package, package.RECORD.example(seed))


@pytest.mark.parametrize("immutable", [False, True], ids=["mutable", "immutable"])
def test_every_value_of_a_strategy_can_be_written(immutable: bool) -> None:
    with imported(every(), immutable=immutable) as package:

        @settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
        @given(package.strategy(package.R))
        def holds(value: Any) -> None:
            passes_everywhere(package, value)

        holds()


@pytest.mark.thorough
@settings(
    deadline=None, max_examples=30,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.nested_given],
)  # fmt: skip
@given(schemas_and_values())
def test_a_strategy_of_any_schema_gives_what_can_be_written(
    drawn: tuple[dict[str, Any], list[Any]],
) -> None:
    with imported(drawn[0]) as package:

        @settings(
            deadline=None, max_examples=10, database=None, suppress_health_check=list(HealthCheck)
        )
        @given(package.strategy(package.RECORD))
        def holds(value: Any) -> None:
            passes_everywhere(package, value)

        holds()


def test_equal_seeds_give_equal_examples_and_others_others() -> None:
    with imported(every()) as package:
        found = [package.R.example(seed) for seed in range(10)]

        assert found == [package.R.example(seed) for seed in range(10)]
        assert len({value.to_avro() for value in found}) == 10


def test_an_example_names_its_texts_after_their_fields() -> None:
    texts = {"type": {"type": "array", "items": "string"}}
    with imported(record({"city": "string", "tags": texts, "note": ["string", "null"]})) as package:
        value = package.R.example()

        assert value.city.startswith("city ")
        assert all(tag.startswith("tags ") for tag in value.tags)
        assert value.note.startswith("note ")


def test_examples_and_strategies_of_recursive_records_end() -> None:
    forest = record({"trees": {"type": {"type": "array", "items": TREE}}}, "Forest")
    with imported(forest) as package:
        depths: set[bool] = set()

        @given(package.strategy(package.Forest))
        def holds(value: Any) -> None:
            passes_everywhere(package, value)
            depths.update(tree.next is not None for tree in value.trees)

        holds()

        assert depths == {True, False}
        assert package.Tree.example().next is None


def test_a_record_without_end_is_refused_and_left_out() -> None:
    endless = record({"again": {"type": "Endless"}}, "Endless")
    schema = record({
        "maybe": {"type": ["null", endless]},
        "some": {"type": {"type": "array", "items": "Endless"}},
    })  # fmt: skip
    with imported(schema) as package:
        empty = package.R(maybe=None, some=[])

        @given(package.strategy(package.R))
        def holds(value: Any) -> None:
            assert value == empty

        holds()
        assert package.R.example() == empty
        for ask in (package.Endless.example, lambda: package.strategy(package.Endless)):
            with pytest.raises(package.AvroError, match=r"each n\.Endless requires another one"):
                ask()


def test_wide_records_have_a_strategy() -> None:
    with imported(record({f"f{n}": "string" for n in range(800)})) as package:

        @settings(deadline=None, max_examples=20)
        @given(package.strategy(package.R))
        def holds(value: Any) -> None:
            assert package.R.from_avro(value.to_avro()) == value

        holds()


def test_values_of_one_class_in_a_union_are_such_that_can_be_written() -> None:
    decimal: dict[str, Any] = {"logicalType": "decimal", "scale": 2}
    two = {
        "n": ["int", "long", "float", "double"],
        "t": [{"type": "int", "logicalType": "time-millis"}, {"type": "long", "logicalType": "time-micros"}],
        "d": [{**decimal, "type": "bytes", "precision": 4},
              {**decimal, "type": "fixed", "name": "D", "size": 9, "precision": 20}],
        "u": [{"type": "string", "logicalType": "uuid"},
              {"type": "fixed", "name": "U", "size": 16, "logicalType": "uuid"}, "null"],
    }  # fmt: skip
    with imported(record({name: {"type": branches} for name, branches in two.items()})) as package:
        found = set()

        @settings(deadline=None)
        @given(package.strategy(package.R))
        def holds(value: Any) -> None:
            assert package.R.from_avro(value.to_avro()) == value
            found.add(type(value.n))

        holds()
        assert found == {int, float}
        assert all(package.R.example(seed).validate() for seed in range(50))


def test_a_strategy_is_only_of_the_packages_own_records() -> None:
    with imported(every()) as package:
        for wrong in (int, package.State):
            with pytest.raises(TypeError, match="expected a class of records of"):
                package.strategy(wrong)


def test_hypothesis_is_imported_only_for_a_strategy(tmp_path: Path) -> None:
    generate(record_of(TREE), "tree", tmp_path)
    program = (
        "import sys, tree; tree.Tree.example()\n"
        "assert 'hypothesis' not in sys.modules; tree.strategy(tree.Tree)\n"
        "assert 'hypothesis' in sys.modules"
    )

    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True)
