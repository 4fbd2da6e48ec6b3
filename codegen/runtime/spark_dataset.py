"""A table or view on Spark as a DataFrame that has exactly this package's schema.

Catalogs lose the casing of names, and do not know which columns are required. This module restores
both with expressions of Spark's public functions. A forbidden null fails the query.
"""

from __future__ import annotations

import datetime as dt
import decimal
import importlib
from typing import Any, Final

from .binding import Binding
from .columnar import entry_paths, fold, join_path
from .entries import key_and_value
from .errors import NotInSpark
from .schema import Node
from .spark import struct_type
from .union_columns import column_type
from .units import MICROS, MILLIS, unit_of

# Conversions without loss. Between an instant and a local time, the session's time zone counts.
_WIDER: Final[dict[str, frozenset[str]]] = {
    "ByteType": frozenset({"ShortType", "IntegerType", "LongType"}),
    "ShortType": frozenset({"IntegerType", "LongType"}),
    "IntegerType": frozenset({"LongType"}),
    "FloatType": frozenset({"DoubleType"}),
    "CharType": frozenset({"StringType"}),
    "VarcharType": frozenset({"StringType"}),
    "TimestampType": frozenset({"TimestampNTZType"}),
    "TimestampNTZType": frozenset({"TimestampType"}),
}


def relation_frame(binding: Binding, session: Any, table: str) -> Any:
    """The relation with the schema's columns, in its order, casing, types and nullability.

    Raises:
        NotInSpark: the relation lacks a column of the schema, or a column has another type.
    """
    frame = session.table(table)
    types = importlib.import_module("pyspark.sql.types")
    expressions = _ColumnExpressions(table, types, importlib.import_module("pyspark.sql.functions"))
    return frame.select(*expressions.columns(frame.schema, struct_type(binding), binding.root))


def _value_node(node: Node) -> Node:
    return column_type(node) if node.kind == "union" else node


