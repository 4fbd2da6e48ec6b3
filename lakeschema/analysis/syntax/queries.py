"""Queries of any dialect: what Spark's and Hive's grammar refuses, as other engines write it.

Only names matter here: a type that is not known is a type, and what is said of how rows are
locked, sampled, ordered inside a call or read at another time is passed over.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from lakeschema.analysis.syntax.dialects import StatementGrammar
from lakeschema.analysis.syntax.lexing import statement_tokens
from lakeschema.analysis.syntax.statements import Files, Named
from lakeschema.catalog.column_types import STRING as TEXT
from lakeschema.catalog.column_types import ColumnType
from lakeschema.translation.errors import Position
from lakeschema.translation.joins import JoinKind
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.from_items import NO_ALIAS
from lakeschema.translation.syntax.interval_units import unit_of
from lakeschema.translation.syntax.lexing import (
    END,
    NUMBER,
    QUOTED,
    STRING,
    SYMBOL,
    WORD,
    Token,
)
from lakeschema.translation.syntax.operators import BEGINS_QUERY
from lakeschema.translation.syntax.pipes import Pipes
from lakeschema.translation.syntax.trino_literals import TYPED_LITERALS

FILES: Final = "files"
"""The namespace of a table name that is a path: ``("files", uri)`` has no other meaning."""

TIMESERIES: Final = "timeseries"
"""The function that stands for Vertica's clause: of moments, and of keys without names."""

_NO_ALIAS: Final = NO_ALIAS | frozenset(
    {
        *("FETCH", "INTO", "RETURNING", "WHERE", "OPTION", "CONNECT", "START", "TIMESERIES"),
        *("WHEN", "MATCHED", "GO", "BEGIN", "UPDATE", "DELETE", "MERGE", "CREATE", "DROP"),
        *("STRAIGHT_JOIN", "ASOF", "ALTER", "PREWHERE", "SETTINGS", "FORMAT", "TRUNCATE"),
        *("IF", "ELSE", "DECLARE", "EXEC", "EXECUTE", "COMMIT", "APPLY", "CLONE", "OUTER"),
    }
)
_TYPES_OF_LITERALS: Final = frozenset({*TYPED_LITERALS, "NUMERIC", "DATETIME", "JSONB", "BYTES"})
_FILE_FORMATS: Final = frozenset({"parquet", "orc", "json", "csv", "avro", "text", "delta"})
_TYPE_TAILS: Final = (
    ("PRECISION",),
    ("VARYING",),
    ("WITH", "TIME", "ZONE"),
    ("WITHOUT", "TIME", "ZONE"),
    ("WITH", "LOCAL", "TIME", "ZONE"),
    ("UNSIGNED",),
    ("SIGNED",),
    ("CHARACTER", "SET"),
)


