"""Reads operands: columns, parentheses, CASE, lambdas, and their suffixes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from lakeschema.translation.model.errors import Position
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.interval_units import unit_of
from lakeschema.translation.syntax.lexing import (
    END,
    HEXADECIMAL,
    NUMBER,
    QUOTED,
    STRING,
    SYMBOL,
    WORD,
)
from lakeschema.translation.syntax.literals import TYPED_LITERALS
from lakeschema.translation.syntax.operators import BEGINS_QUERY, Operators
from lakeschema.translation.syntax.spark_intervals import spark_interval
from lakeschema.translation.syntax.variant_paths import variant_path

_NO_OPERAND: Final = frozenset(
    {
        *("FROM", "WHERE", "GROUP", "HAVING", "UNION", "INTERSECT", "ON", "THEN", "ELSE", "WHEN"),
        *("END", "AS", "AND", "OR", "SELECT", "JOIN", "IN", "LIKE", "BETWEEN", "IS"),
    }
)
"""Words that end or continue a clause; as a column's name most need back-ticks."""
_MAY_NAME: Final = frozenset({"END", "GROUP"})
"""Words of ``_NO_OPERAND`` that name columns in practice; Spark reserves no keyword."""
_FOLLOWS_COLUMN: Final = frozenset(
    {
        *("FROM", "AS", "AND", "OR", "THEN", "ELSE", "END", "IN", "IS", "BETWEEN", "LIKE", "NOT"),
        *("ASC", "DESC", "NULLS", "ORDER", "HAVING", "LIMIT"),
    }
)


