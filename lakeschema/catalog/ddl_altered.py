"""Applies one ALTER statement to one relation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from lakeschema.catalog.ddl_column_changes import (
    ColumnAlteration,
    InvalidFields,
    NoSuchColumn,
    alter_columns,
    duplicate_name,
    has_column,
)
from lakeschema.catalog.ddl_statements import (
    AddColumns,
    Alteration,
    ChangeColumns,
    DropColumns,
    DropConstraint,
    NoChange,
    ReplaceColumns,
    ReplaceQuery,
    SetComment,
    SetProperties,
    SetSchemaMode,
    SetSerde,
    UnknownChange,
    UnsetProperties,
    UnsetSerdeProperties,
)
from lakeschema.catalog.letter_case import lower_case_columns
from lakeschema.catalog.relations import (
    SQL_CONFIG,
    Column,
    Dialect,
    Relation,
    sql_configs,
    without_volatile,
)
from lakeschema.catalog.storage_formats import PROVIDER


class Refused(Exception):
    """A readable statement that cannot be applied; ``hint`` names an alternative."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UnknownColumns(Refused):
    """The error for a CREATE whose table has columns that cannot be determined."""


def altered(
    relation: Relation, statement: Alteration, dialect: Dialect, current: tuple[str, ...]
) -> Relation:
    """The relation after the statement.

    Args:
        relation: the relation before the statement.
        statement: the ALTER statement.
        dialect: the statement's dialect, which decides about letter case and constraints.
        current: the session's namespace, for a view's new text.

    Raises:
        Refused: an engine would refuse it.
    """
    match statement:
        case SetProperties(_, properties):
            comment, kept = comment_apart(relation.comment, {**relation.properties, **properties})
            changed = replace(relation, properties=kept, comment=comment)
            return with_recorded_settings(changed)
        case UnsetProperties(_, keys):
            kept = {k: v for k, v in relation.properties.items() if k not in keys}
            comment = None if "comment" in keys else relation.comment
            changed = replace(relation, properties=kept, comment=comment)
            return _without_recorded_settings(changed, keys)
        case SetSerde(_, serde, properties):
            return replace(
                relation,
                serde=serde or relation.serde,
                serde_properties={**relation.serde_properties, **properties},
            )
        case UnsetSerdeProperties(_, keys):
            kept = {k: v for k, v in relation.serde_properties.items() if k not in keys}
            return replace(relation, serde_properties=kept)
        case SetComment(_, comment):
            return replace(relation, comment=comment)
        case ReplaceQuery(_, text):
            return _with_query(relation, text, current)
        case SetSchemaMode(_, mode):
            if relation.view is None:
                raise Refused(f"{relation.name} is not a view")
            return replace(relation, view=replace(relation.view, schema_mode=mode))
        case AddColumns() | ReplaceColumns() | ChangeColumns() | DropColumns():
            return _with_columns(relation, statement, dialect)
        case DropConstraint():
            _check_keeps_required(relation, dialect)
            return relation
        case NoChange():
            return relation
        case UnknownChange(_, why):
            raise Refused(why)
        case _:
            assert_never(statement)


def _check_keeps_required(relation: Relation, dialect: Dialect) -> None:
    """Refuses changes of required columns in Hive, where NOT NULL is a named constraint.

    Facts do not contain the names of constraints.
    """
    required = [c.name for c in relation.columns if not c.nullable]
    if dialect is Dialect.HIVE and required:
        why = f"the constraint may be what makes {required[0]} NOT NULL"
        raise Refused(f"{relation.name}: {why}")


def _with_columns(relation: Relation, statement: ColumnAlteration, dialect: Dialect) -> Relation:
    if relation.is_view:
        raise Refused(f"{relation.name} is a view, whose columns follow from its query")
    try:
        return _with_altered(relation, statement, dialect)
    except NoSuchColumn as error:
        known = ", ".join(c.name for c in relation.every_column)
        why = f"there is no column {error} in {relation.name} (its columns are {known})"
        raise Refused(why) from None
    except InvalidFields as error:
        raise Refused(f"{relation.name}: {error}") from None


def _with_altered(relation: Relation, statement: ColumnAlteration, dialect: Dialect) -> Relation:
    if isinstance(statement, ChangeColumns):
        for change in statement.changes:
            relation = _with_changed(relation, replace(statement, changes=(change,)), dialect)
        return relation
    columns = _named(relation, alter_columns(relation.columns, statement), dialect)
    return with_distinct_names(replace(relation, columns=columns))


def _with_changed(relation: Relation, statement: ChangeColumns, dialect: Dialect) -> Relation:
    """The relation after ``statement``, which has one change, to a column or a partition column."""
    (change,) = statement.changes
    partitions = relation.partition_columns
    if has_column(partitions, change.path[0]):
        changed = _named(relation, alter_columns(partitions, statement), dialect)
        return with_distinct_names(replace(relation, partition_columns=changed))
    columns = _named(relation, alter_columns(relation.columns, statement), dialect)
    return with_distinct_names(replace(relation, columns=columns))


def _named(relation: Relation, columns: tuple[Column, ...], dialect: Dialect) -> tuple[Column, ...]:
    keeps_case = dialect is Dialect.SPARK or PROVIDER in relation.properties
    return columns if keeps_case else lower_case_columns(columns)


def with_distinct_names(relation: Relation) -> Relation:
    twice = duplicate_name(relation.every_column)
    if twice is not None:
        raise Refused(f"{relation.name} would have two columns named {twice}")
    return relation


def comment_apart(
    comment: str | None, properties: Mapping[str, str]
) -> tuple[str | None, dict[str, str]]:
    """Separates the comment from the properties.

    Facts have the comment as a separate field; metastores have it as a property.
    """
    kept = without_volatile(properties)
    stored = kept.pop("comment", None)
    return (comment if stored is None else stored), kept


def with_recorded_settings(relation: Relation) -> Relation:
    """A Spark view with the settings in its properties, which affect the meaning of its text."""
    view = relation.view
    if view is None or view.dialect is not Dialect.SPARK:
        return relation
    found = sql_configs(relation.properties)
    others = {k: v for k, v in relation.properties.items() if not k.startswith(SQL_CONFIG)}
    kept = replace(view, sql_configs={**view.sql_configs, **found})
    return replace(relation, properties=others, view=kept) if found else relation


def _without_recorded_settings(relation: Relation, keys: tuple[str, ...]) -> Relation:
    if relation.view is None:
        return relation
    configs = relation.view.sql_configs
    kept = {key: value for key, value in configs.items() if f"{SQL_CONFIG}{key}" not in keys}
    return replace(relation, view=replace(relation.view, sql_configs=kept))


def _with_query(relation: Relation, text: str, current: tuple[str, ...]) -> Relation:
    if relation.view is None:
        raise Refused(f"{relation.name} is not a view")
    view = replace(
        relation.view, text=text, original_text=text, current_namespace=current, query_columns=()
    )
    # ALTER VIEW AS drops the declared columns, in Hive and in Spark.
    return replace(relation, view=view, columns=())
