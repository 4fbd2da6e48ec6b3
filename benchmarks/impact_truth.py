"""Impact judged by execution: ``make bench-impact_truth``.

A column of a table is renamed, dropped, added or given another type. ``plan`` predicts the effect on each
random view, and on views over these. Spark reads every view again after the change: it gives an error,
another schema or no change. The run also judges whether the views' lineage reached all affected views, and
whether a view breaks by the loss of exactly the columns that the analysis finds in its text.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final, Literal

from pyspark.sql import SparkSession

from deploy.refused import Refused
from lakeschema.analysis.catalog import KnownCatalog, KnownTable
from lakeschema.analysis.column_access import columns_read
from lakeschema.analysis.conventions import Conventions
from lakeschema.analysis.scripts import analyse
from lakeschema.analysis.syntax.dialects import grammar_of
from lakeschema.catalog.ddl_change import Script, apply_ddl
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.relations import Dialect, Relation
from lakeschema.catalog.spark import SparkCatalog
from lakeschema.translation.deriving.direct_deriver import DirectDeriver
from lakeschema.translation.model.interface import Options
from lakeschema.translation.model.outcome import Derived, Outcome
from publisher.commands.planning.catalog_now import CatalogNow
from publisher.commands.planning.cone import Cone, derive_cone
from tests.judges.engines.protocol import answer_or_refusal
from tests.judges.engines.spark import SparkEngine
from tests.judges.lineage.views import NUMBER, TEXT, Grower, LineageTable, tables
from tests.judges.sessions import RUN_ONCE, start_spark

Fate = Literal["breaks", "changes", "stays"]
_TYPES: Final = {NUMBER: "INT", TEXT: "STRING"}
_OTHER_TYPES: Final = {NUMBER: ("BIGINT", "STRING", "DATE"), TEXT: ("INT", "BINARY")}

_MODES: Final = (
    "",
    "WITH SCHEMA BINDING",
    "WITH SCHEMA TYPE EVOLUTION",
    "WITH SCHEMA EVOLUTION",
)


@dataclass(frozen=True, slots=True)
class Change:
    """``columns``: the table's columns after the change, with their types."""

    kind: str
    table: str
    column: str
    columns: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return f"{self.kind} {self.table}.{self.column}"


@dataclass(frozen=True, slots=True)
class View:
    """``mode``: how Spark treats changes; ``over``: the view that this one reads, "" if it reads tables."""

    name: str
    text: str
    mode: str
    over: str = ""


@dataclass(slots=True)
class Found:
    fates: Counter[tuple[str, Fate, Fate]] = field(default_factory=Counter)
    reach: Counter[str] = field(default_factory=Counter)
    told: list[str] = field(default_factory=list)


