"""The programs on a package's page run, whatever the schema is; Spark's run where Spark is."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codegen.lowering import lower
from codegen.usage_programs import named_uses, usage_programs
from tests.codegen.generated import imported, record, record_of, schemas_and_values
from tests.codegen.test_types_of_packages import every

TITLES = ("Avro files", "Parquet and Arrow", "JSON lines", "Spark", "Kafka with Confluent")


def run(schema: dict[str, Any], *, immutable: bool = False) -> Mapping[str, str]:
    """Executes all programs but Spark's in an empty folder; gives their texts by title."""
    with imported(schema, immutable=immutable) as package:
        shape = replace(lower(record_of(schema)), immutable=immutable)
        names = {*dir(package), *dir(package.RECORD), "dataset"}
        programs = usage_programs(package.__name__, shape.root.class_name, shape, names)
        for program in programs:
            if program.extra != "spark":
                with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
                    exec(compile(program.text, program.title, "exec"), {})
    return {program.title: program.text for program in programs}


@pytest.mark.thorough
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(schemas_and_values(), st.booleans())
def test_the_programs_of_any_schema_run(
    drawn: tuple[dict[str, Any], list[Any]], immutable: bool
) -> None:
    assert "Avro files" in run(drawn[0], immutable=immutable)


@pytest.mark.thorough
@pytest.mark.parametrize("immutable", [False, True], ids=["mutable", "immutable"])
def test_the_programs_of_every_type_run(immutable: bool) -> None:
    run(every(), immutable=immutable)


def test_each_source_has_a_program_with_the_names_of_the_package(
    capsys: pytest.CaptureFixture[str],
) -> None:
    programs = run(record({"order_id": "long", "class": "string"}, "Orders"))

    assert tuple(programs) == TITLES
    assert all("Orders.example()" in text for text in programs.values())
    assert all("print(record.order_id)" in text for text in programs.values())
    assert len(set(capsys.readouterr().out.split())) == 1


@pytest.mark.parametrize("name", ["record", "table", "message", "schemas", "pyarrow"])
def test_a_class_named_like_a_variable_hides_nothing(name: str) -> None:
    programs = run(record({"id": "long"}, name))

    assert tuple(programs) == TITLES


DURATION = {"type": "fixed", "name": "D", "size": 12, "logicalType": "duration"}
LONG_DECIMAL = {"type": "bytes", "logicalType": "decimal", "precision": 40, "scale": 2}
NODE = {
    "type": "record",
    "name": "Node",
    "fields": [{"name": "next", "type": ["null", "Node"]}],
}


@pytest.mark.parametrize(
    ("type_", "without"),
    [
        (DURATION, {"Parquet and Arrow", "Spark"}),
        (NODE, {"Parquet and Arrow", "Spark"}),
        ({"type": "record", "name": "Empty", "fields": []}, {"Parquet and Arrow", "Spark"}),
        (LONG_DECIMAL, {"Spark"}),
    ],
    ids=["duration", "recursive", "empty", "decimal"],
)
def test_a_type_without_a_column_has_no_program_for_columns(type_: Any, without: set[str]) -> None:
    assert set(TITLES) - set(run(record({"f": type_}))) == without


def test_a_package_of_an_earlier_release_has_the_programs_that_it_can_run() -> None:
    names = {"read_file", "write_file", "example"}

    programs = usage_programs("acme.orders", "Orders", None, names)

    assert [program.title for program in programs] == ["Avro files"]
    assert programs[0].text.endswith("    print(record)")
    assert [use.names for use in named_uses(names)] == [("example()",)]
