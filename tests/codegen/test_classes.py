"""The generated classes: names, defaults, docs, equality; no text of a schema becomes code."""

from __future__ import annotations

import ast
import copy
import datetime as dt
import inspect
import json
import pickle
import subprocess
import sys
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from codegen.errors import CodegenError, UnfitSchema
from codegen.modules import render_modules
from codegen.standalone import generate
from lakeschema.avro.model import (
    EnumSchema,
    Field,
    Fixed,
    LogicalType,
    Primitive,
    Record,
    Reference,
    Union,
)
from tests.codegen.generated import imported, record, record_of
from tests.codegen.own_names import named_as_the_package_is
from tests.effort import examples

HOSTILE = [
    '"""\nraise SystemExit("escaped")\n"""',
    "'''\nraise SystemExit\n'''",
    "ends with a backslash \\",
    'ends with a quote "',
    '\\"""',
    "\\\n",
    "{raise_}",
    "%s {0} {x!r}",
    "\u2028\u2029\x85\x00\x1b[31m\r\n\t",
    "\\N{BULLET} \\x41 \\u0041",
    "'+str(__import__('os'))+'",
    "# -*- coding: utf-7 -*-",
    "é 漢 🎉",
]
texts = st.one_of(
    st.sampled_from(HOSTILE),
    st.text("\"'\\\n{}#ra", max_size=12),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
)


@settings(max_examples=examples(40))
@given(texts, texts)
@example(HOSTILE[0], HOSTILE[0])
@example(HOSTILE[2], HOSTILE[3])
def test_docs_and_defaults_are_text_and_never_code(doc: str, default: str) -> None:
    enum = {"type": "enum", "name": "E", "symbols": ["A"], "doc": doc}
    fixed = {"type": "fixed", "name": "F", "size": 1, "doc": doc}
    schema = {
        "type": "record", "name": "R", "doc": doc, "fields": [
            {"name": "text", "type": "string", "default": default, "doc": doc},
            {"name": "texts", "type": {"type": "map", "values": "string"},
             "default": {default: default}},
            {"name": "e", "type": enum, "default": "A"},
            {"name": "f", "type": fixed, "default": "\u00ff"},
        ],
    }  # fmt: skip
    with imported(schema) as package:
        value = package.RECORD()

        assert value.text == default
        assert value.texts == {default: default}
        assert package.RECORD.from_avro(value.to_avro()) == value
        assert package.RECORD.from_dict({}) == value
        shown = inspect.getdoc(package.RECORD) or ""
        assert " ".join(doc.split("\n", maxsplit=1)[0].split()) in " ".join(shown.split())
        assert json.dumps(json.loads(package.SCHEMA), ensure_ascii=False,
                                            separators=(",", ":")) == package.SCHEMA  # fmt: skip


def test_a_nested_class_has_the_schema_of_its_unions() -> None:
    """A union within an array or a map of a nested record."""
    prices = {"type": "array", "items": ["null", {"type": "fixed", "name": "F", "size": 1}]}
    inner = record({"prices": prices, "more": {"type": "map", "values": ["F", "null"]}}, "Inner")
    with imported(record({"inner": inner})) as package:
        schema = json.loads(package.Inner.SCHEMA)

    assert schema["fields"][0]["type"]["items"] == [
        "null",
        {"type": "fixed", "name": "F", "namespace": "n", "size": 1},
    ]
    assert schema["fields"][1]["type"]["values"] == ["n.F", "null"]


NAMES = [
    "class", "None", "self", "cls", "str", "int", "list", "dict", "bytes", "type", "object",
    "isinstance", "NotImplemented", "to_avro", "to_dict", "from_avro", "mro", "name", "value",
    "_", "__", "___", "_x", "__x", "__init__", "__class__", "__slots__", "__eq__", "__dict__",
    "__unset__", "f___x", "R", "Inner", "data", "at", "out", "append", "record", "_codec", "id",
    "Class", "CLASS", "print", "datetime", "decimal", "uuid", "t1", "_R", "super", "classmethod",
]  # fmt: skip


