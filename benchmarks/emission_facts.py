"""Recorded results of queries, compared with our emitted SQL: ``make bench-facts FACTS=path``.

The folder has ``trino_facts.json``, a list of {"id", "dialect", "sql", "source_types", "source_result"}
with optional "settings", "ordered" and "tolerance", and ``facts_tables.json`` with the tables that the
queries read. Each query is translated as a view, run on Trino 476, and its rows are compared with those
of the view's own engine. With ``--peers``, so are the unchanged text and sqlglot's transpile.
Exit status: 0 if no rows differ silently.
"""

from __future__ import annotations

import argparse
import base64
import json
import math
import struct
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from deploy.refused import Refused
from deploy.trino import Trino, TrinoAnswer
from lakeschema.translation.requests.batch import answer
from tests.judges.trino_tables import Tables, create_tables
from tests.judges.verdicts import (
    BOTH_REFUSE,
    DOES_NOT_RAISE,
    EQUAL,
    OTHER_ROWS,
    REFUSED_TEXT,
    UNSUPPORTED,
    Verdict,
)

_MAX_COLUMNS = 5

Fact = Mapping[str, Any]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("facts", type=Path)
    parser.add_argument("--only", default="", help="facts whose id has this text")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--port", type=int, help="of a Trino that runs already")
    parser.add_argument("--verbose", action="store_true")
    chosen = parser.parse_args()
    folder: Path = chosen.facts
    facts = [
        f for f in json.loads((folder / "trino_facts.json").read_text()) if chosen.only in f["id"]
    ]
    tables = json.loads((folder / "facts_tables.json").read_text())
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        if chosen.port is not None:
            return _run(_Running(chosen.port), facts, tables, chosen)
        with Trino.start(Path(place)) as trino:
            return _run(trino, facts, tables, chosen)


class _Running(Trino):
    """A server that somebody else started and will stop."""

    def __init__(self, port: int) -> None:
        self.port = port

    def stop(self) -> None:
        return


def _run(trino: Trino, facts: Sequence[Fact], tables: Tables, chosen: argparse.Namespace) -> int:
    create_tables(trino, tables)
    verdicts = [(fact, judged(trino, fact, tables)) for fact in facts]
    for fact, verdict in verdicts:
        if chosen.verbose or verdict.outcome not in {EQUAL, BOTH_REFUSE}:
            print(f"{verdict.outcome}: {fact['id']}\n  {fact['sql']}\n  {verdict.details[:1200]}")
    print_counts("ours", [verdict for _, verdict in verdicts])
    if chosen.peers:
        for name, text in _peers().items():
            print_counts(name, [of_text(trino, fact, text(fact)) for fact in facts])
    return int(any(verdict.outcome in {OTHER_ROWS, DOES_NOT_RAISE} for _, verdict in verdicts))


def _peers() -> Mapping[str, Callable[[Fact], str]]:
    import sqlglot

    def transpiled(fact: Fact) -> str:
        try:
            return sqlglot.transpile(fact["sql"], read=fact["dialect"], write="trino")[0]
        except Exception:  # noqa: BLE001 (its transpiler may fail in any way, which counts as refused)
            return ""

    return {"the same text": lambda fact: str(fact["sql"]), "sqlglot": transpiled}


def print_counts(name: str, verdicts: Sequence[Verdict]) -> None:
    counts = Counter(verdict.outcome for verdict in verdicts)
    print(
        f"{name}: " + ", ".join(f"{outcome} {number}" for outcome, number in counts.most_common())
    )


def translated(fact: Fact, tables: Tables) -> str | Verdict:
    """The fact's text for Trino, or why there is none."""
    settings = fact.get("settings") or {}
    recorded = ", ".join(f"'view.sqlConfig.{key}'='{value}'" for key, value in settings.items())
    properties = f"TBLPROPERTIES ({recorded}) " if recorded and fact["dialect"] == "spark" else ""
    ddl = [_ddl(name, tables[name]) for name in tables]
    for width in range(_MAX_COLUMNS + 1):
        names = f"({', '.join(f'c{i}' for i in range(width))}) " if width else ""
        view = f"CREATE VIEW asked {names}{properties}AS {fact['sql']}"
        request = {
            "ddl": [*ddl, view],
            "relation": "asked",
            "to": "trino",
            "dialect": fact["dialect"],
        }
        found = answer(request)
        if "result" in found:
            return str(found["result"]["sql"])
        if "has no name" not in found["error"]["message"] and not width:
            break
    error = found["error"]
    return Verdict(UNSUPPORTED, f"{error['type']}: {error['message']}")


