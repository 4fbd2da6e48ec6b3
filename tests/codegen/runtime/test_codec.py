"""The generated binary codec: compared with fastavro's, and its refusals."""

from __future__ import annotations

import contextlib
import datetime as dt
import io
import uuid
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from typing import Any

import fastavro
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.codegen.generated import imported, record, schemas_and_values
from tests.effort import examples


class _Kept:
    """One package for all examples of a test."""

    def __init__(self, schema: Any) -> None:
        self._schema = schema
        self._package: Any = None

    def __enter__(self) -> Any:
        if self._package is None:
            with imported(self._schema) as package:
                # What is imported on first use cannot be afterwards.
                with suppress(package.AvroError):
                    package.RECORD.from_avro(b"")
                self._package = package
        return self._package

    def __exit__(self, *_: object) -> None:
        pass


MANY_SCHEMAS = {k: record({"f": {"type": "array", "items": k}}) for k in ("int", "long")}
MANY = {kind: _Kept(schema) for kind, schema in MANY_SCHEMAS.items()}


def fastavro_bytes(schema: Any, value: Any) -> bytes:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(schema), value)
    return out.getvalue()


WIDE_SCHEMA = record(
    {f"{kind}_{i}": ["null", kind] for kind in ("int", "long") for i in range(501)}
)
WIDE = _Kept(WIDE_SCHEMA)

slow = settings(max_examples=examples(50))


@slow
@given(schemas_and_values())
def test_bytes_equal_those_of_fastavro_and_read_back(
    case: tuple[dict[str, Any], list[Any]],
) -> None:
    schema, values = case
    with imported(schema) as package:
        for value in values:
            expected = fastavro_bytes(schema, value)

            typed = package.RECORD.from_dict(value)

            assert typed.to_avro() == expected
            read = package.RECORD.from_avro(expected)
            assert read == typed
            assert read.to_avro() == expected
            assert package.RECORD.from_dict(read.to_dict()) == typed


@slow
@given(schemas_and_values(), st.data())
def test_wrong_bytes_are_an_error_and_never_a_crash(
    case: tuple[dict[str, Any], list[Any]], data: st.DataObject
) -> None:
    schema, values = case
    with imported(schema) as package:
        good = fastavro_bytes(schema, values[0])

        for end in range(len(good)):
            with pytest.raises(package.InvalidAvro):
                package.RECORD.from_avro(good[:end])
        with pytest.raises(package.InvalidAvro):
            package.RECORD.from_avro(good + b"\0")
        if good:
            place = data.draw(st.integers(0, len(good) - 1))
            flipped = bytearray(good)
            flipped[place] ^= data.draw(st.integers(1, 255))
            with contextlib.suppress(package.AvroError):
                package.RECORD.from_avro(bytes(flipped))


HUGE = b"\xff\xff\xff\xff\xff\xff\xff\xff\x7f"


@pytest.mark.parametrize(
    ("type_", "data"),
    [
        ("string", b"\xfe" + HUGE[1:] + b"a"),
        ("string", b"\x01"),
        ("bytes", b"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"),
        ({"type": "array", "items": "null"}, b"\xfe\xff\xff\xff\x0f\x00"),
        ({"type": "array", "items": {"type": "fixed", "name": "F", "size": 0}}, HUGE + b"\0"),
        ({"type": "array", "items": {"type": "fixed", "name": "F", "size": 4}}, HUGE + b"\0"),
        ({"type": "array", "items": "long"}, b"\xfe\xff\xff\xff\x0f\x02\x00"),
        ({"type": "map", "values": "null"}, b"\xfe\xff\xff\xff\x0f\x00"),
        (["null", "int"], b"\x04"),
        (["null", "int"], b"\x01"),
        ({"type": "enum", "name": "E", "symbols": ["A"]}, b"\x02"),
        ({"type": "enum", "name": "E", "symbols": ["A"]}, b"\x01"),
        ("boolean", b"\x02"),
        ("int", b"\x80\x80\x80\x80\x80\x80\x01"),
        ({"type": "int", "logicalType": "date"}, b"\xfe\xff\xff\xff\x0f"),
        ({"type": "long", "logicalType": "time-micros"}, b"\x01"),
        ({"type": "string", "logicalType": "uuid"}, b"\x02x"),
        ({"type": "bytes", "logicalType": "decimal", "precision": 2}, b"\x04\x7f\xff"),
        ("string", b"\x02\xff"),
    ],
)
def test_hostile_bytes_are_refused_without_reading_past_them(type_: Any, data: bytes) -> None:
    with imported(record({"f": type_})) as package, pytest.raises(package.InvalidAvro):
        package.RECORD.from_avro(data)


def test_blocks_with_their_size_in_bytes_are_read() -> None:
    schema = record({"f": {"type": "array", "items": "int"}})
    with imported(schema) as package:
        # Two blocks: -2 items in 2 bytes, then one item.
        assert package.RECORD.from_avro(b"\x03\x04\x02\x04\x02\x06\x00").f == [1, 2, 3]