def test_fields_and_symbols_of_any_name_work() -> None:
    enum = {"type": "enum", "name": "Kind", "symbols": NAMES}
    inner = record({"x": "int"}, "Inner")
    schema = record({
        **{name: {"type": ["null", "string"], "default": None} for name in NAMES},
        "kind": enum,
        "inner": {"type": inner, "default": {"x": 3}},
        "items_": {"type": {"type": "array", "items": "int"}, "default": []},
    })  # fmt: skip
    with imported(schema) as package:
        plain = {name: name for name in NAMES} | {"kind": "mro", "inner": {"x": 4}, "items_": [1]}

        value = package.RECORD.from_dict(plain)

        assert value.to_dict() == plain
        assert package.RECORD.from_avro(value.to_avro()) == value
        assert value.class_ == "class"
        assert value.f___init__ == "__init__"
        assert value.kind is package.Kind.mro_
        for symbol in NAMES:
            assert package.Kind(symbol).value == symbol
        assert package.RECORD.from_dict({"kind": "class"}).inner.x == 3


BUILTINS = [
    "str", "bool", "list", "dict", "object", "isinstance", "len", "super", "classmethod",
    "NotImplemented", "bytearray", "type", "range", "tuple", "Any", "property",
]  # fmt: skip


def builtin_names() -> dict[str, Any]:
    """Records named as Python's builtins, beside fields that need the real ones."""
    return {
        "type": "record", "name": "Exception", "namespace": "n", "fields": [
            *({"name": f"f{i}", "type": {"type": "record", "name": name, "fields": [
                {"name": "x", "type": ["null", "string"], "default": None}]}}
              for i, name in enumerate(BUILTINS)),
            {"name": "s", "type": {"type": "array", "items": "string"}, "default": ["a"]},
            {"name": "m", "type": {"type": "map", "values": "bytes"}, "default": {}},
            {"name": "d", "type": ["int", "float", "boolean"], "default": 1},
            {"name": "x", "type": {"type": "fixed", "name": "ValueError", "size": 1},
             "default": "a"},
        ],
    }  # fmt: skip


def test_classes_named_as_builtins_work() -> None:
    with imported(builtin_names()) as package:
        plain = {f"f{i}": {"x": name} for i, name in enumerate(BUILTINS)}

        value = package.RECORD.from_dict(plain)

        assert type(value).__name__ == "Exception"
        assert package.RECORD.from_avro(value.to_avro()) == value
        assert list(package.read_file(_written(package, [value]))) == [value]


def _written(package: Any, records: list[Any]) -> Any:
    import io

    out = io.BytesIO()
    package.write_file(out, records)
    out.seek(0)
    return out


CODEC_NAMES = [
    "schema", "types", "new", "pack_float", "double_at", "index_E", "members_E", "codec", "framing",
    "records", "differences", "drafts", "spark", "decode_E", "to_avro_E", "Lazy", "BINDING",
]  # fmt: skip


@pytest.mark.parametrize("immutable", [False, True])
def test_classes_named_as_what_the_package_is_made_of_work(immutable: bool) -> None:
    schema = record({
        **{f"f{i}": {"type": record({"x": "float"}, name)} for i, name in enumerate(CODEC_NAMES)},
        "e": {"type": {"type": "enum", "name": "E", "symbols": ["A"]}},
    })  # fmt: skip
    with imported(schema, immutable=immutable) as package:
        plain = {**{f"f{i}": {"x": 0.5} for i in range(len(CODEC_NAMES))}, "e": "A"}

        value = package.RECORD.from_dict(plain)

        assert package.RECORD.from_avro(value.to_avro()) == value
        assert value.to_dict() == plain


