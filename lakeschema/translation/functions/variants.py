"""Result types of Spark's functions of variants and shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from lakeschema.catalog.column_types import (
    GEOGRAPHY,
    TIMESTAMP,
    TIMESTAMP_LOCAL,
    TIMESTAMP_NTZ,
    VARIANT,
    VOID,
    ArrayType,
    ColumnType,
    MapType,
    PrimitiveType,
    StructType,
    map_type,
    parse_type,
    print_type,
)
from lakeschema.catalog.errors import MalformedType
from lakeschema.translation.functions.casts import can_cast
from lakeschema.translation.functions.coercion import as_spark_reads, is_shape
from lakeschema.translation.functions.constants import constant_text
from lakeschema.translation.functions.results import CallResult, Rule
from lakeschema.translation.functions.semantics import Semantics
from lakeschema.translation.plan.expressions import Literal, RowExpression

_SYSTEM_OF_THE_EARTH = "4326"


def _part(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    """VARIANT_GET returns the type that its third argument names. A list of fields means a struct."""
    if len(arguments) < 3:
        return CallResult(VARIANT)
    text = constant_text(arguments[2])
    found = None if text is None else _type_of(text)
    if found is None:
        return None
    # As in a cast, ``timestamp`` may mean a timestamp without a zone.
    bare = TIMESTAMP_NTZ if semantics.zoneless else TIMESTAMP
    meanings: dict[ColumnType, ColumnType] = {TIMESTAMP: bare, TIMESTAMP_LOCAL: TIMESTAMP}
    type_ = map_type(found, lambda part: as_spark_reads(meanings.get(part, part)))
    return CallResult(type_) if can_cast(VARIANT, type_, semantics) else None


def _type_of(text: str) -> ColumnType | None:
    for form in (text, f"struct<{text}>"):
        try:
            return parse_type(form, timestamp_ltz=TIMESTAMP_LOCAL)
        except MalformedType:
            continue
    return None


def _object(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    given = isinstance(arguments[0].type, (ArrayType, MapType, StructType))
    return CallResult(VARIANT) if given else None


def _with(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    """The type of a variant with a value inserted; the value's type must cast to variant."""
    kept = can_cast(arguments[2].type, VARIANT, semantics)
    return CallResult(VARIANT) if kept else None


def _geometry(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    return CallResult(_in_system("geometry", arguments[1] if len(arguments) > 1 else None))


def _geography(_: Sequence[RowExpression], __: Semantics) -> CallResult | None:
    return CallResult(PrimitiveType(f"geography({_SYSTEM_OF_THE_EARTH})"))


def _moved(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """ST_SETSRID returns the same shape in the coordinate system with this number."""
    if arguments[0].type == VOID:
        return None
    kind = (
        "geography"
        if is_shape(arguments[0].type) and _is_of(arguments[0], GEOGRAPHY)
        else "geometry"
    )
    return CallResult(_in_system(kind, arguments[1]))


def _is_of(expression: RowExpression, kind: PrimitiveType) -> bool:
    return print_type(expression.type).startswith(kind.name)


def _in_system(kind: str, number: RowExpression | None) -> ColumnType:
    """A shape's type; its coordinate system is ``any`` if the number is not a literal."""
    if number is None:
        return PrimitiveType(f"{kind}(0)")
    written = isinstance(number, Literal) and number.value is not None and number.value.isdigit()
    return PrimitiveType(
        f"{kind}({number.value if isinstance(number, Literal) and written else 'any'})"
    )


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "@variant_part": _part,
        "@variant_object": _object,
        "@variant_with": _with,
        "@geometry": _geometry,
        "@geography": _geography,
        "@shape_in": _moved,
    }
)