class _ColumnExpressions:
    """Expressions over the columns of one relation."""

    def __init__(self, table: str, types: Any, functions: Any) -> None:
        self._table = table
        self._types = types
        self._f = functions

    def columns(self, found: Any, wanted: Any, record: Node) -> list[Any]:
        columns: list[Any] = []
        for field, part in zip(wanted.fields, record.fields, strict=True):
            actual = self._field(found, field.name, "")
            value = self._f.col("`" + actual.name.replace("`", "``") + "`")
            columns.append(self._of(value, actual, actual.nullable, field, part.node, field.name))
        return columns

    def _field(self, found: Any, name: str, path: str) -> Any:
        exact = [field for field in found.fields if field.name == name]
        matches = exact or [field for field in found.fields if fold(field.name) == fold(name)]
        if len(matches) == 1:
            return matches[0]
        names = ", ".join(field.name for field in matches or found.fields)
        reason = "more than one" if matches else "no"
        raise NotInSpark(
            f"{self._table} has {reason} column {join_path(path, name)} of this package's schema; "
            f"columns: {names}"
        )

    def _of(
        self, value: Any, found: Any, may_be_null: bool, wanted: Any, node: Node, path: str
    ) -> Any:
        changed = self._with_null(
            value, found.dataType, may_be_null, wanted.dataType, wanted.nullable, node, path
        )
        # A bare column would keep the catalog's comment, which is not part of the schema.
        return self._f.coalesce(changed).alias(wanted.name)

    def _with_null(
        self,
        value: Any,
        found: Any,
        may_be_null: bool,
        wanted: Any,
        nullable: bool,
        node: Node,
        path: str,
    ) -> Any:
        changed = self._typed(value, found, may_be_null, wanted, _value_node(node), path)
        if not nullable:
            is_cast = self._is_leaf(wanted) and found != wanted
            return self._required(changed, wanted, path) if may_be_null or is_cast else changed
        # ``when`` without ``otherwise`` makes the expression nullable, as in the schema.
        return changed if may_be_null else self._f.when(changed.isNotNull(), changed)

    def _required(self, value: Any, wanted: Any, path: str) -> Any:
        """The value, or an error if it is null. The zero only makes the type non-nullable."""
        refusal = self._f.raise_error(
            self._f.lit(
                f"{self._table}: {path} is null, which this package's schema does not allow"
            )
        )
        checked = self._f.when(value.isNotNull(), value).otherwise(refusal)
        return self._f.coalesce(checked, self._zero(wanted))

    def _typed(
        self, value: Any, found: Any, may_be_null: bool, wanted: Any, node: Node, path: str
    ) -> Any:
        f, types = self._f, self._types
        if found == wanted:
            return value
        match wanted:
            case types.StructType() if isinstance(found, types.StructType):
                struct = f.struct(*self._fields(value, found, may_be_null, wanted, node, path))
                return f.when(value.isNotNull(), struct) if may_be_null else struct
            case types.ArrayType() if isinstance(found, types.ArrayType):
                return f.transform(value, lambda item: self._with_null(
                    item, found.elementType, found.containsNull,
                    wanted.elementType, wanted.containsNull, node.items, f"{path}[]",
                ))  # fmt: skip
            case types.ArrayType() if isinstance(found, types.MapType) and node.map_form:
                rows = self._entries_of(found)
                return self._typed(f.map_entries(value), rows, may_be_null, wanted, node, path)
            case types.MapType() if isinstance(found, types.ArrayType) and node.map_form:
                rows = self._entries_of(wanted)
                return f.map_from_entries(self._typed(value, found, may_be_null, rows, node, path))
            case types.MapType() if self._have_fitting_keys(found, wanted):
                if node.map_form:
                    (_, values), (_, inside) = key_and_value(node), entry_paths(path)
                else:
                    values, inside = node.items, f"{path}[]"
                if found.keyType != wanted.keyType:
                    value = f.transform_keys(value, lambda key, _: key.cast(wanted.keyType))
                return f.transform_values(value, lambda _, item: self._with_null(
                    item, found.valueType, found.valueContainsNull,
                    wanted.valueType, wanted.valueContainsNull, values, inside,
                ))  # fmt: skip
            case types.TimestampType() | types.TimestampNTZType() if isinstance(
                found, types.LongType
            ):
                return self._moment(value, node)
            case types.IntegerType() if type(found).__name__ == "YearMonthIntervalType":
                # PySpark has no values of this type, and only an interval of months can be cast to a number.
                return value.cast("interval month").cast(wanted)
            case types.DayTimeIntervalType() if isinstance(found, types.DayTimeIntervalType):
                return value.cast(wanted)
            case _ if self._holds(found, wanted):
                return value.cast(wanted)
        raise NotInSpark(
            f"{self._table}: {path}: expected {wanted.simpleString()} as in this package's schema, "
            f"got {found.simpleString()}"
        )

    def _moment(self, count: Any, node: Node) -> Any:
        """A moment from a long, which Hive's AvroSerDe returns for timestamp-micros and the like."""
        f = self._f
        kind, per_second = unit_of(node) or ("", MICROS)
        if kind == "timestamp":
            return f.timestamp_millis(count) if per_second == MILLIS else f.timestamp_micros(count)
        # Adds to a time without a zone, so that the session's zone does not matter.
        seconds = count.cast("decimal(20,0)") / f.lit(decimal.Decimal(per_second))
        epoch = f.lit("1970-01-01 00:00:00").cast("timestamp_ntz")
        return epoch + f.make_dt_interval(secs=seconds.cast("decimal(18,6)"))

    def _fields(
        self, value: Any, found: Any, may_be_null: bool, wanted: Any, node: Node, path: str
    ) -> list[Any]:
        fields: list[Any] = []
        for field, inner in zip(wanted.fields, node.fields, strict=True):
            actual = self._field(found, field.name, path)
            part = value.getField(actual.name)
            null = may_be_null or actual.nullable
            at = join_path(path, field.name)
            fields.append(self._of(part, actual, null, field, inner.node, at))
        return fields

    def _have_fitting_keys(self, found: Any, wanted: Any) -> bool:
        if not isinstance(found, self._types.MapType):
            return False
        return found.keyType == wanted.keyType or self._holds(found.keyType, wanted.keyType)

    def _entries_of(self, map_type: Any) -> Any:
        """The array of a map's entries, as ``map_entries`` makes it."""
        types = self._types
        key = types.StructField("key", map_type.keyType, False)
        value = types.StructField("value", map_type.valueType, map_type.valueContainsNull)
        return types.ArrayType(types.StructType([key, value]), False)

    def _is_leaf(self, type_: Any) -> bool:
        types = self._types
        return not isinstance(type_, (types.StructType, types.ArrayType, types.MapType))

    def _holds(self, found: Any, wanted: Any) -> bool:
        types = self._types
        if isinstance(found, types.DecimalType) and isinstance(wanted, types.DecimalType):
            whole = wanted.precision - wanted.scale >= found.precision - found.scale
            return bool(whole and wanted.scale >= found.scale)
        if isinstance(found, types.NullType):
            return True
        if isinstance(found, types.StringType) and isinstance(wanted, types.StringType):
            # The strings differ only in collation or maximum length.
            return True
        return type(wanted).__name__ in _WIDER.get(type(found).__name__, ())

    def _zero(self, wanted: Any) -> Any:
        """A value of the type, without nulls."""
        f, types = self._f, self._types
        match wanted:
            case types.StructType():
                return f.struct(*(self._zero(each.dataType).alias(each.name) for each in wanted))
            case types.ArrayType():
                return f.array(self._zero(wanted.elementType))
            case types.MapType():
                return f.create_map(self._zero(wanted.keyType), self._zero(wanted.valueType))
            case types.DecimalType():
                return f.lit(decimal.Decimal(0).scaleb(-wanted.scale)).cast(wanted)
            case types.StringType() | types.BinaryType():
                return f.lit("").cast(wanted)
            case types.DateType():
                return f.lit(dt.date(1970, 1, 1))
            case types.TimestampType() | types.TimestampNTZType():
                return f.lit(dt.datetime(1970, 1, 2, tzinfo=dt.UTC)).cast(wanted)
            case types.NullType():
                return f.lit(None)
            case types.DayTimeIntervalType():
                return f.lit(dt.timedelta()).cast(wanted)
            case _:
                return f.lit(0).cast(wanted)