@pytest.mark.parametrize("kind", ["int", "long"])
@given(st.lists(st.one_of(st.integers(-64, 63), st.integers(-(2**31), 2**31 - 1)), min_size=16))
@example([5] * 40)
@settings(max_examples=examples(50))
def test_many_numbers_are_read_as_few_are(kind: str, numbers: list[int]) -> None:
    with MANY[kind] as package:
        data = package.RECORD(f=numbers).to_avro()

        assert data == fastavro_bytes(MANY_SCHEMAS[kind], {"f": numbers})
        assert package.RECORD.from_avro(data).f == numbers
        with pytest.raises(package.InvalidAvro):
            package.RECORD.from_avro(data[:-2])


def test_numbers_of_a_wide_record_are_written_and_read_as_those_of_others() -> None:
    numbers = [sign * 2**bits + off for bits in range(63) for sign in (1, -1) for off in (-1, 0, 1)]
    ints = [number for number in numbers if -(2**31) <= number < 2**31]
    plain = {f"int_{i}": ints[i % len(ints)] if i % 9 else None for i in range(501)}
    plain |= {f"long_{i}": numbers[i % len(numbers)] if i % 9 else None for i in range(501)}
    with WIDE as package:
        value = package.RECORD(**plain)
        data = value.to_avro()

        assert data == fastavro_bytes(WIDE_SCHEMA, plain)
        assert package.RECORD.from_avro(data) == value
        with pytest.raises(package.InvalidAvro):
            package.RECORD.from_avro(data[:-1])


@pytest.mark.parametrize("value", [2**31, -(2**31) - 1, True, "1", 1.5])
def test_what_is_no_number_is_refused_in_a_wide_record_as_well(value: Any) -> None:
    plain = {**{f"int_{i}": 1 for i in range(501)}, **{f"long_{i}": 1 for i in range(501)}}
    with WIDE as package, pytest.raises(package.InvalidValue, match="int_7"):
        package.RECORD(**{**plain, "int_7": value}).to_avro()


def test_an_int_that_is_a_long_is_refused_in_a_wide_record_as_well() -> None:
    with WIDE as package, pytest.raises(package.InvalidAvro):
        package.RECORD.from_avro(b"\x02\xfe\xff\xff\xff\x1f" + b"\x02\x02" * 1_001)


@pytest.mark.parametrize(
    "data",
    [
        b"\x28" + b"\2" * 19 + b"\xfe\xff\xff\xff\x1f\0",  # 2³², of 32 bits
        b"\x28" + b"\2" * 10,
        b"\xfe\xff\xff\xff\xff\xff\xff\xff\x7f" + b"\2" * 30,
    ],
)
def test_many_ints_are_refused_where_one_is(data: bytes) -> None:
    with MANY["int"] as package, pytest.raises(package.InvalidAvro):
        package.RECORD.from_avro(data)


def test_arrays_nested_past_what_python_nests_are_read_and_written() -> None:
    type_: Any = "int"
    value: Any = 1
    for _ in range(40):
        type_, value = {"type": "array", "items": type_}, [value]
    schema = record({"f": type_})
    with imported(schema) as package:
        data = package.RECORD(f=value).to_avro()

        assert data == fastavro_bytes(schema, {"f": value})
        assert package.RECORD.from_avro(data).f == value


def test_record_nested_past_the_stack_is_an_error() -> None:
    schema = record({"next": {"type": ["null", "R"], "default": None}})
    with imported(schema) as package:
        with pytest.raises(package.InvalidAvro, match="deep"):
            package.RECORD.from_avro(b"\x02" * 100_000 + b"\0")
        value = package.RECORD()
        value.next = value
        with pytest.raises(package.InvalidValue, match="deep"):
            value.to_avro()


