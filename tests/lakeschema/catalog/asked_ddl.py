"""The statements with which Spark was asked which changes it refuses, and their tables.

Each asks for the changes that ``kinds_of_alteration`` returns; Spark's answer is about the last of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import permutations

from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.ddl_kinds import kinds_of_alteration, kinds_of_creation
from lakeschema.catalog.ddl_reader import read_statements
from lakeschema.catalog.ddl_statements import (
    Alteration,
    CreateTable,
    CreateView,
    RenameRelation,
)
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, Relation

TABLE, OTHER_DATABASE = "t", "other"

_FLAT = {
    "boolean": "boolean", "tinyint": "tinyint", "smallint": "smallint", "int": "int", "bigint": "bigint",
    "float": "float", "double": "double", "decimal": "decimal(10,2)", "string": "string", "char": "char(5)",
    "varchar": "varchar(5)", "binary": "binary", "date": "date", "timestamp": "timestamp",
}  # fmt: skip
_NTZ = {"timestamp_ntz": "timestamp_ntz"}
_NESTED = {"array": "array<int>", "map": "map<string,int>", "struct": "struct<x:int,y:string>"}
_WIDE = {"decimal": "decimal(38,10)", "char": "char(255)", "varchar": "varchar(255)"}
"""What other types are changed to: if Spark refuses these, it refuses smaller ones."""

_BESIDE = (
    ("decimal", "decimal(12,2)"), ("decimal", "decimal(12,4)"), ("decimal", "decimal(8,2)"),
    ("char", "char(9)"), ("char", "char(3)"), ("varchar", "varchar(9)"), ("varchar", "varchar(3)"),
)  # fmt: skip


def _column(family: str) -> str:
    return f"c_{family}"


def _columns(types: Mapping[str, str]) -> str:
    return ", ".join(f"{_column(family)} {type_}" for family, type_ in types.items())


_ALL = {**_FLAT, **_NTZ, **_NESTED}
_BY_PROVIDER: Mapping[str, Mapping[str, str]] = {
    "csv": {k: v for k, v in {**_FLAT, **_NTZ}.items() if k != "binary"},
    "text": {"string": "string"},
    "hive": {**_FLAT, **_NESTED},
    "view": {},
}  # fmt: skip

_FEATURES = {
    "delta": {
        "delta.columnMapping.mode": "name",
        "delta.enableTypeWidening": "true",
        "delta.feature.allowColumnDefaults": "supported",
    },
    "iceberg": {"format-version": "3"},
}
"""A metastore does not know which features such a table has, or what partitions it. Of an unpartitioned table with all
features every refusal holds."""


def created(provider: str) -> str:
    """The CREATE of a table that the questions of a provider are about."""
    if provider == "view":
        return f"CREATE VIEW {TABLE} AS SELECT 'x' AS c_string, 1 AS c_int, 'y' AS part"
    columns = _columns(_BY_PROVIDER.get(provider, _ALL))
    if provider == "hive":
        return f"CREATE TABLE {TABLE} ({columns}) PARTITIONED BY (part string) STORED AS PARQUET"
    made = f"CREATE TABLE {TABLE} ({columns}, part string) USING {provider}"
    if provider in _FEATURES:
        features = ", ".join(f"'{key}'='{value}'" for key, value in _FEATURES[provider].items())
        return f"{made} TBLPROPERTIES ({features})"
    return f"{made} PARTITIONED BY (part)"


_STATEMENTS = (
    f"ALTER TABLE {TABLE} ADD COLUMN z int",
    f"ALTER TABLE {TABLE} ADD COLUMN z int NOT NULL",
    f"ALTER TABLE {TABLE} ADD COLUMN z int FIRST",
    f"ALTER TABLE {TABLE} ADD COLUMN z int DEFAULT 5",
    f"ALTER TABLE {TABLE} ADD COLUMN c_struct.z int",
    f"ALTER TABLE {TABLE} DROP COLUMN c_string",
    f"ALTER TABLE {TABLE} DROP COLUMN c_struct.x",
    f"ALTER TABLE {TABLE} RENAME COLUMN c_string TO z",
    f"ALTER TABLE {TABLE} RENAME COLUMN c_struct.x TO z",
    f"ALTER TABLE {TABLE} REPLACE COLUMNS (c_string string)",
    f"ALTER TABLE {TABLE} ALTER COLUMN c_string COMMENT 'x'",
    f"ALTER TABLE {TABLE} CHANGE COLUMN c_string z string",
    f"ALTER TABLE {TABLE} ALTER COLUMN c_struct.x COMMENT 'x'",
    f"ALTER TABLE {TABLE} ALTER COLUMN part COMMENT 'x'",
    f"ALTER TABLE {TABLE} ALTER COLUMN c_string SET NOT NULL",
    f"ALTER TABLE {TABLE} ALTER COLUMN c_string DROP NOT NULL",
    f"ALTER TABLE {TABLE} ALTER COLUMN c_string FIRST",
    f"ALTER TABLE {TABLE} SET TBLPROPERTIES ('k'='v')",
    f"ALTER VIEW {TABLE} SET TBLPROPERTIES ('k'='v')",
    f"COMMENT ON TABLE {TABLE} IS 'x'",
    f"ALTER TABLE {TABLE} SET SERDE 'org.apache.hadoop.hive.serde2.OpenCSVSerde'",
    f"ALTER TABLE {TABLE} SET SERDEPROPERTIES ('k'='v')",
    f"CREATE OR REPLACE VIEW {TABLE} AS SELECT 1 AS z",
)


def asked(provider: str) -> Iterator[str]:
    types = _BY_PROVIDER.get(provider, _ALL)
    lacks_fields = types and "struct" not in types
    yield from (text for text in _STATEMENTS if not (lacks_fields and "c_struct" in text))
    yield _renamed(provider)
    if provider != "view":
        form = "STORED AS PARQUET" if provider == "hive" else f"USING {provider}"
        yield f"CREATE OR REPLACE TABLE {TABLE} (z string) {form}"
    for column, type_ in _changed_types(types):
        yield f"ALTER TABLE {TABLE} ALTER COLUMN {column} TYPE {type_}"


def _renamed(provider: str) -> str:
    word = "VIEW" if provider == "view" else "TABLE"
    return f"ALTER {word} {TABLE} RENAME TO {OTHER_DATABASE}.{TABLE}"


def _changed_types(types: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    targets = {**_ALL, **_WIDE} if "timestamp_ntz" in types else {**_FLAT, **_NESTED, **_WIDE}
    for old, new in permutations(targets, 2):
        if old in types:
            yield _column(old), targets[new]
    for family, type_ in _BESIDE:
        if family in types:
            yield _column(family), type_


PROVIDERS = ("parquet", "orc", "json", "csv", "avro", "text", "hive", "delta", "view", "iceberg")


@cache
def _relation(provider: str) -> Relation:
    return relations_from_ddl([created(provider)], Dialect.SPARK)[RelationName.of("default", TABLE)]


def asked_kinds(provider: str, statement: str) -> Sequence[str]:
    """The kinds of change that the statement asks for; Spark's answer is recorded for the last."""
    (placed,) = read_statements(statement, Dialect.SPARK)
    relation = _relation(provider)
    match placed.statement:
        case CreateTable() | CreateView() as creation:
            kinds = kinds_of_creation(creation, relation)
        case statement_read if isinstance(statement_read, Alteration | RenameRelation):
            kinds = kinds_of_alteration(statement_read, relation)
        case other:
            raise AssertionError(f"{statement}: {other}")
    return [*kinds]