@pytest.mark.thorough
@pytest.mark.parametrize("immutable", [False, True])
def test_types_and_fields_named_as_anything_in_the_package_work(immutable: bool) -> None:
    sample = record({
        "e": {"type": {"type": "enum", "name": "E", "symbols": ["A"]}, "default": "A"},
        "f": {"type": {"type": "fixed", "name": "F", "size": 1}},
        "r": {"type": {"type": "array", "items": record({"x": "int"}, "Inner")}, "default": []},
        "d": {"type": {"type": "map", "values": {"type": "int", "logicalType": "date"}}},
    })  # fmt: skip
    schema = named_as_the_package_is(sample, immutable=immutable)
    names = [field["name"] for field in schema["fields"]]
    assert {"data", "other", "record", "schemas", "value"} <= set(names)
    with imported(schema, immutable=immutable) as package:
        plain = {name: {"x": number} for number, name in enumerate(names)}

        value = package.RECORD.from_dict(plain)

        assert package.from_dict(value.to_dict()) == value
        assert package.RECORD.from_avro(value.to_avro()) == value
        assert package.RECORD.from_single_object(value.to_single_object()) == value
        assert copy.deepcopy(value) == pickle.loads(pickle.dumps(value)) == value.replace() == value
        assert list(package.read_file(_written(package, [value]))) == [value]
        assert package.diff(value, package.RECORD()) != []
        assert eval(repr(value), vars(package)) == value


@pytest.mark.thorough
def test_no_function_of_a_wide_record_has_more_branches_than_type_checkers_follow() -> None:
    small = record({"a": ["null", "int"], "b": {"type": {"type": "array", "items": "string"}}}, "S")
    column = ["null", {"type": "array", "items": ["null", "S"]}]
    schema = record({
        **{f"column_{i}": ["null", "string", "double"] for i in range(800)},
        **{f"records_{i}": {"type": column if i else ["null", small]} for i in range(100)},
        "one_of": [record({"a": ["null", "int"], "b": "string"}, f"R{i}") for i in range(120)],
    })  # fmt: skip
    modules = render_modules(record_of(schema), "p")

    assert {name: count for name, count in _branches(modules) if count > 500} == {}
    with imported(schema) as package:
        value = package.RECORD.from_dict(
            {
                **{f"column_{i}": None if i % 3 else f"{i}" for i in range(800)},
                **{f"records_{i}": [{"a": i, "b": ["x"]}] if i else None for i in range(100)},
                "one_of": {"a": None, "b": "x"},
            }
        )
        assert package.RECORD.from_avro(value.to_avro()) == value


def _branches(modules: Mapping[str, bytes]) -> Iterator[tuple[str, int]]:
    """Each function of the package's own modules, and its cyclomatic complexity."""
    for path, source in modules.items():
        if path.endswith(".py") and "/_avro/" not in path:
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, ast.FunctionDef):
                    parts = list(ast.walk(node))
                    joined = sum(len(p.values) - 1 for p in parts if isinstance(p, ast.BoolOp))
                    forks = sum(isinstance(p, (ast.If, ast.IfExp, ast.For)) for p in parts)
                    yield f"{path}: {node.name}", joined + forks


def test_same_record_name_in_two_namespaces_is_two_classes() -> None:
    schema = {
        "type": "record", "name": "Root", "namespace": "a", "fields": [
            {"name": "x", "type": {"type": "record", "name": "Item", "namespace": "b",
                                   "fields": [{"name": "i", "type": "int"}]}},
            {"name": "y", "type": {"type": "record", "name": "Item", "namespace": "a",
                                   "fields": [{"name": "i", "type": "int"}]}},
        ],
    }  # fmt: skip
    with imported(schema) as package:
        value = package.RECORD(x=package.b__Item(i=1), y=package.Item(i=1))

        assert value.x != value.y
        assert package.RECORD.from_avro(value.to_avro()) == value