def _ddl(name: str, table: Mapping[str, Any]) -> str:
    columns = ", ".join(f"`{column}` {type_}" for column, type_ in table["columns"])
    return f"CREATE TABLE `{name}` ({columns})"


def judged(trino: Trino, fact: Fact, tables: Tables) -> Verdict:
    ours = translated(fact, tables)
    if isinstance(ours, str):
        return of_text(trino, fact, ours)
    refused = isinstance(fact["source_result"], str)
    return Verdict(BOTH_REFUSE, ours.details) if refused else ours


def of_text(trino: Trino, fact: Fact, sql: str) -> Verdict:
    """Compares the result of a text in Trino with the result in the fact's own engine."""
    refused = isinstance(fact["source_result"], str)
    if not sql:
        return Verdict(BOTH_REFUSE if refused else UNSUPPORTED)
    try:
        found = trino.answer(sql)
    except Refused as error:
        return Verdict(BOTH_REFUSE if refused else REFUSED_TEXT, f"{sql}\n  {error}")
    if refused:
        return Verdict(DOES_NOT_RAISE, f"{sql}\n  {found.rows}")
    expected, got = fact["source_result"], rows_of(found)
    types = [type_ for _, type_ in found.columns]
    same = same_rows(
        expected, got, types, exact="tolerance" not in fact, ordered=bool(fact.get("ordered"))
    )
    return Verdict(EQUAL if same else OTHER_ROWS, f"{sql}\n  expected {expected}\n  got      {got}")


def rows_of(found: TrinoAnswer) -> list[list[Any]]:
    return [
        [
            _bytes(value) if type_ == "varbinary" else value
            for value, (_, type_) in zip(row, found.columns, strict=True)
        ]
        for row in found.rows
    ]


def _bytes(value: Any) -> Any:
    return None if value is None else base64.b64decode(value).decode("latin-1")


def same_rows(
    expected: Sequence[Sequence[Any]],
    got: Sequence[Sequence[Any]],
    types: Sequence[str],
    *,
    exact: bool,
    ordered: bool,
) -> bool:
    one = [[_comparable(v, t) for v, t in zip(row, types, strict=True)] for row in expected]
    other = [[_comparable(v, t) for v, t in zip(row, types, strict=True)] for row in got]
    if not ordered:
        one, other = sorted(one, key=repr), sorted(other, key=repr)
    return len(one) == len(other) and all(
        _same(a, b, exact=exact)
        for x, y in zip(one, other, strict=True)
        for a, b in zip(x, y, strict=True)
    )


def _comparable(value: Any, type_: str) -> Any:
    """The value with decimals and timestamps without trailing zeros, numbers as floats, sorted maps."""
    match value:
        case str() if ("decimal" in type_ or "timestamp" in type_) and "." in value:
            return value.rstrip("0").rstrip(".")
        case str() if type_ in {"double", "real"}:
            return float(value)
        case int() | float() if type_ == "real":
            # Engines print the same bits with more or fewer digits.
            return struct.unpack("f", struct.pack("f", value))[0]
        case bool() | None | str():
            return value
        case int() | float():
            return float(value) if isinstance(value, float) or abs(value) < 2**53 else value
        case list():
            return [_comparable(each, type_) for each in value]
        case dict():
            return sorted((str(k), _comparable(v, type_)) for k, v in value.items())
        case _:
            return value


def _same(one: Any, other: Any, *, exact: bool) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        if math.isnan(one) and math.isnan(other):
            return True
        return one == other or (not exact and math.isclose(one, other, rel_tol=1e-13))
    return repr(one) == repr(other)


if __name__ == "__main__":
    sys.exit(main())
