"""JSON that costs a reader too much, or that readers understand differently, is an ``AvroError``."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.codegen.generated import LEAVES, imported, json_compiled_after, record
from tests.effort import examples

DEPTH = 100_000
SCHEMA = record({
    "tree": ["null", "R"],
    "any": ["null", "double", "string", "bytes", {"type": "array", "items": "double"},
            {"type": "map", "values": "long"}],
    **{f"f{i}": {"type": ["null", leaf], "default": None}
       for i, (leaf, _) in enumerate(LEAVES) if leaf != "null"},
})  # fmt: skip
LEAF_NAMES = [f"f{i}" for i, (leaf, _) in enumerate(LEAVES) if leaf != "null"]


@pytest.fixture(scope="module", autouse=True, params=[0, 8], ids=["compiled", "not compiled"])
def _compiles_json(request: pytest.FixtureRequest) -> Iterator[None]:
    with json_compiled_after(request.param):
        yield


@pytest.fixture(scope="module")
def package() -> Iterator[Any]:
    with imported(SCHEMA) as module:
        yield module


HOSTILE = [
    "[" * DEPTH,
    '{"tree":' * DEPTH,
    '{"tree":' * 2_000 + "null" + "}" * 2_000,
    '{"tree":{"n.R":' * 2_000 + "null" + "}}" * 2_000,
    '{"tree":null,"any":' + "[" * DEPTH + "]" * DEPTH + "}",
    '{"tree":null,"any":1e999999999}',
    '{"tree":null,"any":[-1e999999999]}',
    '{"tree":null,"any":NaN}',
    '{"tree":null,"any":Infinity}',
    '{"tree":null,"any":' + "9" * 1_000_000 + "}",
    '{"tree":null,"any":"\\ud800"}',
    '{"tree":null,"any":{"\\udfff":1}}',
    '{"tree":null,"any":{"map":{"\\udfff":1}}}',
    '{"tree":null,"tree":null,"any":null}',
    '{"tree":null,"any":{"a":1,"a":1}}',
    '{"\\ud800":1}',
    "",
    "\0",
    "null",
    b"\xff\xfe{\0}\0",
    '{"tree":null,"any":"\ud800"}',
    b'{"tree":null,"any":"\xed\xa0\x80"}',
]


@pytest.mark.parametrize("form", ["plain", "avro"])
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_an_error_of_the_package(
    package: Any, text: str | bytes, form: str
) -> None:
    with pytest.raises(package.AvroError) as raised:
        package.R.from_json(text, form)

    # Short, and printable wherever errors are shown.
    assert len(str(raised.value).encode()) < 20_000


@pytest.mark.parametrize("name", LEAF_NAMES)
@pytest.mark.parametrize(
    "value", ["1e999999999", "9" * 4_000, '"1e999999999"', '"' + "9" * 1_000_000 + '"',
              '"1e-999999999"', '"\\ud800"', '"' + "A" * 1_000_000 + '"', "[]", "{}"],
    ids=range(9),
)  # fmt: skip
def test_a_hostile_leaf_is_read_or_an_error_in_little_memory(
    package: Any, name: str, value: str
) -> None:
    text = f'{{"tree":null,"any":null,"{name}":{value}}}'
    tracemalloc.start()
    try:
        package.R.from_json(text)
    except package.AvroError:
        pass
    finally:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 20_000_000


def test_numbers_of_many_digits_are_refused_where_python_sets_no_limit(package: Any) -> None:
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        with pytest.raises(package.InvalidValue, match="a number has 100000 digits"):
            package.R.from_json('{"tree":null,"any":' + "9" * 100_000 + "}")
    finally:
        sys.set_int_max_str_digits(limit)


def test_a_record_that_contains_itself_has_no_json(package: Any) -> None:
    value = package.R(tree=None, any=None)
    value.tree = value
    for form in ("plain", "avro"):
        with pytest.raises(package.InvalidValue, match="nested too deeply"):
            value.to_json(form)
    with pytest.raises(package.InvalidValue, match="nested too deeply"):
        value.to_dict(mode="json")


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.one_of(st.sampled_from(["tree", "any", "n.R", "string", *LEAF_NAMES]), st.text()),
            inner, max_size=4,
        ),
    ),
)  # fmt: skip


@given(JSON, st.sampled_from(["plain", "avro"]))
@settings(max_examples=examples(300))
def test_any_document_is_read_or_an_error_of_the_package(
    package: Any, document: Any, form: str
) -> None:
    for whole in (document, {"tree": None, "any": document}):
        try:
            value = package.R.from_dict(whole, mode="json")
        except package.AvroError:
            continue
        again = package.R.from_json(value.to_json(form), form)
        assert again.to_avro() == value.to_avro()
