"""Reads Trino's queries: UNNEST, LATERAL, FETCH FIRST. Refuses unsupported clauses by name.

Source: Trino's ``SqlBase.g4``.
"""

from __future__ import annotations

from typing import Final

from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.model.joins import JoinKind
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.from_items import NO_ALIAS
from lakeschema.translation.syntax.lexing import NUMBER, QUOTED, WORD
from lakeschema.translation.syntax.operators import BEGINS_QUERY
from lakeschema.translation.syntax.trino_expressions import TrinoExpressions

ORDINALITY: Final = "unnest with ordinality"
UNNEST: Final = "unnest"

_NAMES: Final = frozenset(
    {
        *("SORT", "CLUSTER", "DISTRIBUTE", "MINUS", "PIVOT", "UNPIVOT", "SEMI", "ANTI", "DIV"),
        *("RLIKE", "REGEXP", "ILIKE", "ROWS", "RANGE", "SET", "VERSION", "ASC", "DESC", "NULLS"),
        *("WINDOW", "QUALIFY"),
    }
)
"""Keywords of other dialects, or of places where no alias may stand, that are names in Trino."""
_NO_ALIAS: Final = (NO_ALIAS | {"FETCH", "MATCH_RECOGNIZE"}) - _NAMES


class TrinoQueries(TrinoExpressions):
    """The whole grammar of a view's text."""

    def whole(self) -> tree.Query:
        if self.word == "WITH" and self.ahead().word == "FUNCTION":
            raise UnsupportedConstruct("WITH FUNCTION", position=self.position(self.at))
        return super().whole()

    def _common_tables(self) -> tuple[tuple[tree.CommonTable, ...], bool]:
        position = self.position(self.at)
        tables, recursive = super()._common_tables()
        if recursive:
            raise UnsupportedConstruct("WITH RECURSIVE", position=position)
        return tables, recursive

    # SELECT

    def select_item(self) -> tree.SelectItem:
        found = super().select_item()
        if isinstance(found.expression, tree.Star) and found.aliases:
            raise UnsupportedConstruct("names for the columns of a star")
        return found

    def is_alias(self) -> bool:
        kind = self.at.kind
        if self.word == "WINDOW" and self.ahead(2).word == "AS":
            return False
        return kind == QUOTED or (kind == WORD and self.word not in _NO_ALIAS)

    def ordered(self, body: tree.Query) -> tree.Query:
        """Reads ORDER BY, OFFSET, then LIMIT or FETCH FIRST."""
        order = self.sort_keys() if self.take("ORDER", "BY") else ()
        offset = limit = None
        if self.take("OFFSET"):
            offset = self.operand()
            self.take_one_of("ROW", "ROWS")
        ties = False
        if self.take("LIMIT"):
            limit = None if self.take("ALL") else self.operand()
        elif self.take("FETCH"):
            limit, ties = self._fetched()
        if not (order or limit or offset):
            return body
        return tree.Ordered(body, order, True, limit, offset, ties)

    def _fetched(self) -> tuple[tree.Expression, bool]:
        if not self.take_one_of("FIRST", "NEXT"):
            self.fail("expected FIRST or NEXT")
        limit = self.operand() if self.at.kind == NUMBER else tree.NumberLiteral("1")
        if not self.take_one_of("ROW", "ROWS"):
            self.fail("expected ROW or ROWS")
        if self.take("WITH", "TIES"):
            return limit, True
        self.expect("ONLY")
        return limit, False

    def continues_query(self) -> bool:
        return super().continues_query() or self.word in {"OFFSET", "FETCH"}

    # FROM

    def _from_item(self) -> tree.FromItem:
        token = self.at
        if self.word == "UNNEST" and self.ahead().word == "(":
            return self._unnest()
        if self.word in {"TABLE", "JSON_TABLE"} and self.ahead().word == "(":
            what = "a table function" if self.word == "TABLE" else "JSON_TABLE"
            raise UnsupportedConstruct(what, position=self.position(token))
        if self.word == "LATERAL" and self.ahead().word != "(":
            self.fail("expected LATERAL (")
        found = super()._from_item()
        if self.word == "MATCH_RECOGNIZE":
            raise UnsupportedConstruct("MATCH_RECOGNIZE", position=self.position(self.at))
        return found

    def _unnest(self) -> tree.FromItem:
        token = self.advance()
        self.expect("(")
        values = self.expressions(")")
        name = ORDINALITY if self.take("WITH", "ORDINALITY") else UNNEST
        call = tree.Call(name, values, self.position(token))
        alias, columns = self._alias()
        return tree.FromFunction(call, alias, columns)

    def _extended(self, item: tree.FromItem) -> tree.FromItem | None:
        return self.join(item)

    def join(self, left: tree.FromItem) -> tree.FromItem | None:
        """Reads a join. Its right side may contain joins, whose ON comes before this join's ON."""
        start = self.index
        natural = self.take("NATURAL")
        side = self.take_one_of("INNER", "CROSS", "LEFT", "RIGHT", "FULL")
        if side in {"LEFT", "RIGHT", "FULL"}:
            self.take("OUTER")
        if not self.take("JOIN"):
            self.back_to(start)
            return None
        lateral = self.word == "LATERAL"
        right = self._from_item()
        kind = JoinKind[side or "INNER"]
        if kind is JoinKind.CROSS or natural:
            return tree.Join(left, right, kind, None, (), natural, lateral)
        while self.word not in {"ON", "USING"} and (nested := self.join(right)) is not None:
            right = nested
        if self.take("ON"):
            return tree.Join(left, right, kind, self.expression(), (), False, lateral)
        self.expect("USING")
        return tree.Join(left, right, kind, None, self._names(), False, lateral)

    def _refuse_time_travel(self) -> None:
        if self.word == "FOR" and self.ahead().word in {"VERSION", "TIMESTAMP", "SYSTEM_TIME"}:
            raise UnsupportedConstruct("FOR … AS OF", position=self.position(self.at))

    def _row(self) -> tuple[tree.Expression, ...]:
        if self.word == "ROW" and self.ahead().word == "(":
            self.advance()
            self.advance()
            return self.expressions(")")
        value = self.expression()
        return value.items if isinstance(value, tree.Tuple) else (value,)

    def _query_in_parentheses(self) -> bool:
        at = 1
        while self.ahead(at).word == "(":
            at += 1
        return self.ahead(at).word in BEGINS_QUERY
