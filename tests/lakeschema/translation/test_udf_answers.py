"""A resolver's answer reaches the deriving process as JSON."""

from __future__ import annotations

import json

import pytest

from lakeschema.catalog.column_types import parse_type
from lakeschema.translation.deriving.derivation_json import udf_from_json, udf_to_json
from lakeschema.translation.model.interface import (
    ResolverFailure,
    Returns,
    ReturnsArgument,
    ReturnsRows,
    UdfAnswer,
)


@pytest.mark.parametrize(
    "answer",
    [
        Returns(parse_type("map<string,decimal(3,1)>")),
        ReturnsArgument(2),
        ReturnsRows(parse_type("struct<a:int>")),
        ResolverFailure("the registry is down"),
    ],
)
def test_an_answer_reads_back_as_itself(answer: UdfAnswer) -> None:
    assert udf_from_json(json.loads(json.dumps(udf_to_json(answer)))) == answer


@pytest.mark.parametrize("value", [[], ["returns"], ["returns_argument", "1"], ["other", 1]])
def test_anything_else_is_refused(value: list[object]) -> None:
    with pytest.raises(ValueError, match="UDF"):
        udf_from_json(value)
