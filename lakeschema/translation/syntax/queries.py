"""Reads whole queries: SELECT with its clauses, VALUES, set operators, WITH, ORDER BY, LIMIT."""

from __future__ import annotations

from typing import Final

from lakeschema.translation.model.errors import MalformedSql, Position, UnsupportedConstruct
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.from_items import FromItems
from lakeschema.translation.syntax.grouping import grouping_of
from lakeschema.translation.syntax.lexing import END, NUMBER, QUOTED, WORD
from lakeschema.translation.syntax.operators import BEGINS_QUERY
from lakeschema.translation.syntax.transforms import begins_script, transform_of

_SET_OPERATORS: Final = {
    "UNION": tree.SetOperator.UNION,
    "INTERSECT": tree.SetOperator.INTERSECT,
    "EXCEPT": tree.SetOperator.EXCEPT,
    "MINUS": tree.SetOperator.EXCEPT,
}
_ORDERING: Final = frozenset({"ORDER", "SORT", "CLUSTER", "DISTRIBUTE"})
_STAR: Final = (tree.SelectItem(tree.Star()),)


class Queries(FromItems):
    """The whole grammar of a view's text, except for pipes."""

    def whole(self) -> tree.Query:
        """Reads the only query of a text."""
        if self.at.kind == END:
            raise MalformedSql("the text has no statement", hint="a view's text is one query")
        if self.word not in BEGINS_QUERY and self.word != "(":
            raise MalformedSql(
                f"the text is not a query but {self.word or 'something else'}",
                position=self.position(self.at),
                hint="a view's text begins with SELECT, FROM, WITH or VALUES",
            )
        query = self.query()
        while self.take(";"):
            pass
        if self.at.kind != END:
            if self.tokens[self.index - 1].word == ";":
                raise MalformedSql(
                    "the text has more than one statement", hint="a view's text is one query"
                )
            self.fail("expected the end of the query")
        return query

    def check_unitless(self, position: Position) -> None:
        raise UnsupportedConstruct("an interval without a unit", position=position)

    def body(self) -> tree.Expression:
        """Reads the expression or query that makes up the whole text."""
        begins_query = self.word in BEGINS_QUERY and self.ahead().word != "("
        if begins_query or self.comes("VALUES", "("):
            return tree.ScalarQuery(self.whole())
        found = self.expression()
        if self.at.kind != END:
            self.fail("expected the end of the expression")
        return found

    def query(self) -> tree.Query:
        if self.word != "WITH":
            return self._unnested(self._combined())
        tables, recursive = self._common_tables()
        return tree.With(tables, self._unnested(self._combined()), recursive)

    def rest_of_query(self, first: tree.Query) -> tree.Query:
        return self._unnested(self._combined(first))

    def continues_query(self) -> bool:
        return (
            self.word in _SET_OPERATORS
            or self.word in _ORDERING
            or self.word in {"LIMIT", "|>"}
            or self.bar_pipes()
        )

    def _unnested(self, body: tree.Query) -> tree.Query:
        return self.piped(self.ordered(body))

    def piped(self, query: tree.Query) -> tree.Query:
        """Reads the operators after ``|>``, if there are any, over ``query``."""
        if self.word == "|>":
            raise UnsupportedConstruct("|>", position=self.position(self.at))
        return query

    # WITH

    def _common_tables(self) -> tuple[tuple[tree.CommonTable, ...], bool]:
        self.expect("WITH")
        recursive = self.take("RECURSIVE")
        tables = self.separated(self._common_table)
        return tables, recursive

    def _common_table(self) -> tree.CommonTable:
        self.deeper()
        name = self.name()
        # Without AS the query may follow directly; its first word may also be a column's name.
        begins_query = self.ahead().word in BEGINS_QUERY and self.ahead(2).word not in {",", ")"}
        columns = self._names() if self.word == "(" and not begins_query else ()
        most = None
        if self.take("MAX", "RECURSION", "LEVEL"):
            most = self._whole_number()
        self.take("AS")
        self.expect("(")
        query = self.query()
        self.expect(")")
        self.shallower()
        return tree.CommonTable(name, columns, query, most)

    def _whole_number(self) -> int:
        if self.at.kind != NUMBER or not self.at.text.isdigit():
            self.fail("expected a whole number")
        return int(self.advance().text)

    # set operators

    def _combined(self, first: tree.Query | None = None) -> tree.Query:
        """Reads set operators: UNION and EXCEPT associate to the left.

        In Spark INTERSECT binds more tightly.
        """
        chain = _Chain(self._intersected(first))
        while (operator := _SET_OPERATORS.get(self.word)) is not None:
            if self.comes("EXCEPT", "(") and not self._query_in_parentheses():
                break
            distinct = self._set_operator()
            chain.add(operator, self._intersected(), distinct=distinct)
        return chain.query()

    def _query_in_parentheses(self) -> bool:
        at = 1
        while self.ahead(at).word == "(":
            at += 1
        return self.ahead(at).word in BEGINS_QUERY

    def _set_operator(self) -> bool:
        self.advance()
        distinct = self.take_one_of("ALL", "DISTINCT") != "ALL"
        if self.take("BY", "NAME"):
            raise UnsupportedConstruct("UNION BY NAME", position=self.position(self.at))
        return distinct

    def _intersected(self, first: tree.Query | None = None) -> tree.Query:
        found = self._term() if first is None else first
        if not self.grammar.intersect_first:
            return found
        chain = _Chain(found)
        while self.word == "INTERSECT":
            distinct = self._set_operator()
            chain.add(tree.SetOperator.INTERSECT, self._term(), distinct=distinct)
        return chain.query()

    def _term(self) -> tree.Query:
        word = self.word
        if word == "SELECT":
            return self._select(None)
        if word == "(":
            self.advance()
            self.deeper()
            query = self.query()
            self.shallower()
            self.expect(")")
            return query
        if word == "FROM":
            return self._from_first()
        if word == "VALUES":
            return self._values()
        if word == "TABLE":
            self.advance()
            position = self.position(self.at)
            return tree.Select(_STAR, tree.TableName(self.path(), position=position))
        if word == "WITH":
            return self.query()
        if word not in {"MAP", "REDUCE"}:
            self.fail("expected a query")
        raise UnsupportedConstruct(word, position=self.position(self.at))

    def _values(self) -> tree.Query:
        self.expect("VALUES")
        values = tree.ValuesQuery(self.rows())
        alias, columns = self._alias()
        if alias is None and not columns:
            return values
        return tree.Select(_STAR, tree.FromQuery(values, alias, columns))

    def _from_first(self) -> tree.Query:
        """Reads ``FROM t SELECT a``; in Spark ``FROM t`` alone means all columns of t."""
        self.expect("FROM")
        source = self.from_items()
        if self.word in {"SELECT", "MAP", "REDUCE"}:
            found = self._select(source)
            bare = found == tree.Select(found.items, found.source, distinct=found.distinct)
            if self.word in _SET_OPERATORS and bare and not found.items[-1].aliases:
                self._refuse_alias()
            return found
        if self.word == "INSERT":
            raise UnsupportedConstruct("FROM … INSERT", position=self.position(self.at))
        return tree.Select(_STAR, source)

    def _refuse_alias(self) -> None:
        """Refuses ``FROM t SELECT a UNION SELECT b``.

        Spark reads ``union`` as an alias there, so that there are two queries.
        """
        if self.grammar.bars_pipe and self.ahead().word == "SELECT":
            raise UnsupportedConstruct(
                f"{self.word} after FROM … SELECT", position=self.position(self.at)
            )

    # SELECT

    def _select(self, source: tree.FromItem | None) -> tree.Select:
        if self.word not in {"MAP", "REDUCE"}:
            self.expect("SELECT")
        distinct = False
        if self.word in {"TRANSFORM", "MAP", "REDUCE"} and begins_script(self):
            items: tuple[tree.SelectItem, ...] = (tree.SelectItem(transform_of(self)),)
            if self.take(","):
                items += self.separated(self.select_item)
        else:
            distinct = self.take("DISTINCT")
            if self.word == "ALL" and self.ahead().word not in {",", ".", "FROM"}:
                self.advance()
            items = self.separated(self.select_item)
        self.behind_items()
        if source is None and self.take("FROM"):
            source = self.from_items()
        elif source is not None:
            source = self._with_joins(source)
        where = self.expression() if self.take("WHERE") else None
        source = self.behind_where(source)
        grouping = None
        if self.take("GROUP", "BY"):
            grouping = grouping_of(self)
        having = self.expression() if self.take("HAVING") else None
        windows: list[tree.NamedWindow] = []
        qualify: tree.Expression | None = None
        while True:
            if self.word == "WINDOW" and self.ahead().kind in (WORD, QUOTED) and not windows:
                windows = self._windows()
            elif self.word == "QUALIFY" and qualify is None:
                self.advance()
                qualify = self.expression()
            else:
                break
        return tree.Select(
            items, source, where, grouping, having, qualify, tuple(windows), distinct
        )

    def behind_where(self, source: tree.FromItem | None) -> tree.FromItem | None:
        """A hook for Vertica's TIMESERIES clause: returns the source with the rows that it makes."""
        return source

    def behind_items(self) -> None:
        """A hook after SELECT's items, where a statement may name the table that gets its rows."""

    def select_item(self) -> tree.SelectItem:
        expression = self.expression()
        if self.takes_as():
            if self.word == "(":
                return tree.SelectItem(expression, self._names())
            return tree.SelectItem(expression, (self.name("an alias"),))
        if self.is_column_alias():
            return tree.SelectItem(expression, (self.name(),))
        return tree.SelectItem(expression)

    def _windows(self) -> list[tree.NamedWindow]:
        self.expect("WINDOW")
        found: list[tree.NamedWindow] = []
        while True:
            name = self.name("a window's name")
            self.expect("AS")
            if self.take("("):
                parts = self.window_parts()
            else:
                parts = tree.NamedWindow(self.name("a window's name"), (), ())
            found.append(
                tree.NamedWindow(
                    name, parts.partition_by, parts.order_by, parts.frame, parts.name or None
                )
            )
            if not self.take(","):
                return found

    # ORDER BY and LIMIT

    def ordered(self, body: tree.Query) -> tree.Query:
        order: tuple[tree.SortKey, ...] = ()
        total = True
        while self.word in _ORDERING and self.ahead().word == "BY":
            word = self.advance().word
            self.advance()
            if word == "ORDER":
                order, total = self.sort_keys(), True
            elif word == "SORT":
                order, total = self.sort_keys(), False
            else:
                # The distribution of rows affects neither columns nor rows.
                self.sort_keys()
        limit = offset = None
        if self.take("LIMIT"):
            if not self.take("ALL"):
                limit = self.expression()
            if self.take(","):
                offset, limit = limit, self.expression()
        if self.take("OFFSET"):
            offset = self.expression()
            self.take_one_of("ROW", "ROWS")
        if not (order or limit or offset):
            return body
        return tree.Ordered(body, order, total, limit, offset)


class _Chain:
    """A set query while its branches are collected; adjacent branches of one operator share a node."""

    def __init__(self, first: tree.Query) -> None:
        self._branches = [first]
        self._operator: tree.SetOperator | None = None
        self._distinct = False

    def add(self, operator: tree.SetOperator, branch: tree.Query, *, distinct: bool) -> None:
        same = (operator, distinct) == (self._operator, self._distinct)
        if not same or operator is tree.SetOperator.EXCEPT:
            self._branches = [self.query()]
            self._operator, self._distinct = operator, distinct
        self._branches.append(branch)

    def query(self) -> tree.Query:
        if self._operator is None:
            return self._branches[0]
        return tree.SetQuery(self._operator, self._distinct, tuple(self._branches))
