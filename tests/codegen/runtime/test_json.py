"""JSON of records: both forms read back equal, and errors say what is wrong."""

from __future__ import annotations

import base64
import datetime as dt
import io
import json
import uuid
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codegen.naming import attribute_name
from tests.codegen.generated import imported, json_compiled_after, record, schemas_and_values
from tests.codegen.runtime.test_codec import fastavro_bytes
from tests.effort import examples

FORMS = ("plain", "avro")


@pytest.fixture(scope="module", autouse=True, params=[0, 8], ids=["compiled", "not compiled"])
def _compiles_json(request: pytest.FixtureRequest) -> Iterator[None]:
    with json_compiled_after(request.param):
        yield


@pytest.mark.thorough
@settings(max_examples=examples(100))
@given(schemas_and_values(), st.booleans())
def test_every_value_reads_back_from_json_as_itself(
    case: tuple[dict[str, Any], list[Any]], immutable: bool
) -> None:
    schema, values = case
    with imported(schema, immutable=immutable) as package:
        for plain in values:
            data = fastavro_bytes(schema, plain)
            value = package.RECORD.from_avro(data)

            texts = {form: value.to_json(form) for form in FORMS}
            document = json.dumps(value.to_dict(mode="json"), allow_nan=False)

            read = [package.RECORD.from_json(text, form) for form, text in texts.items()]
            read += [
                package.RECORD.from_json(value.to_json(indent=2).encode()),
                package.RECORD.from_dict(json.loads(document), mode="json"),
            ]
            assert read == [value] * 4
            # A union's branch is no part of equality: 1 == 1.0.
            assert {each.to_avro() for each in read} == {data}


TEXTS = {
    "string": "string",
    "date": {"type": "int", "logicalType": "date"},
    "moment": {"type": "long", "logicalType": "timestamp-micros"},
    "price": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2},
    "four": {"type": "fixed", "name": "Four", "size": 4},
    "key": {"type": "fixed", "name": "Key", "size": 16, "logicalType": "uuid"},
    "span": {"type": "fixed", "name": "Span", "size": 12, "logicalType": "duration"},
    "kind": {"type": "enum", "name": "Kind", "symbols": ["A", "NaN_", "AAAA"]},
    "number": "double",
}
OBJECTS = [
    "null", "string", "bytes", {"type": "int", "logicalType": "time-millis"},
    {"type": "long", "logicalType": "local-timestamp-micros"}, "float",
    record({"string": "string"}, "A"), record({"string": "string"}, "B"),
    {"type": "map", "values": "string"}, {"type": "array", "items": "string"},
]  # fmt: skip
NOTATIONS = (
    *("NaN", "Infinity", "-Infinity", "A", "AAAA", "12.50", "1", "-0", "2024-01-31", "12:00:00"),
    *("2024-01-31T12:00:00Z", "2024-01-31T12:00:00", "P1M2DT3.004S", "", "AAAAAA==", "null"),
    "00000000-0000-0000-0000-000000000000",
)


@pytest.fixture(scope="module")
def ambiguous() -> Iterator[Any]:
    texts = {"type": "array", "items": ["null", *TEXTS.values()]}
    with imported(
        record({"texts": texts, "objects": {"type": "array", "items": OBJECTS}})
    ) as package:
        yield package


