"""Operators and operands: from tokens to the raw tree's expressions, strongest operators first."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from string import hexdigits
from types import MappingProxyType
from typing import Final

from lakeschema.catalog.column_types import (
    BIGINT,
    DATE,
    DOUBLE,
    FLOAT,
    SMALLINT,
    TIME,
    TIMESTAMP,
    TIMESTAMP_LOCAL,
    TIMESTAMP_NTZ,
    TINYINT,
    ColumnType,
    DecimalType,
    parse_type,
)
from lakeschema.catalog.errors import MalformedType
from lakeschema.translation.errors import Position, UnsupportedConstruct, UnsupportedType
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.cursor import Cursor
from lakeschema.translation.syntax.grammars import AND, IS, NOT, OR
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
from lakeschema.translation.syntax.spark_intervals import spark_interval
from lakeschema.translation.syntax.variant_paths import variant_path

BEGINS_QUERY: Final = frozenset({"SELECT", "WITH", "FROM", "VALUES", "TABLE"})

_NO_OPERAND: Final = frozenset(
    {
        *("FROM", "WHERE", "GROUP", "HAVING", "UNION", "INTERSECT", "ON", "THEN", "ELSE", "WHEN"),
        *("END", "AS", "AND", "OR", "SELECT", "JOIN", "IN", "LIKE", "BETWEEN", "IS"),
    }
)
"""Words that end a clause or go on with one; as a column's name they need back-ticks."""

_TESTS: Final = frozenset({"IN", "BETWEEN", "LIKE", "ILIKE", "RLIKE", "REGEXP"})
_QUANTIFIERS: Final = frozenset({"ANY", "ALL", "SOME"})

_TYPED_LITERALS: Final[Mapping[str, ColumnType]] = MappingProxyType(
    {
        "DATE": DATE,
        "TIME": TIME,
        "TIMESTAMP": TIMESTAMP,
        "TIMESTAMP_LTZ": TIMESTAMP_LOCAL,
        "TIMESTAMP_NTZ": TIMESTAMP_NTZ,
        "TIMESTAMPLOCALTZ": TIMESTAMP_LOCAL,
    }
)
_SUFFIXES: Final[Mapping[str, ColumnType]] = MappingProxyType(
    {"L": BIGINT, "S": SMALLINT, "Y": TINYINT, "D": DOUBLE, "F": FLOAT}
)


