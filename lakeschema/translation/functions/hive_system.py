"""Hive's functions of internals, files, JSON and calendars, and aggregates without another module."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from lakeschema.catalog.column_types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    SMALLINT,
    STRING,
    TIMESTAMP,
    TINYINT,
    ColumnType,
)
from lakeschema.translation.functions.signature import NEVER, PARTIAL, TOTAL, Kind, Row

_AGGREGATE, _GENERATOR = Kind.AGGREGATE, Kind.GENERATOR
_NGRAMS = "array<struct<ngram:array<string>,estfrequency:double>>"

HIVES_CASTS: Final[Mapping[str, ColumnType]] = MappingProxyType(
    {
        "udftoboolean": BOOLEAN,
        "udftobyte": TINYINT,
        "udftoshort": SMALLINT,
        "udftointeger": INT,
        "udftolong": BIGINT,
        "udftofloat": FLOAT,
        "udftodouble": DOUBLE,
    }
)
"""Functions that are casts under another name."""

HIVES_TYPE_CASTS: Final[Mapping[str, ColumnType]] = MappingProxyType(
    {
        type_.name: type_
        for type_ in (
            *(BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE),
            *(STRING, BINARY, DATE, TIMESTAMP),
        )
    }
)
"""Type names that are also functions (``date(x)``), although Hive does not list them."""

QUANTIFIED: Final = tuple(
    f"{symbol}_{word}" for symbol in ("=", "<>", "<", "<=", ">", ">=") for word in ("any", "all")
)
"""Quantified comparisons such as ``x > ALL (SELECT …)``."""

# fmt: off
ROWS: Final = (
    # compared with a query's rows
    Row(" ".join(QUANTIFIED), "compared, compared", "boolean", PARTIAL),
    Row("likeany likeall", "string, string, string...", "boolean", TOTAL),
    Row("index", "collection, any", "@element", PARTIAL),
    Row("sort_array_by", "array<T>, string...", "@same", TOTAL, keeps=0),
    Row("create_union", "any, any...", "@united_by_tag", PARTIAL),
    Row("json_read", "string, string", "@of_type_text", PARTIAL),
    Row("tumbling_window", "timestamp, any, timestamp?", "timestamp", PARTIAL),
    Row("datetime_legacy_hybrid_calendar", "any", "@same", PARTIAL),
    Row("deserialize", "string, string", "string", PARTIAL),
    Row("in_file", "string, string", "boolean", PARTIAL),
    Row("split_map_privs", "any", "array<string>", PARTIAL),
    Row("surrogate_key", "int?, int?", "bigint", NEVER, deterministic=False),
    # This function ignores its arguments.
    Row("bucket_number", "any...", "@null_text", PARTIAL),

    # assertions
    Row("assert_true", "boolean", "@nothing", PARTIAL),
    Row("enforce_constraint", "boolean", "boolean", PARTIAL),
    Row("cardinality_violation", "any, any...", "int", PARTIAL),
    Row("sq_count_check", "bigint", "boolean", PARTIAL),
    Row("validate_acid_sort_order", "bigint, int, bigint", "bigint", PARTIAL),

    # the session
    Row("current_catalog current_database current_schema", "any...", "string", NEVER),
    Row("current_authorizer", "", "@null_text", PARTIAL),
    Row("restrict_information_schema", "", "boolean", NEVER),
    Row("current_groups", "", "@null_texts", PARTIAL),

    # aggregates
    Row("grouping", "any, any...", "bigint", NEVER, _AGGREGATE),
    Row("percentile_cont percentile_disc", "number, any", "@percentile_in_order", PARTIAL, _AGGREGATE),
    # RANK(1) WITHIN GROUP (ORDER BY x): the rank that a value would have
    Row("hypothetical_rank hypothetical_dense_rank", "any, any...", "bigint", PARTIAL, _AGGREGATE),
    Row("hypothetical_percent_rank hypothetical_cume_dist", "any, any...", "double", PARTIAL, _AGGREGATE),
    Row("ngrams", "any, int, int, int?", _NGRAMS, PARTIAL, _AGGREGATE),
    Row("context_ngrams", "any, array<T>, int, int?", _NGRAMS, PARTIAL, _AGGREGATE),

    # rows out of one value
    Row("parse_url_tuple", "string, string...", "@rows", PARTIAL, _GENERATOR),
    Row("replicate_rows", "bigint, any...", "@rows", PARTIAL, _GENERATOR),
    Row("get_sql_schema", "string", "@rows", PARTIAL, _GENERATOR),
)
# fmt: on