@pytest.mark.thorough
@given(st.data())
@settings(max_examples=examples(200))
def test_what_looks_like_another_branch_reads_back_as_itself(
    ambiguous: Any, data: st.DataObject
) -> None:
    package = ambiguous
    text = st.one_of(st.sampled_from(NOTATIONS), st.text(st.characters(codec="utf-8")))
    moments = st.datetimes(timezones=st.just(dt.UTC))
    texts = st.one_of(
        *(st.none(), text, st.dates(), moments, st.uuids(), st.floats(allow_nan=False)),
        st.integers(-(10**9) + 1, 10**9 - 1).map(lambda n: Decimal(n).scaleb(-2)),
        st.binary(min_size=4, max_size=4).map(package.Four),
        st.integers(0, 2**32 - 1).map(lambda n: package.Duration(months=n, milliseconds=n)),
        st.sampled_from(package.Kind),
    )
    objects = st.one_of(
        *(st.none(), text, st.binary(max_size=4), st.datetimes(), st.lists(text, max_size=2)),
        st.times().map(lambda time: time.replace(microsecond=time.microsecond // 1000 * 1000)),
        *(st.floats(width=32, allow_nan=False), st.dictionaries(text, text, max_size=2)),
        *(text.map(lambda t: package.A(string=t)), text.map(lambda t: package.B(string=t))),
    )
    value = package.RECORD(
        texts=data.draw(st.lists(texts, max_size=5)),
        objects=data.draw(st.lists(objects, max_size=5)),
    )

    for form in FORMS:
        read = package.RECORD.from_json(value.to_json(form), form)
        assert read == value
        assert read.to_avro() == value.to_avro()


LEAVES: list[tuple[Any, Any, Any, Any]] = [
    ("long", 2**63 - 1, 2**63 - 1, 2**63 - 1),
    ("double", float("inf"), "Infinity", "Infinity"),
    ("double", float("-inf"), "-Infinity", "-Infinity"),
    ("double", 1, 1.0, 1.0),
    ("bytes", b"\x00\xff", "AP8=", "\x00\xff"),
    ({"type": "int", "logicalType": "date"}, dt.date(1, 2, 3), "0001-02-03", -719129),
    ({"type": "int", "logicalType": "time-millis"}, dt.time(1, 2, 3, 4000), "01:02:03.004000",
     3723004),
    ({"type": "long", "logicalType": "timestamp-micros"},
     dt.datetime(2024, 1, 31, 14, tzinfo=dt.timezone(dt.timedelta(hours=2))),
     "2024-01-31T12:00:00Z", 1706702400000000),
    ({"type": "long", "logicalType": "local-timestamp-micros"},
     dt.datetime(9999, 12, 31, 23, 59, 59, 999999, dt.UTC).replace(tzinfo=None), "9999-12-31T23:59:59.999999",
     253402300799999999),
    ({"type": "string", "logicalType": "uuid"}, uuid.UUID(int=1),
     "00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000001"),
    ({"type": "bytes", "logicalType": "decimal", "precision": 38, "scale": 3}, Decimal("-0.01"),
     "-0.010", "\xf6"),
    ({"type": "bytes", "logicalType": "decimal", "precision": 5}, Decimal("12E3"), "12000",
     ".\xe0"),
    ({"type": "enum", "name": "E", "symbols": ["A"]}, "A", "A", "A"),
    (["null", "int"], 1, 1, {"int": 1}),
    (["null", "int"], None, None, None),
]  # fmt: skip


@pytest.mark.parametrize(("type_", "value", "plain", "avro"), LEAVES)
def test_leaves_have_their_documented_notation(
    type_: Any, value: Any, plain: Any, avro: Any
) -> None:
    with imported(record({"f": {"type": type_} if isinstance(type_, dict) else type_})) as package:
        made = package.RECORD.from_dict({"f": value})

        assert made.to_dict(mode="json") == {"f": plain}
        assert json.loads(made.to_json()) == {"f": plain}
        assert json.loads(made.to_json("avro")) == {"f": avro}


def test_a_duration_is_months_days_and_seconds() -> None:
    span = {"type": "fixed", "name": "Span", "size": 12, "logicalType": "duration"}
    with imported(record({"f": {"type": span}})) as package:
        value = package.R(f=package.Duration(months=14, days=3, milliseconds=2**32 - 1))

        assert value.to_json() == '{"f":"P14M3DT4294967.295S"}'
        assert package.R.from_json('{"f":"P2D"}').f == package.Duration(days=2)


def test_nan_is_text_in_both_forms() -> None:
    with imported(record({"f": "double"})) as package:
        for form in FORMS:
            text = package.R(f=float("nan")).to_json(form)

            assert text == '{"f":"NaN"}'
            assert str(package.R.from_json(text, form).f) == "nan"


@pytest.mark.parametrize(
    ("branches", "value", "plain"),
    [
        # At most one branch is text, and one an object: nothing is tagged.
        (["null", "string", "long"], "1", "1"),
        (["long", {"type": "bytes", "logicalType": "decimal", "precision": 3}], Decimal(1), "1"),
        (["int", "double"], 1.0, 1.0),
        (["null", {"type": "map", "values": "int"}], {"int": 1}, {"int": 1}),
        # Text is the narrower type, if it can be; else what it is, is said.
        (["string", TEXTS["date"]], dt.date(2024, 1, 31), "2024-01-31"),
        (["string", TEXTS["date"]], "today", "today"),
        (["string", TEXTS["date"]], "2024-01-31", {"string": "2024-01-31"}),
        (["bytes", "string"], b"abc", {"bytes": base64.b64encode(b"abc").decode()}),
        (["string", "double"], "NaN", {"string": "NaN"}),
        (["string", "bytes", {"type": "map", "values": "int"}], {"a": 1}, {"map": {"a": 1}}),
    ],
)
def test_a_union_is_tagged_only_where_it_must_be(branches: Any, value: Any, plain: Any) -> None:
    with imported(record({"f": branches})) as package:
        made = package.R(f=value)

        assert made.to_dict(mode="json") == {"f": plain}
        assert type(package.R.from_json(made.to_json()).f) is type(value)


def test_two_records_in_a_union_are_tagged_by_their_full_names() -> None:
    parts = [record({"x": "int"}, "A"), record({"x": "int"}, "B")]
    with imported(record({"f": parts})) as package:
        assert package.R(f=package.B(x=1)).to_json() == '{"f":{"n.B":{"x":1}}}'
        with pytest.raises(package.InvalidValue, match=r"^f: expected an object with one key, which"
                           r" is one of n\.A, n\.B; got the key 'x'$"):  # fmt: skip
            package.R.from_json('{"f":{"x":1}}')


DEFAULTS = {
    "a": {"type": ["null", "string"], "default": None},
    "b": {"type": {"type": "array", "items": "int"}, "default": [1]},
    "c": "int",
}


def test_missing_fields_have_their_defaults_in_the_plain_form_alone() -> None:
    with imported({**record({}), "fields": [
        {"name": name, **(type_ if isinstance(type_, dict) else {"type": type_})}
        for name, type_ in DEFAULTS.items()
    ]}) as package:  # fmt: skip
        assert package.R.from_json('{"c":1}') == package.R(c=1, a=None, b=[1])
        with pytest.raises(package.InvalidValue, match=r"^c: is missing$"):
            package.R.from_json("{}")
        with pytest.raises(package.InvalidValue, match=r"^a: is missing$"):
            package.R.from_json('{"c":1}', "avro")


def test_an_unknown_field_is_an_error_unless_it_is_to_be_ignored() -> None:
    with imported(record({"f": "int"})) as package:
        for form in FORMS:
            with pytest.raises(package.InvalidValue, match=r"^unknown field 'g' of R$"):
                package.R.from_json('{"f":1,"g":2}', form)
            assert package.R.from_json('{"f":1,"g":2}', form, unknown="ignore").f == 1


NESTED = record({"rows": {"type": "array", "items": record({"m": {"type": "map", "values": [
    "null", "int"]}}, "Row")}})  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"rows":[{"m":{}},{"m":{"k":"x"}}]}', "rows[1].m['k']: expected int, got 'x'"),
        ('{"rows":[{"m":{"k":2147483648}}]}',
         "rows[0].m['k']: 2147483648 does not fit into 32 bits"),
        ('{"rows":[[]]}', "rows[0]: expected an object, got an array"),
        ('{"rows":null}', "rows: expected an array, got null"),
        ('{"rows":[{"m":1}]}', "rows[0].m: expected an object, got 1"),
        ('{"rows":', "the text is not JSON: expecting value at line 1, column 9"),
    ],
)  # fmt: skip
def test_an_error_names_the_path_and_what_was_expected(text: str, message: str) -> None:
    with imported(NESTED) as package:
        with pytest.raises(package.InvalidValue) as raised:
            package.R.from_json(text)

        assert str(raised.value) == message


