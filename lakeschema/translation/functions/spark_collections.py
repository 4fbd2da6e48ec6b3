"""Spark's functions of arrays and maps that Hive lacks, or that differ from Hive's (Spark 4.3).

``resolution.higher_order`` has the functions that take a lambda.
"""

from __future__ import annotations

from typing import Final

from lakeschema.translation.functions.signature import NEVER, PARTIAL, TOTAL, Row

# fmt: off
ROWS: Final = (
    Row("array_append array_prepend", "array<T>, any", "@with_added", PARTIAL),
    Row("array_insert", "array<T>, int, any", "@with_inserted", PARTIAL),
    Row("array_compact", "array<T>", "@without_nulls", TOTAL),
    Row("array_repeat", "any, int", "@repeated", NEVER),
    Row("array_sort", "array<T>", "@same", TOTAL, keeps=0),
    Row("arrays_zip", "any...", "@zipped", TOTAL),
    Row("flatten", "array<T>", "@flattened", TOTAL),
    Row("shuffle", "array<T>, bigint?", "@same", TOTAL, keeps=0, deterministic=False),
    Row("sequence", "any, any, any?", "@sequence", TOTAL),
    Row("map_entries", "map<K,V>", "@entries", TOTAL),
    Row("map_from_entries", "array<T>", "@map_of_entries", TOTAL),
    Row("map_from_arrays", "array<K>, array<V>", "@map_of_arrays", TOTAL),
    Row("try_element_at", "collection, any", "@element", PARTIAL),
)
# fmt: on
