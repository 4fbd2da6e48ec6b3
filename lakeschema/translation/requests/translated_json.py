"""Converts translations of a view to plain JSON values."""

from __future__ import annotations

from typing import Any

from lakeschema.avro.printing import to_json
from lakeschema.translation.emission.hive.query import HiveQuery
from lakeschema.translation.emission.pig.script import PigScript
from lakeschema.translation.emission.spark.query import SparkQuery
from lakeschema.translation.emission.trino.query import TrinoQuery
from lakeschema.translation.plan.explain import explain
from lakeschema.translation.products.governed import GovernedRelation


def spark_answer(query: SparkQuery) -> dict[str, Any]:
    """The answer for Spark, with ``sql``, ``udfs`` to register, ``settings`` and ``schema`` (DDL)."""
    return {
        "sql": query.sql,
        "udfs": [
            {"name": udf.name, "class": udf.class_name, "artifacts": list(udf.artifacts)}
            for udf in query.udfs
        ],
        "settings": dict(query.settings),
        "schema": query.schema,
    }


def pig_answer(script: PigScript) -> dict[str, Any]:
    """The answer for Pig, with ``defines``, ``statements``, ``alias``, ``schema`` and ``udfs``."""
    return {
        "statements": list(script.statements),
        "alias": script.alias,
        "defines": list(script.defines),
        "schema": script.schema,
        "udfs": [
            {"class": udf.class_name, "artifacts": list(udf.artifacts)} for udf in script.udfs
        ],
    }


def trino_answer(query: TrinoQuery) -> dict[str, Any]:
    """The answer for Trino, with ``sql``, the ``functions`` that Trino must have, and ``columns``."""
    return {"sql": query.sql, "functions": list(query.functions), "columns": _columns(query)}


def hive_answer(query: HiveQuery) -> dict[str, Any]:
    """The answer for Hive, with ``sql`` and ``columns`` (name, Hive's type)."""
    return {"sql": query.sql, "columns": _columns(query)}


def _columns(query: HiveQuery | TrinoQuery) -> list[dict[str, Any]]:
    return [
        {"name": column.name, "type": type_, "nullable": column.nullable}
        for column, type_ in zip(query.columns, query.types, strict=True)
    ]


def governed_answer(found: GovernedRelation, target: str) -> Any:
    """The answer for a target: avro, plan, spark, trino, hive or pig.

    It has the form of an answer without policies. A text also has ``policies``, their effects.
    """
    match target:
        case "avro":
            return to_json(found.schema)
        case "plan":
            return explain(found.plan())
        case "pig":
            text = pig_answer(found.pig())
        case "trino":
            text = trino_answer(found.trino())
        case "hive":
            text = hive_answer(found.hive())
        case "spark":
            text = spark_answer(found.spark())
        case _:
            raise ValueError(f"unknown target {target!r}")
    return {**text, "policies": _effects(found)}


def _effects(found: GovernedRelation) -> dict[str, Any]:
    """The effects of policies: masked or tagged ``columns``, ``dropped`` columns, ``filtered`` relations."""
    return {
        "columns": [
            {
                "name": name,
                "tags": sorted(governed.tags),
                "masks": [{"column": c, "mask": mask} for c, mask in sorted(governed.masks)],
            }
            for name, governed in found.governed.items()
        ],
        "dropped": list(found.dropped),
        "filtered": [str(name) for name in found.filtered],
    }