def test_what_is_no_value_of_the_schema_has_no_json() -> None:
    with imported(NESTED) as package:
        for form in FORMS:
            value = package.R(rows=[package.Row(m={"k": 1, "l": 2**31})])
            with pytest.raises(package.InvalidValue, match=r"^rows\[0\]\.m\['l'\]: "):
                value.to_json(form)
            with pytest.raises(package.InvalidValue, match=r"^rows: expected list, got 1$"):
                package.R(rows=1).to_json(form)


@pytest.mark.parametrize(
    ("type_", "document"),
    [
        ("int", 1.0), ("int", True), ("int", "1"), ("boolean", 1), ("string", None),
        ("double", "1"), ("double", None), ("float", 1e39), ("bytes", "a"), ("bytes", "YQ="),
        ("bytes", "€"), ({"type": "fixed", "name": "F", "size": 2}, "AAAA"),
        ({"type": "enum", "name": "E", "symbols": ["A"]}, "B"),
        (TEXTS["price"], 12.505), (TEXTS["price"], 1e300), (TEXTS["price"], "1_0"), (TEXTS["price"], "1.234"),
        (TEXTS["price"], "NaN"), (TEXTS["price"], True), (TEXTS["price"], "1e999999999"),
        (TEXTS["date"], "20240131"), (TEXTS["date"], "2024-02-30"), (TEXTS["date"], 1),
        (TEXTS["moment"], "2024-01-31T12:00:00"), (TEXTS["moment"], "2024-01-31T24:00:00Z"),
        (TEXTS["moment"], "2024-01-31T12:00:00.1234567Z"),
        (TEXTS["moment"], "0001-01-01T00:00:00+23:59"),
        ({"type": "long", "logicalType": "timestamp-millis"}, "2024-01-31T12:00:00.123456Z"),
        ({"type": "long", "logicalType": "local-timestamp-micros"}, "2024-01-31T12:00:00Z"),
        ({"type": "string", "logicalType": "uuid"}, "1"), (TEXTS["span"], "P"),
        (TEXTS["span"], "P1Y"), (TEXTS["span"], "P9999999999D"),
        (["null", "int"], "x"), (["int", "double"], 2**31), (["null", "string", "bytes"], 1),
    ],
)  # fmt: skip
def test_plain_json_of_another_type_is_refused(type_: Any, document: Any) -> None:
    schema = record({"f": {"type": type_} if isinstance(type_, dict) else type_})
    with imported(schema) as package, pytest.raises(package.InvalidValue, match=r"^f: "):
        package.R.from_json(json.dumps({"f": document}))


