"""Five kinds of relation, each in three versions as an owner would change it.

All have the same columns, so that one action fits each of them. The DDL of a kind, with a few facts,
contains its differences.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from lakeschema.catalog.identifiers import RelationName

VERSIONS = ("1.0.0", "1.1.0", "2.0.0")

_COLUMNS = """\
  id BIGINT,
  customer STRING COMMENT 'Who pays: "the \\\\customer".',
  total DECIMAL(10, 2),
  placed_at TIMESTAMP,
  day DATE,
  paid BOOLEAN,
  photo BINARY,
  tags ARRAY<STRING>,
  counts MAP<STRING, BIGINT>,
  ship STRUCT<city: STRING, zip: INT>,
  lines ARRAY<STRUCT<sku: STRING, price: DECIMAL(10, 2)>>{more}"""
_ADDED = ",\n  unit STRING COMMENT 'Since 1.1.'"
_LEGACY = ",\n  weight DOUBLE"
# A column is added, which breaks nobody, and one is dropped, which does.
_ENDS: Mapping[str, str] = MappingProxyType(
    {"1.0.0": _LEGACY, "1.1.0": _LEGACY + _ADDED, "2.0.0": _ADDED}
)


@dataclass(frozen=True, slots=True)
class Kind:
    """A relation's kind.

    Attributes:
        ddl: the statements of a version; ``{columns}`` are the columns, ``{names}`` their names.
        more_columns: columns that only this kind has.
        ship: the class of the struct ``ship``; ``line`` that of the items of ``lines``.
    """

    name: str
    dialect: Literal["hive", "spark"]
    ddl: str
    more_columns: str = ""
    ship: str = "Ship"
    line: str = "Lines"

    @property
    def relation(self) -> RelationName:
        return RelationName.of("shop", self.name)

    def statements(self, version: str) -> str:
        columns = _COLUMNS.format(more=self.more_columns + _ENDS[version])
        names = [line.split()[0] for line in columns.splitlines()]
        return self.ddl.format(columns=columns, names=", ".join(names))

    def __str__(self) -> str:
        return self.name


HIVE_TABLE = Kind(
    "hive_table", "hive", "CREATE TABLE shop.hive_table (\n{columns})\nSTORED AS PARQUET;\n"
)
SPARK_TABLE = Kind(
    "spark_table",
    "spark",
    "CREATE TABLE shop.spark_table (\n{columns})\nUSING parquet;\n",
    more_columns=",\n  wall TIMESTAMP_NTZ",
)
HIVE_VIEW = Kind(
    "hive_view",
    "hive",
    "CREATE TABLE shop.orders (\n{columns})\nSTORED AS ORC;\n"
    "CREATE VIEW shop.hive_view AS SELECT {names}, size(tags) AS tag_count FROM shop.orders;\n",
    ship="Ship_",
    line="Lines_",
)
SPARK_VIEW = Kind(
    "spark_view",
    "spark",
    "CREATE TABLE shop.sales (\n{columns})\nUSING parquet;\n"
    "CREATE VIEW shop.spark_view AS SELECT {names}, size(tags) AS tag_count FROM shop.sales;\n",
    more_columns=",\n  wall TIMESTAMP_NTZ",
    ship="Ship_",
    line="Lines_",
)
NESTED_MAPS = Kind(
    "nested_maps",
    "spark",
    "CREATE TABLE shop.nested_maps (\n{columns})\nUSING iceberg;\n",
    more_columns=(",\n  shelves MAP<INT, MAP<DATE, ARRAY<STRUCT<sku: STRING, amount: INT>>>>"),
)

KINDS = (HIVE_TABLE, SPARK_TABLE, HIVE_VIEW, SPARK_VIEW, NESTED_MAPS)
