"""Records that cannot be changed."""

from __future__ import annotations

import copy
import io
import json
import pickle
from typing import Any

import pytest
from hypothesis import given, settings

from codegen.modules import render_modules
from tests.codegen.generated import imported, record, record_of, schemas_and_values
from tests.codegen.runtime.test_records import ORDER, order
from tests.codegen.test_classes import NAMES, builtin_names
from tests.effort import examples

LISTS = record({
    "grid": {"type": {"type": "array", "items": {"type": "array", "items": "long"}},
             "default": [[1], [2, 3]]},
    "maps": {"type": {"type": "map", "values": {"type": "array", "items": "string"}},
             "default": {"k": ["a"]}},
    "either": {"type": ["null", {"type": "array", "items": "int"},
                        {"type": "map", "values": "int"}], "default": None},
    "inner": {"type": record({"items": {"type": {"type": "array", "items": "int"}}}, "Inner"),
              "default": {"items": [7]}},
    "inners": {"type": {"type": "array", "items": "Inner"}, "default": []},
}, "Lists")  # fmt: skip


@settings(max_examples=examples(60))
@given(schemas_and_values())
def test_bytes_and_plain_values_are_those_of_records_that_change(
    drawn: tuple[dict[str, Any], list[Any]],
) -> None:
    schema, values = drawn
    with imported(schema) as mutable, imported(schema, immutable=True) as package:
        for plain in values:
            value = package.RECORD.from_dict(plain)
            data = value.to_avro()

            assert data == mutable.RECORD.from_dict(plain).to_avro()
            assert value.to_dict() == mutable.RECORD.from_dict(plain).to_dict()
            for same in (
                package.RECORD.from_avro(data),
                package.RECORD.resolve_from(package.SCHEMA)(data),
                package.RECORD.from_dict(value.to_dict()),
            ):
                assert type(same) is package.RECORD
                assert same == value
                assert hash(same) == hash(value)


def test_attributes_are_neither_set_nor_deleted() -> None:
    with imported(ORDER, immutable=True) as package:
        value = order(package)

        for each in (value, package.Order.from_avro(value.to_avro()), copy.copy(value)):
            with pytest.raises(AttributeError, match="Order is immutable: id cannot be set"):
                each.id = 2
            with pytest.raises(AttributeError, match="Order is immutable: id cannot be deleted"):
                del each.id
            with pytest.raises(AttributeError):
                each.nothing = 2
            assert each.id == 1
        with pytest.raises(TypeError, match="cannot be subclassed"):
            type("Sub", (package.Order,), {})


def test_maps_of_records_do_not_change() -> None:
    with imported(LISTS, immutable=True) as package:
        maps = package.Lists().maps

        for change in (
            lambda: maps.update(a=()),
            lambda: maps.pop("k"),
            lambda: maps.setdefault("z", ()),
            maps.clear,
            maps.popitem,
            lambda: maps.__setitem__("a", ()),
            lambda: maps.__delitem__("k"),
            lambda: maps.__ior__({"a": ()}),
        ):
            with pytest.raises(TypeError, match="cannot be changed"):
                change()
        assert maps == {"k": ("a",)}
        assert json.dumps(maps) == '{"k": ["a"]}'


def test_lists_and_maps_are_frozen_at_every_depth_however_they_come() -> None:
    with imported(LISTS, immutable=True) as package:
        grid, maps = [[1], [2, 3]], {"k": ["a"]}
        made = package.Lists(grid=grid, maps=maps)
        grid[0].append(9)
        maps["k"].append("b")

        for value in (
            made,
            package.Lists(),
            package.Lists.from_dict({}),
            package.Lists.from_avro(made.to_avro()),
            package.Lists(grid=(), maps={}).replace(grid=[[1], [2, 3]], maps={"k": ["a"]}),
            pickle.loads(pickle.dumps(made)),
            copy.deepcopy(made),
            package.Lists.from_avro(b"", json.dumps(record({}, "Lists"))),
        ):
            assert value.grid == ((1,), (2, 3))
            assert value.maps == {"k": ("a",)}
            assert value.inner.items == (7,)
            assert {value} == {made}
            assert value.to_avro() == made.to_avro()


def test_a_list_that_contains_itself_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with imported(LISTS, immutable=True) as package:
        for make in (package.Lists, package.Lists.example().replace):
            with pytest.raises(package.InvalidValue, match="contains itself"):
                make(grid=endless)


def test_a_map_is_unpickled_that_an_earlier_release_pickled() -> None:
    with imported(LISTS, immutable=True) as package:
        home = f"{package.__name__}._avro.frozen\nFrozenMap\n".encode()
        state = pickle.dumps(({"k": (1,)},), 2)[2:-1]
        kept = package.Lists(maps={"k": ["a"]}).maps

        found = pickle.loads(b"\x80\x02c" + home + state + b"R.")

        assert type(found) is type(kept)
        assert found == {"k": (1,)}


def test_lists_and_maps_within_unions_are_told_apart() -> None:
    with imported(LISTS, immutable=True) as package:
        for given_, kept in (([1], (1,)), ({"a": 1}, {"a": 1}), ((), ()), (None, None)):
            value = package.Lists(either=given_)

            assert value.either == kept
            assert package.Lists.from_avro(value.to_avro()) == value
            assert package.Lists.from_dict(value.to_dict()) == value
            assert package.Lists.from_dict({"either": given_}) == value


def test_records_with_a_field_named_items_stay_records() -> None:
    with imported(LISTS, immutable=True) as package:
        inner = package.Inner(items=[1])

        assert package.Lists(inners=[inner]).inners == (inner,)


def test_bad_values_are_refused_with_their_path() -> None:
    with imported(LISTS, immutable=True) as package:
        with pytest.raises(package.InvalidValue, match=r"grid\[1\]\[0\]: "):
            package.Lists(grid=[[1], ["x"]]).to_avro()
        with pytest.raises(package.InvalidValue, match="either: "):
            package.Lists(either="x").to_avro()
        with pytest.raises(package.InvalidAvro):
            package.Lists.from_avro(b"\x02")


def test_names_of_fields_and_classes_collide_with_nothing() -> None:
    fields = record({name: {"type": ["null", "string"], "default": None} for name in NAMES})
    with imported(fields, immutable=True) as package:
        value = package.RECORD.from_dict({name: name for name in NAMES})

        assert package.RECORD.from_avro(value.to_avro()) == value
        assert package.RECORD(R="x").R == "x"
    with imported(builtin_names(), immutable=True) as package:
        value = package.RECORD.from_dict({f"f{i}": {"x": "y"} for i in range(16)})

        assert package.RECORD.from_avro(value.to_avro()) == value
        assert hash(copy.deepcopy(value)) == hash(value)


def test_records_without_fields_are_equal_and_hash() -> None:
    with imported(record({}), immutable=True) as package:
        assert {package.R(), package.R.from_avro(b""), pickle.loads(pickle.dumps(package.R()))} == {
            package.R()
        }


def test_files_hold_them() -> None:
    with imported(ORDER, immutable=True) as package:
        out = io.BytesIO()
        package.write_file(out, [order(package)])
        out.seek(0)

        assert list(package.read_file(out)) == [order(package)]


def test_what_is_not_asked_for_changes_no_package() -> None:
    schema = record_of(ORDER)

    assert render_modules(schema, "p") == render_modules(schema, "p", immutable=False)
    assert b"__draft_" not in render_modules(schema, "p")["p/_types.py"]
