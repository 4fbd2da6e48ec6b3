"""Reads Trino's own operands and literals, in addition to those that all dialects share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from lakeschema.catalog.column_types import ColumnType
from lakeschema.catalog.errors import MalformedType
from lakeschema.catalog.trino_types import parse_trino_type
from lakeschema.translation.model.errors import Position, UnsupportedConstruct, UnsupportedType
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.interval_units import unit_of
from lakeschema.translation.syntax.lexing import END, NUMBER, QUOTED, STRING, WORD, Token
from lakeschema.translation.syntax.queries import Queries
from lakeschema.translation.syntax.trino_lexing import trino_tokens
from lakeschema.translation.syntax.trino_literals import TYPED_LITERALS

AT_TIME_ZONE: Final = "at_timezone"
_TYPE_TAILS: Final = (("WITH", "TIME", "ZONE"), ("WITHOUT", "TIME", "ZONE"))
_JSON_END: Final = frozenset({"RETURNING", "PASSING", ")"})


class TrinoExpressions(Queries):
    """Reads expressions; ``trino.TrinoQueries`` reads the items of FROM."""

    def read_tokens(self) -> list[Token]:
        return trino_tokens(self.sql)

    # constants

    def _string(self) -> tree.Expression:
        return tree.StringLiteral(self.advance().text)

    def _number(self, sign: str = "") -> tree.Expression:
        text = sign + self.advance().text
        return tree.NumberLiteral(text)

    def _interval(self) -> tree.Expression | None:
        """Reads ``INTERVAL '1' DAY`` or ``INTERVAL -'1-2' YEAR TO MONTH``."""
        signed = self.ahead().word in {"-", "+"}
        if self.ahead(2 if signed else 1).kind != STRING:
            return None
        self.advance()
        value = self._interval_value()
        unit = unit_of(self)
        if unit is None:
            self.fail("expected a unit of time")
        return tree.IntervalLiteral(value, unit)

    def check_unitless(self, position: Position) -> None:
        raise UnsupportedConstruct("an interval without a unit", position=position)

    def type(self, of: str) -> ColumnType:
        start, token = self.index, self.at
        self._skip_type()
        text = self.text_since(start)
        try:
            return parse_trino_type(text)
        except MalformedType as error:
            raise UnsupportedType(
                of, text, "it is not a type", position=self.position(token)
            ) from error

    def _skip_type(self) -> None:
        if self.at.kind not in (WORD, QUOTED):
            self.fail("expected a type")
        word = self.advance().word
        if word == "INTERVAL":
            unit_of(self)
        elif word == "DOUBLE":
            self.take("PRECISION")
        if self.word in {"(", "<"}:
            self._skip_brackets()
        for tail in _TYPE_TAILS:
            self.take(*tail)
        while self.take("ARRAY"):
            pass

    # operands

    def operand(self) -> tree.Expression:
        if self.at.kind == WORD:
            following = self.ahead()
            if following.kind == STRING and self.word in TYPED_LITERALS:
                return self.postfix(self._typed_literal())
            if self.comes("DOUBLE", "PRECISION") and self.ahead(2).kind == STRING:
                self.advance()
                return self.postfix(self._typed_literal("DOUBLE"))
            form = _FORMS.get(self.word)
            if form is not None and following.word == form[0]:
                return self.postfix(form[1](self))
        return super().operand()

    def _typed_literal(self, word: str = "") -> tree.Expression:
        written = self.advance().word
        word = word or written
        text = self.advance().text
        return tree.Cast(tree.StringLiteral(text), TYPED_LITERALS[word](text))

    def postfix(self, base: tree.Expression) -> tree.Expression:
        while True:
            if self.word == "[":
                self.advance()
                self.deeper()
                base = tree.Subscript(base, self.expression())
                self.shallower()
                self.expect("]")
            elif self.word == "." and self.ahead().kind in (WORD, QUOTED):
                self.advance()
                base = self._field(base)
            elif self.comes(".", "*"):
                self.back_to(self.index + 2)
                base = tree.Star(base=base)
            elif self.comes("AT", "TIME", "ZONE"):
                token = self.at
                self.back_to(self.index + 3)
                zone = self.operand()
                base = tree.Call(AT_TIME_ZONE, (base, zone), self.position(token))
            elif self.comes("AT", "LOCAL"):
                raise UnsupportedConstruct("AT LOCAL", position=self.position(self.at))
            else:
                return base

    def _field(self, base: tree.Expression) -> tree.Expression:
        token, name = self.at, self.name()
        if isinstance(base, tree.Name):
            return tree.Name((*base.parts, name), base.position)
        return tree.FieldOf(base, name, self.position(token))

    def _excluded(self) -> tuple[tuple[str, ...], ...]:
        return ()

    def _array(self) -> tree.Expression:
        token = self.advance()
        self.advance()
        return tree.Call("array", self.expressions("]"), self.position(token))

    def _row_value(self) -> tree.Expression:
        """Reads ``ROW(a, b)`` or, with names, ``ROW(a AS x, b)``."""
        self.advance()
        self.advance()
        fields: list[tuple[str | None, tree.Expression]] = []
        self.deeper()
        while not self.take(")"):
            value = self.expression()
            named = self.take("AS") or self.is_alias()
            fields.append((self.name() if named else None, value))
            if self.word != ")":
                self.expect(",")
        self.shallower()
        return tree.StructLiteral(tuple(fields))

    def _row_of(self, first: tree.Expression) -> tree.Expression:
        found = [first]
        while self.take(","):
            found.append(self.expression())
        return tree.Tuple(tuple(found))

    def _position_of(self) -> tree.Expression:
        if not self._stands_inside("IN"):
            token = self.at
            return self.call((self.advance().text,), self.position(token))
        token = self.advance()
        self.advance()
        part = self.expression(self.grammar.test + 1)
        self.expect("IN")
        text = self.expression()
        self.expect(")")
        return tree.Call("strpos", (text, part), self.position(token))

    def _normalize(self) -> tree.Expression:
        token = self.advance()
        self.advance()
        parts = [self.expression()]
        if self.take(","):
            parts.append(tree.StringLiteral(self.name("a form")))
        self.expect(")")
        return tree.Call("normalize", tuple(parts), self.position(token))

    def _moment_now(self) -> tree.Expression:
        """Reads ``current_timestamp(6)``, with the number of digits."""
        token = self.advance()
        self.advance()
        if self.at.kind != NUMBER:
            self.fail("expected a number of digits")
        digits = tree.NumberLiteral(self.advance().text)
        self.expect(")")
        return tree.Call(token.text.lower(), (digits,), self.position(token))

    def order_inside(self) -> tuple[tree.SortKey, ...]:
        found: tuple[tree.SortKey, ...] = ()
        if self.take("ORDER", "BY"):
            found = self.sort_keys()
        if self.take("ON", "OVERFLOW"):
            while self.word != ")" and self.at.kind != END:
                self.advance()
        return found

    def _frame(self) -> str | None:
        if self.word in {"MEASURES", "PATTERN"}:
            raise UnsupportedConstruct(f"{self.word} in a window", position=self.position(self.at))
        if self.word != "GROUPS":
            return super()._frame()
        self.advance()
        if not self.take("BETWEEN"):
            return f"GROUPS BETWEEN {self._bound()} AND CURRENT ROW"
        low = self._bound()
        self.expect("AND")
        return f"GROUPS BETWEEN {low} AND {self._bound()}"

    # JSON

    def _json(self) -> tree.Expression:
        """Reads ``json_query(x, 'lax $.a' PASSING y AS "y" RETURNING … WITH WRAPPER …)``."""
        token = self.advance()
        self.advance()
        self.deeper()
        values = [self.expression()]
        self._skip_words(",")
        self.expect(",")
        values.append(tree.StringLiteral(self.string("a path in quotes")))
        returned = None
        while not self.take(")"):
            if self.take("RETURNING"):
                returned = self.type("a result")
            elif self.take("PASSING"):
                values += self.separated(self._passed)
            elif self.at.kind == END:
                self.fail("expected )")
            else:
                self.advance()
        self.shallower()
        call = tree.Call(token.text.lower(), tuple(values), self.position(token))
        return call if returned is None else tree.Cast(call, returned, position=call.position)

    def _passed(self) -> tree.Expression:
        value = self.expression()
        self._skip_words("AS")
        self.expect("AS")
        self.name("a parameter")
        return value

    def _skip_words(self, *until: str) -> None:
        """Skips words such as ``FORMAT JSON ENCODING UTF8``."""
        while self.at.kind == WORD and self.word not in until and self.word not in _JSON_END:
            self.advance()

    def _json_made(self) -> tree.Expression:
        """Reads ``json_object('a' : x, KEY 'b' VALUE y …)`` or ``json_array(x, y …)``."""
        token = self.advance()
        self.advance()
        self.deeper()
        values: list[tree.Expression] = []
        returned = None
        while not self.take(")"):
            if self.take("RETURNING"):
                returned = self.type("a result")
            elif self.at.kind == WORD and self.word in _JSON_WORDS:
                self.advance()
            elif self.at.kind == END:
                self.fail("expected )")
            elif not self.take(",") and not self.take(":"):
                values.append(self.expression())
        self.shallower()
        call = tree.Call(token.text.lower(), tuple(values), self.position(token))
        return call if returned is None else tree.Cast(call, returned, position=call.position)

    def _trim(self) -> tree.Expression:
        found = super()._trim()
        # One side of the standard's form; both spellings are separate functions.
        return replace(found, named=()) if isinstance(found, tree.Call) else found


_JSON_WORDS: Final = frozenset(
    {
        *("KEY", "VALUE", "NULL", "ABSENT", "ON", "WITH", "WITHOUT", "UNIQUE", "KEYS", "FORMAT"),
        *("JSON", "ENCODING", "UTF8", "UTF16", "UTF32"),
    }
)

# ruff: noqa: SLF001 (a table of the class's own methods)
_FORMS: Final[Mapping[str, tuple[str, Callable[[TrinoExpressions], tree.Expression]]]] = (
    MappingProxyType(
        {
            "ARRAY": ("[", TrinoExpressions._array),
            "ROW": ("(", TrinoExpressions._row_value),
            "POSITION": ("(", TrinoExpressions._position_of),
            "NORMALIZE": ("(", TrinoExpressions._normalize),
            **dict.fromkeys(
                ("CURRENT_TIMESTAMP", "CURRENT_TIME", "LOCALTIME", "LOCALTIMESTAMP"),
                ("(", TrinoExpressions._moment_now),
            ),
            **dict.fromkeys(
                ("JSON_QUERY", "JSON_VALUE", "JSON_EXISTS"), ("(", TrinoExpressions._json)
            ),
            **dict.fromkeys(("JSON_OBJECT", "JSON_ARRAY"), ("(", TrinoExpressions._json_made)),
        }
    )
)
"""The parser of each form, and the token that must follow its word."""
