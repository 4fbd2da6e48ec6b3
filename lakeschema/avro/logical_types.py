"""The logical types of the Avro 1.12 specification, and the types that each may annotate.

A known name on the wrong type, or with invalid parameters, is ignored by the specification: its
attributes stay properties. An unknown name is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from lakeschema.avro.model import NO_PROPERTIES, Json, LogicalType

_ANNOTATES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "decimal": frozenset({"bytes", "fixed"}),
        "big-decimal": frozenset({"bytes"}),
        "uuid": frozenset({"string", "fixed"}),
        "date": frozenset({"int"}),
        "time-millis": frozenset({"int"}),
        "time-micros": frozenset({"long"}),
        "timestamp-millis": frozenset({"long"}),
        "timestamp-micros": frozenset({"long"}),
        "timestamp-nanos": frozenset({"long"}),
        "local-timestamp-millis": frozenset({"long"}),
        "local-timestamp-micros": frozenset({"long"}),
        "local-timestamp-nanos": frozenset({"long"}),
        "duration": frozenset({"fixed"}),
    }
)

_FIXED_SIZES = {"uuid": 16, "duration": 12}

_MAX_PRECISION = 2**31 - 1


def split_logical(
    kind: str, size: int | None, properties: Mapping[str, Json]
) -> tuple[LogicalType | None, Mapping[str, Json]]:
    """Splits the logical type from a type's properties; ``size`` is a fixed's size."""
    name = properties.get("logicalType")
    if not isinstance(name, str):
        return None, properties
    if name not in _ANNOTATES:
        return LogicalType(name), _without(properties, "logicalType")
    if kind not in _ANNOTATES[name]:
        return None, properties
    if kind == "fixed" and name in _FIXED_SIZES and size != _FIXED_SIZES[name]:
        return None, properties
    if name != "decimal":
        return LogicalType(name), _without(properties, "logicalType")
    precision, scale = properties.get("precision"), properties.get("scale", 0)
    if type(precision) is not int or type(scale) is not int:
        return None, properties
    if not 0 <= scale <= precision <= _MAX_PRECISION or precision == 0:
        return None, properties
    if size is not None and precision > most_digits(size):
        return None, properties
    return (
        LogicalType(name, precision, scale),
        _without(properties, "logicalType", "precision", "scale"),
    )


def most_digits(size: int) -> int:
    """The maximum precision of a decimal in ``size`` bytes."""
    if size == 0:
        return 0
    bits = 8 * size - 1
    # log10(2) as a fraction of integers, exact enough for any size that bounded text can state.
    return bits * 301029995663981195 // 1000000000000000000


def _without(properties: Mapping[str, Json], *keys: str) -> Mapping[str, Json]:
    rest = {key: value for key, value in properties.items() if key not in keys}
    return MappingProxyType(rest) if rest else NO_PROPERTIES
