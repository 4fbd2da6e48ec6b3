"""A default is one value, however it is given; a default that Python cannot hold makes a required attribute."""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import pyarrow as pa
import pytest

from codegen.layout import lay_out
from codegen.metadata import metadata
from codegen.package import PackageRequest, Provenance
from lakeschema.catalog.identifiers import RelationName
from tests.codegen.generated import imported, record, record_of
from tests.codegen.value_kinds import TYPES, logical

TABLE = pa.table({"id": pa.array([1], pa.int32())})
OLDER = json.dumps(record({"id": "int"}))

READERS: Mapping[str, Callable[[ModuleType], Any]] = {
    "from_avro": lambda package: package.R.from_avro(b"\x02", OLDER),
    "from_dict": lambda package: package.R.from_dict({"id": 1}),
    "from_json": lambda package: package.R.from_json('{"id":1}'),
    "from_dict json": lambda package: package.R.from_dict({"id": 1}, mode="json"),
    "from_arrow": lambda package: next(package.from_arrow(TABLE)),
    "from_rows": lambda package: next(package.from_rows([{"id": 1}])),
    "rows of Arrow": lambda package: next(package.rows(TABLE)).to_record(),
    "rows of mappings": lambda package: next(package.rows([{"id": 1}])).to_record(),
}


_OF_COLUMNS = frozenset({"from_arrow", "from_rows", "rows of Arrow", "rows of mappings"})


def default(type_: Any, value: Any) -> dict[str, Any]:
    return {"type": type_ if isinstance(type_, (dict, list)) else {"type": type_}, "default": value}


_INNER = {
    "type": "record",
    "name": "N",
    "fields": [
        {"name": "x", "type": "float", "default": 0.1},
        {"name": "y", "type": "double", "default": "-Infinity"},
    ],
}
FLOATS = {
    "id": "int",
    "x": default("float", 0.1),
    "large": default("float", 1e39),
    "whole": default("float", 2**24 + 1),
    "items": default({"type": "array", "items": "float"}, [0.1, -1e39]),
    "map": default({"type": "map", "values": "float"}, {"k": 0.1}),
    "union": default(["float", "null"], 0.1),
    "inner": default(_INNER, {}),
    "given": default("N", {"x": 0.2}),
    "nan": default("double", "NaN"),
    "infinite": default("float", "Infinity"),
    "text": default("double", "0.5"),
}


@pytest.mark.parametrize("immutable", [False, True])
def test_a_default_of_floats_is_one_value_whichever_way_it_comes(immutable: bool) -> None:
    with imported(record(FLOATS), immutable=immutable) as package:
        made = package.R(id=1)

        # NaN equals nothing, and is shown as itself.
        assert {name: repr(read(package)) for name, read in READERS.items()} == dict.fromkeys(
            READERS, repr(made)
        )
        assert repr(package.R.from_avro(made.to_avro())) == repr(made)
        assert made.x == made.union == made.inner.x == 0.10000000149011612
        assert [*made.items] == [0.10000000149011612, -math.inf]
        assert (made.large, made.whole, made.infinite, made.text) == (
            math.inf,
            2.0**24,
            math.inf,
            0.5,
        )
        assert math.isnan(made.nan)
        assert (made.inner.y, made.given.x) == (-math.inf, 0.20000000298023224)


def test_an_attribute_called_float_hides_no_default() -> None:
    schema = record({"float": default("double", "NaN"), "f": default("double", "Infinity")})
    with imported(schema) as package:
        assert (math.isnan(package.R().float), package.R().f) == (True, math.inf)


def test_text_is_no_number_where_java_takes_it_for_text() -> None:
    schema = record({"id": "int", "f": default(["double", "string"], "NaN")})
    with imported(schema) as package:
        assert package.R(id=1).f == "NaN"
        assert package.R.from_avro(b"\x02", OLDER).f == "NaN"


_LATE = logical("long", "timestamp-millis")
UNHELD: tuple[tuple[Any, Any], ...] = (
    (TYPES["uuid"], ""),
    (_LATE, 2**63 - 1),
    (TYPES["local-timestamp-micros"], -(2**63)),
    (TYPES["date"], -(2**31)),
    (TYPES["time-millis"], 86_400_000),
    (TYPES["time-micros"], -1),
    (logical("bytes", "decimal", precision=2, scale=0), "\x00\xff"),
    ([_LATE, "null"], 2**63 - 1),
    # Its branch is the first one of the default's JSON, as Java decides.
    ([_LATE, "double"], 2**63 - 1),
    ({"type": "array", "items": _LATE}, [0, 2**63 - 1]),
    ({"type": "map", "values": _LATE}, {"k": 2**63 - 1}),
    ({"type": "record", "name": "N", "fields": [{"name": "t", "type": _LATE, "default": 2**63 - 1}]}, {}),
    ({"type": "record", "name": "N", "fields": [{"name": "t", "type": _LATE}]}, {"t": 2**63 - 1}),
)  # fmt: skip


@pytest.mark.parametrize("immutable", [False, True])
@pytest.mark.parametrize(("type_", "value"), UNHELD, ids=[str(n) for n in range(len(UNHELD))])
def test_a_default_that_python_cannot_hold_leaves_a_required_attribute(
    type_: Any, value: Any, immutable: bool
) -> None:
    schema = record({"id": "int", "f": {"type": type_, "default": value}, "ok": default("int", 5)})
    with imported(schema, immutable=immutable) as package:
        parameters = inspect.signature(package.R).parameters
        with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'f'"):
            package.R(id=1)

        assert parameters["f"].default is inspect.Parameter.empty
        assert parameters["ok"].default == 5
        documentation = inspect.cleandoc(package.R.__doc__)
        assert documentation.endswith("since Python cannot hold the schema's default:\n    f")
        example = package.R.example()
        assert package.R.from_avro(example.to_avro()) == example
        for name, read in READERS.items():
            if name in _OF_COLUMNS and isinstance(type_, list) and "double" in type_:
                # A union of several types has no column.
                continue
            with pytest.raises(
                package.AvroError, match=r"\bf: is missing, and Python cannot hold its default"
            ):
                read(package)


def test_metadata_names_what_must_be_given() -> None:
    schema = record_of(record({"id": "int", "f": default(_LATE, 2**63 - 1)}))

    request = PackageRequest(
        RelationName(("n",), "r"), "acme-schema", "1.0.0", schema, Provenance(), False
    )

    text = metadata(request, lay_out(schema)).decode()

    assert r"R\.f must be given: Python cannot hold its default 9223372036854775807" in text
