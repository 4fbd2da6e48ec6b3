"""Reads a Spark view's text with the context that Spark recorded, for every kind of catalog."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lakeschema.catalog.relations import ANSI, Dialect, SchemaMode, ViewText

_FIRST_ANSI_VERSION = 4


def spark_view(
    text: str,
    current_namespace: Sequence[str],
    *,
    current_catalog: str | None,
    schema_mode: str | None,
    query_columns: Sequence[str],
    sql_configs: Mapping[str, str],
    create_version: str = "",
) -> ViewText:
    """The view as Spark reads it.

    Args:
        text: the query.
        current_namespace: where an unqualified name in the text is looked up.
        current_catalog: the catalog of a name without a catalog; None if it is not recorded.
        schema_mode: one of ``SchemaMode``, in any letter case; None for a view of Spark before 4,
            which had no modes.
        query_columns: the names of the query's columns.
        sql_configs: the recorded settings. If ANSI mode is not among them, ``create_version``
            decides, as in Spark.
        create_version: the version of Spark that created the view; "" if it is not recorded, as in
            plugins.
    """
    return ViewText(
        dialect=Dialect.SPARK,
        text=text,
        original_text=text,
        current_namespace=tuple(current_namespace),
        current_catalog=current_catalog,
        schema_mode=_schema_mode(schema_mode),
        query_columns=tuple(query_columns),
        sql_configs=_with_ansi(sql_configs, create_version),
    )


def _with_ansi(sql_configs: Mapping[str, str], create_version: str) -> Mapping[str, str]:
    """The settings, completed by the ANSI mode of the Spark version if they do not have it.

    Before Spark 4, that mode was off by default, and settings were only recorded if they were set
    (``Analyzer.trySetAnsiValue``).
    """
    major = create_version.partition(".")[0]
    is_on = major.isdecimal() and int(major) >= _FIRST_ANSI_VERSION
    return sql_configs if is_on or ANSI in sql_configs else {**sql_configs, ANSI: "false"}


def _schema_mode(text: str | None) -> SchemaMode | None:
    try:
        return SchemaMode((text or SchemaMode.BINDING.value).upper())
    except ValueError:
        return None
