"""Reads OVER and ORDER BY: windows, their frames, and sort keys."""

from __future__ import annotations

from typing import Final

from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.expressions import Expressions
from lakeschema.translation.syntax.lexing import QUOTED, WORD

_WINDOW_WORDS: Final = frozenset(
    {"PARTITION", "DISTRIBUTE", "ORDER", "SORT", "CLUSTER", "ROWS", "RANGE"}
)


class Windows(Expressions):
    """Reads windows and sort keys, in addition to expressions."""

    def over(self, call: tree.Call) -> tree.WindowCall:
        self.advance()
        if self.word != "(":
            return tree.WindowCall(call, window=self.name("a window's name"))
        self.advance()
        parts = self.window_parts()
        return tree.WindowCall(
            call, parts.partition_by, parts.order_by, parts.frame, parts.name or None
        )

    def window_parts(self) -> tree.NamedWindow:
        """Reads the content of a window's parentheses.

        It may begin with the name of the window that it extends.
        """
        name = ""
        if self.at.kind in (WORD, QUOTED) and self.word not in _WINDOW_WORDS:
            name = self.name()
        partition: tuple[tree.Expression, ...] = ()
        order: tuple[tree.SortKey, ...] = ()
        if self.take("CLUSTER", "BY"):
            order = self.sort_keys()
            partition = tuple(key.expression for key in order)
        if self.take("PARTITION", "BY") or self.take("DISTRIBUTE", "BY"):
            partition = self.listed()
        if self.take("ORDER", "BY") or self.take("SORT", "BY"):
            order = self.sort_keys()
        frame = self._frame()
        self.expect(")")
        return tree.NamedWindow(name, partition, order, frame)

    def listed(self) -> tuple[tree.Expression, ...]:
        return self.separated(self.expression)

    def _frame(self) -> str | None:
        unit = self.take_one_of("ROWS", "RANGE")
        if not unit:
            return None
        if not self.take("BETWEEN"):
            return f"{unit} BETWEEN {self._bound()} AND CURRENT ROW"
        low = self._bound()
        self.expect("AND")
        return f"{unit} BETWEEN {low} AND {self._bound()}"

    def _bound(self) -> str:
        if self.take("CURRENT", "ROW"):
            return "CURRENT ROW"
        start = self.index
        if not self.take("UNBOUNDED"):
            self.expression()
        text = self.text_since(start)
        side = self.take_one_of("PRECEDING", "FOLLOWING")
        if not side:
            self.fail("expected PRECEDING or FOLLOWING")
        return f"{text.upper() if text.isalpha() else text} {side}"

    def sort_keys(self) -> tuple[tree.SortKey, ...]:
        return self.separated(self._sort_key)

    def _sort_key(self) -> tree.SortKey:
        expression: tree.Expression
        if self.word == "ALL" and self.ahead().word not in {"(", "."}:
            self.advance()
            expression = tree.Star()
        else:
            expression = self.expression()
        descending = self.take_one_of("ASC", "DESC") == "DESC"
        first = descending == self.grammar.nulls_are_large and not self.grammar.nulls_last
        if self.take("NULLS", "FIRST"):
            first = True
        elif self.take("NULLS", "LAST"):
            first = False
        return tree.SortKey(expression, descending, first)
