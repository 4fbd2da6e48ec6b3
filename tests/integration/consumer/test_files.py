"""A consumer reads and writes Avro files, even files of other programs and with other units of time."""

from __future__ import annotations

import datetime as dt
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fastavro
import pytest

from deploy.avro import AvroJudge, AvroRefused
from tests.integration.consumer.installed import PLACED_AT, Shop
from tests.integration.consumer.kinds import NESTED_MAPS, SPARK_TABLE, SPARK_VIEW

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
MICROS = (PLACED_AT - EPOCH) // dt.timedelta(microseconds=1)


def file_of(schema: Any, rows: list[dict[str, Any]]) -> io.BytesIO:
    """A file as fastavro writes it."""
    file = io.BytesIO()
    fastavro.writer(file, fastavro.parse_schema(schema), rows)
    file.seek(0)
    return file


def with_time(package: Any, logical: str) -> Any:
    """The package's schema as another writer has it, whose ``placed_at`` is of another unit.

    Of arrays that are maps fastavro knows the records only, and of nanoseconds the number.
    """
    schema = json.loads(package.SCHEMA)
    (field,) = (field for field in schema["fields"] if field["name"] == "placed_at")
    field["type"] = ["null", {"type": "long", "logicalType": logical}]
    return schema


def test_records_are_written_to_a_file_and_read(shop: Shop, package: Any, tmp_path: Path) -> None:
    orders = [shop.order(package, id=number) for number in range(100)]

    package.write_file(tmp_path / "orders.avro", orders)

    assert list(package.read_file(tmp_path / "orders.avro")) == orders
    with (tmp_path / "orders.avro").open("rb") as file:
        assert next(package.read_file(file)).id == 0


@pytest.mark.parametrize("codec", ["null", "deflate", "bzip2", "xz", "snappy", "zstandard"])
def test_a_file_is_compressed(package: Any, order: Any, codec: str) -> None:
    file = io.BytesIO()
    package.write_file(file, [order] * 50, codec=codec)

    assert codec.encode() in file.getvalue()[:6000]
    assert list(package.read_file(io.BytesIO(file.getvalue()))) == [order] * 50


def test_fastavro_reads_our_file(package: Any, order: Any) -> None:
    file = io.BytesIO()
    package.write_file(file, [order])
    file.seek(0)

    (found,) = fastavro.reader(file)

    assert package.RECORD.from_dict(found) == order
    assert found["placed_at"] == PLACED_AT


def test_a_file_of_fastavro_is_read(package: Any, order: Any) -> None:
    file = file_of(json.loads(package.SCHEMA), [order.to_dict()])

    assert list(package.read_file(file)) == [order]


def test_a_file_of_milliseconds_is_converted(package: Any, order: Any) -> None:
    file = file_of(with_time(package, "timestamp-millis"), [order.to_dict()])

    (found,) = package.read_file(file)

    assert found == order.replace(placed_at=PLACED_AT.replace(microsecond=123000))


def test_a_file_of_nanoseconds_is_converted(package: Any, order: Any) -> None:
    row = {**order.to_dict(), "placed_at": MICROS * 1000}
    file = file_of(with_time(package, "timestamp-nanos"), [row])

    assert list(package.read_file(file)) == [order]


def test_finer_nanoseconds_are_refused_or_rounded(package: Any, order: Any) -> None:
    row = {**order.to_dict(), "placed_at": MICROS * 1000 + 999}
    file = file_of(with_time(package, "timestamp-nanos"), [row])

    with pytest.raises(package.AvroError) as caught:
        list(package.read_file(file))
    assert "placed_at: expected whole microseconds, got 17" in str(caught.value)
    assert "round_times=True" in str(caught.value)
    file.seek(0)
    assert list(package.read_file(file, round_times=True)) == [order]


def test_a_file_of_local_times_is_not_taken_for_moments(package: Any, order: Any) -> None:
    row = {**order.to_dict(), "placed_at": MICROS}
    file = file_of(with_time(package, "local-timestamp-micros"), [row])

    with pytest.raises(package.UnresolvableSchema, match=r"placed_at: .*local-timestamp-micros"):
        list(package.read_file(file))


def test_moments_of_any_zone_are_written_and_those_of_none_refused(
    package: Any, order: Any
) -> None:
    tokyo = PLACED_AT.astimezone(dt.timezone(dt.timedelta(hours=9)))

    assert package.RECORD.from_avro(order.replace(placed_at=tokyo).to_avro()) == order
    with pytest.raises(package.InvalidValue, match="placed_at: expected a datetime with time zone"):
        order.replace(placed_at=PLACED_AT.replace(tzinfo=None)).to_avro()


@pytest.mark.parametrize("shop", [SPARK_TABLE, SPARK_VIEW], ids=str, indirect=True)
def test_local_times_have_no_zone(package: Any, order: Any) -> None:
    local = PLACED_AT.replace(tzinfo=None)

    assert package.RECORD.from_avro(order.replace(wall=local).to_avro()).wall == local
    with pytest.raises(package.InvalidValue, match="wall: expected a datetime without time zone"):
        order.replace(wall=PLACED_AT).to_avro()


def test_java_reads_our_file_and_we_read_javas(package: Any, order: Any, avro: AvroJudge) -> None:
    file = io.BytesIO()
    package.write_file(file, [order] * 3)

    (javas,) = avro.rewrite([file.getvalue()])

    assert not isinstance(javas, AvroRefused), javas.message
    assert list(package.read_file(io.BytesIO(javas))) == [order] * 3


@pytest.mark.parametrize(
    "damage",
    [lambda data: data[:-20], lambda data: b"x" + data, lambda data: b""],
    ids=["cut", "shifted", "empty"],
)
def test_a_damaged_file_is_refused(
    package: Any, order: Any, damage: Callable[[bytes], bytes]
) -> None:
    file = io.BytesIO()
    package.write_file(file, [order])

    with pytest.raises(package.InvalidAvro):
        list(package.read_file(io.BytesIO(damage(file.getvalue()))))


@pytest.mark.parametrize("shop", [NESTED_MAPS], ids=str, indirect=True)
def test_nested_maps_keep_their_keys(package: Any, order: Any) -> None:
    item = package.Shelves_Value_Value(sku="s-1", amount=3)
    stocked = order.replace(shelves={7: {dt.date(2024, 1, 31): [item, None]}})

    for found in (
        package.RECORD.from_avro(stocked.to_avro()),
        package.RECORD.from_json(stocked.to_json()),
        package.RECORD.from_dict(stocked.to_dict()),
        next(package.from_arrow(package.to_arrow([stocked]))),
    ):
        assert found.shelves[7][dt.date(2024, 1, 31)][0].amount == 3