BAD: list[tuple[Any, Any]] = [
    ("int", True),
    ("int", 2**31),
    ("int", 1.0),
    ("long", 2**63),
    ("long", "1"),
    ("long", None),
    ("boolean", 1),
    ("float", 1e300),
    ("double", True),
    ("double", "1"),
    ("string", b"x"),
    ("string", "\ud800"),
    ("bytes", "x"),
    ({"type": "fixed", "name": "F", "size": 2}, b"x"),
    ({"type": "enum", "name": "E", "symbols": ["A"]}, "B"),
    ({"type": "array", "items": "int"}, [1, "x"]),
    ({"type": "array", "items": "int"}, "12"),
    ({"type": "map", "values": "int"}, {"a": None}),
    ({"type": "map", "values": "int"}, {1: 1}),
    (["null", "int"], "x"),
    (["string", "int"], None),
    ({"type": "int", "logicalType": "date"}, "2020-01-01"),
    ({"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2}, 1.5),
    ({"type": "string", "logicalType": "uuid"}, "x"),
]


def plain(package: Any, value: Any) -> Any:
    return package.RECORD.from_dict({"f": {"inner": value}})


def constructed(package: Any, value: Any) -> Any:
    return package.RECORD(f=package.Inner(inner=value)).to_avro()


@pytest.mark.parametrize("use", [plain, constructed])
@pytest.mark.parametrize(("type_", "value"), BAD)
def test_bad_values_are_refused_with_their_path(
    use: Callable[[Any, Any], Any], type_: Any, value: Any
) -> None:
    schema = record({"f": {"type": record({"inner": type_}, "Inner")}})
    with imported(schema) as package:
        with pytest.raises(package.InvalidValue) as refused:
            use(package, value)

        assert refused.value.path.startswith("f.inner")


@pytest.mark.parametrize(
    ("logical", "base", "text"),
    [("decimal", "bytes", "1.234"), ("decimal", "bytes", "123.4"), ("decimal", "bytes", "NaN")],
)
def test_decimals_out_of_scale_or_precision_are_refused(logical: str, base: str, text: str) -> None:
    type_ = {"type": base, "logicalType": logical, "precision": 4, "scale": 2}
    with imported(record({"f": type_})) as package, pytest.raises(package.InvalidValue):
        package.RECORD(f=Decimal(text)).to_avro()


@pytest.mark.parametrize("type_", ["int", "long", "float", "double", "string"])
def test_int_of_more_digits_than_python_prints_is_refused_as_invalid(type_: str) -> None:
    with imported(record({"f": type_})) as package:
        with pytest.raises(package.InvalidValue, match=r"f: .*<int>"):
            package.RECORD(f=10**5000).to_avro()
        with pytest.raises(package.InvalidValue, match=r"f: .*<int>"):
            package.RECORD.from_dict({"f": 10**5000})


def test_time_finer_than_its_unit_is_refused_and_not_cut() -> None:
    type_ = {"type": "long", "logicalType": "timestamp-millis"}
    with imported(record({"f": type_})) as package:
        fine = dt.datetime(2020, 1, 1, 0, 0, 0, 1, tzinfo=dt.UTC)
        with pytest.raises(package.InvalidValue, match="finer"):
            package.RECORD(f=fine).to_avro()
        with pytest.raises(package.InvalidValue, match="time zone"):
            package.RECORD(f=dt.datetime(2020, 1, 1)).to_avro()  # noqa: DTZ001


def test_unknown_and_missing_fields_are_refused() -> None:
    with imported(record({"f": "int"})) as package:
        with pytest.raises(package.InvalidValue, match="unknown field"):
            package.RECORD.from_dict({"f": 1, "g": 2})
        with pytest.raises(package.InvalidValue, match="f: is missing"):
            package.RECORD.from_dict({})


def test_class_decides_between_records_of_one_shape() -> None:
    schema = record({
        "f": [record({"amount": "double"}, "Cash"), record({"amount": "double"}, "Tip")],
    })  # fmt: skip
    with imported(schema) as package:
        tip = package.RECORD(f=package.Tip(amount=1.0))

        assert tip.to_avro()[0] == 2
        assert package.RECORD.from_avro(tip.to_avro()) == tip
        assert tip.to_dict() == {"f": ("n.Tip", {"amount": 1.0})}
        assert package.RECORD.from_dict(tip.to_dict()) == tip


def test_text_beside_a_date_is_written_as_text() -> None:
    date = {"type": "int", "logicalType": "date"}
    enum = {"type": "enum", "name": "E", "symbols": ["A", "B"]}
    with imported(record({"f": ["null", date, enum]})) as package:
        assert package.RECORD.from_dict({"f": "B"}).to_avro() == b"\x04\x02"
        assert package.RECORD.from_dict({"f": dt.date(1970, 1, 2)}).to_avro() == b"\x02\x02"


@given(st.one_of(st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False)))
@example(0.1)
@example(2**31)
@settings(max_examples=examples(30))
def test_number_in_a_union_of_all_keeps_its_value(value: float) -> None:
    with NUMBERS as package:
        read = package.RECORD.from_avro(package.RECORD(f=value).to_avro())

        assert read.f == value
        assert type(read.f) is type(value)


NUMBERS = _Kept(record({"f": ["int", "float", "long", "double"]}))


def test_duration_and_fixed_uuid_round_trip() -> None:
    schema = record({
        "d": {"type": "fixed", "name": "D", "size": 12, "logicalType": "duration"},
        "u": {"type": "fixed", "name": "U", "size": 16, "logicalType": "uuid"},
    })  # fmt: skip
    with imported(schema) as package:
        from_codec = package.Duration(months=1, days=2, milliseconds=3)
        value = package.RECORD(d=from_codec, u=uuid.UUID(int=7))

        data = value.to_avro()

        assert data == bytes.fromhex("010000000200000003000000") + uuid.UUID(int=7).bytes
        assert package.RECORD.from_avro(data) == value
