"""Common parts of judges of emitted queries: Spark's views, their texts for an engine, verdicts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Generic, Protocol, TypeVar

from pyspark.sql import DataFrame, SparkSession

from deploy.refused import Refused
from lakeschema.catalog.column_types import ColumnType
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.deriving.derivation import derive_view
from lakeschema.translation.model.errors import TooLarge, TranslationError
from lakeschema.translation.model.interface import Interface, Options
from lakeschema.translation.plan.relations import Limit, Plan, PlanColumn, Sort
from lakeschema.translation.products.governed import MAX_TEXT
from tests.judges.compared_values import Rows
from tests.judges.engines.protocol import answer_or_refusal
from tests.judges.engines.spark import SparkEngine
from tests.judges.verdicts import NOT_READ, Verdict, refusal
from tests.judges.views.in_spark import SparkJudge
from tests.judges.views.reading import in_mode, view_of
from tests.lakeschema.translation.growing.views import RandomView

_MAX_SECONDS: Final = 20.0


class Query(Protocol):
    """A text for the engine."""

    @property
    def sql(self) -> str: ...

    @property
    def columns(self) -> Sequence[PlanColumn]: ...


QueryT = TypeVar("QueryT", bound=Query)


@dataclass(frozen=True, slots=True)
class Written(Generic[QueryT]):
    """A view's query for the engine; ``ordered``: its rows come in an order."""

    query: QueryT
    ordered: bool
    ansi: bool


class EmissionJudge(ABC, Generic[QueryT]):
    """A lake of tables in a session and in an engine; each view grows from its own seed."""

    _options = Options()

    def __init__(self, spark: SparkSession, judge: SparkJudge) -> None:
        """``judge`` has the tables."""
        self._session = spark
        self._spark = judge
        self._engine = SparkEngine(spark, shown=self._shown, max_seconds=_MAX_SECONDS)

    @staticmethod
    @abstractmethod
    def _query(
        relation: Relation,
        plan: Plan,
        names: Sequence[str],
        upstreams: Mapping[RelationName, Interface],
        relation_text: Callable[[RelationName], str],
    ) -> QueryT:
        """The query emitted for a view; ``relation_text`` gives the text for a relation that it reads."""

    @staticmethod
    @abstractmethod
    def _table(name: RelationName) -> str:
        """A table of the lake, as the engine's text names it."""

    @staticmethod
    @abstractmethod
    def _shown(type_: ColumnType) -> ColumnType:
        """The type that Spark casts values to before they are collected."""

    @abstractmethod
    def _verdict(self, view: RandomView, *, ansi: bool) -> Verdict: ...

    def verdict(self, seed: int) -> Verdict:
        """Judges the view that ``SparkJudge`` grows from the seed; even seeds mean ANSI mode."""
        view = self._spark.grown(seed)
        with in_mode(self._session, ansi=seed % 2 == 0):
            found = self._verdict(view, ansi=seed % 2 == 0)
        return replace(found, constructs=view.constructs)

    def verdict_of(self, text: str, *, ansi: bool) -> Verdict:
        """Judges a view with this text, which may read the tables."""
        with in_mode(self._session, ansi=ansi):
            return self._verdict(RandomView(text, ()), ansi=ansi)

    def refusal_of(self, text: str, *, ansi: bool) -> Verdict | None:
        """The verdict on a view that need not run, since Spark or we refuse its text."""
        with in_mode(self._session, ansi=ansi):
            found = self._read(RandomView(text, ()), ansi=ansi)
        return found if isinstance(found, Verdict) else None

    def _read(self, view: RandomView, *, ansi: bool) -> tuple[DataFrame, Written[QueryT]] | Verdict:
        frame = self._analysed(view)
        if isinstance(frame, Refused):
            return Verdict(NOT_READ, frame.message)
        try:
            return frame, self._written(view, ansi=ansi)
        except TranslationError as error:
            return refusal(error)

    def _analysed(self, view: RandomView) -> DataFrame | Refused:
        return self._spark.analysed_over(view.below, view.text)

    def _written(self, view: RandomView, *, ansi: bool) -> Written[QueryT]:
        """The query for the engine, including the views that the view reads.

        Raises:
            TranslationError: a view cannot be derived, or the engine has no equivalent.
        """
        known, texts = dict(self._spark.interfaces), dict[RelationName, str]()

        def named(read: RelationName) -> str:
            return f"({texts[read]})" if read in texts else self._table(read)

        for name, text in (*view.below, ("v", view.text)):
            relation = view_of(name, text, ansi=ansi)
            derivation, plan = derive_view(relation, known, self._options)
            interface = derivation.interface
            known[relation.name] = interface
            upstreams = {read: known[read] for read in derivation.upstreams}
            query = self._query(relation, plan, interface.names, upstreams, named)
            texts[relation.name] = query.sql
            if len(query.sql) > MAX_TEXT:
                raise TooLarge("the text is longer than the engine reads", relation=relation.name)
        return Written(query, _is_ordered(plan), ansi)

    def _sparks_rows(self, frame: DataFrame, query: QueryT) -> Rows | Refused:
        types = [column.type for column in query.columns]
        return answer_or_refusal(lambda of: self._engine.rows_of(of, types), frame)


def _is_ordered(plan: Plan) -> bool:
    return isinstance(plan.input if isinstance(plan, Limit) else plan, Sort)
