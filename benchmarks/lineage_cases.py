"""Answers of ``analyze --batch`` to recorded cases: ``python -m benchmarks.lineage_cases FILE``.

Each author's conventions are options of the request, or rules for reading the answer: the sources and
targets of a script, the shown names. No rule depends on a single case.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from lakeschema.analysis.batch import answer
from tests.judges.queries.script_graph import ScriptGraph

_ASKED: Final = (
    *("table_access", "column_access", "joins", "table_lineage", "column_lineage"),
    *("catalog_updates", "column_dataflow"),
)
_DIALECTS: Final = MappingProxyType(
    {"": "ansi", "generic": "ansi", "sparksql": "spark", "sqlserver": "tsql"}
)
_OPTIONS: Final[Mapping[str, Mapping[str, bool]]] = MappingProxyType(
    {
        "sqllineage": {
            "window_keys_are_direct": True,
            "count_reads_all": True,
            "names_unknown_columns": True,
            "open_stars_hide_names": True,
            "unused_common_tables": True,
            "using_reads_both": True,
        },
        "openlineage": {"window_keys_are_direct": True},
        "queryparser": {},
        "datahub": {
            "window_keys_are_direct": True,
            "unused_common_tables": True,
            "set_operations_compare": False,
        },
    }
)
_CLAUSES: Final = MappingProxyType(
    {
        "group by": "GROUPBY",
        "order by": "ORDER",
        "partition by": "PARTITION",
        "lateral view": "LATERALVIEW",
    }
)
_ACCESS: Final = MappingProxyType(
    {
        "read data": "ReadData",
        "read metadata": "ReadMeta",
        "write data": "WriteData",
        "write metadata": "WriteMeta",
    }
)
_WITHOUT_LINEAGE: Final = frozenset({"ALTER", "CACHE", "DELETE", "TRUNCATE"})
"""To sqllineage."""
_QUOTES: Final = str.maketrans("", "", '"`[]')


@dataclass(slots=True)
class Read:
    """The effects of a case's statements, in its author's terms."""

    sources: set[str] = field(default_factory=set)
    targets: set[str] = field(default_factory=set)
    columns: set[tuple[tuple[str, ...], str]] = field(default_factory=set)
    joins: set[tuple[str, ...]] = field(default_factory=set)
    column_access: set[tuple[str, str]] = field(default_factory=set)
    table_use: set[tuple[str, str]] = field(default_factory=set)
    lineage_map: dict[str, tuple[str, ...]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)


def request_of(case: Mapping[str, Any]) -> dict[str, Any]:
    """The case as a request."""
    source = case["source"]
    settings = case["settings"]
    native = case["dialect"] if source == "sqllineage" else case["dialect_native"]
    namespace = settings.get("DEFAULT_SCHEMA")
    request = {
        "id": case["id"],
        "sql": ";\n".join(text.rstrip("; \n") for text in case.get("statements") or [case["sql"]]),
        "dialect": _DIALECTS.get(native, native),
        "tables": case["schema"],
        "namespace": [namespace] if namespace else [],
        "ask": list(_ASKED),
        "options": dict(_OPTIONS[source]),
    }
    if source == "sqllineage":
        request["aliases_in_items"] = settings["LATERAL_COLUMN_ALIAS_REFERENCE"]
    return request


def read_answer(case: Mapping[str, Any], reply: Mapping[str, Any]) -> Read:
    """The answer by the conventions of the case's author."""
    found = Read()
    if "error" in reply:
        found.errors.append(reply["error"]["message"])
        return found
    known = set(map(plain, case["schema"]))
    statements = reply["result"]["statements"]
    found.errors += [each["error"]["message"] for each in statements if "error" in each]
    understood = [each for each in statements if "error" not in each]
    if case["source"] == "sqllineage":
        graph = _graph_of(understood)
        found.sources, found.targets = graph.sources(), graph.targets()
    for statement in understood:
        _read_tables(case["source"], statement, known, found)
        for lineage in statement["column_lineage"]:
            _read_columns(case["source"], lineage, found)
        for pair in statement["joins"]:
            found.joins.add(tuple(sorted(map(_column, pair))))
        for use in statement["column_access"]:
            if use["relation"] is not None:
                clause = _CLAUSES.get(use["clause"], use["clause"].upper())
                found.column_access.add((_column(use), clause))
        for target, sources in statement["table_lineage"].items():
            found.lineage_map[plain(target)] = tuple(sorted(map(plain, sources)))
    if case["source"] == "sqllineage" and len(statements) > 1:
        _see_through(reply["result"]["column_dataflow"], found)
    return found


