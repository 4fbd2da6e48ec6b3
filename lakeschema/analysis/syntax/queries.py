"""Parses queries of any dialect, with syntax that Spark's and Hive's grammars lack."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from lakeschema.analysis.syntax.dialects import StatementGrammar
from lakeschema.analysis.syntax.from_items import LOCKS, OpenFromItems
from lakeschema.analysis.syntax.statements import Named
from lakeschema.translation.model.joins import JoinKind
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.lexing import END, NUMBER, QUOTED, STRING, WORD
from lakeschema.translation.syntax.operators import BEGINS_QUERY

T = TypeVar("T")

_SELECT_WORDS: Final = frozenset(
    {
        *("STRAIGHT_JOIN", "HIGH_PRIORITY", "SQL_CALC_FOUND_ROWS", "SQL_NO_CACHE", "SQL_CACHE"),
        *("SQL_SMALL_RESULT", "SQL_BIG_RESULT", "SQL_BUFFER_RESULT"),
    }
)
"""MySQL's modifiers between SELECT and its items."""

TIMESERIES: Final = "timeseries"
"""The name of a call that stands for Vertica's clause TIMESERIES.

The call's arguments are the timestamps and, as unnamed arguments, the partition's keys.
"""


class OpenQueries(OpenFromItems):
    """Reads queries; ``into`` is the table of SELECT … INTO, if any."""

    def __init__(self, sql: str, grammar: StatementGrammar) -> None:
        super().__init__(sql, grammar)
        self.into: Named | None = None
        self.into_is_temporary = False

    def select_item(self) -> tree.SelectItem:
        before = self.tokens[self.index - 1].word if self.index else ""
        if before in {"SELECT", "DISTINCT", "ALL"}:
            while self.word in _SELECT_WORDS and self.ahead().kind in (WORD, QUOTED):
                self.advance()
            if self.comes("AS", "STRUCT") or self.comes("AS", "VALUE"):
                self.back_to(self.index + 2)
            self._skip_limits_of_select(before)
        start = self.index
        if (
            self.grammar.assignments_name
            and self.at.kind in (WORD, QUOTED, STRING)
            and self.ahead().word == "="
        ):
            name = self.advance().text
            self.advance()
            return tree.SelectItem(self.expression(), (name,))
        self.take_phrase_name()
        expression = self.expression()
        text = self.text_since(start)
        named = self.take_phrase_name()
        if named is not None:
            return tree.SelectItem(expression, (named,), text)
        if self.take("AS"):
            if self.word == "(":
                return tree.SelectItem(expression, self._names(), text)
            alias = self.advance().text if self.at.kind == STRING else self.name("an alias")
            return tree.SelectItem(expression, (alias,), text)
        if self.is_alias():
            return tree.SelectItem(expression, (self.name(),), text)
        if self._is_quoted_text() and not isinstance(expression, tree.StringLiteral):
            return tree.SelectItem(expression, (self.advance().text,), text)
        return tree.SelectItem(expression, (), text)

    def _is_quoted_text(self) -> bool:
        return self.at.kind == STRING and self.sql[self.at.start] in "'\""

    def separated(self, read: Callable[[], T]) -> tuple[T, ...]:
        found = [read()]
        while self.take(","):
            if self.grammar.trailing_commas and self.word == "FROM":
                break
            found.append(read())
        return tuple(found)

    def _skip_limits_of_select(self, before: str) -> None:
        if before == "DISTINCT" and self.comes("ON", "("):
            self.back_to(self.index + 2)
            self.expressions(")")
        if self.word == "TOP" and (self.ahead().kind == NUMBER or self.ahead().word == "("):
            self.advance()
            self.operand()
            self.take("PERCENT")
            self.take("WITH", "TIES")

    def behind_items(self) -> None:
        if self.take("BULK", "COLLECT", "INTO"):
            # PL/SQL stores the rows in variables.
            self.separated(self.path)
            return
        if self.word == "INTO" and self.ahead().kind in (WORD, QUOTED):
            self.advance()
            self.into_is_temporary = bool(self.take_one_of("TEMPORARY", "TEMP"))
            self.take("TABLE")
            self.into = self.table()

    def behind_where(self, source: tree.FromItem | None) -> tree.FromItem | None:
        """Reads the clauses between WHERE and GROUP BY: a hierarchy, or a time series.

        ``START WITH a CONNECT BY PRIOR b = c`` is a condition on rows, like ON, and ``TIMESERIES
        slot AS '1 hour' OVER (PARTITION BY a ORDER BY moment)`` makes rows.
        """
        while source is not None and (self.comes("START", "WITH") or self.comes("CONNECT", "BY")):
            self.back_to(self.index + 2)
            self.take("NOCYCLE")
            nothing = tree.FromQuery(tree.ValuesQuery(()))
            source = tree.Join(source, nothing, JoinKind.INNER, self.expression())
        if source is None or self.word != "TIMESERIES" or self.ahead().kind not in (WORD, QUOTED):
            return source
        token = self.advance()
        name = self.name("a column")
        self.expect("AS")
        self.string("an interval in quotes")
        self.expect("OVER", "(")
        parts = self.window_parts()
        moments = tuple(key.expression for key in parts.order_by)
        call = tree.Call(
            TIMESERIES,
            moments,
            self.position(token),
            named=tuple(("", key) for key in parts.partition_by),
        )
        return tree.LateralView(source, call, outer=False, alias=None, columns=(name,))

    def query(self) -> tree.Query:
        if self.word == "LOCKING":
            # Teradata's LOCKING ROW FOR ACCESS.
            self.skip_to("SELECT", "WITH")
        return super().query()

    def ordered(self, body: tree.Query) -> tree.Query:
        if self.comes("ORDER", "SIBLINGS", "BY"):
            del self.tokens[self.index + 1]
        query = super().ordered(body)
        if self.take("FETCH"):
            while self.at.kind != END and not self.take_one_of("ONLY", "TIES"):
                self.advance()
        self._skip_said_of_result()
        return query

    def _skip_said_of_result(self) -> None:
        """Skips clauses about locks, output formats and planning."""
        while True:
            start = self.index
            following = self.ahead().word
            if self.word == "FOR" and following in LOCKS:
                self._skip_lock()
            elif self.word == "FOR" and following in {"XML", "JSON", "BROWSE"}:
                self.skip_to(")", "OPTION", "UNION", "GO")
            elif self.comes("LOCK", "IN", "SHARE", "MODE"):
                self.back_to(self.index + 4)
            elif self.word == "INTO" and following in {"OUTFILE", "DUMPFILE"}:
                self.skip_to(")")
            elif self.word == "WITH" and following in {"UR", "CS", "RS", "RR"}:
                self.back_to(self.index + 2)
            elif self.comes("OPTION", "("):
                self.advance()
                self.skip_parentheses()
            if self.index == start:
                return

    def _skip_lock(self) -> None:
        """Skips ``FOR NO KEY UPDATE OF t SKIP LOCKED``."""
        self.back_to(self.index + 2)
        while self.take_one_of("KEY", "UPDATE", "SHARE", "ONLY"):
            pass
        if self.take("OF"):
            self.separated(self.path)
        while self.take_one_of("NOWAIT", "SKIP", "LOCKED", "WAIT"):
            if self.at.kind == NUMBER:
                self.advance()

    def _common_table(self) -> tree.CommonTable:
        self.deeper()
        name = self.name()
        columns: tuple[str, ...] = ()
        if self.word == "(" and self.ahead().word not in BEGINS_QUERY:
            columns = self._names()
        if self.take("MAX", "RECURSION", "LEVEL"):
            self.advance()
        self.take("AS")
        self.take("NOT")
        self.take("MATERIALIZED")
        self.expect("(")
        query = self.query()
        self.expect(")")
        self.shallower()
        self._skip_search()
        return tree.CommonTable(name, columns, query)

    def _skip_search(self) -> None:
        """Skips ``SEARCH DEPTH FIRST BY a SET b CYCLE a SET c TO 1 DEFAULT 0 USING d``."""
        while self.word in {"SEARCH", "CYCLE"} and self.ahead().kind in (WORD, QUOTED):
            self.skip_to("SET")
            self.expect("SET")
            self.name("a column")
            for word in ("TO", "DEFAULT", "USING"):
                if self.take(word):
                    self.operand()

    def _set_operator(self) -> bool:
        self.advance()
        distinct = self.take_one_of("ALL", "DISTINCT") != "ALL"
        self.take("BY", "NAME")
        return distinct
