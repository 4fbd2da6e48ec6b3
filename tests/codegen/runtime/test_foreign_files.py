"""Files and messages of other writers: their decimals, names and properties."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import fastavro
import pytest

from tests.codegen.generated import imported, record


def decimal(size: int | None, precision: int = 10, scale: int = 2, name: str = "n.D") -> Any:
    """In bytes, or in a fixed type of a size."""
    base = {"type": "bytes"} if size is None else {"type": "fixed", "name": name, "size": size}
    return {**base, "logicalType": "decimal", "precision": precision, "scale": scale}


def written(type_: Any, value: Any, name: str = "topLevelRecord") -> io.BytesIO:
    """A file of one record with a field ``f``, by fastavro."""
    schema = {"type": "record", "name": name, "fields": [{"name": "f", "type": type_}]}
    file = io.BytesIO()
    fastavro.writer(file, fastavro.parse_schema(schema), [{"f": value}])
    file.seek(0)
    return file


AROUND: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "bare": (lambda type_: type_, lambda value: value),
    "optional": (lambda type_: [type_, "null"], lambda value: value),
    "array": (lambda type_: {"type": "array", "items": type_}, lambda value: [value]),
    "map": (lambda type_: {"type": "map", "values": ["null", type_]}, lambda value: {"k": value}),
}
SIZES = {"bytes": None, "fixed": 5, "wider fixed": 9}


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("writer", SIZES)
@pytest.mark.parametrize("reader", SIZES)
def test_decimals_match_whatever_bytes_they_are_in(writer: str, reader: str, around: str) -> None:
    wrap, value = AROUND[around]
    of_spark = decimal(SIZES[writer], name="topLevelRecord.f.fixed")
    file = written(wrap(of_spark), value(Decimal("-12.34")))

    with imported(record({"f": wrap(decimal(SIZES[reader]))})) as package:
        (found,) = package.read_file(file)

        assert found.f == value(Decimal("-12.34"))


def test_decimals_match_in_larger_unions() -> None:
    file = written(["null", "string", decimal(5, name="topLevelRecord.f.fixed")], Decimal("1.50"))

    with imported(record({"f": ["null", "string", decimal(None)]})) as package:
        assert [found.f for found in package.read_file(file)] == [Decimal("1.50")]


@pytest.mark.parametrize("size", [None, 9])
def test_of_another_precision_the_values_that_fit_are_read(size: int | None) -> None:
    wide = decimal(size, precision=18)
    with imported(record({"f": decimal(None, precision=4)})) as package:
        assert next(package.read_file(written(wide, Decimal("12.34")))).f == Decimal("12.34")

        with pytest.raises(package.InvalidAvro) as caught:
            next(package.read_file(written(wide, Decimal("123.45"))))

        assert str(caught.value) == "record 1: f: decimal has more than 4 digits"


@pytest.mark.parametrize("size", [None, 9])
def test_decimals_of_another_scale_are_refused(size: int | None) -> None:
    with imported(record({"f": decimal(5)})) as package:
        with pytest.raises(package.UnresolvableSchema) as caught:
            next(package.read_file(written(decimal(size, scale=3), Decimal("1.234"))))

        assert "decimal" in str(caught.value)


def test_enums_and_fixed_types_are_read_from_the_text_and_bytes_that_spark_writes() -> None:
    tier = {"type": "enum", "name": "Tier", "symbols": ["GOLD"]}
    lenient = {**tier, "name": "Lenient", "symbols": ["GOLD", "OTHER"], "default": "OTHER"}
    mark = {"type": "fixed", "name": "Mark", "size": 2}
    for type_, base, value, expected in (
        (tier, "string", "GOLD", "GOLD"),
        (lenient, "string", "PLATINUM", "OTHER"),
        (mark, "bytes", b"ab", b"ab"),
    ):
        with imported(record({"f": ["null", type_]})) as package:
            (found,) = package.read_file(written([base, "null"], value))
            assert getattr(found.f, "value", found.f) == expected
    with (
        imported(record({"f": tier})) as package,
        pytest.raises(
            package.UnresolvableSchema, match=r"record 1: f: n.Tier has no symbol 'PLATINUM'"
        ),
    ):
        list(package.read_file(written("string", "PLATINUM")))
    with (
        imported(record({"f": mark})) as package,
        pytest.raises(
            package.UnresolvableSchema, match=r"record 1: f: expected 2 bytes for n.Mark, got 3"
        ),
    ):
        list(package.read_file(written("bytes", b"abc")))


def test_records_of_other_names_are_read_within_unions() -> None:
    inner = {"type": "record", "name": "f", "namespace": "topLevelRecord",
             "fields": [{"name": "price", "type": [decimal(5, name="fixed"), "null"]}]}  # fmt: skip
    own = {"type": "record", "name": "Price", "fields": [
        {"name": "price", "type": ["null", decimal(None)], "default": None}]}  # fmt: skip
    file = written([inner, "null"], {"price": Decimal("5.00")})

    with imported(record({"f": ["null", own]})) as package:
        assert next(package.read_file(file)).f == package.Price(price=Decimal("5.00"))


def read_under(own: list[str], of_writer: dict[str, int], **aliases: list[str]) -> Any:
    """What a package with these optional fields reads of a record with other names."""
    inner = {"type": "record", "name": "Home", "fields": [
        {"name": name, "type": "int"} for name in of_writer]}  # fmt: skip
    reader = {"type": "record", "name": "Home", "fields": [
        {"name": name, "type": ["null", "int"], "default": None, "aliases": aliases.get(name, [])}
        for name in own]}  # fmt: skip
    with imported(record({"f": reader})) as package:
        (found,) = package.read_file(written(inner, of_writer))
        return found.f.to_dict()


def test_a_field_is_read_that_the_writer_has_in_another_case() -> None:
    assert read_under(["city", "zip"], {"City": 7, "ZIP": 8}) == {"city": 7, "zip": 8}
    # Its own name, and an alias, come first.
    assert read_under(["city"], {"City": 7, "city": 8}) == {"city": 8}
    assert read_under(["city"], {"City": 7, "town": 8}, city=["town"]) == {"city": 8}
    assert read_under(["city", "town"], {"City": 7}, town=["City"]) == {"city": None, "town": 7}
    # Which of two is meant is not known.
    assert read_under(["city"], {"City": 7, "CITY": 8}) == {"city": None}
    assert read_under(["city", "cITY"], {"City": 7}) == {"city": None, "cITY": None}


SIZED: dict[str, Any] = {
    "type": "record", "name": "Sized", "namespace": "n",
    "fields": [
        {"name": "gr_xC3_xB6_xC3_x9Fe", "type": ["null", "int"], "default": None,
         "original-name": "größe"},
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def sized() -> Iterator[Any]:
    with imported(SIZED) as module:
        yield module


def writer_of(*names: str) -> str:
    fields = [{"name": name, "type": ["null", "int"]} for name in names]
    return json.dumps({"type": "record", "name": "topLevelRecord", "fields": fields})


def test_a_field_is_found_by_the_name_that_avro_does_not_allow(sized: Any) -> None:
    (found,) = [sized.Sized.from_avro(b"\x02\x0e", writer_of("größe"))]

    assert found == sized.Sized(größe=7)


@pytest.mark.parametrize(
    "names", [("größe", "gr_xC3_xB6_xC3_x9Fe"), ("gr_xC3_xB6_xC3_x9Fe", "größe")]
)
def test_the_name_in_avro_wins_over_the_original(sized: Any, names: tuple[str, str]) -> None:
    data = b"".join(b"\x02\x0e" if name.isascii() else b"\x02\x10" for name in names)

    assert sized.Sized.from_avro(data, writer_of(*names)) == sized.Sized(größe=7)


@pytest.mark.parametrize("logical", [{}, {"a": 1}, [], 5, None])
@pytest.mark.parametrize("type_", ["long", "string"])
def test_a_logical_type_that_is_no_text_is_ignored(logical: Any, type_: str) -> None:
    value, data = (7, b"\x0e") if type_ == "long" else ("a", b"\x02a")
    schema = record({"f": {"type": {"type": type_, "logicalType": logical}}})

    with imported(record({"f": type_})) as package:
        assert package.R.from_avro(data, json.dumps(schema)).f == value


def test_a_schema_that_is_not_text_is_refused_with_the_remedy(sized: Any) -> None:
    with pytest.raises(sized.AvroError, match=r"expected a schema as JSON text.*json.dumps"):
        sized.Sized.from_avro(b"\0", json.loads(sized.SCHEMA))


def test_schemas_of_confluents_ids_are_a_mapping_too(sized: Any) -> None:
    record_ = sized.Sized(größe=7)
    frame = record_.to_confluent(7)

    assert sized.Sized.from_confluent(frame, {7: sized.SCHEMA}) == record_
    assert sized.Sized.from_confluent(frame, {7: sized.SCHEMA}.__getitem__) == record_
    with pytest.raises(sized.UnknownSchema, match="id 7: schema not found"):
        sized.Sized.from_confluent(frame, {})
