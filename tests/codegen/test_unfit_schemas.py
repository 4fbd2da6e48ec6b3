"""A schema that no package can be built from is refused before the build, for the same reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import event, example, given
from hypothesis import strategies as st

from codegen.errors import CodegenError, UnfitSchema
from codegen.layout import lay_out
from codegen.package import PackageRequest, Provenance
from codegen.wheel import build_wheel, content_hash
from lakeschema.avro.model import (
    NO_DEFAULT,
    EnumSchema,
    Field,
    Fixed,
    Json,
    LogicalType,
    NoDefault,
    Primitive,
    Record,
    Reference,
    Schema,
    Union,
)
from lakeschema.catalog.identifiers import RelationName
from tests.lakeschema.avro.strategies import PRIMITIVES, schemas

ODD_TYPES: st.SearchStrategy[Schema] = st.sampled_from([
    EnumSchema("NoSymbols", "odd", ()),
    EnumSchema("Twice", "odd", ("A", "A")),
    Fixed("Negative", "odd", -1),
    Fixed("Duration", "odd", 12, logical=LogicalType("duration")),
    Primitive("bytes", LogicalType("decimal", 10**9)),
    Primitive("bytes", LogicalType("decimal", 4, 2)),
    Reference("odd.Undefined"),
    Record("Inner", "odd", (Field("f", Primitive("int")),)),
    Record("Twice", "odd", (Field("f", Primitive("int")), Field("f", Primitive("int")))),
    Union((Primitive("int"), Primitive("string"))),
])  # fmt: skip
DEFAULTS: st.SearchStrategy[Json | NoDefault] = st.just(NO_DEFAULT) | st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=17),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.just("f"), inner),
    max_leaves=4,
)
FIELDS = st.builds(Field, st.sampled_from(["f", "class", "self"]), PRIMITIVES | ODD_TYPES, DEFAULTS)


@pytest.mark.thorough
@given(schemas(), FIELDS, st.booleans())
@example(Record("R", "n", ()), Field("f", Primitive("int"), "1"), False)
def test_a_content_hash_is_refused_for_the_reason_that_a_wheel_is(
    schema: Record, field: Field, immutable: bool
) -> None:
    grown = replace(schema, fields=(*schema.fields, field))
    relation = RelationName.of("example", "company")
    request = PackageRequest(relation, "acme-schema", "1.0.0", grown, Provenance(), immutable)

    hashing, building = refusal(content_hash, request), refusal(build_wheel, request)

    assert hashing == building
    event("fit" if building is None else building[0])


def refusal(
    act: Callable[[PackageRequest], object], request: PackageRequest
) -> tuple[str, str] | None:
    try:
        act(request)
    except CodegenError as error:
        return type(error).__name__, str(error)
    return None


def _nested_twice(depth: int, innermost: Schema) -> Record:
    inner: Schema = innermost
    for level in range(depth):
        name = f"R{level}"
        inner = Record(
            name,
            "odd",
            (
                Field("a", inner),
                Field("b", Reference(f"odd.R{level - 1}") if level else innermost),
            ),
        )
    assert isinstance(inner, Record)
    return inner


@pytest.mark.parametrize(
    "innermost", [Primitive("null"), Fixed("Empty", "odd", 0), Record("E", "odd", ())]
)
def test_a_record_of_very_many_zero_byte_values_is_refused(innermost: Schema) -> None:
    with pytest.raises(UnfitSchema, match=r"odd\.R29: contains more than 10000 zero-byte values"):
        lay_out(_nested_twice(30, innermost))


@pytest.mark.parametrize("depth", [1, 12])
def test_records_of_few_zero_byte_values_are_not_refused(depth: int) -> None:
    assert lay_out(_nested_twice(depth, Primitive("null")))


def test_records_that_take_bytes_may_hold_as_many_values_as_they_like() -> None:
    assert lay_out(_nested_twice(30, Primitive("boolean")))