def test_a_decimal_keeps_all_digits_of_a_number_as_spark_and_hive_write_it() -> None:
    long = {"type": "bytes", "logicalType": "decimal", "precision": 38, "scale": 18}
    with imported(record({"f": ["null", long], "g": "double"})) as package:
        number = "12345678901234567890.123456789012345678"
        texts = [f'{{"f":{number},"g":0.5}}', '{"f":-1.5e1,"g":1E2}'] * 10

        read = [package.R.from_json(text) for text in texts]

        expected = [package.R(f=Decimal(number), g=0.5), package.R(f=Decimal(-15), g=100.0)] * 10
        assert read == expected
        assert {type(each.g) for each in read} == {float}
        with pytest.raises(package.InvalidValue, match=r"^f: expected a decimal as text .*12\.5$"):
            package.R.from_dict({"f": 12.5, "g": 0.5}, mode="json")


def test_other_forms_and_modes_are_refused() -> None:
    with imported(record({"f": "int"})) as package:
        value = package.R(f=1)
        calls: list[Callable[[], object]] = [
            lambda: value.to_json("xml"),
            lambda: package.R.from_json("{}", "xml"),
            lambda: package.R.from_json("{}", unknown="keep"),
            lambda: value.to_dict(mode="yaml"),
            lambda: package.R.from_dict({}, mode="yaml"),
        ]
        for call in calls:
            with pytest.raises(package.InvalidValue, match="expected '"):
                call()


