"""Resolves ``_metadata``, a column of Spark's file tables that stars leave out."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from lakeschema.catalog.column_types import BIGINT, STRING, TIMESTAMP, ColumnType
from lakeschema.translation.plan.expressions import Call, RowExpression
from lakeschema.translation.plan.operators import OF_FILES, NullClass, Operator
from lakeschema.translation.resolution.fields import field_path
from lakeschema.translation.resolution.scopes import Scope
from lakeschema.translation.syntax import tree

_COLUMN: Final = "_metadata"
_FIELDS: Final[Mapping[str, ColumnType]] = MappingProxyType(
    {
        "file_path": STRING,
        "file_name": STRING,
        "file_size": BIGINT,
        "file_block_start": BIGINT,
        "file_block_length": BIGINT,
        "file_modification_time": TIMESTAMP,
        # Only Parquet tables have this field.
        "row_index": BIGINT,
    }
)
"""Source: ``FileFormat.BASE_METADATA_FIELDS`` and ``ParquetFileFormat`` of Spark 4."""


def file_metadata(node: tree.Name, scope: Scope | None) -> RowExpression | None:
    """The field ``_metadata.file_name`` of the only table, or ``t._metadata.file_name``.

    A view can name ``_metadata`` only if its table is a file table. Only single fields are supported,
    because the set of fields depends on the file format. In a join a field may be null, since a row
    of the other table may lack a match.
    """
    lower = tuple(part.lower() for part in node.parts)
    if scope is None or _COLUMN not in lower[:-1]:
        return None
    place = lower.index(_COLUMN)
    type_ = _FIELDS.get(lower[place + 1])
    tables = [s for s in scope.sources if s.is_table and (not place or s.answers_to(lower[:place]))]
    if type_ is None or len(tables) != 1:
        return None
    operator = Operator(
        f"{'.'.join(tables[0].qualifier)}.{lower[place + 1]}{OF_FILES}", NullClass.PARTIAL
    )
    found = Call(operator, (), type_, nullable=len(scope.sources) > 1)
    return field_path(found, node.parts[place + 2 :], node.position)
