"""Compares our types of Trino queries with Trino's: ``make bench-trino_source``.

    python -m benchmarks.trino_source FACTS.json TABLES.json [--limit N]

FACTS is a list of objects with ``trino``, a query, and ``trino_types``, its columns' types by Trino's
DESCRIBE OUTPUT; TABLES maps a table's name to its ``columns``, pairs of a name and Hive's type.
Each query is derived as a view. Queries that are refused, or whose types differ, are shown.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.seeded import Tally
from lakeschema.catalog.column_types import parse_type
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Column, Dialect, Relation, ViewText
from lakeschema.catalog.trino_types import parse_trino_type, print_trino_type
from lakeschema.translation.avro.base_table import base_table_interface
from lakeschema.translation.deriving.derivation import derive_view
from lakeschema.translation.functions import trino
from lakeschema.translation.model.errors import TranslationError
from lakeschema.translation.model.interface import Interface, Options
from tests.judges.verdicts import EQUAL_TYPES, OTHER_TYPES, Verdict, refusal

_OPTIONS = Options()
NAMESPACE = ("facts",)
VIEW = RelationName(NAMESPACE, "v of a fact")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("facts", type=Path)
    parser.add_argument("tables", type=Path)
    parser.add_argument("--limit", type=int, default=40, help="differences to show")
    chosen = parser.parse_args()
    tables = interfaces_of(json.loads(chosen.tables.read_text()))
    facts = [f for f in json.loads(chosen.facts.read_text()) if f.get("trino_types")]
    print(f"{len(trino.names())} functions and operators are known")
    tally = Tally()
    started = time.perf_counter()
    for fact in facts:
        verdict = judge(fact["trino"], fact["trino_types"], tables)
        tally.add(verdict)
        if verdict.details and tally.outcomes.total() - tally.outcomes[EQUAL_TYPES] <= chosen.limit:
            print(f"{verdict.outcome}: {verdict.details}\n    {fact['trino']}")
    milliseconds = (time.perf_counter() - started) * 1_000 / max(len(facts), 1)
    print(f"{len(facts)} queries, {milliseconds:.2f} ms each")
    tally.report()


def judge(text: str, types: Sequence[str], tables: Mapping[RelationName, Interface]) -> Verdict:
    view = Relation(VIEW, (), view=ViewText(Dialect.TRINO, text, text, NAMESPACE, "hive"))
    try:
        _, plan = derive_view(view, tables, _OPTIONS)
    except TranslationError as error:
        return refusal(error)
    found = [print_trino_type(column.type) for column in plan.columns]
    wanted = [print_trino_type(parse_trino_type(type_)) for type_ in types]
    equal = found == wanted
    return Verdict(EQUAL_TYPES) if equal else Verdict(OTHER_TYPES, f"{found}, expected {wanted}")


def interfaces_of(stored: Mapping[str, Any]) -> Mapping[RelationName, Interface]:
    found: dict[RelationName, Interface] = {}
    for name, table in stored.items():
        columns = tuple(Column(n.lower(), parse_type(t)) for n, t in table["columns"])
        relation = RelationName(NAMESPACE, name.lower())
        found[relation] = base_table_interface(Relation(relation, columns), _OPTIONS)
    return found


if __name__ == "__main__":
    main()