def test_fields_named_as_the_methods_are_renamed() -> None:
    with imported(record({"to_json": "int", "from_json": "string"})) as package:
        value = package.R(to_json_=1, from_json_="x")

        assert value.to_json() == '{"to_json":1,"from_json":"x"}'
        assert attribute_name("to_json") == "to_json_"


def test_json_lines_come_back_from_a_file_and_a_path(tmp_path: Path) -> None:
    with imported(record({"f": "string"})) as package:
        values = [package.R(f=text) for text in ("a", "é\u2028\n", "")]
        for form in FORMS:
            path, file = tmp_path / form, io.BytesIO()

            package.write_jsonl(path, values, form=form)
            package.write_jsonl(file, iter(values), form=form)

            assert path.read_bytes() == file.getvalue()
            assert path.read_bytes().count(b"\n") == 3
            assert list(package.read_jsonl(path, form=form)) == values
            assert list(package.read_jsonl(io.BytesIO(file.getvalue()), form=form)) == values


def test_an_error_in_json_lines_names_the_line() -> None:
    with imported(record({"f": "int"})) as package:
        lines = package.read_jsonl(io.BytesIO(b'\xef\xbb\xbf{"f":1}\r\n\n  \n{"f":"x"}'))
        assert next(lines).f == 1
        with pytest.raises(package.InvalidValue, match=r"^line 4: f: expected int, got 'x'$"):
            next(lines)
        with pytest.raises(package.InvalidValue, match=r"^line 2: f: expected int, got 'x'$"):
            package.write_jsonl(io.BytesIO(), [package.R(f=1), package.R(f="x")])
        with pytest.raises(package.InvalidValue, match=r"^line 1: is longer than 5 bytes"):
            next(package.read_jsonl(io.BytesIO(b" " * 10), max_line_bytes=5))


# What version 1.1 adds to 1.0: a field at each level, and a symbol.
def _version(minor: int) -> dict[str, Any]:
    symbols = ["BRONZE", "SILVER", *(["PLATINUM"] if minor else [])]
    more: dict[str, Any] = {"note": {"type": ["null", "string"], "default": None}} if minor else {}
    tier = {"type": "enum", "name": "Tier", "symbols": symbols, "default": "BRONZE"}
    line = {
        **record({"sku": "string", "tier": "n.Tier", **more}, "Line"),
        "aliases": ["Item"],
    }
    return record({
        "tier": tier,
        "maybe": ["null", "n.Tier"],
        "choice": ["null", "n.Tier", "long"],
        "tiers": {"type": "array", "items": "n.Tier"},
        "by_name": {"type": "map", "values": "n.Tier"},
        "line": line,
        "either": ["null", "long", "n.Line"],
        **more,
    })  # fmt: skip


def test_what_a_later_version_adds_reads_as_avro_reads_it() -> None:
    with imported(_version(0)) as old, imported(_version(1)) as new:
        platinum = new.Tier.PLATINUM
        line = new.Line(sku="a", tier=platinum, note="x")
        value = new.R(
            tier=platinum, maybe=platinum, choice=platinum, tiers=[platinum, new.Tier.SILVER],
            by_name={"k": platinum}, line=line, either=line, note="later",
        )  # fmt: skip
        as_avro_reads_it = old.R.from_avro(value.to_avro(), new.SCHEMA)

        read = [
            *(old.R.from_json(value.to_json(form), form, unknown="ignore") for form in FORMS),
            old.R.from_dict(value.to_dict(mode="json"), mode="json", unknown="ignore"),
            old.R.from_dict(value.to_dict(), unknown="ignore"),
            *old.read_jsonl(io.BytesIO(value.to_json().encode()), unknown="ignore"),
        ]

        assert read == [as_avro_reads_it] * 5
        assert as_avro_reads_it.tiers == [old.Tier.BRONZE, old.Tier.SILVER]


