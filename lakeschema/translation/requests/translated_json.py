"""Translations of a view as plain JSON values."""

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
    """``sql``, ``udfs`` to register (name, class, artifacts), ``settings`` and ``schema`` (DDL)."""
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
    """``defines`` and ``statements`` in order, the rows' ``alias`` and ``schema``, ``udfs`` to provide."""
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
    """``sql``, the ``functions`` that Trino must have, and ``columns`` (name, Trino's type)."""
    return {"sql": query.sql, "functions": list(query.functions), "columns": _columns(query)}


def hive_answer(query: HiveQuery) -> dict[str, Any]:
    """``sql`` and ``columns`` (name, Hive's type)."""
    return {"sql": query.sql, "columns": _columns(query)}


def _columns(query: HiveQuery | TrinoQuery) -> list[dict[str, Any]]:
    return [
        {"name": column.name, "type": type_, "nullable": column.nullable}
        for column, type_ in zip(query.columns, query.types, strict=True)
    ]


def governed_answer(found: GovernedRelation, target: str) -> Any:
    """The target's answer as without policies; texts also say what the ``policies`` did.

    ``target`` is one of avro, plan, spark, trino, hive, pig.
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
    """The ``columns`` with masks or tags, those ``dropped``, and the relations whose rows are ``filtered``."""
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
