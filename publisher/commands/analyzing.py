"""Prints what the statements in SQL files read and write, as tables for people."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from publisher.commands.failures import OUTSIDE_FAILED, USAGE_ERROR, Refused
from publisher.commands.output.tables import plain_console, print_table, say

Row = Sequence[str]

SHOWN: Final = ("table_access", "column_lineage", "dataflow", "defence")
"""The analyses that are printed by default."""

STANDARD_INPUT: Final = Path("-")


def read_sql(path: Path) -> str:
    """The text of a file, or of standard input.

    Raises:
        Refused: the file cannot be read, or is not UTF-8.
    """
    try:
        if path == STANDARD_INPUT:
            return sys.stdin.buffer.read().decode("utf-8-sig")
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise Refused(OUTSIDE_FAILED, f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise Refused(USAGE_ERROR, f"{path} is not UTF-8: {error}") from error


def print_analysis(place: str, result: Mapping[str, Any]) -> None:
    """Prints the answer of ``analyze`` for one text: a table for each analysis with a result."""
    console = plain_console()
    statements: Sequence[Mapping[str, Any]] = result["statements"]
    failed = sum("error" in each for each in statements)
    unread = f", {failed} cannot be read" if failed else ""
    what = "1 statement" if len(statements) == 1 else f"{len(statements)} statements"
    say(console, f"{place}: {what}{unread}")
    print_table(console, "cannot be read", ("statement", "line:column", "why"), _errors(statements))
    for name, (title, headings, rows) in _OF_EACH.items():
        found = (
            (str(number), *row)
            for number, each in enumerate(statements, 1)
            if name in each and "error" not in each
            for row in rows(each)
        )
        print_table(console, title, ("statement", *headings), found)
    for name, (title, headings, of_all) in _OF_ALL.items():
        if name in result:
            print_table(console, title, headings, of_all(result[name]))


def _errors(statements: Iterable[Mapping[str, Any]]) -> Iterator[Row]:
    for number, each in enumerate(statements, 1):
        if "error" in each:
            error = each["error"]
            hint = f"\n{error['hint']}" if "hint" in error else ""
            yield str(number), _position(error), f"{error['message']}{hint}"


def _position(found: Mapping[str, Any]) -> str:
    return f"{found['line']}:{found['column']}" if "line" in found else ""


def _column(found: Mapping[str, Any]) -> str:
    path = "".join(f".{part}" for part in found.get("path", ()))
    return f"{found['relation'] or '?'}.{found['column']}{path}"


def _columns(found: Iterable[Mapping[str, Any]]) -> str:
    return "\n".join(dict.fromkeys(map(_column, found)))


def _table_access(statement: Mapping[str, Any]) -> Iterator[Row]:
    touched = statement["table_access"]
    for access in dict.fromkeys(each["access"] for each in touched):
        names = (each["relation"] for each in touched if each["access"] == access)
        yield statement["verb"], access, "\n".join(names)
    if not touched:
        yield statement["verb"], "", ""


def _column_access(statement: Mapping[str, Any]) -> Iterator[Row]:
    for each in statement["column_access"]:
        yield _column(each), each["clause"]


def _joins(statement: Mapping[str, Any]) -> Iterator[Row]:
    for first, second in statement["joins"]:
        yield _column(first), _column(second)


def _table_lineage(statement: Mapping[str, Any]) -> Iterator[Row]:
    for target, sources in statement["table_lineage"].items():
        yield target, "\n".join(sources)


def _column_lineage(statement: Mapping[str, Any]) -> Iterator[Row]:
    for each in statement["column_lineage"]:
        target = each["target"] or "the answer"
        for column in each["columns"]:
            name = f"{target}.{column['column']}"
            yield name, _columns(column["direct"]), _deciding(column["indirect"])
        if each["rows"]:
            yield f"which rows of {target}", "", _deciding(each["rows"])


def _deciding(found: Iterable[Mapping[str, Any]]) -> str:
    return "\n".join(dict.fromkeys(f"{_column(each)} ({each['clause']})" for each in found))


def _catalog_updates(statement: Mapping[str, Any]) -> Iterator[Row]:
    for each in statement["catalog_updates"]:
        columns = ", ".join(each["columns"] or ())
        new_name = f"\nnow {each['new_name']}" if "new_name" in each else ""
        yield each["change"], f"{each['relation'] or '?'}{new_name}", columns


def _defence(statement: Mapping[str, Any]) -> Iterator[Row]:
    for each in statement["defence"]:
        hint = f"\n{each['hint']}" if "hint" in each else ""
        yield _position(each), each["severity"], each["rule"], f"{each['message']}{hint}"


def _permissions(statement: Mapping[str, Any]) -> Iterator[Row]:
    for need in statement["permissions"]["needs"]:
        yield need["privilege"], need["relation"], ", ".join(need.get("columns", ()))


def _dataflow(found: Mapping[str, Sequence[str]]) -> Iterator[Row]:
    for target, sources in found.items():
        yield target, "\n".join(sources)


def _column_dataflow(found: Iterable[Mapping[str, Any]]) -> Iterator[Row]:
    for each in found:
        yield _column(each), _columns(each["sources"])


def _events(found: Iterable[Mapping[str, Any]]) -> Iterator[Row]:
    for each in found:
        yield (json.dumps(each),)


_Section = tuple[str, Row, Callable[[Any], Iterator[Row]]]

_OF_EACH: Final[Mapping[str, _Section]] = {
    "table_access": ("tables", ("does", "access", "tables"), _table_access),
    "column_access": ("columns read", ("column", "in"), _column_access),
    "joins": ("joins", ("column", "with"), _joins),
    "table_lineage": ("where tables come from", ("table", "from"), _table_lineage),
    "column_lineage": (
        "where columns come from",
        ("column", "from", "decided by"),
        _column_lineage,
    ),
    "catalog_updates": ("changes of tables", ("change", "table", "columns"), _catalog_updates),
    "defence": ("findings", ("line:column", "severity", "rule", "what"), _defence),
    "permissions": ("privileges needed", ("privilege", "table", "columns"), _permissions),
}
_OF_ALL: Final[Mapping[str, _Section]] = {
    "dataflow": ("where the data comes from in the end", ("table", "from"), _dataflow),
    "column_dataflow": (
        "the original sources of columns' data",
        ("column", "from"),
        _column_dataflow,
    ),
    "openlineage": ("events of OpenLineage", ("event",), _events),
}
