"""Compiled functions for JSON do exactly what the general rules do."""

from __future__ import annotations

import datetime as dt
import enum
import json
import math
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.codegen.generated import imported, json_compiled_after, record, schemas_and_values
from tests.codegen.runtime.test_codec import fastavro_bytes
from tests.effort import examples

FORMS = ("plain", "avro")
LEAVES: dict[str, Any] = {
    **{kind: kind for kind in (
        "null", "boolean", "int", "long", "float", "double", "string", "bytes",
    )},
    **{name: {"type": "int", "logicalType": name} for name in ("date", "time-millis")},
    **{name: {"type": "long", "logicalType": name} for name in (
        "time-micros", "timestamp-millis", "timestamp-micros", "local-timestamp-millis",
        "local-timestamp-micros", "day-time-interval-micros",
    )},
    "uuid": {"type": "string", "logicalType": "uuid"},
    **{f"decimal({precision},{scale})": {
        "type": "bytes", "logicalType": "decimal", "precision": precision, "scale": scale,
    } for precision, scale in ((4, 2), (3, 0), (2, 2), (30, 8))},
    "enum": {"type": "enum", "name": "E", "symbols": ["A", "B"]},
    "fixed": {"type": "fixed", "name": "F", "size": 2},
    "record": record({"a": "long", "b": {"type": ["null", "string"], "default": None}}, "Inner"),
}  # fmt: skip


def _is_long(leaf: Any) -> bool:
    return "long" in (leaf, leaf["type"] if isinstance(leaf, dict) else "")


SHAPES: dict[str, Callable[[Any], Any]] = {
    "required": lambda leaf: leaf,
    "optional": lambda leaf: ["null", leaf],
    "in a union": lambda leaf: ["null", "int" if _is_long(leaf) else "long", leaf],
    "in an array": lambda leaf: {"type": "array", "items": leaf},
    "in a map": lambda leaf: {"type": "map", "values": ["null", leaf]},
}


CASES = [
    pytest.param(leaf, shape, id=f"{leaf} {shape}")
    for leaf in LEAVES
    for shape in SHAPES
    if leaf != "null" or shape in {"required", "in an array"}
]


def packages(
    stack: ExitStack, schema: dict[str, Any], *, immutable: bool = False
) -> tuple[Any, Any]:
    """The package twice: one compiles its JSON at once, the other never does."""
    found = []
    for after in (0, 1_000_000):
        with json_compiled_after(after):
            found.append(stack.enter_context(imported(schema, immutable=immutable)))
    return found[0], found[1]


def outcome(package: Any, act: Callable[[Any], Any]) -> object:
    """What came of it, as a text that shows classes, or the error."""
    try:
        return act(package)
    except package.AvroError as error:
        return f"{type(error).__name__}: {error}"


