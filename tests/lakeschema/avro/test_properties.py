from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from lakeschema.avro.fingerprint import sha256
from lakeschema.avro.model import Schema
from lakeschema.avro.parsing import parse_schema
from lakeschema.avro.printing import to_json
from lakeschema.avro.properties import without_properties
from tests.lakeschema.avro.strategies import schemas

DATE = {"type": "int", "logicalType": "date", "note": 1}


@pytest.mark.parametrize(
    ("stated", "left"),
    [
        (DATE, {"type": "int", "logicalType": "date"}),
        ({"type": "bytes", "logicalType": "decimal", "precision": "5"}, "bytes"),
        ({"type": "array", "items": DATE, "note": 1}, {"type": "array", "items": {"type": "int", "logicalType": "date"}}),
        (["null", {"type": "map", "values": "int", "note": 1}], ["null", {"type": "map", "values": "int"}]),
        (
            {"type": "record", "name": "R", "doc": "d", "note": 1, "fields": [{"name": "a", "type": "int", "default": 1, "note": 1}]},
            {"type": "record", "name": "R", "doc": "d", "fields": [{"name": "a", "type": "int", "default": 1}]},
        ),
    ],
)  # fmt: skip
def test_only_what_readers_ignore_is_left_out(stated: Any, left: Any) -> None:
    assert to_json(without_properties(parse_schema(json.dumps(stated)))) == left


@given(schemas())
def test_the_schema_stays_the_same_to_readers(schema: Schema) -> None:
    assert sha256(without_properties(schema)) == sha256(schema)
