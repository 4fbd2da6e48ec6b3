"""Values of the libraries that consumers use, in an environment that has them."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from codegen.modules import render_modules
from deploy.tool_environments import tool_python
from tests.codegen.generated import record, record_of
from tests.codegen.value_kinds import TYPES

_PROGRAM = """
import datetime as dt
import uuid

import asyncpg.pgproto.pgproto as pgproto
import freezegun
import numpy
import pandas
import pendulum
import polars

import package

MOMENT = dt.datetime(2024, 5, 6, 7, 8, 9, 123456, dt.UTC)
PLACES = ("required", "optional", "union")


def ways(record):
    return [
        record.validate().to_avro(), record.to_dict(), record.to_json(), record.to_json("avro"),
        record.to_dict(mode="json"),
    ]


def same(name, value, plain):
    for place in PLACES:
        field = f"{place}_{name}"
        made, expected = package.R(**{field: value}), package.R(**{field: plain})
        assert ways(made) == ways(expected), (field, value)
        assert type(made.to_dict()[field]) is type(expected.to_dict()[field]), field
        assert package.R.from_dict({field: value}) == expected, field


same("timestamp", pendulum.datetime(2024, 5, 6, 7, 8, 9, 123456), MOMENT)
same("timestamp", pandas.Timestamp(MOMENT), MOMENT)
same("date", pendulum.date(2024, 5, 6), dt.date(2024, 5, 6))
same("time", pendulum.time(1, 2, 3, 4), dt.time(1, 2, 3, 4))
same(
    "interval",
    pendulum.duration(days=-1, seconds=5, microseconds=7),
    dt.timedelta(days=-1, seconds=5, microseconds=7),
)
same("interval", pendulum.duration(weeks=3, seconds=-5), dt.timedelta(weeks=3, seconds=-5))
same("uuid", pgproto.UUID(str(uuid.UUID(int=7))), uuid.UUID(int=7))
same("long", numpy.int64(5), 5)

with freezegun.freeze_time(MOMENT):
    now = dt.datetime.now(dt.UTC)
    assert type(now) is not type(MOMENT)
    for value in (now, MOMENT):
        same("timestamp", value, MOMENT)
        assert type(package.R(optional_timestamp=value).to_dict()["optional_timestamp"]) is type(MOMENT)
    for place in PLACES:
        record = package.R(**{f"{place}_date": dt.date.today()})
        assert package.R.from_avro(record.to_avro()) == record
        assert ways(record)

(row,) = polars.DataFrame({"required_timestamp": [MOMENT], "required_long": [5]}).to_dicts()
assert package.R.from_dict(row) == package.R(**row, strict=True)

for value in (pandas.NaT, pandas.NA, pandas.Timestamp("2024-01-01T00:00:00.000000001Z")):
    for place in PLACES:
        record = package.R(**{f"{place}_timestamp": value})
        for way in (record.validate, record.to_avro, record.to_dict, record.to_json):
            try:
                way()
            except package.InvalidValue as error:
                assert error.path == f"{place}_timestamp"
            else:
                raise AssertionError(value)
"""

_DEFAULTS = {
    "timestamp-micros": 0, "date": 0, "time-micros": 0, "interval": 0, "long": 0,
    "uuid": "00000000-0000-0000-0000-000000000000",
}  # fmt: skip


def test_values_of_libraries_are_written_as_plain_ones(tmp_path: Path) -> None:
    fields: dict[str, Any] = {}
    for kind, default in _DEFAULTS.items():
        name, type_ = kind.removesuffix("-micros"), TYPES[kind]
        required = type_ if isinstance(type_, dict) else {"type": type_}
        fields[f"required_{name}"] = {"type": required, "default": default}
        fields[f"optional_{name}"] = {"type": ["null", type_], "default": None}
        fields[f"union_{name}"] = {"type": ["null", type_, "boolean"], "default": None}
    for path, data in render_modules(record_of(record(fields)), "package").items():
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)

    ran = subprocess.run(
        [tool_python("consumer"), "-c", _PROGRAM],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert ran.returncode == 0, ran.stderr
