"""A consumer reads and writes records as JSON."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.integration.consumer.installed import Shop


def test_a_record_becomes_json_and_comes_back(package: Any, order: Any) -> None:
    text = order.to_json()

    assert json.loads(text)["placed_at"] == "2024-01-31T23:59:59.123456Z"
    assert json.loads(text)["total"] == "12.50"
    assert package.RECORD.from_json(text) == order


def test_avros_json_encoding_comes_back(package: Any, order: Any) -> None:
    text = order.to_json(form="avro")

    assert json.loads(text)["customer"] == {"string": "Ada"}
    assert package.RECORD.from_json(text, form="avro") == order


def test_json_dumps_takes_a_records_plain_values(package: Any, order: Any) -> None:
    text = json.dumps(order.to_dict(mode="json"))

    assert package.RECORD.from_dict(json.loads(text), mode="json") == order


def test_json_is_indented_for_people(order: Any) -> None:
    assert '\n  "customer": "Ada",\n' in order.to_json(indent=2)


def test_files_of_json_lines_are_written_and_read(shop: Shop, package: Any, tmp_path: Path) -> None:
    orders = [shop.order(package, id=number) for number in range(3)]

    package.write_jsonl(tmp_path / "orders.jsonl", orders)

    assert len((tmp_path / "orders.jsonl").read_text().splitlines()) == 3
    assert list(package.read_jsonl(tmp_path / "orders.jsonl")) == orders


def test_an_unknown_key_is_refused_or_ignored(package: Any, order: Any) -> None:
    text = json.dumps({**json.loads(order.to_json()), "extra": 1})

    with pytest.raises(package.InvalidValue, match="extra"):
        package.RECORD.from_json(text)
    assert package.RECORD.from_json(text, unknown="ignore") == order


def test_an_error_names_the_line_and_the_path(package: Any, order: Any) -> None:
    broken = json.dumps({**json.loads(order.to_json()), "id": "seven"})
    lines = io.BytesIO(f"{order.to_json()}\n{broken}\n".encode())

    with pytest.raises(package.InvalidValue, match=r"line 2: id: expected int, got 'seven'"):
        list(package.read_jsonl(lines))