class Expressions(Cursor):
    """What stands where a value may stand; queries inside are read by ``query``."""

    @abstractmethod
    def query(self) -> tree.Query:
        """A whole query, up to what cannot belong to it."""

    @abstractmethod
    def rest_of_query(self, first: tree.Query) -> tree.Query:
        """What goes on after a first query in parentheses: set operators, ORDER BY, LIMIT."""

    @abstractmethod
    def continues_query(self) -> bool:
        """Whether a set operator, ORDER BY or LIMIT comes next."""

    @abstractmethod
    def call(self, names: Sequence[str], position: Position) -> tree.Expression:
        """The call of the function with this name; its parenthesis comes next."""

    @abstractmethod
    def special_call(self) -> tree.Expression | None:
        """A call whose arguments have keywords of their own, if one comes next."""

    # operators

    def expression(self, minimum: int = OR, left: tree.Expression | None = None) -> tree.Expression:
        """An expression of operators that are at least as strong as ``minimum``.

        ``left`` is its beginning, where that was read already.
        """
        if left is None:
            left = self._not() if self.word in {"NOT", "!"} else self._signed()
        infix = self.grammar.infix
        while word := self.word:
            found = infix.get(word)
            if found is not None:
                strength, name = found
                if word in "<>":
                    strength, name, width = self._shift(word, strength, name)
                else:
                    width = 1
                if strength < minimum:
                    return left
                self.back_to(self.index + width)
                if self.word in _QUANTIFIERS and self.ahead().word == "(":
                    left = self._quantified(left, name)
                    continue
                left = tree.Call(name, (left, self.expression(strength + 1)))
            elif word in {"AND", "OR"}:
                if (AND if word == "AND" else OR) < minimum:
                    return left
                left = self._chain(left, word)
            elif word == "IS":
                if minimum > IS:
                    return left
                left = self._is(left)
            elif word in _TESTS or (word in {"NOT", "!"} and self.ahead().word in _TESTS):
                if self.grammar.test < minimum:
                    return left
                left = self._test(left)
            else:
                return left
        return left

    def _not(self) -> tree.Expression:
        self.advance()
        self.deeper()
        operand = self.expression(NOT)
        self.shallower()
        return tree.Call("not", (operand,))

    def _chain(self, left: tree.Expression, word: str) -> tree.Expression:
        """All operands of one connective, which may be 10,000 long, in one call."""
        operands = [left]
        strength = (AND if word == "AND" else OR) + 1
        while self.take(word):
            operands.append(self.expression(strength))
        return tree.Call(word.lower(), tuple(operands))

    def _shift(self, word: str, strength: int, name: str) -> tuple[int, str, int]:
        """``<<``, ``>>`` and ``>>>``, which are single tokens between the brackets of a type."""
        width = 1
        while self.ahead(width).word == word and (
            self.ahead(width).start == self.ahead(width - 1).end
        ):
            width += 1
        shift = self.grammar.infix.get(word * width)
        if width == 1 or shift is None:
            return strength, name, 1
        return *shift, width

    def _quantified(self, left: tree.Expression, name: str) -> tree.Expression:
        """``x > ALL (SELECT …)``; equality with any row is IN."""
        token = self.advance()
        if not self.grammar.quantified_queries or self.ahead().word not in BEGINS_QUERY:
            raise UnsupportedConstruct(f"{name} {token.word}", position=self.position(token))
        self.expect("(")
        self.deeper()
        query = self.query()
        self.shallower()
        self.expect(")")
        every = token.word == "ALL"
        if name in {"=", "<>"} and every == (name == "<>"):
            found = tree.InQuery(left, query)
            return tree.Call("not", (found,)) if every else found
        compared = (left, tree.ScalarQuery(query))
        return tree.Call(f"{name} {'all' if every else 'any'}", compared, self.position(token))

    def _is(self, left: tree.Expression) -> tree.Expression:
        self.advance()
        negated = bool(self.take_one_of("NOT", "!"))
        if self.take("DISTINCT", "FROM"):
            right = self.expression(IS + 1)
            return tree.Call("<=>" if negated else "is distinct from", (left, right))
        word = self.take_one_of("NULL", "TRUE", "FALSE", "UNKNOWN")
        if not word:
            self.fail("expected NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM")
        call = tree.Call(
            "is null" if word in {"NULL", "UNKNOWN"} else f"is {word.lower()}", (left,)
        )
        return tree.Call("not", (call,)) if negated else call

    def _test(self, left: tree.Expression) -> tree.Expression:
        negated = bool(self.take_one_of("NOT", "!"))
        word = self.advance().word
        strength = self.grammar.test + 1
        found: tree.Expression
        if word == "IN":
            found = self._in(left)
        elif word == "BETWEEN":
            if self.take("SYMMETRIC"):
                raise UnsupportedConstruct("BETWEEN SYMMETRIC", position=self.position(self.at))
            low = self.expression(strength)
            self.expect("AND")
            found = tree.Call("between", (left, low, self.expression(strength)))
        elif self.word in _QUANTIFIERS and self.ahead().word == "(":
            return self._like_many(left, word.lower(), negated=negated)
        else:
            name = "rlike" if word == "REGEXP" else word.lower()
            parts = [left, self.expression(strength)]
            if self.take("ESCAPE"):
                parts.append(tree.StringLiteral(self.string("a character in quotes")))
            found = tree.Call(name, tuple(parts))
        return tree.Call("not", (found,)) if negated else found

    def _like_many(self, left: tree.Expression, name: str, *, negated: bool) -> tree.Expression:
        """``x LIKE ANY ('a%', 'b%')``, of listed patterns; NOT has a meaning of its own there."""
        position = self.position(self.at)
        word = "all" if self.advance().word == "ALL" else "any"
        self.expect("(")
        if self.word in BEGINS_QUERY:
            raise UnsupportedConstruct(f"{name} {word.upper()} of a query", position=position)
        patterns = self.expressions(")")
        return tree.Call(f"{'not ' if negated else ''}{name} {word}", (left, *patterns), position)

    def _in(self, left: tree.Expression) -> tree.Expression:
        self.expect("(")
        if self.word in BEGINS_QUERY:
            self.deeper()
            query = self.query()
            self.expect(")")
            self.shallower()
            return tree.InQuery(left, query)
        items = self.expressions(")")
        if len(items) == 1 and isinstance(items[0], tree.ScalarQuery):
            return tree.InQuery(left, items[0].query)
        return tree.InList(left, items)

    def _signed(self) -> tree.Expression:
        word = self.word
        if word not in {"-", "+", "~"} or self.at.kind != SYMBOL:
            return self._operand()
        self.advance()
        if word == "-" and self.at.kind == NUMBER:
            return self._postfix(self._number("-"))
        self.deeper()
        operand = self.expression(self.grammar.unary)
        self.shallower()
        return tree.Call({"-": "negative", "+": "positive", "~": "~"}[word], (operand,))

    # operands

    def expressions(self, closing: str) -> tuple[tree.Expression, ...]:
        """Some, separated by commas, and the closing bracket; none if it comes at once."""
        found: list[tree.Expression] = []
        self.deeper()
        if not self.take(closing):
            found.append(self.expression())
            while self.take(","):
                found.append(self.expression())
            self.expect(closing)
        self.shallower()
        return tuple(found)

    def _operand(self) -> tree.Expression:
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
        return self._postfix(found)

    def _counts_units(self, found: tree.Expression) -> bool:
        """``(1) DAY``."""
        return self.grammar.bare_intervals and isinstance(found, tree.NumberLiteral)

    def _postfix(self, base: tree.Expression) -> tree.Expression:
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
                token = self.advance()
                path = tree.StringLiteral(variant_path(self))
                base = tree.Call("variant_get", (base, path), self.position(token))
            elif word == "COLLATE":
                token = self.advance()
                collation = tree.StringLiteral(".".join(self.path()))
                base = tree.Call("collate", (base, collation), self.position(token))
            else:
                return base

    def _named(self) -> tree.Expression:
        """What begins with a word: a literal, a special form, a call, a column."""
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
            elif following.kind == STRING and token.word in _TYPED_LITERALS:
                type_ = _TYPED_LITERALS[token.word]
                self.advance()
                return tree.Cast(tree.StringLiteral(self.advance().text), type_)
            if token.word in _NO_OPERAND and not (token.word == "LIKE" and following.word == "("):
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

    def _excluded(self) -> tuple[tuple[str, ...], ...]:
        """The columns of ``* EXCEPT (a, s.x)``; a query behind EXCEPT is a set operation."""
        if not self.comes("EXCEPT", "(") or self.ahead(2).word in BEGINS_QUERY:
            return ()
        self.expect("EXCEPT", "(")
        paths = [self.path()]
        while self.take(","):
            paths.append(self.path())
        self.expect(")")
        return tuple(paths)

    def path(self) -> tuple[str, ...]:
        """A name with its qualifiers, or with fields: ``a.b.c``."""
        parts = [self.name()]
        while self.take("."):
            parts.append(self.name())
        return tuple(parts)

    def _string(self) -> tree.Expression:
        """``'a' 'b'`` is one literal in both dialects."""
        text = self.advance().text
        while self.at.kind == STRING:
            text += self.advance().text
        return tree.StringLiteral(text)

    def _spaced_hexadecimal(self) -> tree.Expression:
        """``X '1F'``, which Spark takes as ``X'1F'``."""
        self.advance()
        digits = "".join(self.at.text.split())
        if not all(digit in hexdigits for digit in digits):
            self.fail("expected hexadecimal digits")
        self.advance()
        return tree.BinaryLiteral(digits)

    def _number(self, sign: str = "") -> tree.Expression:
        text = self.advance().text
        if self.grammar.bare_intervals and text.isdigit():
            unit = unit_of(self)
            if unit is not None:
                return tree.IntervalLiteral(tree.NumberLiteral(sign + text), unit)
        if text.startswith("."):
            text = f"0{text}"
        if text[-1].isdigit() or text[-1] == ".":
            return tree.NumberLiteral(sign + text)
        if text[-2:].upper() == "BD":
            return tree.Cast(tree.NumberLiteral(sign + text[:-2]), _decimal_of(text[:-2]))
        return tree.Cast(tree.NumberLiteral(sign + text[:-1]), _SUFFIXES[text[-1].upper()])

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
            elif self.word in {",", "AS"}:
                found = self._row_of(found)
        self.shallower()
        self.expect(")")
        return found

    def _row_of(self, first: tree.Expression) -> tree.Expression:
        """``(a, b)``, a tuple, or with names a struct: ``(0 AS sum, 0 AS n)``."""
        fields = [(self.name() if self.take("AS") else None, first)]
        while self.take(","):
            value = self.expression()
            fields.append((self.name() if self.take("AS") else None, value))
        if any(name for name, _ in fields):
            return tree.StructLiteral(tuple(fields))
        return tree.Tuple(tuple(value for _, value in fields))

    def _begins_lambda(self) -> bool:
        """``(x, y) ->``."""
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
            names = [self.name()]
            while self.take(","):
                names.append(self.name())
            self.expect(")")
        else:
            names = [self.name()]
        self.expect("->")
        return tree.Lambda(tuple(names), self.expression())

    # forms with a word of their own

    def _null(self) -> tree.Expression:
        self.advance()
        return tree.NullLiteral()

    def _boolean(self) -> tree.Expression:
        return tree.BooleanLiteral(self.advance().word == "TRUE")

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
        """With a query an operator; with an array and a lambda a function."""
        if self.ahead().word != "(" or self.ahead(2).word not in BEGINS_QUERY:
            return None
        self.back_to(self.index + 2)
        self.deeper()
        query = self.query()
        self.shallower()
        self.expect(")")
        return tree.Exists(query)

    def _interval(self) -> tree.Expression | None:
        """``INTERVAL '1' DAY``, ``INTERVAL 3 DAYS 1 SECOND``, ``INTERVAL '1 day 2 hours'``."""
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
        raise UnsupportedConstruct("an interval without a unit", position=self.position(token))

    def _interval_value(self) -> tree.Expression:
        sign = self.take_one_of("-", "+")
        if self.at.kind == STRING:
            text = self.advance().text
            if sign == "-":
                text = text[1:] if text.startswith("-") else f"-{text}"
            return tree.StringLiteral(text)
        return tree.NumberLiteral(("-" if sign == "-" else "") + self.advance().text)

    def type(self, of: str) -> ColumnType:
        """A type's text, which ends where no part of a type can follow.

        Raises:
            UnsupportedType: it is not a type.
        """
        start, token = self.index, self.at
        self._skip_type()
        text = self.text_since(start)
        try:
            return parse_type(text, timestamp_ltz=TIMESTAMP_LOCAL)
        except MalformedType as error:
            raise UnsupportedType(
                of, text, "it is not a type", position=self.position(token)
            ) from error

    def _skip_type(self) -> None:
        word = self.advance().word if self.at.kind == WORD else self.fail("expected a type")
        if word == "INTERVAL":
            unit_of(self)
        elif word == "DOUBLE":
            self.take("PRECISION")
        elif word == "TIMESTAMP" and self.take_one_of("WITH", "WITHOUT"):
            self.take("LOCAL")
            self.expect("TIME", "ZONE")
        if self.word in {"(", "<"}:
            self._skip_brackets()
        if self.word == "COLLATE":
            self.advance()
            self.name("a collation")

    def _skip_brackets(self) -> None:
        depth = 0
        while True:
            if self.at.kind == END:
                self.fail("expected the end of a type")
            word = self.advance().word
            if word in {"(", "<"}:
                depth += 1
            elif word in {")", ">"}:
                depth -= 1
            elif word == "<>":
                pass
            if depth == 0:
                return


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


def _decimal_of(text: str) -> DecimalType:
    """The type of a decimal literal: as many digits as are written."""
    mantissa, _, exponent = text.upper().partition("E")
    whole, _, fraction = mantissa.partition(".")
    scale = len(fraction) - int(exponent or 0)
    digits = len((whole + fraction).lstrip("0")) or 1
    if scale < 0:
        return DecimalType(max(digits - scale, 1), 0)
    return DecimalType(max(digits, scale, 1), scale)
