"""Reads expressions of any dialect for the names in them; skips formats of output."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Final, TypeVar

from lakeschema.analysis.syntax.dialects import StatementGrammar
from lakeschema.analysis.syntax.names import OpenNames
from lakeschema.analysis.syntax.units import CALLS_WITH_UNITS, without_units
from lakeschema.translation.model.errors import Position
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
)
from lakeschema.translation.syntax.operators import BEGINS_QUERY
from lakeschema.translation.syntax.trino_literals import TYPED_LITERALS

T = TypeVar("T")

_TYPES_OF_LITERALS: Final = frozenset({*TYPED_LITERALS, "NUMERIC", "DATETIME", "JSONB", "BYTES"})
_PHRASES: Final = {
    "TITLE": (STRING,),
    "FORMAT": (STRING,),
    "NAMED": (WORD, QUOTED),
    "CASESPECIFIC": (SYMBOL,),
    "UPPERCASE": (SYMBOL,),
}
_TYPES_OF_PHRASES: Final = frozenset(
    {
        *("BYTEINT", "SMALLINT", "INTEGER", "INT", "BIGINT", "DECIMAL", "DEC", "NUMERIC", "FLOAT"),
        *("CHAR", "CHARACTER", "VARCHAR", "CLOB", "BYTE", "VARBYTE", "BLOB"),
    }
)
_MOMENTS: Final = frozenset({"DATE", "TIME", "TIMESTAMP"})
"""Types that are also functions: they are certainly types only before a phrase."""
_NUMBERED: Final = re.compile(r"\$\d+$")
_OPERATORS_OF_TWO_WORDS: Final = frozenset({"SIMILAR", "SOUNDS"})
_METHODS: Final = frozenset({"VALUE", "QUERY", "EXIST", "NODES"})
"""T-SQL's methods on XML."""
_DICTIONARY_CALLS: Final = ("DICTGET", "DICTHAS")
"""ClickHouse's functions whose first argument is the name of a dictionary."""


@cache
def _own_words(functions: frozenset[str], prefixes: frozenset[str]) -> frozenset[str]:
    """The words with which an operand of ``_engines_operand`` may begin."""
    first = {words.split()[0] for words in functions}
    keywords = {"TO", "LIKE", "NEXT", "INTERVAL", "ARRAY", "STRUCT", "ROW"}
    return frozenset(first | prefixes | _TYPES_OF_LITERALS | keywords)