class Expressions(Operators):
    """Reads operands of expressions; ``query`` reads queries inside."""

    @abstractmethod
    def is_alias(self) -> bool:
        """Whether a name without AS comes next."""

    @abstractmethod
    def call(self, names: Sequence[str], position: Position) -> tree.Expression:
        """The call of the named function; its parenthesis comes next."""

    @abstractmethod
    def special_call(self) -> tree.Expression | None:
        """A call with keywords among its arguments, if one comes next."""

    def operand(self) -> tree.Expression:
        kind = self.at.kind
        if kind in (WORD, QUOTED):
            found = self._named()
        elif kind == STRING:
            found = self._string()
        elif kind == NUMBER:
            found = self._number()
        elif kind == HEXADECIMAL:
            found = tree.BinaryLiteral(self.advance().text)
        elif self.word == "(":
            found = self._parentheses()
            unit = unit_of(self) if self._counts_units(found) else None
            if unit is not None:
                return tree.IntervalLiteral(found, unit)
        elif self.word == "*":
            self.advance()
            found = tree.Star((), self._excluded())
        else:
            self.fail("expected an expression")
        return self.postfix(found)

    def _counts_units(self, found: tree.Expression) -> bool:
        """Whether a number in parentheses counts units, as in ``(1) DAY``."""
        return self.grammar.bare_intervals and isinstance(found, tree.NumberLiteral)

    def postfix(self, base: tree.Expression) -> tree.Expression:
        while True:
            word = self.word
            if word == "[":
                self.advance()
                self.deeper()
                base = tree.Subscript(base, self.expression())
                self.shallower()
                self.expect("]")
            elif word == "." and self.ahead().kind in (WORD, QUOTED):
                self.advance()
                token, name = self.at, self.name()
                if isinstance(base, tree.Name):
                    base = tree.Name((*base.parts, name), base.position)
                else:
                    base = tree.FieldOf(base, name, self.position(token))
            elif word == "." and self.ahead().word == "*":
                self.back_to(self.index + 2)
                base = tree.Star((), self._excluded(), base=base)
            elif word == "::":
                token = self.advance()
                base = tree.Cast(base, self.type("a cast"), position=self.position(token))
            elif word == ":":
                base = variant_path(self, base)
            elif word == "COLLATE" and not self._names_here():
                token = self.advance()
                collation = tree.StringLiteral(".".join(self.path()))
                base = tree.Call("collate", (base, collation), self.position(token))
            else:
                return base

    def _named(self) -> tree.Expression:
        """Reads an operand that begins with a word: a literal, a special form, a call, a column."""
        token = self.at
        if self.ahead().word == "->":
            return self._lambda()
        if token.kind == WORD:
            form = _FORMS.get(token.word)
            if form is not None:
                found = form(self)
                if found is not None:
                    return found
            following = self.ahead()
            if following.word == "(":
                special = self.special_call()
                if special is not None:
                    return special
            elif following.kind == STRING and token.word == "X":
                return self._spaced_hexadecimal()
            elif following.kind == STRING and token.word in TYPED_LITERALS:
                type_ = TYPED_LITERALS[token.word]
                self.advance()
                return tree.Cast(tree.StringLiteral(self.advance().text), type_)
            if token.word in _NO_OPERAND and not self._is_column():
                self.fail("expected an expression")
        parts = [self.advance().text]
        while self.word == "." and self.ahead().kind in (WORD, QUOTED):
            self.advance()
            parts.append(self.name())
        if self.word == "(":
            return self.call(parts, self.position(token))
        if self.word == "." and self.ahead().word == "*":
            self.back_to(self.index + 2)
            return tree.Star(tuple(parts), self._excluded(), position=self.position(token))
        return tree.Name(tuple(parts), self.position(token))

    def _is_column(self) -> bool:
        """Whether a clause's keyword is a name of a column or function here.

        The next tokens decide.
        """
        following = self.ahead()
        if self.word == "LIKE" and following.word == "(":
            return True
        if not self.grammar.keywords_name:
            return False
        if following.word == ".":
            return True
        if self.word not in _MAY_NAME:
            return False
        ends = following.kind == SYMBOL and following.word != "("
        return ends or following.kind == END or following.word in _FOLLOWS_COLUMN

    def _excluded(self) -> tuple[tuple[str, ...], ...]:
        """Reads the columns of ``* EXCEPT (a, s.x)``; EXCEPT before a query is a set operation."""
        if not self.comes("EXCEPT", "(") or self.ahead(2).word in BEGINS_QUERY:
            return ()
        self.expect("EXCEPT", "(")
        paths = self.separated(self.path)
        self.expect(")")
        return paths

    def path(self) -> tuple[str, ...]:
        """Reads a name with its qualifiers, or with fields: ``a.b.c``."""
        parts = [self.name()]
        while self.take("."):
            parts.append(self.name())
        return tuple(parts)

    def _parentheses(self) -> tree.Expression:
        if self._begins_lambda():
            return self._lambda()
        self.advance()
        self.deeper()
        if self.word in BEGINS_QUERY and self.ahead().word not in {")", ","}:
            found: tree.Expression = tree.ScalarQuery(self.query())
        else:
            found = self.expression()
            if isinstance(found, tree.ScalarQuery) and self.continues_query():
                found = tree.ScalarQuery(self.rest_of_query(found.query))
            elif self.word in {",", "AS"} or (self.is_alias() and self.ahead().word == ","):
                found = self._row_of(found)
        self.shallower()
        self.expect(")")
        return found

    def _row_of(self, first: tree.Expression) -> tree.Expression:
        """Reads a tuple ``(a, b)`` or, with names, a struct: ``(0 AS sum, 0 AS n)``."""
        fields = [(self.field_name(), first)]
        while self.take(","):
            value = self.expression()
            fields.append((self.field_name(), value))
        if any(name for name, _ in fields):
            return tree.StructLiteral(tuple(fields))
        return tree.Tuple(tuple(value for _, value in fields))

    def field_name(self) -> str | None:
        """Reads the name after a field's value, with AS or without."""
        return self.name() if self.take("AS") or self.is_alias() else None

    def _begins_lambda(self) -> bool:
        """Whether ``(x, y) ->`` comes next."""
        at = 1
        while self.ahead(at).kind in (WORD, QUOTED):
            following = self.ahead(at + 1).word
            if following == ")":
                return self.ahead(at + 2).word == "->"
            if following != ",":
                return False
            at += 2
        return False

    def _lambda(self) -> tree.Expression:
        if self.take("("):
            names = self.separated(self.name)
            self.expect(")")
        else:
            names = (self.name(),)
        self.expect("->")
        return tree.Lambda(names, self.expression())

    # forms with a keyword

    def _case(self) -> tree.Expression | None:
        if self.ahead().word in {",", ")", ".", ""} and self.ahead().kind in (SYMBOL, END):
            return None
        self.advance()
        self.deeper()
        operand = None if self.word == "WHEN" else self.expression()
        branches: list[tuple[tree.Expression, tree.Expression]] = []
        while self.take("WHEN"):
            condition = self.expression()
            self.expect("THEN")
            branches.append((condition, self.expression()))
        if not branches:
            self.fail("expected WHEN")
        otherwise = self.expression() if self.take("ELSE") else None
        self.expect("END")
        self.shallower()
        return tree.Case(operand, tuple(branches), otherwise)

    def _exists(self) -> tree.Expression | None:
        """Reads EXISTS: an operator on a query, or a function of an array and a lambda."""
        inner = 1
        while self.ahead(inner).word == "(":
            inner += 1
        if inner == 1 or self.ahead(inner).word not in BEGINS_QUERY:
            return None
        token = self.advance()
        found = self._parentheses()
        if isinstance(found, tree.ScalarQuery):
            return tree.Exists(found.query)
        if isinstance(found, tree.Tuple):
            return tree.Call(token.text, found.items, self.position(token))
        return self.fail("expected one query in the parentheses")

    def _interval(self) -> tree.Expression | None:
        """Reads an interval.

        ``INTERVAL '1' DAY``, ``INTERVAL 3 DAYS 1 SECOND``, ``INTERVAL '1 day 2 hours'``.
        """
        following = self.ahead()
        signed = following.word in {"-", "+"} and self.ahead(2).kind in (STRING, NUMBER)
        if following.kind not in (STRING, NUMBER) and not signed and following.word != "(":
            return None
        token = self.at
        if following.word == "(":
            self.advance()
            call = self.call((token.text,), self.position(token))
            unit = unit_of(self)
            if unit is None or not isinstance(call, tree.Call) or len(call.arguments) != 1:
                return call
            return tree.IntervalLiteral(call.arguments[0], unit)
        self.advance()
        written = spark_interval(self) if self.grammar.sums_intervals else None
        if written is not None:
            amounts = (written.months, written.days, written.microseconds)
            return tree.IntervalLiteral(tree.StringLiteral(written.text), written.unit, amounts)
        value = self._interval_value()
        unit = unit_of(self)
        if unit is not None:
            return tree.IntervalLiteral(value, unit)
        self.check_unitless(self.position(token))
        return tree.IntervalLiteral(value, "")

    @abstractmethod
    def check_unitless(self, position: Position) -> None:
        """Checks ``INTERVAL '1'`` without a unit; raises in dialects without such intervals."""


_FORMS: Final[Mapping[str, Callable[[Expressions], tree.Expression | None]]] = MappingProxyType(
    {
        "NULL": Expressions._null,  # noqa: SLF001 (a table of the class's own methods)
        "TRUE": Expressions._boolean,  # noqa: SLF001
        "FALSE": Expressions._boolean,  # noqa: SLF001
        "CASE": Expressions._case,  # noqa: SLF001
        "EXISTS": Expressions._exists,  # noqa: SLF001
        "INTERVAL": Expressions._interval,  # noqa: SLF001
        "NOT": Expressions._not,  # noqa: SLF001
    }
)