def _graph_of(statements: list[Mapping[str, Any]]) -> ScriptGraph:
    """The graph of the statements; sqllineage counts a procedure as one statement."""
    graph = ScriptGraph()
    for procedure, together in groupby(statements, lambda each: each.get("procedure")):
        parts = list(together)
        for each in [parts] if procedure else [[part] for part in parts]:
            _add_to(graph, each)
    return graph


def _add_to(graph: ScriptGraph, statements: list[Mapping[str, Any]]) -> None:
    read: set[str] = set()
    written: set[str] = set()
    for statement in statements:
        verb = statement["verb"]
        if verb.startswith("DROP"):
            for use in statement["table_access"]:
                graph.drop(plain(use["relation"]))
        elif verb == "RENAME":
            for old, new in _moves(statement):
                graph.rename(old, new)
        elif verb == "SWAP":
            first, second = (plain(table) for table in statement["table_lineage"])
            graph.add({second}, {first})
        elif verb not in _WITHOUT_LINEAGE:
            reads, writes = _reads_and_writes(statement)
            read |= reads
            written |= writes
    graph.add(read, written)


def _moves(statement: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for new, olds in statement["table_lineage"].items():
        yield from ((plain(old), plain(new)) for old in olds)


def _see_through(dataflow: list[Mapping[str, Any]], found: Read) -> None:
    """Follows columns as sqllineage does: from those that no later statement reads to their origins."""
    read = {source for sources, _ in found.columns for source in sources}
    found.columns.clear()
    for column in dataflow:
        name = _column(column)
        sources = tuple(sorted({_column(source) for source in column["sources"]} - {name}))
        if sources and name not in read:
            found.columns.add((sources, name))


def _read_tables(author: str, statement: Mapping[str, Any], known: set[str], found: Read) -> None:
    verb = statement["verb"]
    access = [(_ACCESS[use["access"]], plain(use["relation"])) for use in statement["table_access"]]
    dropped = verb.startswith("DROP")
    # Queryparser ignores tables that its catalog lacks.
    found.table_use.update((kind, table) for kind, table in access if not dropped or table in known)
    if author == "sqllineage":
        return
    read, written = _reads_and_writes(statement)
    if verb == "RENAME":
        moves = list(_moves(statement))
        read, written = {old for old, _ in moves}, {new for _, new in moves}
    if author == "datahub" and verb == "UPDATE":
        # The statement reads the table's rows before it changes them.
        read |= written
    found.sources |= read
    found.targets |= written


def _reads_and_writes(statement: Mapping[str, Any]) -> tuple[set[str], set[str]]:
    """The tables that the statement reads, as rows or definitions, and the tables that it writes."""
    verb = statement["verb"]
    access = [(use["access"], plain(use["relation"])) for use in statement["table_access"]]
    reads = {"read data", "read metadata"} if verb == "CREATE TABLE LIKE" else {"read data"}
    read = {table for kind, table in access if kind in reads}
    written = {table for kind, table in access if kind.startswith("write")}
    if verb == "EXCHANGE PARTITION":
        written -= read
    if verb == "MERGE":
        read -= written
    return read - {""}, written - {""}


def _read_columns(author: str, lineage: Mapping[str, Any], found: Read) -> None:
    target = lineage["target"]
    if author == "sqllineage" and target is None and found.targets:
        # In a statement that writes rows, returned rows are no lineage.
        return
    prefix = f"{target}." if target else ""
    for column in lineage["columns"]:
        sources = tuple(sorted(map(_column, column["direct"])))
        if sources or author == "datahub":
            found.columns.add((sources, _shown_name(author, prefix + column["column"])))


def _shown_name(author: str, name: str) -> str:
    """Names a column as the author does: DataHub uses an unnamed column's expression, reformatted."""
    return "(unnamed)" if author == "datahub" and "(" in name else plain(name)


def _column(column: Mapping[str, Any]) -> str:
    name = ".".join((column["column"], *column.get("path", ())))
    return plain(name if not column["relation"] else f"{column['relation']}.{name}")


def plain(name: str) -> str:
    """The name without quotation marks and case, in which authors differ."""
    text = name.translate(_QUOTES).removeprefix("<default>.")
    return text.removeprefix("path:").lower()


def misses(case: Mapping[str, Any], found: Read) -> Iterator[tuple[str, Any, Any]]:
    """Differences from the author's expectation: (what, expected, found)."""
    expected = case["expected"]
    tables = expected.get("tables")
    if tables is not None:
        both = tuple(set(map(plain, tables[side])) for side in ("sources", "targets"))
        if both != (found.sources, found.targets):
            yield "tables", both, (found.sources, found.targets)
    compared: tuple[tuple[str, Any, Any], ...] = (
        ("columns", _columns_of(case["source"], expected.get("columns")), found.columns),
        ("joins", _pairs(expected.get("joins")), found.joins),
        ("joins", _pairs(expected.get("joins_involved")), found.joins),
        ("column_access", _first_plain(expected.get("column_access")), found.column_access),
        ("table_use", _second_plain(expected.get("table_use")), found.table_use),
        ("lineage_map", _map_of(expected.get("lineage_map")), found.lineage_map),
    )
    for what, wanted, got in compared:
        if wanted is not None and wanted != got:
            yield what, wanted, got


def _columns_of(author: str, columns: Any) -> Any:
    if columns is None:
        return None
    return {
        (tuple(sorted(map(plain, sources))), _shown_name(author, target))
        for sources, target in columns
    }


def _pairs(pairs: Any) -> Any:
    return None if pairs is None else {tuple(sorted(map(plain, pair))) for pair in pairs}


def _first_plain(pairs: Any) -> Any:
    return None if pairs is None else {(plain(first), second) for first, second in pairs}


def _second_plain(pairs: Any) -> Any:
    return None if pairs is None else {(first, plain(second)) for first, second in pairs}


def _map_of(lineage: Any) -> Any:
    if lineage is None:
        return None
    return {plain(target): tuple(sorted(map(plain, s))) for target, s in lineage.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--misses", action="store_true", help="show what is expected otherwise")
    chosen = parser.parse_args()
    cases = json.loads(chosen.cases.read_text(encoding="utf-8"))
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    began = time.process_time()
    for case in cases:
        asked = next(what for what, value in case["expected"].items() if value is not None)
        kind = f"{case['source']} {asked}"
        total[kind] += 1
        found = read_answer(case, answer(request_of(case)))
        wrong = list(misses(case, found))
        right[kind] += not wrong
        if wrong and chosen.misses:
            print(case["id"], " ".join(case["sql"].split())[:300], *found.errors, sep="\n  ")
            for what, wanted, got in wrong:
                print(
                    f"  {what}: expected {wanted!s:.500}\n  {'':{len(what)}}  got      {got!s:.500}"
                )
    for kind, count in sorted(total.items()):
        print(f"{kind:<28}{right[kind]:>5} of {count:>4}  {100 * right[kind] / count:6.1f} %")
    print(f"{time.process_time() - began:.2f} s of processor time")
    return 0


if __name__ == "__main__":
    sys.exit(main())