@pytest.mark.parametrize("unknown", ["refuse", "ignore"])
def test_former_names_and_names_of_columns_are_read(unknown: Any) -> None:
    price = {"name": "Price", "type": "record", "fields": [
        {"name": "net", "type": "int", "default": 0, "aliases": ["amount"]}]}  # fmt: skip
    document = record({"prices": {"type": {"type": "array", "items": price}}})
    document["fields"] += [
        {
            "name": "is_gift",
            "type": ["null", "int"],
            "default": None,
            "aliases": ["gift", "present"],
        },
        {"name": "gr_xC3_xB6_xC3_x9Fe", "type": "int", "original-name": "größe", "default": 0},
    ]
    with imported(document) as package:
        expected = package.R(prices=[package.Price(net=3)], is_gift=5, größe=7)
        former = {"prices": [{"amount": 3}], "present": 5, "größe": 7}
        both = expected.to_dict() | {"gift": 6}

        for _ in range(12):
            assert package.R.from_json(json.dumps(former), unknown=unknown) == expected
        assert package.R.from_dict(former, unknown=unknown) == expected
        assert package.R.from_dict(former, mode="json", unknown=unknown) == expected
        if unknown == "ignore":
            assert package.R.from_json(json.dumps(both), unknown=unknown) == expected
        else:
            with pytest.raises(package.InvalidValue, match="unknown field 'gift'"):
                package.R.from_dict(both)
            with pytest.raises(package.InvalidValue, match="unknown field 'gift'"):
                package.R.from_json(json.dumps(both))


def test_an_unknown_symbol_of_an_enum_without_default_is_an_error_that_says_so() -> None:
    kind = {"type": "enum", "name": "Kind", "symbols": ["A"]}
    with imported(
        record({"kind": kind, "kinds": ["null", {"type": "array", "items": "n.Kind"}]})
    ) as package:
        expected = "expected one of A, as the enum has no default; got 'B'"
        reads: list[Callable[[Any], Any]] = [
            lambda plain: package.R.from_json(json.dumps(plain), unknown="ignore"),
            lambda plain: package.R.from_dict(plain, unknown="ignore"),
            lambda plain: package.R.from_dict(plain, mode="json", unknown="ignore"),
        ]
        for read in reads:
            with pytest.raises(package.InvalidValue, match=rf"^kind: {expected}"):
                read({"kind": "B", "kinds": None})
            with pytest.raises(package.InvalidValue, match=rf"^kinds\[1\]: {expected}"):
                read({"kind": "A", "kinds": ["A", "B"]})


def test_a_branch_that_knows_a_value_comes_before_one_that_ignores_it() -> None:
    first = {"type": "enum", "name": "First", "symbols": ["A"], "default": "A"}
    second = {"type": "enum", "name": "Second", "symbols": ["B"]}
    with imported(record({"f": [first, second]})) as package:
        for mode in ("python", "json"):
            read = [
                package.R.from_dict({"f": symbol}, mode=mode, unknown="ignore").f
                for symbol in ("A", "B", "C")
            ]

            assert read == [package.First.A, package.Second.B, package.First.A]


@pytest.mark.parametrize("mode", ["python", "json"])
def test_another_word_for_unknown_is_refused(mode: str) -> None:
    expected = "^unknown: expected 'refuse' or 'ignore', got 'drop'$"
    with (
        imported(record({"f": "int"})) as package,
        pytest.raises(package.InvalidValue, match=expected),
    ):
        package.R.from_dict({"f": 1}, mode=mode, unknown="drop")
