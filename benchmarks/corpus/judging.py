"""Compares one query's derivation with Spark's analysis, and its nullability with the rows."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from lakeschema.catalog.column_types import (
    STRING,
    ArrayType,
    CharType,
    ColumnType,
    MapType,
    StructType,
    UnknownType,
    VarcharType,
    map_type,
    print_type,
)
from lakeschema.catalog.errors import CatalogError
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Column, Dialect, Relation, ViewText, with_functions
from lakeschema.catalog.spark_schema import columns_from_json
from lakeschema.catalog.sql_functions import SqlFunction
from lakeschema.translation.deriving.derivation import derive, derive_view, upstreams_of
from lakeschema.translation.model.errors import TranslationError, UnknownColumn
from lakeschema.translation.model.interface import Interface, Options
from lakeschema.translation.plan.relations import PlanColumn
from tests.judges.functions.judges import claims
from tests.judges.verdicts import (
    CRASHES,
    EQUAL,
    NOT_DERIVED,
    NOT_READ,
    NULL_IN_REQUIRED,
    OF_A_VARIABLE,
    OTHER_NAMES,
    OTHER_TYPES,
    Verdict,
)

_OPTIONS: Final = Options()
_COLLATION: Final = re.compile(r" collate \w+")
"""Avro has only one type of text, whatever its collation."""
_MAX_ROWS: Final = 1_000
_VIEW: Final = RelationName.of("judged", "v")


def quiet() -> None:
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)


@dataclass(frozen=True, slots=True)
class Made:
    """Objects of a session that no catalog has: settings, SQL functions, variables by lower name."""

    settings: Mapping[str, str]
    functions: Mapping[RelationName, SqlFunction]
    variables: frozenset[str] = frozenset()


def judge(spark: SparkSession, query: str, made: Made) -> Verdict:
    try:
        frame = spark.sql(query)
        schema = frame.schema
    except (PySparkException, Py4JError) as error:
        return Verdict(NOT_READ, str(error).splitlines()[0][:120] if str(error) else "")
    except Exception as error:  # noqa: BLE001 (PySpark lacks some of Spark's types)
        return Verdict(NOT_READ, f"PySpark: {error}")
    try:
        columns = _derived(spark, query, len(schema.fields), made)
    except (TranslationError, CatalogError) as error:
        if isinstance(error, UnknownColumn) and _is_variable(error, made.variables):
            return Verdict(OF_A_VARIABLE, str(error))
        return Verdict(NOT_DERIVED, f"{type(error).__name__}: {error}")
    except Exception as error:  # noqa: BLE001 (a crash is what is looked for)
        return Verdict(CRASHES, f"{type(error).__name__}: {error}")
    theirs = [_as_ours(f.dataType.simpleString().lower()) for f in schema.fields]
    ours = [print_type(map_type(c.type, _as_shown)).lower() for c in columns]
    if ours != theirs:
        differing = [(o, t) for o, t in zip(ours, theirs, strict=False) if o != t] or (ours, theirs)
        return Verdict(OTHER_TYPES, f"ours, Spark's: {differing[:3]}")
    try:
        names = _names(spark, query, made)
    except Exception as error:  # noqa: BLE001 (a crash is what is looked for)
        return Verdict(CRASHES, f"{type(error).__name__}: {error}")
    if names and names != [field.name.lower() for field in schema.fields]:
        return Verdict(OTHER_NAMES, f"ours, Spark's: {names[:3]}, {schema.names[:3]}")
    found = _false_required(frame, columns)
    return Verdict(NULL_IN_REQUIRED, found) if found else Verdict(EQUAL)


def _is_variable(error: UnknownColumn, variables: frozenset[str]) -> bool:
    return any(part.lower() in variables for part in error.column.split("."))


def _as_ours(type_: str) -> str:
    return _COLLATION.sub("", type_).replace("time(6)", "time")


def _as_shown(type_: ColumnType) -> ColumnType:
    """The type without char and varchar, which Spark's expressions lack."""
    return STRING if isinstance(type_, (CharType, VarcharType)) else type_


def _names(spark: SparkSession, query: str, made: Made) -> Sequence[str]:
    """Names in lower case; empty if a column has no name or a duplicate one, as no view may."""
    try:
        return [column.name.lower() for column in _derived(spark, query, 0, made)]
    except TranslationError:
        return ()


def _derived(spark: SparkSession, query: str, width: int, made: Made) -> Sequence[PlanColumn]:
    """The columns of the query as a view over its relations, with ``width`` declared columns."""
    view = ViewText(
        Dialect.SPARK,
        query,
        query,
        (spark.catalog.currentDatabase(),),
        sql_configs=MappingProxyType(dict(made.settings)),
    )
    declared = tuple(Column(f"c{i}", UnknownType("judged")) for i in range(width))
    relation = with_functions(Relation(_VIEW, declared, view=view), made.functions.get)
    known = {}
    for name in upstreams_of(relation, _OPTIONS):
        interface = _interface(spark, name)
        if interface is not None:
            known[name] = interface
    return derive_view(relation, known, _OPTIONS)[1].columns


def _interface(spark: SparkSession, name: RelationName) -> Interface | None:
    """The interface of a table or temporary view, with Spark's columns, all nullable."""
    for parts in (name.parts, name.parts[-1:]):
        try:
            schema = spark.table(".".join(f"`{part}`" for part in parts)).schema
        except (PySparkException, Py4JError):
            continue
        columns = columns_from_json(schema.json())
        assert columns is not None
        return derive(Relation(name, columns), {}, _OPTIONS).interface
    return None


def _false_required(frame: DataFrame, columns: Sequence[PlanColumn]) -> str:
    """The first part that we call required although a row has null there; otherwise empty."""
    if not any(not c.nullable or claims(c.type) for c in columns):
        return ""
    try:
        rows = frame.limit(_MAX_ROWS).collect()
    except Exception:  # noqa: BLE001 (no rows, or values that PySpark cannot show)
        return ""
    for row in rows:
        for column, value in zip(columns, row, strict=True):
            found = _null_inside(column.type, value, column.name, nullable=column.nullable)
            if found:
                return found
    return ""


def _null_inside(type_: ColumnType, value: Any, path: str, *, nullable: bool) -> str:
    if value is None:
        return "" if nullable else path
    parts: Iterator[str] = iter(())
    match type_:
        case ArrayType(element, element_nullable):
            parts = (
                _null_inside(element, v, f"{path}[]", nullable=element_nullable) for v in value
            )
        case MapType():
            parts = (
                _null_inside(type_.value, v, f"{path}[]", nullable=type_.value_nullable)
                for v in value.values()
            )
        case StructType(fields):
            parts = (
                _null_inside(f.type, v, f"{path}.{f.name}", nullable=f.nullable)
                for f, v in zip(fields, value, strict=True)
            )
    return next((part for part in parts if part), "")
