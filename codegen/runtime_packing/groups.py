"""Says which modules of the runtime share a file of a package.

Modules that are always imported together form one file, and so does each group that is imported on
first use. A file costs a package 200 bytes of headers and hashes, and is deflated separately from
others.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

INIT: Final = "__init__"

GROUPS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({
    # Imported at once with a package: short, and without ``typing`` and the codec.
    INIT: ("errors", "frozen", "lazy", "pickling", "registration"),
    "core": (
        "varints", "plain_values", "scalars", "schema", "equality", "aliases", "entries", "binding",
        "empty_items", "units", "values", "acceptance", "writers", "decoding",
    ),
    # Programs that only encode and decode their own records import nothing more.
    "plain": ("plain",),
    "files": (
        "readers", "skipping", "field_ids", "resolution", "tracing", "compression", "places", "partitions",
        "container", "canonical", "class_schemas", "earlier", "framing", "differences",
    ),
    "number_lists": ("number_lists",),
    "columns": (
        "union_columns", "columnar", "arrow_times", "arrow", "spark", "spark_dataset", "vectors",
        "views", "rows", "column_names",
    ),
    "json_text": (
        "json_documents", "json_avro", "json_leaves", "json_plain", "json_text",
    ),
    # Imported only by programs that read or write many records.
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
"""The classes that users get instances of: editors show their documentation."""

GROUP_OF: Final[Mapping[str, str]] = MappingProxyType(
    {module: group for group, modules in GROUPS.items() for module in modules}
)
