"""Reads FROM: tables, sub-queries, table functions, joins, lateral views, pivots."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from lakeschema.translation.model.errors import MalformedSql, UnsupportedConstruct
from lakeschema.translation.model.joins import JoinKind
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.calls import Calls
from lakeschema.translation.syntax.lexing import END, NUMBER, QUOTED, WORD
from lakeschema.translation.syntax.operators import BEGINS_QUERY
from lakeschema.translation.syntax.transforms import begins_script

NO_ALIAS: Final = frozenset(
    {
        *("FROM", "WHERE", "GROUP", "HAVING", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT"),
        *("OFFSET", "UNION", "EXCEPT", "MINUS", "INTERSECT", "JOIN", "LEFT", "RIGHT", "FULL"),
        *("INNER", "CROSS", "NATURAL", "SEMI", "ANTI", "ON", "USING", "LATERAL", "WINDOW"),
        *("QUALIFY", "PIVOT", "UNPIVOT", "TABLESAMPLE", "AND", "OR", "NOT", "AS", "THEN", "ELSE"),
        *("WHEN", "END", "SELECT", "INSERT", "IN", "IS", "BETWEEN", "LIKE", "RLIKE", "ILIKE"),
        *(
            "REGEXP",
            "DIV",
            "ASC",
            "DESC",
            "NULLS",
            "SET",
            "WITH",
            "VERSION",
            "FOR",
            "ROWS",
            "RANGE",
        ),
    }
)
"""Words that continue a query where an alias without AS could stand."""

_BEGUN_BY: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        **dict.fromkeys(("ORDER", "GROUP", "SORT", "CLUSTER", "DISTRIBUTE"), frozenset({"BY"})),
        "PIVOT": frozenset({"("}),
        "TABLESAMPLE": frozenset({"(", "SYSTEM", "BERNOULLI"}),
        "UNPIVOT": frozenset({"(", "INCLUDE", "EXCLUDE"}),
        "VERSION": frozenset({"AS"}),
        **dict.fromkeys(
            (
                *("AND", "OR", "NOT", "IN", "IS", "BETWEEN", "LIKE", "RLIKE", "ILIKE", "REGEXP"),
                *("DIV", "ASC", "DESC", "NULLS", "SET", "ROWS", "RANGE"),
                *("THEN", "ELSE", "WHEN", "END", "FROM"),
            ),
            frozenset(),
        ),
    }
)
"""Words that must follow a word of ``NO_ALIAS``; otherwise that word is a name."""
_BEHIND_ALIAS: Final = frozenset(
    {
        *(",", ")", "WHERE", "GROUP", "HAVING", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT"),
        *("OFFSET", "UNION", "EXCEPT", "MINUS", "INTERSECT", "JOIN", "LEFT", "RIGHT", "FULL"),
        *("INNER", "CROSS", "NATURAL", "LATERAL", "ON", "WINDOW", "QUALIFY", "FROM", "|>"),
    }
)
"""Tokens that may follow a name, but not another word that continues a query."""

_JOINS: Final[Mapping[str, JoinKind]] = MappingProxyType(
    {
        "": JoinKind.INNER,
        "INNER": JoinKind.INNER,
        "CROSS": JoinKind.CROSS,
        "LEFT": JoinKind.LEFT,
        "RIGHT": JoinKind.RIGHT,
        "FULL": JoinKind.FULL,
        "SEMI": JoinKind.SEMI,
        "ANTI": JoinKind.ANTI,
    }
)


class FromItems(Calls):
    """Reads the items of FROM, in addition to expressions and calls."""

    def from_items(self) -> tree.FromItem:
        """Reads a whole FROM clause, from left to right."""
        item = self._with_joins(self._from_item())
        while self.take(","):
            lateral = self.word == "LATERAL"
            right = self._from_item()
            if not lateral:
                right = self._with_joins(right)
            item = self._with_joins(tree.Join(item, right, JoinKind.CROSS, lateral=lateral))
        return item

    def _with_joins(self, item: tree.FromItem) -> tree.FromItem:
        """Reads the joins, lateral views and pivots after an item."""
        while (extended := self._extended(item)) is not None:
            item = extended
        return item

    def _extended(self, item: tree.FromItem) -> tree.FromItem | None:
        """Reads the next join, lateral view or pivot after an item; None without any."""
        word = self.word
        if word == "LATERAL" and self.ahead().word == "VIEW":
            return self._lateral_view(item)
        if word == "PIVOT" and self.ahead().word == "(":
            return self.pivot(item)
        if word == "UNPIVOT" and self.ahead().word in {"(", "INCLUDE", "EXCLUDE"}:
            return self.unpivot(item)
        return self.join(item)

    def join(self, left: tree.FromItem) -> tree.FromItem | None:
        start = self.index
        natural = self.take("NATURAL")
        side = self.take_one_of("INNER", "CROSS", "LEFT", "RIGHT", "FULL")
        if side in {"LEFT", "RIGHT", "FULL"}:
            self.take("OUTER")
        kind = self.take_one_of("SEMI", "ANTI") or side
        self.behind_side()
        if not self.take("JOIN"):
            self.back_to(start)
            return None
        lateral = self.word == "LATERAL"
        right = self._from_item()
        condition: tree.Expression | None = None
        using: tuple[str, ...] = ()
        if self.take("ON"):
            condition = self.expression()
        elif self.comes("USING", "("):
            self.advance()
            using = self._names()
        found = _JOINS[kind]
        if condition is None and not (using or natural) and found is not JoinKind.CROSS:
            condition = tree.BooleanLiteral(True)
        if found is JoinKind.CROSS and condition is not None:
            found = JoinKind.INNER
        return tree.Join(left, right, found, condition, using, natural, lateral)

    def behind_side(self) -> None:
        """A hook after a join's side: some engines have a join hint there."""

    def _names(self) -> tuple[str, ...]:
        self.expect("(")
        names = self.separated(self.name)
        self.expect(")")
        return names

    def _lateral_view(self, item: tree.FromItem) -> tree.FromItem:
        self.expect("LATERAL", "VIEW")
        outer = self.take("OUTER")
        token = self.at
        call = self.expression()
        if not isinstance(call, tree.Call):
            raise MalformedSql("LATERAL VIEW needs a function call", position=self.position(token))
        alias = None
        if self.is_alias():
            alias = self.name()
        columns: list[str] = []
        if self.take("AS") or (alias is not None and self.is_alias()):
            columns.append(self.name())
            while self.word == "," and self.ahead().kind in (WORD, QUOTED) and self._goes_on():
                self.advance()
                columns.append(self.name())
        return tree.LateralView(item, call, outer, alias, tuple(columns))

    def _goes_on(self) -> bool:
        """Whether the comma after ``AS a`` separates columns.

        Otherwise it separates items of FROM.
        """
        return self.ahead(2).word not in {"(", "."} and self.ahead().word != "LATERAL"

    # single items

    def _from_item(self) -> tree.FromItem:
        if self.take("LATERAL"):
            return self._from_item()
        if self.word == "(":
            return self._parenthesised()
        if self.word == "VALUES" and self.ahead().word != ".":
            self.advance()
            query: tree.Query = tree.ValuesQuery(self.rows())
            return tree.FromQuery(query, *self._alias())
        if self.take("TABLE", "(", "VALUES"):
            query = tree.ValuesQuery(self.rows())
            self.expect(")")
            return tree.FromQuery(query, *self._alias())
        token = self.at
        if self.comes("IDENTIFIER", "("):
            self.advance()
            parts = self.named_by_text()
        else:
            parts = self.path() if self.at.kind in (WORD, QUOTED) else self.fail("expected a table")
        if self.word == "(":
            call = self.call(parts, self.position(token))
            if not isinstance(call, tree.Call):
                raise UnsupportedConstruct("this table function", position=self.position(token))
            return tree.FromFunction(call, *self._alias())
        self._refuse_time_travel()
        before = self.sample()
        alias, columns = self._alias()
        sample = self.sample() or before
        return tree.TableName(parts, alias, columns, self.position(token), sample)

    def _refuse_time_travel(self) -> None:
        if self.word in {"VERSION", "TIMESTAMP"} and self.comes(self.word, "AS", "OF"):
            raise UnsupportedConstruct(f"{self.word} AS OF", position=self.position(self.at))
        if self.word == "FOR" and self.ahead().word.startswith(("SYSTEM_", "VERSION", "TIMESTAMP")):
            raise UnsupportedConstruct("FOR … AS OF", position=self.position(self.at))

    def _parenthesised(self) -> tree.FromItem:
        self.expect("(")
        self.deeper()
        if self.word in BEGINS_QUERY:
            item: tree.FromItem = tree.FromQuery(self.query())
        else:
            item = self.from_items()
            if isinstance(item, tree.FromQuery) and not item.alias and self.continues_query():
                item = tree.FromQuery(self.rest_of_query(item.query))
        self.shallower()
        self.expect(")")
        before = self.sample()
        alias, columns = self._alias()
        sample = self.sample() or before
        if isinstance(item, tree.FromQuery) and not (item.alias or item.columns or item.sample):
            return tree.FromQuery(item.query, alias, columns, sample)
        if alias is None and sample is None:
            return item
        star = tree.Select((tree.SelectItem(tree.Star()),), item)
        return tree.FromQuery(star, alias, columns, sample)

    def is_alias(self) -> bool:
        kind = self.at.kind
        if kind == WORD and self.word in {"MAP", "REDUCE"} and begins_script(self):
            return False
        if kind != WORD:
            return kind == QUOTED
        return self.word not in NO_ALIAS or (
            self.word not in self.grammar.no_alias and self._names_alias()
        )

    def is_column_alias(self) -> bool:
        """Whether an alias without AS comes next, after an item of SELECT; like ``is_alias``."""
        if self.at.kind != WORD or self.word not in NO_ALIAS:
            return self.is_alias()
        if self.word == "FROM" and not self._names_here():
            return False
        return self.word not in self.grammar.no_column_alias and self._names_alias()

    def takes_as(self) -> bool:
        """Takes AS, unless it is the alias itself."""
        following = self.ahead()
        if self.word == "AS" and self.grammar.keywords_name:
            if following.word in _BEHIND_ALIAS:
                behind = self.ahead(2)
                is_name = following.kind == WORD and (
                    behind.kind == END or behind.word in _BEHIND_ALIAS
                )
                return is_name and self.take("AS")
            return following.kind != END and self.take("AS")
        return self.take("AS")

    def _names_alias(self) -> bool:
        """Whether a word of ``NO_ALIAS`` is a name here; the next tokens decide."""
        following = self.ahead()
        if self.word == "WINDOW" and self.ahead(2).word == "AS":
            return False
        if self.word == "FOR" and following.word.startswith(("SYSTEM_", "VERSION", "TIMESTAMP")):
            return False
        begun = _BEGUN_BY.get(self.word)
        if begun is not None:
            return following.word not in begun
        return following.kind == END or following.word in _BEHIND_ALIAS

    def _alias(self) -> tuple[str | None, tuple[str, ...]]:
        """Reads an alias and its list of columns, if they come next."""
        if not self.takes_as() and not self.is_alias():
            return None, ()
        if self.word == "(":
            return None, self._names()
        alias = self.name("an alias")
        return alias, self._names() if self.word == "(" else ()

    def sample(self) -> tree.Sample | None:
        """Reads a sample, if one comes next; ignores the seed of REPEATABLE."""
        if self.word != "TABLESAMPLE" or self._names_alias():
            return None
        self.advance()
        self.take("SYSTEM")
        self.take("BERNOULLI")
        self.expect("(")
        depth = 1
        said: list[str] = []
        while depth:
            if not self.at.word and self.at.kind not in (NUMBER, QUOTED):
                self.fail("expected )")
            token = self.advance()
            said.append(token.word or token.text)
            depth += (token.word == "(") - (token.word == ")")
        if self.take("REPEATABLE"):
            self.expect("(")
            self.expression()
            self.expect(")")
        match said:
            case [number, "ROWS" | "PERCENT" as unit, ")"]:
                return tree.Sample(number, unit)
            case ["BUCKET", bucket, "OUT", "OF", buckets, ")"]:
                return tree.Sample(f"{bucket}/{buckets}", "BUCKET")
            case _:
                return tree.Sample("", "")

    def rows(self) -> tuple[tuple[tree.Expression, ...], ...]:
        """Reads the rows of VALUES; a single value is a row of one column."""
        return self.separated(self._row)

    def _row(self) -> tuple[tree.Expression, ...]:
        """Reads ``(1, 'a')``; Spark allows names, as in ``(1 AS id, …)``, but ignores them."""
        in_parentheses = self.word == "(" and self.ahead().word != "STRUCT"
        value = self.expression()
        if in_parentheses and isinstance(value, tree.StructLiteral):
            return tuple(part for _, part in value.fields)
        return value.items if isinstance(value, tree.Tuple) else (value,)

    # pivots

    def pivot(self, item: tree.FromItem) -> tree.FromItem:
        """Reads ``PIVOT (sum(a) AS s, … FOR (b, c) IN ((1, 2) AS x, …))``."""
        self.expect("PIVOT", "(")
        self.deeper()
        aggregates = self.separated(self._aliased)
        self.expect("FOR")
        keys = self._row_of_paths()
        self.expect("IN", "(")
        values = self.separated(self._aliased)
        self.expect(")", ")")
        self.shallower()
        alias, columns = self._alias()
        return tree.Pivot(item, aggregates, keys, values, alias, columns)

    def _aliased(self) -> tree.SelectItem:
        start = self.index
        expression = self.expression()
        text = self.text_since(start)
        if self.take("AS") or self.is_alias():
            return tree.SelectItem(expression, (self.name("an alias"),), text)
        return tree.SelectItem(expression, (), text)

    def _row_of_paths(self) -> tuple[tuple[str, ...], ...]:
        if not self.take("("):
            return (self.path(),)
        paths = self.separated(self.path)
        self.expect(")")
        return paths

    def unpivot(self, item: tree.FromItem) -> tree.FromItem:
        self.expect("UNPIVOT")
        with_nulls = self.take("INCLUDE", "NULLS")
        if not with_nulls:
            self.take("EXCLUDE", "NULLS")
        self.expect("(")
        values = self._names() if self.word == "(" else (self.name(),)
        self.expect("FOR")
        name = self.name()
        self.expect("IN", "(")
        columns = self.separated(self._unpivoted)
        self.expect(")", ")")
        alias, names = self._alias()
        return tree.Unpivot(item, values, name, columns, with_nulls, alias, names)

    def _unpivoted(self) -> tree.UnpivotColumns:
        paths = self._row_of_paths()
        alias = self.name("an alias") if self.take("AS") or self.is_alias() else None
        return tree.UnpivotColumns(paths, alias)
