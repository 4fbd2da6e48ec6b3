"""One schema with every type that columns can hold, and records of it."""

from __future__ import annotations

import decimal
from typing import Any

from hypothesis import strategies as st

from tests.codegen.generated import LEAVES, pairs, record

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
_ENUM = {"type": "enum", "name": "Letter", "symbols": ["A", "B", "mro"]}
_FIXED = {"type": "fixed", "name": "Four", "size": 4}
_UUID = {"type": "fixed", "name": "Id", "size": 16, "logicalType": "uuid"}
_MONEY = {
    "type": "fixed", "name": "Money", "size": 16,
    "logicalType": "decimal", "precision": 38, "scale": 38,
}  # fmt: skip
_INNER: dict[str, Any] = {
    "type": "record", "name": "Inner", "fields": [
        {"name": "StreetName", "type": "string"},
        {"name": "UnitNumber", "type": ["null", "int"]},
        {"name": "Letters", "type": {"type": "array", "items": "Letter"}},
        {"name": "Ids", "type": {"type": "map", "values": ["Id", "null"]}},
    ],
}  # fmt: skip
_CONTEXT = decimal.Context(prec=50)

_NAMED: dict[str, tuple[Any, st.SearchStrategy[Any]]] = {
    "Enum": (_ENUM, st.sampled_from(["A", "B", "mro"])),
    "Fixed": (_FIXED, st.binary(min_size=4, max_size=4)),
    "Uuid": (_UUID, st.uuids()),
    "Money": (
        _MONEY,
        st.integers(-(10**38) + 1, 10**38 - 1).map(
            lambda n: decimal.Decimal(n).scaleb(-38, _CONTEXT)
        ),
    ),
    "Inner": (
        _INNER,
        st.fixed_dictionaries(
            {
                "StreetName": _TEXT,
                "UnitNumber": st.none() | st.integers(-9, 9),
                "Letters": st.lists(st.sampled_from(["A", "mro"]), max_size=2),
                "Ids": st.dictionaries(_TEXT, st.none() | st.uuids(), max_size=2),
            }
        ),
    ),
}


def every_column(*, with_null: bool) -> tuple[dict[str, Any], st.SearchStrategy[dict[str, Any]]]:
    """Each type by itself, beside null, in arrays, in maps and as their keys.

    Files may have no null type.
    """
    fields: dict[str, Any] = {}
    values: dict[str, st.SearchStrategy[Any]] = {}
    typed = {f"Leaf{number}": leaf for number, leaf in enumerate(LEAVES)}
    for name, (schema, value) in (typed | _NAMED).items():
        if schema == "null" and not with_null:
            continue
        fields[name], values[name] = {"type": _typed(schema)}, value
        again = schema["name"] if name in _NAMED else schema
        if schema != "null":
            fields[f"{name}OrNull"] = {"type": ["null", again]}
            values[f"{name}OrNull"] = st.none() | value
        fields[f"{name}Array"] = {"type": {"type": "array", "items": again}}
        values[f"{name}Array"] = st.lists(value, max_size=2)
        fields[f"{name}Map"] = {"type": {"type": "map", "values": again}}
        values[f"{name}Map"] = st.dictionaries(_TEXT, value, max_size=2)
        if schema != "null":
            fields[f"{name}Pairs"] = {"type": pairs(f"{name}Entry", again, ["null", "int"])}
            values[f"{name}Pairs"] = _pairs(value)
    return record(fields), st.fixed_dictionaries(values)


def _pairs(keys: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Entries with distinct keys, as plain values."""
    entry = st.fixed_dictionaries({"key": keys, "value": st.none() | st.integers(-9, 9)})
    return st.lists(entry, max_size=2, unique_by=lambda each: repr(each["key"]))


def _typed(schema: Any) -> Any:
    return {"type": schema} if isinstance(schema, str) else schema
