"""Answers of other lineage tools to recorded cases; ``benchmarks.lineage`` runs it in their environment.

It reads cases as JSON from standard input, and writes a line for each tool and case: sources, targets,
edges between columns, seconds. It imports nothing from this project.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import logging
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Case = Mapping[str, Any]
Answer = dict[str, Any]

_DATAHUB = {"": "hive", "generic": "hive", "spark": "spark", "postgres": "postgres"}


def statements(case: Case) -> list[str]:
    return [text.strip().rstrip(";") for text in case.get("statements") or [case["sql"]]]


def sqllineage(case: Case) -> Answer:
    runner = importlib.import_module("sqllineage.runner")
    dummy = importlib.import_module("sqllineage.core.metadata.dummy")
    native = case["dialect_native"] if case["source"] == "sqllineage" else case["dialect"]
    known = {"hive", "sparksql", "postgres", "tsql", "bigquery", "snowflake", "mysql", "oracle"}
    known |= {"athena", "databricks", "redshift", "greenplum", "vertica", "exasol", "duckdb"}
    dialect = {"spark": "sparksql", "presto": "trino"}.get(native, native)
    found = runner.LineageRunner(
        ";\n".join(statements(case)),
        dialect=dialect if dialect in known else "ansi",
        metadata_provider=dummy.DummyMetaDataProvider(dict(case["schema"])),
    )
    edges: dict[str, set[str]] = {}
    for path in found.get_column_lineage():
        edges.setdefault(str(path[-1]), set()).add(str(path[0]))
    return {
        "sources": list(map(str, _value(found.source_tables))),
        "targets": list(map(str, _value(found.target_tables))),
        "columns": [[sorted(sources), target] for target, sources in edges.items()],
    }


def _value(attribute: Any) -> Any:
    """The value of an attribute that is a property in some releases and a method in others."""
    return attribute() if callable(attribute) else attribute


def openlineage(case: Case) -> Answer:
    parse = importlib.import_module("openlineage_sql").parse
    dialect = {"presto": "generic", "": "generic"}.get(case["dialect"], case["dialect"])
    found = parse(statements(case), dialect=dialect)
    if found is None:
        raise ValueError("not parsed")
    targets = [str(table) for table in found.out_tables]
    prefix = f"{targets[0]}." if len(targets) == 1 else ""
    columns = []
    for column in found.column_lineage:
        origins = [f"{c.origin}.{c.name}" if c.origin else c.name for c in column.lineage]
        columns.append([sorted(origins), prefix + column.descendant.name])
    return {
        "sources": [str(table) for table in found.in_tables],
        "targets": targets,
        "columns": columns,
    }


def datahub(case: Case) -> Answer:
    module = importlib.import_module("datahub.sql_parsing.sqlglot_lineage")
    resolver = importlib.import_module("datahub.sql_parsing.schema_resolver").SchemaResolver
    references = vars(importlib.import_module("datahub.sql_parsing._models"))["_TableName"]
    platform = _DATAHUB.get(case["dialect"], case["dialect"])
    schemas = resolver(platform=platform)
    for name, columns in case["schema"].items():
        *above, table = name.split(".")
        schema = above[-1] if above else None
        urn = schemas.get_urn_for_table(references(database=None, db_schema=schema, table=table))
        schemas.add_raw_schema_info(urn, dict.fromkeys(columns, "string"))
    found: Answer = {"sources": [], "targets": [], "columns": []}
    for text in statements(case):
        result = module.sqlglot_lineage(
            text, schema_resolver=schemas, default_schema=case["settings"].get("DEFAULT_SCHEMA")
        )
        if result.debug_info.table_error:
            raise ValueError(str(result.debug_info.table_error))
        found["sources"] += map(_table_of, result.in_tables)
        found["targets"] += map(_table_of, result.out_tables)
        for column in result.column_lineage or ():
            below = column.downstream
            table = f"{_table_of(below.table)}." if below.table else ""
            sources = sorted(f"{_table_of(c.table)}.{c.column}" for c in column.upstreams)
            found["columns"].append([sources, table + below.column])
    return found


def _table_of(urn: str) -> str:
    return urn.split(",")[1]


TOOLS: Mapping[str, Callable[[Case], Answer]] = {
    "sqllineage": sqllineage,
    "openlineage": openlineage,
    "datahub": datahub,
}


def answers(cases: list[Case]) -> Iterator[dict[str, Any]]:
    for name, tool in TOOLS.items():
        for case in cases:
            began = time.perf_counter()
            try:
                # Output that a tool prints is not its answer.
                with contextlib.redirect_stdout(io.StringIO()):
                    found = tool(case)
            except Exception as error:  # noqa: BLE001 (another tool's failure is its answer)
                found = {"error": f"{type(error).__name__}: {error}"[:200]}
            yield {"tool": name, "id": case["id"], "seconds": time.perf_counter() - began, **found}


def main() -> None:
    logging.disable(logging.CRITICAL)
    for answer in answers(json.load(sys.stdin)):
        sys.stdout.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
