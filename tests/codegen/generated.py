"""Generated packages, imported into this process, and random schemas with values."""

from __future__ import annotations

import datetime as dt
import decimal
import importlib
import itertools
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import ModuleType
from typing import Any

from hypothesis import strategies as st

from codegen.modules import render_modules
from lakeschema.avro.model import Record
from lakeschema.avro.parsing import parse_schema
from tests.codegen.in_memory import InMemoryFinder

_NUMBERS = itertools.count()
_COMPILED = b"COMPILE_AFTER=8"


_json_is_compiled_after: ContextVar[int] = ContextVar("records", default=8)


@contextmanager
def json_compiled_after(records: int) -> Iterator[None]:
    """Packages that are imported within compile their functions for JSON after so many records."""
    before = _json_is_compiled_after.set(records)
    yield
    _json_is_compiled_after.reset(before)


def record_of(document: Mapping[str, Any]) -> Record:
    schema = parse_schema(json.dumps(document))
    assert isinstance(schema, Record)
    return schema


def record(fields: Mapping[str, Any], name: str = "R") -> dict[str, Any]:
    """A record's schema; a field's type, or an object with type and default."""
    return {
        "type": "record",
        "name": name,
        "namespace": "n",
        "fields": [
            {"name": key, **(value if _is_field(value) else {"type": value})}
            for key, value in fields.items()
        ],
    }


def pairs(name: str, key: Any, value: Any, **of_value: Any) -> dict[str, Any]:
    """A map with keys of any type, as an array of entries; ``of_value``: attributes of the field."""
    fields = [{"name": "key", "type": key}, {"name": "value", "type": value, **of_value}]
    entry = {"type": "record", "name": name, "fields": fields}
    return {"type": "array", "logicalType": "map", "items": entry}


def _is_field(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("type"), (dict, list))


@contextmanager
def imported(document: Mapping[str, Any], *, immutable: bool = False) -> Iterator[ModuleType]:
    """The package generated from a schema, imported under a name of its own."""
    package = f"generated_{next(_NUMBERS)}"
    modules = render_modules(record_of(document), package, immutable=immutable)
    with imported_modules(modules, package) as module:
        yield module


@contextmanager
def imported_modules(modules: Mapping[str, bytes], package: str) -> Iterator[ModuleType]:
    finder = InMemoryFinder({
        path: _compiling(data) if path.endswith("/_avro/json_text.py") else data
        for path, data in modules.items()
    })  # fmt: skip
    sys.meta_path.insert(0, finder)
    try:
        yield importlib.import_module(package)
    finally:
        sys.meta_path.remove(finder)
        top = package.partition(".")[0]
        for name in [n for n in sys.modules if n.partition(".")[0] == top]:
            del sys.modules[name]


def _compiling(json_text: bytes) -> bytes:
    assert json_text.count(_COMPILED) == 1
    return json_text.replace(_COMPILED, b"COMPILE_AFTER=%d" % _json_is_compiled_after.get())


# Random schemas, each with values as fastavro reads and writes them.

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
_MICROS = st.integers(-62_000_000_000_000_000, 250_000_000_000_000_000)
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


def _moment(micros: int) -> dt.datetime:
    return _EPOCH + dt.timedelta(microseconds=micros)


def _local(micros: int) -> dt.datetime:
    return _moment(micros).replace(tzinfo=None)


def _time(micros: int) -> dt.time:
    return _moment(micros).time()


_DAY = 86_400_000_000

