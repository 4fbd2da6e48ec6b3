"""Makes the form in which a metastore stores a view for Hive or for Spark. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.letter_case import lower_case_columns
from lakeschema.catalog.relations import ANSI, NOTHING, SQL_CONFIG, Column, SchemaMode
from lakeschema.catalog.spark_schema import schema_properties

SPARK_VERSION = "4.0.0"
"""The oldest Spark that reads a view with all of these properties."""


@dataclass(frozen=True, slots=True)
class StoredView:
    """A view in the form that a metastore stores.

    Attributes:
        original_text: as its author wrote it.
        expanded_text: the text that the engine executes.
        properties: all of them, with the comment and with Spark's context.
    """

    name: RelationName
    columns: tuple[Column, ...]
    original_text: str
    expanded_text: str
    properties: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    owner: str = ""


def view_for_hive(
    name: RelationName,
    columns: Sequence[Column],
    texts: tuple[str, str],
    properties: Mapping[str, str],
    owner: str,
) -> StoredView:
    """The view as Hive stores it; ``texts``: the author's text, and the text with complete names."""
    original, expanded = texts
    return StoredView(name, lower_case_columns(columns), original, expanded, properties, owner)


def view_for_spark(
    name: RelationName,
    columns: Sequence[Column],
    text: str,
    properties: Mapping[str, str],
    owner: str,
) -> StoredView:
    """The view as ``CREATE VIEW`` of Spark 4 stores it, made in ANSI mode in the view's database."""
    context = {
        "spark.sql.create.version": SPARK_VERSION,
        "view.schemaMode": SchemaMode.COMPENSATION.value,
        f"{SQL_CONFIG}{ANSI}": "true",
        "view.referredTempViewNames": "[]",
        "view.referredTempFunctionsNames": "[]",
        **_numbered("view.catalogAndNamespace.", "numParts", "part", _place(name)),
        **_numbered("view.query.out.", "numCols", "col", [column.name for column in columns]),
        **schema_properties(columns),
    }
    return StoredView(name, tuple(columns), text, text, {**properties, **context}, owner)


def _place(name: RelationName) -> Sequence[str]:
    return ("spark_catalog", *name.namespace)


def _numbered(prefix: str, count: str, part: str, values: Sequence[str]) -> Mapping[str, str]:
    numbered = {f"{prefix}{part}.{place}": value for place, value in enumerate(values)}
    return {f"{prefix}{count}": str(len(values)), **numbered}