MOMENTS = (
    "2024-01-31T23:59:59.123456Z", "2024-01-31T23:59:59.123Z", "2024-01-31T23:59:59Z",
    "2024-01-31T23:59:59.123456", "2024-01-31T23:59:59.123", "2024-01-31T23:59:59",
    "2024-01-31T23:59:59.1Z", "2024-01-31T23:59:59.1234567Z", "2024-01-31T23:59:59,123456Z",
    "2024-01-31T23:59:59+00:00", "2024-01-31T23:59:59.123456+02:00", "2024-01-31T23:59:59.+00:00Z",
    "2024-01-31T23:59:59.+05Z", "2024-01-31T12:00:00.123+01", "2024-01-31T12:00:00+0100",
    "2024-01-31T24:00:00Z", "2024-01-31T24:00:00", "2024-01-31T24:00:00.000000Z",
    "2024-02-30T00:00:00Z", "0000-01-01T00:00:00Z", "0001-01-01T00:00:00+01:00",
    "9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59-01:00", "0001-01-01T00:00:00.000Z",
    "2024-W05-1T12:00:00Z", "20240131T120000.000Z", "2024-01-31 23:59:59.123456Z",
    "2024-01-31t23:59:59.123456z", " 024-01-31T23:59:59.123456Z", "2024-01-31T23:59:60Z",
    "\u0662024-01-31T23:59:59.123456Z", "2024-01-31T23:59:5\u0669Z", "2024-01-31T23:59:59.12345\u0669Z",
    "2024-01-31", "2024-1-31", "2024-W05-1", "20240131", "2024-031", "2024-02-30", "2024-01-3\u0661",
    "23:59:59", "23:59:59.123", "23:59:59.123456", "23:59:59.1", "24:00:00", "24:00:00.000000",
    "23:59", "T23:59:59", "23:59:59Z", "12:00:00+01:00", "12:00:00.123+01", "12:00:00.+01:00",
    "2\u0663:59:59", "00:00:00", "00:00:00.000",
)  # fmt: skip
DECIMALS = (
    "12.50", "-12.50", "0.00", "-0.00", "-0.01", "+1.50", "012.50", "-012.50", "00.50", ".50", "1.",
    "1.5", "1.500", "123.45", "-123.45", "12.5e0", "1E+1", "0E-2", "1_0.50", " 1.50", "1.50 ",
    "\u0661.50", "0.50", "-0.50", "0.5", "999", "-999", "1000", "12", "-0", "NaN", "sNaN", "Infinity",
    "-Infinity", "1e9999999", "0.00000001", "-1234567890123456789012.12345678", "9" * 31,
)  # fmt: skip
DOCUMENTS: Sequence[str] = (
    *map(json.dumps, (*MOMENTS, *DECIMALS)),
    *("null", "true", "false", "0", "-0", "-0.0", "1", "1.0", "1.5", "1e2", "3.4028235e38", "1e39"),
    *("3.4028234e38", "-3.4028236e38", "1e309", "NaN", "Infinity", "-Infinity", "16777217"),
    *("2147483647", "2147483648", "-2147483648", "-2147483649", "9223372036854775807"),
    *(
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "9" * 1000,
        "9" * 1002,
    ),
    *("1." + "9" * 1200, "-" + "9" * 1000, '"' + "9" * 1200 + '"', "[" + "7," * 1500 + "7]"),
    *(
        '""',
        '"A"',
        '"C"',
        '"AAAA"',
        '"AA=="',
        '"A\\u00e9"',
        '"\\ud83d\\ude00"',
        '"\\ud83d"',
        '"\\uDE00"',
    ),
    *(
        '"P1DT1S"',
        '"-P1D"',
        '"00000000-0000-0000-0000-00000000000a"',
        '"x\u0001"',
        '"\\u0001"',
        '"\u00ff"',
    ),
    *(
        "[]",
        "{}",
        "[1]",
        "[[1]]",
        '["A"]',
        '{"a":1}',
        '{"a":1,"b":"x"}',
        '{"b":"x","a":1}',
        '{"b":"x"}',
    ),
    *('{"a":1,"a":1}', '{"a":1,"a":1,"b":null}', '{"a":1,"c":2}', '{"a":1,"c":{"d":1,"d":2}}'),
    *(
        '{"a":1,"b":1}',
        '{"long":1}',
        '{"string":"x"}',
        '{"int":1}',
        '{"double":1.5}',
        '{"n.E":"A"}',
    ),
    *('{"n.Inner":{"a":1,"b":null}}', '{"n.Inner":{"a":1}}', '{"k":"A","k":"A"}', '{"k":"12.50"}'),
    *('{"a":1,"b":null} ', "1 1", "1]", "", "tru", "[1,]", '{"a":1,}', "\u00a01"),
)


@pytest.mark.alike("shape", keep=2)
@pytest.mark.parametrize(("leaf", "shape"), CASES)
def test_a_document_is_read_as_without_compiling(leaf: str, shape: str) -> None:
    with ExitStack() as stack:
        compiled, rules = packages(stack, record({"f": SHAPES[shape](LEAVES[leaf]), "g": "int"}))
        for document in DOCUMENTS:
            inner = {"in an array": f"[{document},{document}]", "in a map": f'{{"k":{document}}}'}
            text = f'{{"f":{inner.get(shape, document)},"g":1}}'
            for form in FORMS:
                for unknown in ("refuse", "ignore"):

                    def read(
                        package: Any, text: str = text, form: str = form, unknown: str = unknown
                    ) -> str:
                        value = package.R.from_json(text, form, unknown)
                        return f"{value!r} {type(value.f).__name__} {value.to_avro()!r}"

                    assert outcome(compiled, read) == outcome(rules, read), (text, form)


class Text(str):
    __slots__ = ()


class Moment(dt.datetime):
    pass


class Number(enum.IntEnum):
    ONE = 1


LOCAL = dt.datetime(1, 1, 1)  # noqa: DTZ001 - local
CEST = dt.timezone(dt.timedelta(hours=2))
VALUES: Sequence[Any] = (
    None, True, False, 0, 1, -1, 2**31 - 1, 2**31, -(2**31) - 1, 2**63 - 1, 2**63, -(2**63) - 1, Number.ONE,
    0.0, -0.0, 1.5, 1e16, 1e22, 1e-7, 0.1, 3.4028235e38, 3.4028236e38, 1e308, math.nan, math.inf, -math.inf,
    "", "A", "caf\u00e9", "\U0001f600", "\ud83d", "\u2028", 'quote " \\ \n\x00\x7f', Text("sub"), "12.50",
    b"", b"\xff\x00", bytearray(b"ab"), memoryview(b"ab"),
    dt.date(2024, 1, 31), dt.date(1, 1, 1), dt.time(), dt.time(1, 2, 3, 4000), dt.time(1, 2, 3, 4),
    dt.time(1, tzinfo=dt.UTC), LOCAL, LOCAL.replace(microsecond=1),
    dt.datetime(2024, 1, 31, 1, 2, 3, 4000, tzinfo=dt.UTC), dt.datetime(2024, 1, 31, tzinfo=CEST),
    dt.datetime(2024, 1, 31, 1, 2, 3, 4, tzinfo=dt.UTC), dt.datetime(1, 1, 1, tzinfo=CEST),
    dt.datetime(999, 1, 1, fold=1, tzinfo=dt.UTC), Moment(2024, 1, 31), Moment(2024, 1, 31, tzinfo=dt.UTC),
    dt.timedelta(1, 2, 3), dt.timedelta(-1),
    uuid.UUID(int=10), *map(Decimal, (
        "12.50", "-12.50", "0.00", "-0.00", "0", "-0", "12.5", "1E+1", "12", "999", "-999", "1000", "0.50",
        "-0.01", "99.99", "100.00", "0E-8", "1E-8", "-1E-8", "1.00000000", "NaN", "-sNaN", "Infinity",
        "1E+999999", "1E-999999", "0E+5",
    )),
    [], (), {}, [1], [[]], {"a": 1}, {1: 2}, OrderedDict(k="A"), object,
)  # fmt: skip


