"""Compares random queries over the stored rows of random views with the queries' own text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random

from pyspark.sql import SparkSession

from deploy.refused import Refused
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.deriving.with_upstreams import derive_with_upstreams
from lakeschema.translation.model.errors import CannotSubstitute, TranslationError, Unsupported
from lakeschema.translation.model.interface import Derivation, Options
from lakeschema.translation.products.stored_rows import StoredViews
from tests.judges.verdicts import (
    NOT_COMPARED,
    NOT_READ,
    NOT_SUBSTITUTED,
    OF_STORED,
    UNSUPPORTED,
    Verdict,
)
from tests.judges.views.in_spark import SparkJudge
from tests.judges.views.reading import in_mode, relations_of
from tests.lakeschema.translation.growing.contained import Pair, random_pair
from tests.lakeschema.translation.growing.tables import Table, further_rows, random_table

_VIEW, _QUERY = (RelationName.of("default", name) for name in ("v", "q"))
_STORED = RelationName.of("default", "v_stored")


@dataclass(frozen=True, slots=True)
class PairCase:
    """``ansi``: the mode in which Spark reads both."""

    pair: Pair
    tables: tuple[Table, ...]
    ansi: bool

    def relations(self) -> Mapping[RelationName, Relation]:
        ddl = [table.ddl for table in self.tables]
        ddl += [f"CREATE VIEW v AS {self.pair.view}", f"CREATE VIEW q AS {self.pair.query}"]
        return relations_of(ddl, ansi=self.ansi)


class StoredViewJudge:
    """A lake of random tables in a session, with rows that repeat."""

    def __init__(self, spark: SparkSession, tables: int = 30) -> None:
        self._spark = spark
        self._judge = SparkJudge(spark, tables=0)
        random = Random(1)
        grown = [random_table(random, f"s{number}") for number in range(tables)]
        self._tables = [replace(t, rows=(*t.rows, *further_rows(random, t, 4))) for t in grown]
        for table in self._tables:
            self._judge.table(table).createOrReplaceTempView(table.name)

    def case(self, seed: int) -> PairCase:
        random = Random(f"pair {seed}")
        tables = random.sample(self._tables, 3)
        return PairCase(random_pair(random, tables), tuple(tables), random.random() < 0.5)

    def verdict(self, case: PairCase) -> Verdict:
        with in_mode(self._spark, ansi=case.ansi):
            return self._verdict(case)

    def _verdict(self, case: PairCase) -> Verdict:
        relations = case.relations()
        derivations: dict[RelationName, Derivation] = {}
        try:
            for name in (_VIEW, _QUERY):
                derivations |= derive_with_upstreams(name, relations, Options())
        except TranslationError as error:
            return Verdict(NOT_READ, str(error))
        try:
            views = StoredViews(relations, derivations, Options())
            found, _ = views.over_stored(_QUERY, {_VIEW: _STORED})
            sql = found.spark().sql.replace("`default`.", "")
        except CannotSubstitute as error:
            return Verdict(NOT_SUBSTITUTED, error.reasons[0])
        except Unsupported as error:
            return Verdict(UNSUPPORTED, error.message)
        return self._compared(case, sql, derivations[_VIEW].interface.names)

    def _compared(self, case: PairCase, sql: str, names: tuple[str, ...]) -> Verdict:
        stored, query = map(self._judge.analysed, (case.pair.view, case.pair.query))
        if isinstance(stored, Refused) or isinstance(query, Refused):
            return Verdict(NOT_READ)
        expected = self._judge.rows(query)
        if isinstance(expected, Refused) or isinstance(self._judge.rows(stored), Refused):
            return Verdict(NOT_COMPARED)
        self._judge.local(stored.toDF(*names)).createOrReplaceTempView(_STORED.name)
        shown = f"{case.pair}\n  ANSI {case.ansi}\n  {sql}"
        return self._judge.judged(sql, expected, OF_STORED, shown)
