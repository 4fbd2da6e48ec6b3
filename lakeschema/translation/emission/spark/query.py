"""Writes a plan as Spark SQL that returns its rows, with the plan's names and types.

Hive's plans need a session without ANSI mode: a failed cast or a division by zero is null, and
integers wrap around.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from lakeschema.catalog.relations import Dialect
from lakeschema.translation.emission.engines import JOINS, Engine
from lakeschema.translation.emission.selects import RelationText, SelectWriter
from lakeschema.translation.emission.spark.forms import SparkForms
from lakeschema.translation.emission.spark.from_trino import types as trino_spark_types
from lakeschema.translation.emission.spark.from_trino.decimals import KEEPS_DIGITS
from lakeschema.translation.emission.spark.from_trino.dialect import FormsFromTrino
from lakeschema.translation.emission.spark.functions import IN_FROM_ALONE
from lakeschema.translation.emission.spark.text import literal, quoted, relation, type_text
from lakeschema.translation.emission.spark.udfs import SparkFunctions, SparkUdf
from lakeschema.translation.functions.semantics import Semantics
from lakeschema.translation.model.joins import JoinKind
from lakeschema.translation.plan.relations import Plan, PlanColumn
from lakeschema.translation.rewriting.hive_groups import as_hive_groups

_JOINS: Mapping[JoinKind, str] = MappingProxyType(
    {**JOINS, JoinKind.SEMI: "LEFT SEMI", JoinKind.ANTI: "LEFT ANTI"}
)


def spark_engine(dialect: Dialect, functions: SparkFunctions) -> Engine:
    """The Spark engine for one query with a plan in ``dialect``."""
    of_trino = dialect is Dialect.TRINO
    return Engine(
        quoted=quoted,
        literal=trino_spark_types.literal if of_trino else literal,
        joins=_JOINS,
        values="VALUES {rows} AS {alias}({names})",
        grouping_sets="{keys} GROUPING SETS ({sets})",
        forms=FormsFromTrino(functions) if of_trino else SparkForms(dialect, functions),
        joined_functions=IN_FROM_ALONE,
    )


@dataclass(frozen=True, slots=True)
class SparkQuery:
    """A query for Spark 4.

    Attributes:
        udfs: functions to register before the text is analysed, ordered by name.
        settings: the settings that the session needs when it analyses the text; a view records them.
        columns: the columns of the result, with letter case, types and nullability.
    """

    sql: str
    udfs: tuple[SparkUdf, ...]
    settings: Mapping[str, str]
    columns: tuple[PlanColumn, ...]

    @property
    def schema(self) -> str:
        """The result's schema in Spark's DDL, nullability included."""
        return ", ".join(
            f"{quoted(c.name)} {type_text(c.type)}{'' if c.nullable else ' NOT NULL'}"
            for c in self.columns
        )


def spark_query(
    plan: Plan,
    semantics: Semantics,
    names: Sequence[str] | None = None,
    relation_text: RelationText = relation,
    functions: SparkFunctions | None = None,
) -> SparkQuery:
    """The query of a view's plan; ``names`` replace the plan's column names.

    ``functions`` assigns names to user-defined functions; by default it is new for this query.

    Raises:
        UnsupportedConstruct: Spark has no equivalent.
        UnsupportedType: Spark has no such type.
        TranslationError: a user-defined function has no class or artifact on Spark.
    """
    shown = names or [column.name for column in plan.columns]
    functions = functions or SparkFunctions()
    writer = SelectWriter(spark_engine(semantics.dialect, functions), relation_text)
    sql = writer.view(as_hive_groups(plan) if semantics.is_hive else plan, shown)
    settings = {"spark.sql.ansi.enabled": "true" if semantics.ansi else "false"}
    if semantics.zoneless:
        # The text states for each type and function whether a timestamp has a zone.
        settings["spark.sql.timestampType"] = "TIMESTAMP_LTZ"
    if semantics.is_trino:
        # Trino's timestamps are local times. Spark's timestamps show the same times in this zone.
        settings["spark.sql.session.timeZone"] = trino_spark_types.ZONE
        settings |= dict([KEEPS_DIGITS])
    columns = tuple(replace(c, name=n) for c, n in zip(plan.columns, shown, strict=True))
    if semantics.is_trino:
        columns = tuple(replace(c, type=trino_spark_types.as_spark(c.type)) for c in columns)
    return SparkQuery(
        sql,
        functions.given,
        MappingProxyType(settings),
        columns,
    )
