"""Names, expressions and types of any dialect, as far as names in them go.

A type that is not known is a type; what is said of how values are shown is passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from lakeschema.analysis.syntax.dialects import StatementGrammar
from lakeschema.analysis.syntax.lexing import statement_tokens
from lakeschema.analysis.syntax.statements import Files, Named
from lakeschema.catalog.column_types import STRING as TEXT
from lakeschema.catalog.column_types import ColumnType
from lakeschema.translation.errors import Position
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.interval_units import unit_of
from lakeschema.translation.syntax.lexing import (
    END,
    QUOTED,
    STRING,
    SYMBOL,
    WORD,
    Token,
)
from lakeschema.translation.syntax.pipes import Pipes
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
"""Types that are also functions: only with a phrase behind them are they types for certain."""
_DICTIONARY_CALLS: Final = ("dictget", "dicthas")
"""ClickHouse's functions whose first argument is the name of a dictionary."""
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


class OpenExpressions(Pipes):
    """Reads expressions."""

    grammar: StatementGrammar

    def __init__(self, sql: str, grammar: StatementGrammar) -> None:
        super().__init__(sql, grammar)
        self._named_by_phrase: str | None = None

    def read_tokens(self) -> list[Token]:
        return statement_tokens(self.sql, self.grammar)

    # names

    def path(self) -> tuple[str, ...]:
        if self.comes("IDENTIFIER", "("):
            self.advance()
            return self.named_by_text()
        parts = [self._part()]
        while self.word == "." and self.ahead().kind in (WORD, QUOTED):
            self.advance()
            parts.append(self._part())
        if self.comes(".", "."):
            # Database and table with the schema that is the default between them.
            self.back_to(self.index + 2)
            parts.append(self._part())
        return tuple(part for name in parts for part in self._split(name))

    def named_by_text(self) -> tuple[str, ...]:
        """The name in IDENTIFIER's parentheses: of a word, a text, or a variable as written."""
        if self.ahead().kind in (WORD, QUOTED) and self.ahead(2).word in {")", "."}:
            self.advance()
            found = self.path()
            self.expect(")")
            return found
        start = self.index
        self.skip_parentheses()
        inside = self.tokens[start + 1 : self.index - 1]
        if inside and any(t.kind == STRING and self.sql[t.start] not in "'\"" for t in inside):
            return (self.sql[inside[0].start : inside[-1].end],)
        self.back_to(start)
        return super().named_by_text()

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

    # expressions

    def operand(self) -> tree.Expression:
        bare = self._bare_function()
        if bare is not None:
            return self.postfix(bare)
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

    def _bare_function(self) -> tree.Expression | None:
        """``CURRENT_DATE``, or ``CURRENT DATE``, if it comes next."""
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
            # Oracle's mark of an outer join, behind a column.
            self.back_to(self.index + 3)
            return tree.Name(tuple(names), position)
        if self._begins_phrase():
            return self.postfix(tree.Name(tuple(names), position))
        found = super().call(names, position)
        if isinstance(found, tree.Call) and found.name.lower().startswith(_DICTIONARY_CALLS):
            return replace(found, arguments=found.arguments[1:])
        return found

    def _begins_phrase(self) -> bool:
        """Teradata's ``(TITLE 'x')``, ``(FORMAT '9')``, ``(INTEGER, FORMAT '9')``, ``(NAMED n)``."""
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
        """The name that a phrase gave the expression before it, if one did."""
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
        while True:
            if self.comes("AT", "TIME", "ZONE"):
                self.back_to(self.index + 3)
                found = tree.Call("at time zone", (found, self.operand()))
            elif self._begins_phrase():
                self._skip_phrase()
            else:
                return found

    def _changed_star(self, star: tree.Star) -> tree.Star:
        """``* ILIKE 'a%' EXCLUDE (b) REPLACE (f(c) AS c) RENAME (d AS e)``."""
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
        """A path in quotes, or a stage or a variable, if one comes next."""
        if self.sql[self.at.start : self.at.start + 1] == "@":
            return Files(self._written_place())
        if self.at.kind == STRING:
            return Files(self.advance().text)
        if self.at.kind == QUOTED and "/" in self.at.text:
            return Files(self.advance().text)
        return None

    def _written_place(self) -> str:
        """``@s.t/path``, ``@~/path``, ``@%t``, up to the next blank."""
        start = self.index
        self.advance()
        while self.at.start == self.tokens[self.index - 1].end and (
            self.at.kind != END and self.word not in {"(", ")", ",", ";"}
        ):
            self.advance()
        return self.text_since(start)

    def ends(self) -> bool:
        return self.at.kind == END or (self.at.kind == SYMBOL and self.word == ";")