LEAVES: Sequence[tuple[Any, st.SearchStrategy[Any]]] = (
    ("null", st.none()),
    ("boolean", st.booleans()),
    ("int", st.integers(-(2**31), 2**31 - 1)),
    ("long", st.integers(-(2**63), 2**63 - 1)),
    ("float", st.floats(width=32, allow_nan=False)),
    ("double", st.floats(allow_nan=False)),
    ("bytes", st.binary(max_size=200)),
    ("string", st.one_of(_TEXT, st.just("x" * 100))),
    ({"type": "int", "logicalType": "date"}, st.dates()),
    (
        {"type": "int", "logicalType": "time-millis"},
        st.integers(0, _DAY // 1000 - 1).map(lambda n: _time(n * 1000)),
    ),
    ({"type": "long", "logicalType": "time-micros"}, st.integers(0, _DAY - 1).map(_time)),
    (
        {"type": "long", "logicalType": "timestamp-millis"},
        _MICROS.map(lambda n: _moment(n // 1000 * 1000)),
    ),
    ({"type": "long", "logicalType": "timestamp-micros"}, _MICROS.map(_moment)),
    (
        {"type": "long", "logicalType": "local-timestamp-millis"},
        _MICROS.map(lambda n: _local(n // 1000 * 1000)),
    ),
    ({"type": "long", "logicalType": "local-timestamp-micros"}, _MICROS.map(_local)),
    ({"type": "string", "logicalType": "uuid"}, st.uuids()),
    (
        {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 3},
        st.integers(-(10**12) + 1, 10**12 - 1).map(lambda n: decimal.Decimal(n).scaleb(-3)),
    ),
    (
        {"type": "long", "logicalType": "day-time-interval-micros"},
        st.integers(-(2**63), 2**63 - 1),
    ),
)


class _Names:
    def __init__(self) -> None:
        self._count = itertools.count()

    def next(self) -> str:
        return f"N{next(self._count)}"


Pair = tuple[Any, st.SearchStrategy[Any]]


def _draw_type(draw: st.DrawFn, names: _Names, depth: int) -> Pair:
    kinds = ["leaf"] * 4 + ["enum", "fixed", "decimal"]
    if depth < 4:
        kinds += ["array", "map", "pairs", "record", "nullable", "union"]
    kind = draw(st.sampled_from(kinds))
    match kind:
        case "leaf":
            leaf: Pair = draw(st.sampled_from(LEAVES))
            return leaf
        case "enum":
            symbols = ["A", "B", "class", "mro", "_c_"]
            enum = {"type": "enum", "name": names.next(), "symbols": symbols}
            return enum, st.sampled_from(symbols)
        case "fixed":
            size = draw(st.integers(0, 20))
            fixed = {"type": "fixed", "name": names.next(), "size": size}
            return fixed, st.binary(min_size=size, max_size=size)
        case "decimal":
            schema = {
                "type": "fixed", "name": names.next(), "size": 9,
                "logicalType": "decimal", "precision": 20, "scale": 20,
            }  # fmt: skip
            context = decimal.Context(prec=50)
            return schema, st.integers(-(10**20) + 1, 10**20 - 1).map(
                lambda n: decimal.Decimal(n).scaleb(-20, context)
            )
        case "array":
            items, values = _draw_type(draw, names, depth + 1)
            return {"type": "array", "items": items}, st.lists(values, max_size=4)
        case "map":
            items, values = _draw_type(draw, names, depth + 1)
            return {"type": "map", "values": items}, st.dictionaries(_TEXT, values, max_size=3)
        case "pairs":
            key, keys = draw(st.sampled_from([leaf for leaf in LEAVES if leaf[0] != "null"]))
            items, values = _draw_type(draw, names, depth + 1)
            entries = st.dictionaries(keys, values, max_size=3).map(_as_entries)
            return pairs(names.next(), key, items), entries
        case "nullable":
            return _draw_union(draw, names, depth, 1)
        case "union":
            return _draw_union(draw, names, depth, 3)
        case _:
            return draw_record(draw, names, depth + 1)


def _as_entries(value: Mapping[Any, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": item} for key, item in value.items()]


def _draw_union(draw: st.DrawFn, names: _Names, depth: int, most: int) -> Pair:
    """Branches of distinct Python classes, so that fastavro decides as a typed value does."""
    branches: list[Any] = ["null"]
    values: list[st.SearchStrategy[Any]] = [st.none()]
    taken = {"null"}
    for _ in range(most):
        schema, value = _draw_type(draw, names, depth + 1)
        if isinstance(schema, list):
            continue
        kind = _python_kind(schema)
        if kind in taken:
            continue
        taken.add(kind)
        branches.append(schema)
        values.append(value)
    order = draw(st.permutations(branches))
    return _dates_behind_text(order), st.one_of(values)


def _dates_behind_text(branches: Sequence[Any]) -> list[Any]:
    """fastavro 1.13 looking for a text's branch raises at a date: it parses the text as one."""
    if not any(_is_text(branch) for branch in branches):
        return list(branches)
    return sorted(branches, key=_is_date)


def _is_text(schema: Any) -> bool:
    """Whether its plain values are strings; a UUID's are not."""
    return schema == "string" or (isinstance(schema, dict) and schema["type"] == "enum")


def _is_date(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("logicalType") == "date"


def _python_kind(schema: Any) -> str:
    """What a plain value looks like; two that look alike never share a union."""
    if isinstance(schema, str):
        return {"int": "number", "long": "number", "float": "number", "double": "number"}.get(
            schema, schema
        )
    logical = schema.get("logicalType", "")
    if logical == "uuid":
        return "string"
    if logical == "decimal":
        return "bytes"
    if logical and schema["type"] != "array":
        return "number" if schema["type"] in {"int", "long"} else str(schema["type"])
    # Bytes of no length are an array of no items to fastavro.
    alike = {"enum": "string", "fixed": "bytes", "array": "bytes", "record": "map"}
    return alike.get(schema["type"], str(schema["type"]))


def draw_record(draw: st.DrawFn, names: _Names, depth: int) -> Pair:
    fields: list[dict[str, Any]] = []
    values: dict[str, st.SearchStrategy[Any]] = {}
    count = draw(st.integers(1 if depth == 0 else 0, 5))
    for index in range(count):
        name = draw(st.sampled_from(["f", "class", "self", "__init__", "str", "F"])) + str(
            index or ""
        )
        schema, value = _draw_type(draw, names, depth)
        fields.append({"name": name, "type": schema})
        values[name] = value
    return {"type": "record", "name": names.next(), "fields": fields}, st.fixed_dictionaries(values)


@st.composite
def schemas_and_values(draw: st.DrawFn) -> tuple[dict[str, Any], list[Any]]:
    schema, values = draw_record(draw, _Names(), 0)
    return schema, draw(st.lists(values, min_size=1, max_size=3))