def _given(value: Any) -> Callable[[Any], Any]:
    return lambda _: value


OF_PACKAGES: dict[str, Sequence[Callable[[Any], Any]]] = {
    "record": [
        lambda package: package.Inner(a=1, b=None),
        lambda package: package.Inner(a=1, b="x"),
        lambda package: package.Inner(a=1, b=1),
    ],
    "enum": [lambda package: package.E.A],
    "fixed": [lambda package: package.F(b"ab")],
}


@pytest.mark.alike("shape", "immutable", keep=3)
@pytest.mark.parametrize("immutable", [False, True], ids=["mutable", "immutable"])
@pytest.mark.parametrize(("leaf", "shape"), CASES)
def test_a_value_is_written_as_without_compiling(leaf: str, shape: str, immutable: bool) -> None:
    with ExitStack() as stack:
        schema = record({"f": SHAPES[shape](LEAVES[leaf]), "g": "int"})
        compiled, rules = packages(stack, schema, immutable=immutable)
        for make in (*map(_given, VALUES), *OF_PACKAGES.get(leaf, ())):
            for form in FORMS:

                def write(package: Any, make: Any = make, form: str = form) -> object:
                    value = make(package)
                    inner = {
                        "in an array": [value, value],
                        "in a map": {"k": value, Text("l"): value},
                    }
                    return package.R(f=inner.get(shape, value), g=1).to_json(form)

                assert outcome(compiled, write) == outcome(rules, write), (make(compiled), form)


def _damaged(draw: Callable[[Any], Any], document: Any) -> Any:
    """A document in which something is replaced, moved or left out."""
    match document:
        case dict() if document and draw(st.integers(0, 3)):
            key = draw(st.sampled_from([*document]))
            match draw(st.integers(0, 3)):
                case 0:
                    return {k: v for k, v in document.items() if k != key}
                case 1:
                    return dict(reversed(document.items()))
                case _:
                    return {**document, key: _damaged(draw, document[key])}
        case list() if document and draw(st.integers(0, 3)):
            place = draw(st.integers(0, len(document) - 1))
            inner = _damaged(draw, document[place])
            return [*document[:place], inner, *document[place + 1 :]]
        case _:
            return json.loads(draw(st.sampled_from(LOADABLE)))


def _loadable() -> Iterator[str]:
    for text in DOCUMENTS:
        try:
            json.loads(text)
        except ValueError:
            continue
        yield text


LOADABLE = [*_loadable()]


@pytest.mark.thorough
@settings(max_examples=examples(150), deadline=None)
@given(schemas_and_values(), st.booleans(), st.data())
def test_random_records_and_damaged_documents_are_as_without_compiling(
    case: tuple[dict[str, Any], list[Any]], immutable: bool, data: st.DataObject
) -> None:
    schema, values = case
    with ExitStack() as stack:
        compiled, rules = packages(stack, schema, immutable=immutable)
        for plain in values:
            binary = fastavro_bytes(schema, plain)
            for form in FORMS:
                text = rules.RECORD.from_avro(binary).to_json(form)
                assert compiled.RECORD.from_avro(binary).to_json(form) == text
                damaged = json.dumps(_damaged(data.draw, json.loads(text)))
                for each in (text, damaged, text.encode(), json.dumps(json.loads(text), indent=1)):

                    def read(package: Any, each: Any = each, form: str = form) -> object:
                        value = package.RECORD.from_json(each, form)
                        return f"{value!r} {value.to_avro()!r}"

                    assert outcome(compiled, read) == outcome(rules, read)


def test_a_record_of_many_fields_is_written_and_read() -> None:
    with ExitStack() as stack:
        compiled, rules = packages(stack, record({f"f{n}": "long" for n in range(5_000)}))
        value = compiled.R(**{f"f{n}": n for n in range(5_000)})

        assert compiled.R.from_json(value.to_json()) == value
        assert rules.R.from_json(value.to_json()).to_avro() == value.to_avro()
