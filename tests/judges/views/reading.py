"""Spark views as Spark reads them in one of its two modes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from types import MappingProxyType

from pyspark.sql import SparkSession

from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, Relation
from tests.judges.sessions import with_settings

ANSI = "spark.sql.ansi.enabled"
TIME = "spark.sql.timeType.enabled"


def in_mode(spark: SparkSession, *, ansi: bool) -> AbstractContextManager[None]:
    return with_settings(spark, {ANSI: str(ansi).lower()})


def relations_of(
    ddl: Sequence[str], *, ansi: bool, dialect: Dialect = Dialect.SPARK
) -> Mapping[RelationName, Relation]:
    """The relations that the statements create; a session in this mode creates the views."""
    configs = MappingProxyType({ANSI: str(ansi).lower(), TIME: "true"})
    return {
        name: relation
        if relation.view is None
        else replace(relation, view=replace(relation.view, sql_configs=configs))
        for name, relation in relations_from_ddl(ddl, dialect).items()
    }


def view_of(name: str, text: str, *, ansi: bool) -> Relation:
    made = relations_of([f"CREATE VIEW {name} AS {text}"], ansi=ansi)
    return made[RelationName.of("default", name)]