class OpenQueries(Pipes):
    """Reads a query; ``into`` is the table of SELECT … INTO that was met."""

    grammar: StatementGrammar

    def __init__(self, sql: str, grammar: StatementGrammar) -> None:
        super().__init__(sql, grammar)
        self.into: Named | None = None

    def read_tokens(self) -> list[Token]:
        return statement_tokens(self.sql, self.grammar)

    # names

    def path(self) -> tuple[str, ...]:
        parts = [self._part()]
        while self.word == "." and self.ahead().kind in (WORD, QUOTED):
            self.advance()
            parts.append(self._part())
        if self.comes(".", "."):
            # Database and table with the schema that is the default between them.
            self.back_to(self.index + 2)
            parts.append(self._part())
        return tuple(part for name in parts for part in self._split(name))

    def _part(self) -> str:
        name = self.name()
        if not self.grammar.dashes_in_tables:
            return name
        while self.word == "-" and self.at.start == self.tokens[self.index - 1].end:
            self.advance()
            name += "-" + self.advance().text
        return name

    def _split(self, name: str) -> tuple[str, ...]:
        if self.grammar.dotted_quotes and "." in name:
            return tuple(part for part in name.split(".") if part)
        return (name,)

    def table(self, what: str = "a table") -> Named:
        token = self.at
        if token.kind not in (WORD, QUOTED):
            self.fail(f"expected {what}")
        return Named(self.path(), position=self.position(token))

    # SELECT

    def select_item(self) -> tree.SelectItem:
        before = self.tokens[self.index - 1].word if self.index else ""
        if before in {"SELECT", "DISTINCT", "ALL"}:
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
        expression = self.expression()
        text = self.text_since(start)
        if self.take("AS"):
            if self.word == "(":
                return tree.SelectItem(expression, self._names(), text)
            alias = self.advance().text if self.at.kind == STRING else self.name("an alias")
            return tree.SelectItem(expression, (alias,), text)
        if self._is_alias():
            return tree.SelectItem(expression, (self.name(),), text)
        return tree.SelectItem(expression, (), text)

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
        if self.word == "INTO" and self.ahead().kind in (WORD, QUOTED):
            self.advance()
            self.take_one_of("TEMPORARY", "TEMP")
            self.take("TABLE")
            self.into = self.table()

    def behind_where(self, source: tree.FromItem | None) -> tree.FromItem | None:
        """``TIMESERIES slot AS '1 hour' OVER (PARTITION BY a ORDER BY moment)``."""
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

    def ordered(self, body: tree.Query) -> tree.Query:
        query = super().ordered(body)
        if self.take("FETCH"):
            while self.at.kind != END and not self.take_one_of("ONLY", "TIES"):
                self.advance()
        while self.comes("FOR", "UPDATE") or self.comes("FOR", "SHARE"):
            self.back_to(self.index + 2)
        if self.comes("OPTION", "("):
            self.advance()
            self.skip_parentheses()
        return query

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
        return tree.CommonTable(name, columns, query)

    def _set_operator(self) -> bool:
        self.advance()
        distinct = self.take_one_of("ALL", "DISTINCT") != "ALL"
        self.take("BY", "NAME")
        return distinct

    # FROM

    def _from_item(self) -> tree.FromItem:
        if self.take("LATERAL"):
            return self._from_item()
        self.take("ONLY")
        if self.at.kind == STRING:
            uri = self.advance().text
            return self._behind_table(tree.TableName((FILES, uri)))
        if self.word == "UNNEST" and self.ahead().word == "(":
            return self._unnest()
        if self.word == "TABLE" and self.ahead().word == "(":
            self.advance()
            return self._parenthesised()
        if self.word == "(" or (self.word == "VALUES" and self.ahead().word == "("):
            return super()._from_item()
        token = self.at
        if token.kind not in (WORD, QUOTED):
            self.fail("expected a table")
        parts = self.path()
        if self.word == "(":
            call = self.call(parts, self.position(token))
            call = call if isinstance(call, tree.Call) else tree.Call(parts[-1], (call,))
            self.take("WITH", "ORDINALITY")
            return tree.FromFunction(call, *self._alias())
        if len(parts) == 2 and parts[0].lower() in _FILE_FORMATS and token.kind == WORD:
            at = self.tokens[self.index - 1]
            if at.kind == QUOTED:
                parts = (FILES, parts[1])
        return self._behind_table(tree.TableName(parts, position=self.position(token)))

    def _unnest(self) -> tree.FromItem:
        token = self.advance()
        self.expect("(")
        call = tree.Call("unnest", self.expressions(")"), self.position(token))
        self.take("WITH", "ORDINALITY")
        alias, columns = self._alias()
        if alias is not None and not columns and self.grammar.dotted_quotes:
            # BigQuery names the column by it.
            columns = (alias,)
        if self.take("WITH", "OFFSET"):
            offset = self._alias()[0] or "offset"
            columns = (*columns, offset) if columns else ()
        return tree.FromFunction(call, alias, columns)

    def _behind_table(self, name: tree.TableName) -> tree.FromItem:
        self._skip_time_travel()
        self.sample()
        alias, columns = self._alias()
        self._skip_time_travel()
        self.sample()
        if self.word == "WITH" and self.ahead().word == "(":
            self.advance()
            self.skip_parentheses()
        return tree.TableName(name.parts, alias, columns, name.position)

    def _skip_time_travel(self) -> None:
        if self.word == "FOR" and self.ahead().word in {"UPDATE", "SHARE"}:
            return
        if self.word == "FOR" and self.ahead().kind == WORD:
            self.advance()
        if self.word.startswith(("SYSTEM_", "VERSION", "TIMESTAMP")) and self.ahead().word in {
            "AS",
            "BEFORE",
        }:
            self.back_to(self.index + 2)
            self.take("OF")
            self.operand()

    def _is_alias(self) -> bool:
        kind = self.at.kind
        if kind == QUOTED:
            return True
        if kind != WORD or self.word in _NO_ALIAS:
            return False
        return not (self.word == "GLOBAL" and self.ahead().word in {"LEFT", "INNER", "JOIN"})

    def join(self, left: tree.FromItem) -> tree.FromItem | None:
        self.take("GLOBAL")
        if self.word in {"CROSS", "OUTER"} and self.ahead().word == "APPLY":
            self.back_to(self.index + 2)
            return tree.Join(left, self._from_item(), JoinKind.CROSS, lateral=True)
        if self.take("STRAIGHT_JOIN"):
            condition = None
            right = self._from_item()
            if self.take("ON"):
                condition = self.expression()
            return tree.Join(left, right, JoinKind.INNER, condition)
        self.take("ASOF")
        return super().join(left)

    def sample(self) -> None:
        if self.word == "SAMPLE" and self.ahead().word == "(":
            self.advance()
            self.skip_parentheses()
        super().sample()

    # expressions

    def operand(self) -> tree.Expression:
        if self.word in _TYPES_OF_LITERALS and self.ahead().kind == STRING:
            self.advance()
            return self.postfix(tree.StringLiteral(self.advance().text))
        if self.word == "ARRAY" and self.ahead().word == "[":
            self.advance()
        if self.word == "[":
            self.advance()
            return self.postfix(tree.Call("array", self.expressions("]")))
        if self.word == "ROW" and self.ahead().word == "(":
            token = self.advance()
            return self.postfix(self.call((token.text,), self.position(token)))
        if self.word in {"ARRAY", "STRUCT"} and self.ahead().word == "<":
            self.advance()
            self._skip_brackets()
            closing = {"(": ")", "[": "]"}.get(self.word)
            if closing is None:
                self.fail("expected (")
            self.advance()
            return self.postfix(tree.Call("array", tuple(self._aliased_values(closing))))
        return super().operand()

    def call(self, names: Sequence[str], position: Position) -> tree.Expression:
        if self.comes("(", "+", ")"):
            # Oracle's mark of an outer join, behind a column.
            self.back_to(self.index + 3)
            return tree.Name(tuple(names), position)
        return super().call(names, position)

    def _aliased_values(self, closing: str) -> list[tree.Expression]:
        found: list[tree.Expression] = []
        while not self.take(closing):
            found.append(self.expression())
            if self.take("AS"):
                self.name()
            if self.word != closing:
                self.expect(",")
        return found

    def postfix(self, base: tree.Expression) -> tree.Expression:
        found = super().postfix(base)
        while True:
            if self.comes("AT", "TIME", "ZONE"):
                self.back_to(self.index + 3)
                found = tree.Call("at time zone", (found, self.operand()))
            else:
                return found

    def check_unitless(self, position: Position) -> None:
        """Other engines have them: ``INTERVAL '1 day'``."""

    def order_inside(self) -> tuple[tree.SortKey, ...]:
        found: tuple[tree.SortKey, ...] = ()
        if self.take("ORDER", "BY"):
            found = self.sort_keys()
        if self.take("SEPARATOR"):
            self.operand()
        if self.take("LIMIT"):
            self.operand()
        if self.take("ON", "OVERFLOW"):
            while self.word != ")" and self.at.kind != END:
                self.advance()
        return found

    def _in(self, left: tree.Expression) -> tree.Expression:
        if self.word == "(":
            return super()._in(left)
        return tree.InList(left, (self.operand(),))

    def _frame(self) -> str | None:
        if self.word == "GROUPS":
            self.advance()
            if self.take("BETWEEN"):
                self._bound()
                self.expect("AND")
            self._bound()
        frame = super()._frame()
        if self.take("EXCLUDE"):
            while self.word != ")" and self.at.kind != END:
                self.advance()
        return frame

    def _row(self) -> tuple[tree.Expression, ...]:
        self.take("ROW")
        return super()._row()

    # types

    def type(self, of: str) -> ColumnType:
        """Any type: its name and what stands in brackets behind it."""
        del of
        self.path()
        if self.word in {"(", "<"}:
            self._skip_brackets()
        for tail in _TYPE_TAILS:
            if self.take(*tail):
                if tail[0] == "CHARACTER":
                    self.name()
                if self.word == "(":
                    self._skip_brackets()
        if self.tokens[self.index - 1].word == "INTERVAL":
            unit_of(self)
        while self.comes("[", "]"):
            self.back_to(self.index + 2)
        if self.take("ARRAY") and self.word == "[":
            self.skip_parentheses("[", "]")
        return TEXT

    # passing over

    def skip_parentheses(self, opening: str = "(", closing: str = ")") -> None:
        """What stands between the next parenthesis and its end."""
        self.expect(opening)
        depth = 1
        while depth:
            if self.at.kind == END:
                self.fail(f"expected {closing}")
            word = self.advance().word
            depth += (word == opening) - (word == closing)

    def skip_to(self, *words: str) -> bool:
        """Up to one of the words outside of parentheses, or the statement's end."""
        depth = 0
        while self.at.kind != END and not (depth == 0 and self.word == ";"):
            if depth == 0 and self.word in words:
                return True
            word = self.advance().word
            depth += (word == "(") - (word == ")")
        return False

    def files(self) -> Files | None:
        """A path in quotes, or a stage, if one comes next."""
        if self.at.kind == STRING:
            return Files(self.advance().text)
        if self.at.kind == QUOTED and "/" in self.at.text:
            return Files(self.advance().text)
        return None

    def ends(self) -> bool:
        return self.at.kind == END or (self.at.kind == SYMBOL and self.word == ";")
