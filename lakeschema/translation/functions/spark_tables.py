"""Spark's functions that only FROM may call, and the columns of functions that list metadata."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from lakeschema.catalog.column_types import (
    BOOLEAN,
    STRING,
    TIMESTAMP,
    ArrayType,
    MapType,
    StructField,
    StructType,
)
from lakeschema.translation.functions.signature import NEVER, Kind, Row

# fmt: off
ROWS: Final = (
    Row("range", "any, any?, any?, any?", "@rows", NEVER, Kind.GENERATOR),
    Row("collations sql_keywords python_worker_logs", "", "@rows", NEVER, Kind.GENERATOR),
)
# fmt: on

_FRAMES = ArrayType(
    StructType(
        (
            StructField("class", STRING),
            StructField("method", STRING),
            StructField("file", STRING),
            StructField("line", STRING),
        )
    )
)
_EXCEPTION = StructType(
    (StructField("class", STRING), StructField("msg", STRING), StructField("stacktrace", _FRAMES))
)
LISTED: Final[Mapping[str, tuple[StructField, ...]]] = MappingProxyType(
    {
        "sql_keywords": (
            StructField("keyword", STRING, nullable=False),
            StructField("reserved", BOOLEAN, nullable=False),
        ),
        "python_worker_logs": (
            StructField("ts", TIMESTAMP),
            StructField("level", STRING),
            StructField("msg", STRING),
            StructField("context", MapType(STRING, STRING)),
            StructField("exception", _EXCEPTION),
            StructField("logger", STRING),
        ),
        "collations": (
            StructField("CATALOG", STRING, nullable=False),
            StructField("SCHEMA", STRING, nullable=False),
            StructField("NAME", STRING, nullable=False),
            StructField("LANGUAGE", STRING),
            StructField("COUNTRY", STRING),
            StructField("ACCENT_SENSITIVITY", STRING, nullable=False),
            StructField("CASE_SENSITIVITY", STRING, nullable=False),
            StructField("PAD_ATTRIBUTE", STRING, nullable=False),
            StructField("ICU_VERSION", STRING),
        ),
    }
)
"""The columns of the functions that list Spark's metadata."""
