"""Which modules of the runtime become one file of a package.

What is always imported together is one file, and so is each group that is imported on first use.
A file costs a package 200 bytes of headers and hashes, and shares no text with others when it is
deflated.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

INIT: Final = "__init__"

GROUPS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({
    # What a package imports at once: short, and nothing of ``typing`` or of the codec.
    INIT: ("errors", "frozen", "lazy", "pickling", "registration"),
    "core": (
        "varints", "plain_values", "scalars", "schema", "equality", "aliases", "entries", "binding",
        "empty_items", "units", "values", "acceptance", "writers", "decoding",
    ),
    # Programs that only encode and decode their own records import no more than the above.
    "plain": ("plain",),
    "files": (
        "readers", "skipping", "resolution", "tracing", "compression", "places", "partitions", "container",
        "canonical", "class_schemas", "earlier", "framing", "differences",
    ),
    "number_lists": ("number_lists",),
    "columns": (
        "union_columns", "columnar", "arrow_times", "arrow", "spark", "spark_dataset", "vectors",
        "views", "rows", "column_names",
    ),
    "json_text": (
        "json_documents", "json_avro", "json_leaves", "json_plain", "json_text",
    ),
    # Only programs that read or write many records import it.
    "json_code": ("json_code", "json_moments", "json_writing", "json_reading"),
    "json_lines": ("json_lines",),
    "examples": ("finite", "examples", "strategies"),
    # It imports ``inspect``, which nothing else needs.
    "records": ("records",),
    "same_types": ("same_types", "meeting"),
    "pydantic_records": ("json_schema", "lenient", "pydantic_records"),
})  # fmt: skip
"""A file's modules, each after those that it imports."""

DOCUMENTED: Final = frozenset({
    "AvroError", "InvalidAvro", "InvalidValue", "InvalidValues", "MissingCodec", "NotInArrow",
    "NotInSpark", "UnknownSchema", "UnresolvableSchema", "Column", "Duration", "FrozenMap", "Items", "Row",
})  # fmt: skip
"""The classes whose values a package's users hold: editors show what is written of them."""

GROUP_OF: Final[Mapping[str, str]] = MappingProxyType(
    {module: group for group, modules in GROUPS.items() for module in modules}
)
