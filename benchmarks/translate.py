"""View text → Avro schema, compared with sqlglot's parse + qualify + annotate: ``make bench-translate``.

Corpora: TPC-H's 22 queries in both dialects and the gallery of tests. Each is timed from its text to the
Avro schema and the lineage, with upstreams given. sqlglot parses the same text with the same (compiled)
parser, qualifies columns and annotates types. Then follows a lake of views: each level reads the one
before, and shared parents are derived once.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

import sqlglot
from sqlglot.optimizer.annotate_types import annotate_types
from sqlglot.optimizer.qualify import qualify

from benchmarks.process_memory import tree_resident_bytes
from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, Relation
from lakeschema.translation.deriving.derivation import derive, upstreams_of
from lakeschema.translation.model.errors import TranslationError
from lakeschema.translation.model.interface import Interface, Options

TESTS = Path(__file__).parent.parent / "tests"
OPTIONS = Options()
DEPTH = 12
_REPETITIONS = count()


@dataclass(frozen=True, slots=True)
class Case:
    """A view, its upstreams' interfaces, and the same facts for sqlglot."""

    corpus: str
    relation: Relation
    upstreams: Mapping[RelationName, Interface]
    schema: dict[str, object]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5, help="times of which the best counts")
    parser.add_argument("--views", type=int, default=10_000, help="of the lake")
    chosen = parser.parse_args()
    cases = [*tpch(), *gallery()]
    print(
        f"{'corpus':<16}{'views':>6}{'p50 ms':>9}{'p95 ms':>9}{'sqlglot':>9}{'p95':>8}{'ratio':>7}"
    )
    for corpus in dict.fromkeys(case.corpus for case in cases):
        chosen_cases = [case for case in cases if case.corpus == corpus]
        ours = _timed(chosen_cases, _ours, chosen.repeat)
        theirs = _timed(chosen_cases, _sqlglots, chosen.repeat)
        both = [
            (a, b) for a, b in zip(ours, theirs, strict=True) if b is not None and a is not None
        ]
        mine, peer = [a for a, _ in both], [b for _, b in both]
        print(
            f"{corpus:<16}{len(both):>6}{_p(mine, 50):>9.2f}{_p(mine, 95):>9.2f}"
            f"{_p(peer, 50):>9.2f}{_p(peer, 95):>8.2f}{sum(mine) / sum(peer):>7.2f}"
        )
    _lake(chosen.views)


def tpch() -> Iterator[Case]:
    folder = TESTS / "data" / "tpch"
    tables = (folder / "tables.sql").read_text()
    for dialect in (Dialect.HIVE, Dialect.SPARK):
        for path in sorted(folder.glob("q*.sql")):
            view = f"CREATE VIEW {path.stem} AS {path.read_text()}"
            relations = relations_from_ddl([tables, view], dialect)
            yield _case(f"TPC-H {dialect.value}", relations, RelationName.of("default", path.stem))


def gallery() -> Iterator[Case]:
    for folder in sorted((TESTS / "gallery").iterdir()):
        view = (folder / "view.sql").read_text()
        dialect = Dialect.SPARK if view.startswith("-- dialect: spark") else Dialect.HIVE
        relations = relations_from_ddl([(folder / "tables.sql").read_text(), view], dialect)
        name = [name for name, relation in relations.items() if relation.is_view][-1]
        if not (folder / "udfs.json").exists():
            yield _case("gallery", relations, name)


def _case(corpus: str, relations: Mapping[RelationName, Relation], name: RelationName) -> Case:
    upstreams = {u: _interface(relations, u) for u in upstreams_of(relations[name], OPTIONS)}
    schema: dict[str, dict[str, dict[str, str]]] = {}
    for upstream, interface in upstreams.items():
        columns = {c.name.lower(): print_type(c.type) for c in interface.columns}
        schema.setdefault(upstream.namespace[0], {})[upstream.name] = columns
    return Case(corpus, relations[name], upstreams, dict(schema))


def _interface(relations: Mapping[RelationName, Relation], name: RelationName) -> Interface:
    relation = relations[name]
    above = {u: _interface(relations, u) for u in upstreams_of(relation, OPTIONS)}
    return derive(relation, above, OPTIONS).interface


def _ours(case: Case) -> None:
    view = case.relation.view
    assert view is not None
    # A comment makes each text new, so that it is not in the parser's cache.
    text = f"{view.text} -- {next(_REPETITIONS)}"
    derive(replace(case.relation, view=replace(view, text=text)), case.upstreams, OPTIONS)


def _sqlglots(case: Case) -> None:
    view = case.relation.view
    assert view is not None
    tree = sqlglot.parse_one(view.text, dialect=view.dialect.value)
    annotate_types(
        qualify(tree, schema=case.schema, db="default", dialect=view.dialect.value),
        schema=case.schema,
        dialect=view.dialect.value,
    )


def _timed(cases: Sequence[Case], work: Callable[[Case], None], repeat: int) -> list[float | None]:
    """The best of several times, in seconds; None if the view was refused."""
    found: list[float | None] = []
    for case in cases:
        try:
            work(case)
            found.append(min(_once(case, work) for _ in range(repeat)))
        except (TranslationError, sqlglot.errors.SqlglotError):
            found.append(None)
    return found


def _once(case: Case, work: Callable[[Case], None]) -> float:
    began = time.perf_counter()
    work(case)
    return time.perf_counter() - began


def _p(seconds: Sequence[float], percent: int) -> float:
    ordered = sorted(seconds)
    if percent == 50:
        return statistics.median(ordered) * 1000
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))] * 1000


def _lake(views: int) -> None:
    """Levels of views, two parents each; every view is derived once, in order."""
    width = max(1, views // DEPTH)
    names = (
        "id BIGINT, place STRUCT<street:STRING,zip:INT>, tags ARRAY<STRING>, total DECIMAL(12,2)"
    )
    tables = [f"CREATE TABLE v0_{i} ({names});" for i in range(width)]
    texts = [
        f"CREATE VIEW v{level}_{i} AS SELECT a.id, a.place, b.tags, a.total + b.total AS total "
        f"FROM v{level - 1}_{i} a JOIN v{level - 1}_{(i + 1) % width} b ON a.id = b.id "
        f"WHERE a.id > {level};"
        for level in range(1, DEPTH + 1)
        for i in range(width)
    ][:views]
    relations = relations_from_ddl(["\n".join(tables), "\n".join(texts)])
    known: dict[RelationName, Interface] = {}
    before, half = tree_resident_bytes(os.getpid()), 0
    began = time.perf_counter()
    for number, (name, relation) in enumerate(relations.items()):
        above = {u: known[u] for u in upstreams_of(relation, OPTIONS)}
        known[name] = derive(relation, above, OPTIONS).interface
        if number == len(relations) // 2:
            half = tree_resident_bytes(os.getpid())
    seconds = time.perf_counter() - began
    after = tree_resident_bytes(os.getpid())
    print(
        f"lake: {len(texts)} views of depth {DEPTH} in {seconds:.1f} s, {len(relations) / seconds:.0f}/s;"
        f" memory +{(half - before) / 1e6:.0f} MB in the first half, +{(after - half) / 1e6:.0f} MB in the second"
    )


if __name__ == "__main__":
    main()
