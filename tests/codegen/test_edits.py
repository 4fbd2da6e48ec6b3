"""What a program must change from one version to another, in words."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codegen.edits import Edit, Need, edits
from codegen.errors import CodegenError
from codegen.lowering import lower
from codegen.surface import surface_hash_of
from lakeschema.avro.model import Record
from tests.codegen.generated import record, record_of
from tests.lakeschema.avro.strategies import changed, schemas

TEXT = {"type": ["null", "string"], "default": None}
INT = {"type": "int"}
TIER = {"type": "enum", "name": "Tier", "symbols": ["GOLD", "SILVER"]}


def told(old: dict[str, Any], new: dict[str, Any]) -> list[tuple[str, str]]:
    found = edits(record_of(record(old)), record_of(record(new)))
    return [(edit.change, edit.action) for edit in found]


def decimal(precision: int, scale: int) -> dict[str, Any]:
    return {"type": "bytes", "logicalType": "decimal", "precision": precision, "scale": scale}


def time(unit: str) -> dict[str, Any]:
    return {"type": "long", "logicalType": f"timestamp-{unit}"}


REMOVED = "delete reads of `record.total`, and `total=` where you make records"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"s": "string"}, {"s": TEXT}, [("`s` is now optional", "handle `None`"),
            ("`s` has the default `None`", "nothing: you may leave it out")]),
        ({"a": "int", "total": "int"}, {"a": "int"}, [("`total` was removed", REMOVED)]),
        ({"id": "int"}, {"id": "long"}, [("`id` was widened from int to long", "nothing")]),
        ({"id": "long"}, {"id": "int"},
            [("`id` was narrowed from long to int", "pass only values that fit int")]),
        ({"id": "long"}, {"id": "string"}, [("`id` was `int`, and is `str`",
            "use it as `str`, and pass `str` where you make records")]),
        ({"a": "int"}, {"a": "int", "b": TEXT},
            [("`b` was added as `str | None`, default `None`", "nothing")]),
        ({"a": "int"}, {"a": "int", "b": "int"}, [("`b` was added as `int`, without a default",
            "pass `b=` wherever you make a `R`")]),
        ({"a": "int"}, {"b": {"type": INT, "aliases": ["a"]}},
            [("`a` is now `b`", "read `record.b` in place of `record.a`")]),
        ({"p": decimal(12, 2)}, {"p": decimal(14, 2)},
            [("`p` was decimal(12,2), and is decimal(14,2)", "nothing: your values fit")]),
        ({"p": decimal(12, 2)}, {"p": decimal(12, 4)},
            [("`p` was decimal(12,2), and is decimal(12,4)",
              "pass values with at most 8 digits before the point and 4 after")]),
        ({"t": time("millis")}, {"t": time("micros")},
            [("`t` has times in microseconds, and had milliseconds", "nothing")]),
        ({"tier": TIER}, {"tier": {**TIER, "symbols": ["GOLD"]}},
            [("`tier` can no longer be `Tier.SILVER`", "delete uses of `Tier.SILVER`")]),
        ({"tier": TIER}, {"tier": {**TIER, "symbols": ["GOLD", "SILVER", "TIN"]}},
            [("`tier` can also be `Tier.TIN`", "handle it wherever you tell the members apart")]),
        ({"x": {"type": INT, "default": 1}}, {"x": {"type": INT, "default": 2}},
            [("the default of `x` was `1`, and is `2`",
              "pass it where you rely on the former default")]),
        ({"class": "int"}, {}, [("`class_` was removed",
            "delete reads of `record.class_`, and `class_=` where you make records")]),
        ({"a": {"type": INT, "doc": "x"}}, {"a": {"type": INT, "doc": "y"}}, []),
    ],
)  # fmt: skip
def test_each_kind_of_change_says_what_to_edit(
    old: dict[str, Any], new: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    assert told(old, new) == expected


def test_nested_fields_have_paths_through_lists_and_maps() -> None:
    def lines(inner: Any) -> dict[str, Any]:
        item = record({"price": inner}, "Line")
        return {"lines": {"type": "array", "items": {"type": "map", "values": item}}}

    assert told(lines("int"), lines("string"))[0][0] == (
        "`lines[]{}.price` was `int`, and is `str`"
    )


def test_a_recursive_type_is_compared_once() -> None:
    def tree(value: str) -> Record:
        return record_of(record({"v": value, "next": {"type": ["null", "Tree"]}}, "Tree"))

    assert [edit.path for edit in edits(tree("int"), tree("string"))] == ["v"]


def test_necessary_edits_come_first() -> None:
    found = edits(
        record_of(record({"a": "int", "b": "int"})), record_of(record({"a": "long", "b": "string"}))
    )

    assert [edit.need for edit in found] == [Need.MUST, Need.NOTHING]


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_what_programs_can_use_changes_only_with_an_edit(data: st.DataObject) -> None:
    old = data.draw(schemas())
    new = data.draw(changed(old))
    try:
        surfaces = [surface_hash_of(lower(each), "p") for each in (old, new)]
    except CodegenError:
        return

    found: tuple[Edit, ...] = edits(old, new)

    assert edits(old, old) == ()
    assert found or surfaces[0] == surfaces[1] or _only_full_names_differ(old, new)


def _only_full_names_differ(old: Record, new: Record) -> bool:
    """The surface also has the full names of types, and types that nothing uses in Python."""

    def used(schema: Record) -> list[str]:
        return sorted(
            repr([each.class_name, [a.name for a in each.attributes]])
            for each in lower(schema).records
        )

    return used(old) == used(new)
