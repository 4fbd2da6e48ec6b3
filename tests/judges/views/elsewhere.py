"""What judges of emitted queries share: views of Spark's, their texts for another engine, and how they ended."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, Generic, Protocol, TypeVar

from pyspark.sql import DataFrame, SparkSession

from deploy.refused import Refused
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, Relation
from lakeschema.translation.deriving.derivation import derive_view
from lakeschema.translation.model.errors import TooLarge, TranslationError
from lakeschema.translation.model.interface import Interface, Options
from lakeschema.translation.plan.relations import Limit, Plan, Sort
from lakeschema.translation.products.governed import MAX_TEXT
from tests.judges.verdicts import NOT_READ, Verdict, refusal
from tests.judges.views.in_spark import ANSI, TIME, SparkJudge
from tests.lakeschema.translation.growing.views import RandomView

MAX_SECONDS: Final = 20.0

Rows = Sequence[tuple[object, ...]]


class Query(Protocol):
    """A text for the engine."""

    @property
    def sql(self) -> str: ...


QueryT = TypeVar("QueryT", bound=Query)


@dataclass(frozen=True, slots=True)
class Written(Generic[QueryT]):
    """A view's query for the engine; ``ordered``: its rows come in an order."""

    query: QueryT
    ordered: bool
    ansi: bool


class EmissionJudge(ABC, Generic[QueryT]):
    """A lake of tables in a session and in an engine; each view is grown from a seed of its own."""

    _options = Options()

    def __init__(self, spark: SparkSession, judge: SparkJudge) -> None:
        """``judge`` has the tables."""
        self._session = spark
        self._spark = judge

    @abstractmethod
    def _query(
        self,
        relation: Relation,
        plan: Plan,
        names: Sequence[str],
        upstreams: Mapping[RelationName, Interface],
        named: Callable[[RelationName], str],
    ) -> QueryT:
        """What is emitted of a view; ``named``: what stands for a relation that it reads."""

    @abstractmethod
    def _table(self, name: RelationName) -> str:
        """A table of the lake, as the engine's text names it."""

    @abstractmethod
    def _verdict(self, view: RandomView, *, ansi: bool) -> Verdict: ...

    def verdict(self, seed: int) -> Verdict:
        """The views are those of ``SparkJudge``; even seeds mean ANSI mode."""
        view = self._spark.grown(seed)
        with self._mode(ansi=seed % 2 == 0):
            found = self._verdict(view, ansi=seed % 2 == 0)
        return replace(found, constructs=view.constructs)

    def verdict_of(self, text: str, *, ansi: bool) -> Verdict:
        """Of a view of this text, which may read the tables."""
        with self._mode(ansi=ansi):
            return self._verdict(RandomView(text, ()), ansi=ansi)

    def refusal_of(self, text: str, *, ansi: bool) -> Verdict | None:
        """The verdict of a view that need not be run, since Spark or we refuse its text."""
        with self._mode(ansi=ansi):
            found = self._read(RandomView(text, ()), ansi=ansi)
        return found if isinstance(found, Verdict) else None

    @contextmanager
    def _mode(self, *, ansi: bool) -> Iterator[None]:
        before = self._session.conf.get(ANSI)
        self._session.conf.set(ANSI, str(ansi).lower())
        try:
            yield
        finally:
            self._session.conf.set(ANSI, before or "true")

    def _read(self, view: RandomView, *, ansi: bool) -> tuple[DataFrame, Written[QueryT]] | Verdict:
        frame = self._analysed(view)
        if isinstance(frame, Refused):
            return Verdict(NOT_READ, frame.message)
        try:
            return frame, self._written(view, ansi=ansi)
        except TranslationError as error:
            return refusal(error)

    def _analysed(self, view: RandomView) -> DataFrame | Refused:
        for name, text in view.below:
            frame = self._spark.analysed(text)
            if isinstance(frame, Refused):
                return frame
            frame.createOrReplaceTempView(name)
        return self._spark.analysed(view.text)

    def _written(self, view: RandomView, *, ansi: bool) -> Written[QueryT]:
        """The query for the engine, with what the view reads in it.

        Raises:
            TranslationError: a view cannot be derived, or the engine has nothing that does the same.
        """
        known, texts = dict(self._spark.interfaces), dict[RelationName, str]()

        def named(read: RelationName) -> str:
            return f"({texts[read]})" if read in texts else self._table(read)

        for name, text in (*view.below, ("v", view.text)):
            relation = _relation(name, text, ansi=ansi)
            derivation, plan = derive_view(relation, known, self._options)
            interface = derivation.interface
            known[relation.name] = interface
            upstreams = {read: known[read] for read in derivation.upstreams}
            query = self._query(relation, plan, interface.names, upstreams, named)
            texts[relation.name] = query.sql
            if len(query.sql) > MAX_TEXT:
                raise TooLarge("the text is longer than the engine reads", relation=relation.name)
        return Written(query, _is_ordered(plan), ansi)

    @contextmanager
    def _in_time(self) -> Iterator[None]:
        """Spark's jobs are cancelled where they take too long."""
        late = threading.Timer(MAX_SECONDS, self._session.sparkContext.cancelAllJobs)
        late.start()
        try:
            yield
        finally:
            late.cancel()


def _relation(name: str, text: str, *, ansi: bool) -> Relation:
    made = relations_from_ddl([f"CREATE VIEW {name} AS {text}"], Dialect.SPARK)
    relation = made[RelationName.of("default", name)]
    assert relation.view is not None
    configs = MappingProxyType({ANSI: str(ansi).lower(), TIME: "true"})
    return replace(relation, view=replace(relation.view, sql_configs=configs))


def _is_ordered(plan: Plan) -> bool:
    return isinstance(plan.input if isinstance(plan, Limit) else plan, Sort)