class OpenExpressions(OpenNames):
    """Reads expressions of any dialect."""

    def __init__(self, sql: str, grammar: StatementGrammar) -> None:
        super().__init__(sql, grammar)
        self._named_by_phrase: str | None = None
        self._own_words = _own_words(grammar.bare_functions, grammar.prefix_words)

    def operand(self) -> tree.Expression:
        if (
            self.at.kind in (WORD, QUOTED, NUMBER)
            and self.word not in self._own_words
            and (self.ahead().word not in {"->", "->>"})
        ):
            return super().operand()
        found = self._engines_operand()
        return super().operand() if found is None else self.postfix(found)

    def _engines_operand(self) -> tree.Expression | None:
        """An operand that only some engines have, if one comes next."""
        if self.index and self.tokens[self.index - 1].word in _OPERATORS_OF_TWO_WORDS:
            self.take_one_of("TO", "LIKE")
        bare = self._bare_function()
        if bare is not None:
            return bare
        token, following = self.at, self.ahead()
        if self.word in self.grammar.prefix_words and following.kind in (WORD, QUOTED):
            self.advance()
            return tree.Call(token.text, (self.operand(),), self.position(token))
        if self.grammar.numbered_columns and token.kind == STRING and _NUMBERED.match(self._said()):
            self.advance()
            return tree.Name((token.text,), self.position(token))
        if (
            token.kind in (WORD, QUOTED)
            and following.word in {"->", "->>"}
            and (self.ahead(2).kind in (STRING, NUMBER))
        ):
            # The arrow takes an element of JSON; it is no lambda.
            self.advance()
            return tree.Name((token.text,), self.position(token))
        if self.take("NEXT", "VALUE", "FOR"):
            return tree.Call("nextval", (), self.position(token), qualifier=self.path())
        if self.word == "{":
            return self._object()
        if self.word == "INTERVAL" and following.kind in (WORD, QUOTED):
            return self._computed_interval()
        if self.word in _TYPES_OF_LITERALS and self.ahead().kind == STRING:
            self.advance()
            return tree.StringLiteral(self.advance().text)
        if self.word == "ARRAY" and self.ahead().word == "[":
            self.advance()
        if self.word == "[":
            self.advance()
            return tree.Call("array", self.expressions("]"))
        if self.word == "ROW" and self.ahead().word == "(":
            token = self.advance()
            return self.call((token.text,), self.position(token))
        if self.word in {"ARRAY", "STRUCT"} and self.ahead().word == "<":
            self.advance()
            self._skip_brackets()
            closing = {"(": ")", "[": "]"}.get(self.word)
            if closing is None:
                self.fail("expected (")
            self.advance()
            return tree.Call("array", tuple(self._aliased_values(closing)))
        return None

    def _said(self) -> str:
        return self.sql[self.at.start : self.at.end]

    def _object(self) -> tree.Expression:
        """Reads ``{'a': x, b: y}``; ``{*}`` has all columns."""
        self.expect("{")
        fields: list[tuple[str | None, tree.Expression]] = []
        while not self.take("}"):
            if self.word == "*":
                fields.append((None, self.operand()))
            else:
                key = self.advance().text
                if self.at.kind == STRING and self._said().startswith(":"):
                    # ``{'a':x}`` has no blank before x, so ``:x`` was read as a variable.
                    variable = self.advance()
                    value: tree.Expression = tree.Name((variable.text[1:],))
                else:
                    self.expect(":")
                    value = self.expression()
                fields.append((key, value))
            if self.word != "}":
                self.expect(",")
        return tree.StructLiteral(tuple(fields))

    def _computed_interval(self) -> tree.Expression | None:
        """Reads ``INTERVAL a + 1 DAY``; INTERVAL without a unit is a name."""
        start = self.index
        self.advance()
        if self.word in NO_ALIAS:
            self.back_to(start)
            return None
        value = self.expression()
        unit = unit_of(self)
        if unit is None:
            self.back_to(start)
            return None
        return tree.IntervalLiteral(value, unit)

    def _bare_function(self) -> tree.Expression | None:
        """Reads ``CURRENT_DATE`` or ``CURRENT DATE``, if it comes next."""
        known = self.grammar.bare_functions
        following = self.ahead()
        if self.at.kind != WORD or following.kind == STRING or following.word in {"(", "."}:
            return None
        for words in (f"{self.word} {following.word}", self.word):
            if words in known:
                token = self.at
                self.back_to(self.index + len(words.split()))
                return tree.Call(words, (), self.position(token))
        return None

    def call(self, names: Sequence[str], position: Position) -> tree.Expression:
        if self.comes("(", "+", ")"):
            # Oracle's outer-join mark after a column.
            self.back_to(self.index + 3)
            return tree.Name(tuple(names), position)
        if self._begins_phrase():
            return self.postfix(tree.Name(tuple(names), position))
        name = names[-1].upper()
        if self.grammar.converts_type_first and name in {"CONVERT", "TRY_CONVERT"}:
            return self._converted(position)
        found = super().call(names, position)
        call = found.call if isinstance(found, tree.WindowCall) else found
        if not isinstance(call, tree.Call):
            return found
        if self.grammar.brackets_name and len(names) > 1 and name in _METHODS:
            return replace(
                call, arguments=(tree.Name(tuple(names[:-1]), position), *call.arguments)
            )
        if name.startswith(_DICTIONARY_CALLS):
            return replace(call, arguments=call.arguments[1:])
        if name in CALLS_WITH_UNITS:
            return replace(call, arguments=without_units(name, call.arguments))
        return found

    def _converted(self, position: Position) -> tree.Expression:
        self.expect("(")
        type_ = self.type("a CONVERT")
        self.expect(",")
        operand, *_ = self.expressions(")")
        return tree.Cast(operand, type_, position=position)

    def special_call(self) -> tree.Expression | None:
        if self.word == "SAFE_CAST" or (
            self.word in {"PARSE", "TRY_PARSE"} and self._stands_inside("AS")
        ):
            return self._cast()
        return super().special_call()

    def _argument(self) -> tree.Expression:
        following = self.ahead()
        if self.word in {"MODEL", "TABLE"} and following.kind in (WORD, QUOTED):
            # In the arguments of a table function, a model is not a table.
            is_table = self.advance().word == "TABLE"
            table = tree.TableName(self.path(), position=self.position(following))
            star = (tree.SelectItem(tree.Star()),)
            return tree.ScalarQuery(tree.Select(star, table)) if is_table else tree.NullLiteral()
        return super()._argument()

    def _behind(self, call: tree.Call) -> tree.Expression:
        if self.comes("KEEP", "(") or self.comes("AGAINST", "("):
            # A group's row, or a mode of text search.
            self.advance()
            self.skip_parentheses()
        return super()._behind(call)

    def _quantified(self, left: tree.Expression, name: str) -> tree.Expression:
        if self.ahead(2).word in BEGINS_QUERY:
            return super()._quantified(left, name)
        token = self.advance()
        self.advance()
        return tree.Call(name, (left, *self.expressions(")")), self.position(token))

    def _test(self, left: tree.Expression) -> tree.Expression:
        negated = int(self.word in {"NOT", "!"})
        symmetric = self.ahead(negated + 1).word in {"SYMMETRIC", "ASYMMETRIC"}
        if not (symmetric and self.ahead(negated).word == "BETWEEN"):
            return super()._test(left)
        self.back_to(self.index + negated + 2)
        low = self.expression(self.grammar.test + 1)
        self.expect("AND")
        return tree.Call("between", (left, low, self.expression(self.grammar.test + 1)))

    def _begins_phrase(self) -> bool:
        """Whether a Teradata phrase follows, such as ``(TITLE 'x')`` or ``(NAMED n)``."""
        if not self.grammar.phrases or self.word != "(":
            return False
        first, second = self.ahead(), self.ahead(2)
        if first.word in _PHRASES:
            return second.kind in _PHRASES[first.word]
        if first.word in _TYPES_OF_PHRASES:
            return second.word in {"(", ")"} or (
                second.word == "," and self.ahead(3).word in _PHRASES
            )
        return first.word in _MOMENTS and second.word == "," and self.ahead(3).word in _PHRASES

    def take_phrase_name(self) -> str | None:
        """The name that a phrase gave to the preceding expression, if any."""
        name, self._named_by_phrase = self._named_by_phrase, None
        return name

    def _skip_phrase(self) -> None:
        self.expect("(")
        depth = 1
        while depth:
            if self.at.kind == END:
                self.fail("expected )")
            if self.word == "NAMED" and self.ahead().kind in (WORD, QUOTED):
                self._named_by_phrase = self.ahead().text
            word = self.advance().word
            depth += (word == "(") - (word == ")")

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
        if isinstance(found, tree.Star):
            return self._changed_star(found)
        if (
            isinstance(found, tree.Name)
            and len(found.parts) > 1
            and (found.parts[-1].upper() in {"NEXTVAL", "CURRVAL"})
        ):
            # This is the next value of a sequence.
            found = tree.Call("nextval", (), found.position, qualifier=found.parts[:-1])
        while True:
            if self.comes("AT", "TIME", "ZONE"):
                self.back_to(self.index + 3)
                found = tree.Call("at time zone", (found, self.operand()))
            elif self._begins_phrase():
                self._skip_phrase()
            else:
                return found

    def _changed_star(self, star: tree.Star) -> tree.Star:
        """Reads ``* ILIKE 'a%' EXCLUDE (b) REPLACE (f(c) AS c) RENAME (d AS e)``."""
        while True:
            if self.word == "ILIKE" and self.ahead().kind == STRING:
                self.advance()
                star = replace(star, like=self.advance().text)
            elif self._begins_change("EXCLUDE"):
                paths = self._in_parentheses_or_alone(self.path)
                star = replace(star, excluded=(*star.excluded, *paths))
            elif self._begins_change("REPLACE"):
                values = self._in_parentheses_or_alone(self._replaced_column)
                star = replace(star, replaced=(*star.replaced, *values))
            elif self._begins_change("RENAME"):
                names = self._in_parentheses_or_alone(self._renamed_column)
                star = replace(star, renamed=(*star.renamed, *names))
            else:
                return star

    def _begins_change(self, word: str) -> bool:
        if self.word != word or not (
            self.ahead().word == "(" or self.ahead().kind in (WORD, QUOTED)
        ):
            return False
        self.advance()
        return True

    def _in_parentheses_or_alone(self, read: Callable[[], T]) -> tuple[T, ...]:
        if not self.take("("):
            return (read(),)
        found = self.separated(read)
        self.expect(")")
        return found

    def _replaced_column(self) -> tuple[str, tree.Expression]:
        value = self.expression()
        self.expect("AS")
        return self.name("a column"), value

    def _renamed_column(self) -> tuple[str, str]:
        old = self.path()[-1]
        self.expect("AS")
        return old, self.name("a column")

    def check_unitless(self, position: Position) -> None:
        """Accepts ``INTERVAL '1 day'``, which other engines allow."""

    def order_inside(self) -> tuple[tree.SortKey, ...]:
        found: tuple[tree.SortKey, ...] = ()
        if self.take("USING"):
            self.name("a character set")
        if self.take("HAVING", "MAX") or self.take("HAVING", "MIN"):
            self.expression()
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