def test_defaults_of_every_kind_are_values_and_made_anew() -> None:
    inner = record({"x": {"type": ["int", "null"], "default": 9}, "y": "string"}, "Inner")
    fields = {
        "date": ({"type": "int", "logicalType": "date"}, 18000, dt.date(2019, 4, 14)),
        "time": ({"type": "int", "logicalType": "time-millis"}, 1, dt.time(0, 0, 0, 1000)),
        "ts": ({"type": "long", "logicalType": "timestamp-micros"}, 1,
               dt.datetime(1970, 1, 1, 0, 0, 0, 1, tzinfo=dt.UTC)),
        "local": ({"type": "long", "logicalType": "local-timestamp-millis"}, 0,
                  dt.datetime(1970, 1, 1)),  # noqa: DTZ001
        "dec": ({"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2},
                "\u0004\u00d2", Decimal("12.34")),
        "uuid": ({"type": "string", "logicalType": "uuid"}, str(UUID(int=1)), UUID(int=1)),
        "bytes": ("bytes", "\u0000\u00ff", b"\0\xff"),
        "later_branch": (["null", "string"], "x", "x"),
        "double": ("double", 3, 3.0),
        "map": ({"type": "map", "values": {"type": "array", "items": "int"}}, {"k": [1]},
                {"k": [1]}),
    }  # fmt: skip
    schema = {
        "type": "record", "name": "R", "namespace": "n", "fields": [
            *({"name": k, "type": t, "default": d} for k, (t, d, _) in fields.items()),
            {"name": "inner", "type": inner, "default": {"y": "z"}},
        ],
    }  # fmt: skip
    with imported(schema) as package:
        one, other = package.RECORD(), package.RECORD()

        for name, (_, _, expected) in fields.items():
            assert getattr(one, name) == expected
            assert type(getattr(one, name)) is type(expected)
        assert one.inner == package.Inner(x=9, y="z")
        assert one.inner is not other.inner
        assert one.map is not other.map
        assert package.RECORD.from_avro(one.to_avro()) == one
        assert package.RECORD.from_dict({}) == one


def test_records_are_keyword_only_slotted_comparable_and_copied() -> None:
    with imported(record({"f": "int", "g": {"type": ["null", "string"], "default": None}})) as p:
        value = p.RECORD(f=1)

        with pytest.raises(TypeError):
            p.RECORD(1)
        with pytest.raises(AttributeError):
            value.h = 1
        assert repr(value) == "R(f=1, g=None)"
        assert value == p.RECORD(f=1)
        assert value != p.RECORD(f=2)
        assert value != 1
        assert p.RECORD.__match_args__ == ()
        with pytest.raises(TypeError):
            hash(value)
        assert copy.deepcopy(value) == value
        assert pickle.loads(pickle.dumps(value)) == value


def test_wide_record_imports_without_its_codec() -> None:
    schema = record({f"column_{i}": {"type": ["null", "string"], "default": None}
                     for i in range(800)})  # fmt: skip
    with imported(schema) as package:
        assert f"{package.__name__}._codec" not in sys.modules
        value = package.RECORD(column_799="x")
        assert package.RECORD.from_avro(value.to_avro()) == value


ODD = "x: int = 0\n    raise SystemExit\n    y"


def odd_schemas() -> list[Record]:
    """Schemas that no parser lets through, made as values."""
    return [
        Record(ODD, ODD, (Field("f", Primitive("int")),)),
        Record("R", "../../etc", (Field(ODD, Primitive("string"), ODD),)),
        Record("R", "", (Field("f", EnumSchema(ODD, ODD, (ODD, "a b", "é"))),)),
        Record("R", "", (Field("f", Fixed(ODD, "", 2)),)),
        Record("é", "\u2028", (Field("\u2028", Primitive("int", LogicalType(ODD))),)),
    ]


@pytest.mark.parametrize("schema", odd_schemas())
def test_illegal_names_become_legal_ones(schema: Record, tmp_path: Path) -> None:
    generate(schema, "odd", tmp_path)

    code = "import odd, odd._codec; print(odd.RECORD.__name__.isidentifier())"
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {code}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "True\n"
    assert {path.name for path in tmp_path.iterdir()} == {"odd"}


@pytest.mark.parametrize(
    "schema",
    [
        # The type checker refuses these two; a caller without one could still pass them.
        Record("R", "", (Field("f", Fixed("F", "", "2; import os")),)),  # type: ignore[arg-type]  # hostile
        Record("R", "", (Field("f", Primitive("bytes", LogicalType("decimal", "1"))),)),  # type: ignore[arg-type]  # hostile
        Record("R", "", (Field("f", Primitive("bytes", LogicalType("decimal", 10**9))),)),
        Record("R", "", (Field("f", Primitive("int")), Field("f", Primitive("int")))),
        Record("R", "", (Field("f", Primitive("int"), "1"),)),
        Record("R", "", (Field("f", Primitive("int"), True),)),
        Record("R", "", (Field("f", Primitive("double"), float("nan")),)),
        Record("R", "", (Field("f", EnumSchema("E", "", ())),)),
    ],
)
def test_schema_that_has_no_python_is_refused_by_name(schema: Record) -> None:
    with pytest.raises(CodegenError) as refused:
        render_modules(schema, "p")
    assert str(refused.value)


def test_default_that_would_construct_without_end_is_refused() -> None:
    levels = 20
    document: dict[str, Any] = record({"x": "int"}, "L0")
    document["fields"][0]["default"] = 1
    for level in range(1, levels):
        document = record(
            {"a": {"type": document, "default": {}}, "b": {"type": [f"L{level - 1}"],
                                                          "default": {}}},
            f"L{level}",
        )  # fmt: skip

    with pytest.raises(UnfitSchema, match="more than"):
        render_modules(record_of(document), "p")


def test_default_whose_branch_would_be_sought_without_end_is_refused() -> None:
    # Each of ten branches holds the union again, and only the innermost value is wrong for all.
    branches = tuple(Record(f"B{i}", "", (Field("x", Reference("U")),)) for i in range(10))
    recursive = Record("U", "", (Field("u", Union(branches)),))
    value: Any = {"u": 1}
    for _ in range(40):
        value = {"u": {"x": value}}
    schema = Record("R", "", (Field("a", recursive), Field("f", Reference("U"), value)))

    with pytest.raises(UnfitSchema, match="more than 100000 trials"):
        render_modules(schema, "p")


def test_package_name_that_cannot_be_imported_is_refused(tmp_path: Path) -> None:
    schema = record_of(record({"f": "int"}))
    for name in ["", "../x", "a.class", "a b", "1a", "é"]:
        with pytest.raises(UnfitSchema):
            generate(schema, name, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_default_is_that_of_its_own_class_whatever_the_names_have_in_common() -> None:
    inner = record({"c": {"type": {"type": "array", "items": "string"}, "default": ["s"]}}, "A_b")
    numbers = {"type": {"type": "array", "items": "int"}, "default": [1]}
    outer = record({"b_c": numbers, "x": {"type": inner, "default": {}}}, "A")

    with imported(outer) as module:
        assert module.A().b_c == [1]
        assert module.A_b().c == ["s"]


@pytest.mark.parametrize("part", ["part_1_of_X", "of_X"])
def test_no_record_takes_the_name_of_a_part_of_another_ones_code(part: str) -> None:
    deep: Any = "int"
    for _ in range(5):
        deep = {"type": "array", "items": deep}
    text = record({f"f{number}": "string" for number in range(12)}, part)

    with imported(record({"d": deep, "p": text}, "X")) as module:
        value = module.X(
            d=[[[[[1]]]]], p=getattr(module, part)(**{f"f{n}": "s" for n in range(12)})
        )

        assert module.X.from_avro(value.to_avro()) == value


@pytest.mark.thorough
def test_a_package_of_thousands_of_records_can_be_imported() -> None:
    fields = {f"f{n}": record({"a": "int"}, f"X{n}") for n in range(3_000)}

    with imported(record(fields)) as module:
        assert module.X2999(a=1).a == 1


def test_a_union_too_wide_for_python_is_unfit() -> None:
    branches = [record({"a": "int"}, f"X{n}") for n in range(3_000)]

    with pytest.raises(UnfitSchema, match="union of 3000 types"):
        render_modules(record_of(record({"u": {"type": branches}})), "p")
