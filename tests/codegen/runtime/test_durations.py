"""Durations are values: records of either kind keep them unchanged."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import pytest

from tests.codegen.generated import imported, record

SCHEMA = record({
    "span": {"type": {"type": "fixed", "name": "Span", "size": 12, "logicalType": "duration"}},
})  # fmt: skip
BYTES = bytes.fromhex("010000000200000003000000")


@pytest.fixture(scope="module", params=[False, True], ids=["mutable", "immutable"])
def package(request: pytest.FixtureRequest) -> Iterator[Any]:
    with imported(SCHEMA, immutable=request.param) as module:
        yield module


@pytest.fixture
def span(package: Any) -> Any:
    return package.Duration(months=1, days=2, milliseconds=3)


def test_a_durations_parts_are_neither_set_nor_deleted(package: Any, span: Any) -> None:
    decoded = package.R.from_avro(BYTES).span

    for each in (span, decoded, copy.copy(span), pickle.loads(pickle.dumps(span))):
        for part in ("months", "days", "milliseconds", "years"):
            with pytest.raises(AttributeError, match=f"immutable: {part} cannot be set"):
                setattr(each, part, 9)
            with pytest.raises(AttributeError, match=f"immutable: {part} cannot be deleted"):
                delattr(each, part)
        assert repr(each) == "Duration(months=1, days=2, milliseconds=3)"


def test_a_duration_has_no_subclass_that_could_change(package: Any) -> None:
    with pytest.raises(TypeError, match="Longer: Duration cannot be subclassed"):
        type("Longer", (package.Duration,), {})


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickled_and_copied_durations_are_the_same_values(span: Any, protocol: int) -> None:
    for same in (
        pickle.loads(pickle.dumps(span, protocol)),
        copy.copy(span),
        copy.deepcopy(span),
    ):
        assert type(same) is type(span)
        assert same == span
        assert {span: "found"}[same] == "found"


def test_a_duration_is_unpickled_that_an_earlier_release_pickled(package: Any, span: Any) -> None:
    state = pickle.dumps((None, {"months": 1, "days": 2, "milliseconds": 3}), 2)[2:-1]
    home = f"{package.__name__}._avro.scalars\nDuration\n".encode()
    earlier = b"\x80\x02ccopyreg\n__newobj__\n(c" + home + b"tR" + state + b"b."

    assert pickle.loads(earlier) == span


def test_decoded_and_made_durations_are_the_same_values(package: Any, span: Any) -> None:
    decoded = package.R.from_avro(BYTES)

    assert {decoded.span} == {span}
    assert package.R(span=span).to_avro() == BYTES
    assert decoded.span != package.Duration(days=2)
    assert package.Duration() == package.Duration(months=0, days=0, milliseconds=0)


def test_a_set_finds_an_immutable_record_by_its_duration() -> None:
    with imported(SCHEMA, immutable=True) as package:
        kept = {package.R.from_avro(BYTES)}

        assert package.R(span=package.Duration(months=1, days=2, milliseconds=3)) in kept


def test_plain_values_have_the_bytes_that_fastavro_knows(package: Any) -> None:
    value = package.R(span=package.Duration(months=1, days=2, milliseconds=3))

    plain = value.to_dict()

    assert plain["span"] == bytes.fromhex("010000000200000003000000")
    assert package.R.from_dict(plain) == value
    assert package.R.from_dict({"span": value.span}) == value
    for wrong in (b"", b"x" * 11, b"x" * 13, "x" * 12, 5):
        with pytest.raises(package.InvalidValue, match="span: "):
            package.R.from_dict({"span": wrong})
