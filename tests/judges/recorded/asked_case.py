"""A recorded case's view with its relations, and its own engine's answers about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.deriving.derivation import derive, upstreams_of
from lakeschema.translation.model.errors import UnknownRelation
from lakeschema.translation.model.interface import Interface, Options, Returns
from tests.judges.engines.protocol import nullable
from tests.judges.recorded.engines import STAND_INS, Columns, Hive, Rows, Spark, StandIn, readable
from tests.judges.recorded.questions import Question

SPARK_SETTINGS: Mapping[str, str] = {"spark.sql.ansi.enabled": "true"}


def with_names(question: Question, spark: Spark) -> Question:
    """Names a Spark text's unnamed columns, since a view needs names."""
    assert question.text is not None
    width = len(spark.columns(question.text, SPARK_SETTINGS))
    return replace(question, names=tuple(f"c{number}" for number in range(width)))


class AskedCase:
    """One question to its own engine: Spark for Spark's texts, otherwise Hive."""

    def __init__(self, question: Question, options: Options, hive: Hive, spark: Spark) -> None:
        self.question = question
        self.options = options
        self._hive = hive
        self._spark = spark
        self._interfaces: dict[RelationName, Interface] = {}
        self.stand_ins: tuple[StandIn, ...] = ()

    @cached_property
    def relations(self) -> Mapping[RelationName, Relation]:
        """All relations of the case.

        Raises:
            MalformedDdl: a statement cannot be read or applied.
        """
        return self.question.relations()

    def interface(self, name: RelationName) -> Interface:
        """The interface of a relation, derived with all relations that it reads.

        Raises:
            TranslationError: as in ``derive``.
        """
        if name not in self._interfaces:
            relation = self.relations.get(name)
            if relation is None:
                raise UnknownRelation(name)
            above = {u: self.interface(u) for u in upstreams_of(relation, self.options)}
            self._interfaces[name] = derive(relation, above, self.options).interface
        return self._interfaces[name]

    def whole_tables(self) -> Mapping[RelationName, Columns]:
        """The tables that the view reads and that have been derived."""
        return {
            name: [(c.name.lower(), c.type) for c in interface.columns]
            for name, interface in self._interfaces.items()
            if not self.relations[name].is_view
        }

    def tables(self) -> Mapping[RelationName, Columns]:
        """The same tables, with only the columns that Spark can read."""
        return {name: readable(columns) for name, columns in self.whole_tables().items()}

    def find_stand_ins(self) -> str | None:
        """Fills ``stand_ins``; returns a class without a stand-in, or None."""
        found = []
        for function, class_name in self.question.functions.items():
            returns = self.options.udfs.get(class_name)
            if not isinstance(returns, Returns) or returns.type not in STAND_INS:
                return class_name
            found.append(StandIn(function, returns.type))
        self.stand_ins = tuple(found)
        return None

    def fill_spark(self) -> None:
        self._spark.fill(self.tables(), self.stand_ins)

    def engine_columns(self) -> list[tuple[str, str]]:
        """The view's columns, by the engine: names and types.

        Raises:
            Refused: the engine refuses the view.
        """
        question = self.question
        if question.text is None:
            return self._hive.made(question.ddl, self.relations, question.view, self.stand_ins)
        self.fill_spark()
        if question.names:
            found = self._spark.columns(question.text, SPARK_SETTINGS)
            return [(n, type_) for n, (_, type_) in zip(question.names, found, strict=True)]
        return self._spark.view_columns(question.view, question.text)

    def engine_rows(self, columns: Columns, *, backwards: bool = False) -> Rows:
        """The engine's rows over the generated rows, after ``engine_columns``.

        Raises:
            Refused: the engine returns no rows.
        """
        question, tables = self.question, self.tables()
        if question.text is not None:
            self._spark.fill(tables, self.stand_ins, backwards=backwards)
            return self._spark.rows(question.text, SPARK_SETTINGS, nullable(*columns))
        lower = [(name.lower(), type_) for name, type_ in columns]
        return self._hive.rows(question.view, lower, tables, backwards=backwards)