class CapturedCatalog:
    """A copy of a catalog's answers."""

    def __init__(self, relations: Mapping[RelationName, Relation]) -> None:
        self._relations = relations

    def namespaces(self) -> Sequence[Namespace]:
        return sorted({name.place for name in self._relations})

    def relations(self, namespace: Namespace) -> Sequence[RelationName]:
        return [name for name in self._relations if name.place == namespace]

    def read(self, names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        return {name: self._relations[name] for name in names if name in self._relations}

    def current_event_id(self) -> int | None:
        return None


def changes(lake: Sequence[LineageTable]) -> Iterator[Change]:
    for table in lake:
        stated = tuple((name, _TYPES[kind]) for name, kind in table.columns)
        yield Change("add", table.name, "extra", (*stated, ("extra", "INT")))
        for place, (name, kind) in enumerate(table.columns):
            before, after = stated[:place], stated[place + 1 :]
            renamed = (f"{name}_new", _TYPES[kind])
            yield Change("rename", table.name, name, (*before, renamed, *after))
            yield Change("drop", table.name, name, (*before, *after))
            for other in _OTHER_TYPES[kind]:
                changed = (*before, (name, other), *after)
                yield Change(f"{_TYPES[kind]} to {other}", table.name, name, changed)


def views(seed: int, count: int, lake: Sequence[LineageTable]) -> Iterator[View]:
    random = Random(seed)
    for number in range(count):
        name = f"v{number}"
        yield View(name, _text(random, lake), random.choice(_MODES))
        if number % 3 == 0:
            shown = random.choice(("*", "k", "grp + 1 AS g", "count(*) AS n"))
            mode = random.choice(_MODES)
            yield View(f"w{number}", f"SELECT {shown} FROM {name}", mode, name)


def _text(random: Random, lake: Sequence[LineageTable]) -> str:
    kind = random.random()
    a, b = random.sample(list(lake), 2)
    joined = f"{a.name} JOIN {b.name} ON {a.name}_id = {b.name}_id"
    if kind < 0.05:
        return f"SELECT *, {a.name}_id AS k, {a.name}_g AS grp FROM {a.name}"
    if kind < 0.1:
        return f"SELECT {a.name}.*, {b.name}_x, {a.name}_id AS k, {a.name}_g AS grp FROM {joined}"
    if kind < 0.15:
        return f"SELECT k, grp FROM (SELECT {a.name}_id AS k, {a.name}_g AS grp, {a.name}_s FROM {joined})"
    return Grower(random, lake).query(random.randint(1, 3))


class ImpactJudge:
    def __init__(self, spark: SparkSession, seed: int, count: int) -> None:
        self._spark = spark
        self._engine = SparkEngine(spark)
        self._lake = tables()
        for table in self._lake:
            self._make(table.name, tuple((name, _TYPES[kind]) for name, kind in table.columns))
        self._views = [view for view in views(seed, count, self._lake) if self._is_made(view)]
        catalog = SparkCatalog(spark)
        self._catalog = CapturedCatalog(catalog.read(catalog.relations(Namespace(("default",)))))
        self._deriver = DirectDeriver(Options())
        self._schemas = {view.name: self._schema(view.name) for view in self._views}
        self._named = {view.name: self._columns_in(view) for view in self._views}

    def _make(self, table: str, columns: Sequence[tuple[str, str]]) -> None:
        self._spark.sql(f"DROP TABLE IF EXISTS {table}")
        self._spark.sql(_create(table, columns))

    def _is_made(self, view: View) -> bool:
        made = f"CREATE VIEW {view.name} {view.mode} AS {view.text}"
        return not isinstance(answer_or_refusal(self._engine.frame, made), Refused)

    def _schema(self, name: str) -> str | None:
        """The schema that Spark reads; None if Spark fails."""
        found = answer_or_refusal(self._engine.frame, f"SELECT * FROM {name}")
        return None if isinstance(found, Refused) else found.schema.simpleString()

    def _columns_in(self, view: View) -> frozenset[tuple[str, str]]:
        """The columns of tables in the view's text, by the analysis."""
        catalog = KnownCatalog(
            {
                RelationName.of(table.name): KnownTable(tuple(name for name, _ in table.columns))
                for table in self._lake
            }
        )
        (analysed,) = analyse(view.text, grammar_of("spark"), catalog)
        if analysed.resolved is None:
            return frozenset()
        read = columns_read(analysed.resolved, Conventions())
        return frozenset((str(column.source), column.column) for column, _ in read)

    def judge(self, change: Change, found: Found) -> None:
        ddl = f"DROP TABLE {change.table};\n{_create(change.table, change.columns)}"
        applied = apply_ddl(self._catalog, [Script("change", ddl)], Dialect.SPARK)
        now = CatalogNow(self._catalog, self._deriver, None, lambda _: None)
        cone = derive_cone(now, applied, self._deriver)
        reached = _reached(cone, change)
        before = {table.name: table for table in self._lake}[change.table]
        self._make(change.table, change.columns)
        for view in self._views:
            if self._reads(view, change.table):
                self._compare(view, change, cone, reached, found)
        self._make(change.table, [(name, _TYPES[kind]) for name, kind in before.columns])

    def _reads(self, view: View, table: str) -> bool:
        texts = [view.text, *(each.text for each in self._views if each.name == view.over)]
        return any(re.search(rf"\b{table}\b", text) for text in texts)

    def _compare(
        self, view: View, change: Change, cone: Cone, reached: frozenset[str], found: Found
    ) -> None:
        name = RelationName.of("default", view.name)
        before = cone.before.get(name)
        if not isinstance(before, Derived):
            found.reach["views that are not derived"] += 1
            return
        schema = self._schema(view.name)
        stays = schema == self._schemas[view.name]
        actual: Fate = "breaks" if schema is None else "stays" if stays else "changes"
        said = _fate(before, cone.after.get(name))
        found.fates[change.kind, said, actual] += 1
        if said != actual:
            found.told.append(
                f"{change}: {view.name} {view.mode} {said}, Spark: {actual}\n  {view.text}\n"
                f"  before {self._schemas[view.name]}\n  after {schema}\n  {cone.after.get(name)}"[
                    :2000
                ]
            )
        if actual != "stays" and change.kind != "add":
            found.reach["hit views"] += 1
            found.reach["hit views that the lineage reaches"] += view.name in reached
        if change.kind in {"drop", "rename"} and not view.over:
            is_named = (change.table, change.column) in self._named[view.name]
            found.reach[f"the text names the column: {is_named}, Spark: {actual}"] += 1
            if is_named != (actual == "breaks") and "*" not in view.text.replace("count(*)", ""):
                found.told.append(f"{change}: named {is_named}, Spark: {actual}\n  {view.text}")


def _create(table: str, columns: Sequence[tuple[str, str]]) -> str:
    return f"CREATE TABLE {table} ({', '.join(' '.join(each) for each in columns)}) USING parquet"


def _fate(before: Derived, after: Outcome | None) -> Fate:
    if not isinstance(after, Derived):
        return "breaks"
    old, new = before.derivation.interface, after.derivation.interface
    same = [(c.name, c.type) for c in old.columns] == [(c.name, c.type) for c in new.columns]
    return "stays" if same else "changes"


def _reached(cone: Cone, change: Change) -> frozenset[str]:
    """Views whose lineage, of columns or rows, leads to the column."""
    hit = {(change.table, change.column)}
    views: set[str] = set()
    while True:
        size = len(hit)
        for name, outcome in cone.before.items():
            if isinstance(outcome, Derived):
                derivation = outcome.derivation
                rows = {(i.source.relation.name, i.source.column) for i in derivation.rows or ()}
                for column in derivation.lineage:
                    sources = {(s.relation.name, s.column.lower()) for s in column.sources}
                    sources |= {
                        (i.source.relation.name, i.source.column.lower()) for i in column.indirect
                    }
                    if (sources | rows) & hit:
                        hit.add((name.name, column.column.lower()))
                        views.add(name.name)
        if len(hit) == size:
            return frozenset(views)


def _session(folder: str) -> SparkSession:
    return start_spark(
        {
            **RUN_ONCE,
            "spark.sql.warehouse.dir": folder,
            "spark.sql.catalogImplementation": "in-memory",
        }
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--views", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--changes", type=int, default=1000, help="at most so many, out of all")
    parser.add_argument("--kinds", nargs="+", help='of changes, such as "drop" or "INT to DATE"')
    chosen = parser.parse_args()
    found = Found()
    with tempfile.TemporaryDirectory() as folder:
        judge = ImpactJudge(_session(folder), chosen.seed, chosen.views)
        kinds = chosen.kinds
        every = [each for each in changes(tables()) if not kinds or each.kind in kinds]
        Random(chosen.seed).shuffle(every)
        for number, change in enumerate(every[: chosen.changes], 1):
            judge.judge(change, found)
            print(f"{number} changes", flush=True)
    for line in found.told:
        print(line)
    for (kind, said, actual), count in sorted(found.fates.items()):
        mark = "" if said == actual else "  WRONG"
        print(f"{count:>7}  {kind}: said {said}, {actual}{mark}")
    for what, count in sorted(found.reach.items()):
        print(f"{count:>7}  {what}")
    wrong = sum(count for (_, said, actual), count in found.fates.items() if said != actual)
    print(f"{sum(found.fates.values())} judged, {wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
