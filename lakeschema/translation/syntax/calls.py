"""Reads function calls: their arguments, the clauses after them, and forms with keywords."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from lakeschema.translation.model.errors import Position, UnsupportedConstruct
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.interval_units import unit_of
from lakeschema.translation.syntax.lexing import END, QUOTED, SYMBOL, WORD
from lakeschema.translation.syntax.windows import Windows

_ADDS: Final = frozenset({"DATEADD", "DATE_ADD", "TIMESTAMPADD"})
_SUBTRACTS: Final = frozenset({"DATEDIFF", "DATE_DIFF", "TIMESTAMPDIFF", "TIMEDIFF"})
_UNITS: Final = frozenset(
    {
        *("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "DAYOFYEAR", "HOUR", "MINUTE", "SECOND"),
        *("MILLISECOND", "MICROSECOND", "NANOSECOND"),
    }
)


class Calls(Windows):
    """Reads calls, with FILTER, WITHIN GROUP, IGNORE NULLS and OVER, in addition to expressions."""

    def call(self, names: Sequence[str], position: Position) -> tree.Expression:
        qualifier = tuple(names[:-1])
        if qualifier and tuple(map(str.lower, qualifier)) in self.grammar.own_functions:
            return self.call(names[-1:], position)
        arguments = self._arguments()
        call = tree.Call(
            names[-1],
            arguments.positional,
            position,
            arguments.distinct,
            qualifier=qualifier,
            named=arguments.named,
            order_by=arguments.order_by,
            ignores_nulls=arguments.ignores_nulls,
        )
        return self._behind(call)

    def name(self, what: str = "a name") -> str:
        """Reads a name, or ``IDENTIFIER('a')``, whose text has the name."""
        if self.word == "IDENTIFIER" and self.ahead().word == "(":
            self.advance()
            return self.named_by_text()[-1]
        return super().name(what)

    def _arguments(self) -> _Arguments:
        self.expect("(")
        found = _Arguments()
        if self.take(")"):
            return found
        self.deeper()
        found.distinct = bool(self.take_one_of("DISTINCT", "ALL") == "DISTINCT")
        positional: list[tree.Expression] = []
        named: list[tuple[str, tree.Expression]] = []
        while True:
            if self.at.kind in (WORD, QUOTED) and self.ahead().word == "=>":
                name = self.name()
                self.advance()
                named.append((name.lower(), self.expression()))
            else:
                positional.append(self._argument())
            if not self.take(","):
                break
        found.ignores_nulls = self._nulls()
        found.order_by = self.order_inside()
        found.positional, found.named = tuple(positional), tuple(named)
        self.shallower()
        self.expect(")")
        return found

    def order_inside(self) -> tuple[tree.SortKey, ...]:
        """Reads the keys of ``array_agg(x ORDER BY y)``, in dialects that support it."""
        if self.word == "ORDER":
            raise UnsupportedConstruct("ORDER BY inside a call", position=self.position(self.at))
        return ()

    def _argument(self) -> tree.Expression:
        if self.word in {"SELECT", "WITH"} and self.ahead().word not in {",", ")", "."}:
            return tree.ScalarQuery(self.query())
        return self.expression()

    def _nulls(self) -> bool | None:
        """Reads IGNORE NULLS or RESPECT NULLS: whether nulls are skipped.

        None if there is neither.
        """
        if self.take("IGNORE", "NULLS"):
            return True
        return False if self.take("RESPECT", "NULLS") else None

    def _behind(self, call: tree.Call) -> tree.Expression:
        if self.at.kind != WORD:
            return call
        if self.take("WITHIN", "GROUP"):
            self.expect("(", "ORDER", "BY")
            call = replace(call, order_by=self.sort_keys())
            self.expect(")")
        if self.comes("FILTER", "("):
            self.expect("FILTER", "(", "WHERE")
            call = replace(call, filter=self.expression())
            self.expect(")")
        nulls = self._nulls()
        if nulls is not None:
            call = replace(call, ignores_nulls=nulls)
        if self.word == "OVER" and (self.ahead().word == "(" or self.ahead().kind != SYMBOL):
            return self.over(call)
        return call

    # calls with keywords inside

    def special_call(self) -> tree.Expression | None:
        form = _FORMS.get(self.word)
        if form is None:
            return None
        keyword, read = form
        # A search, not a trial parse: nested calls would be parsed twice at each level.
        if keyword and not self._stands_inside(keyword):
            return None
        found = read(self)
        return self._behind(found) if isinstance(found, tree.Call) else found

    def _stands_inside(self, word: str) -> bool:
        """Whether the word is in the parentheses after the next token, but not in inner parentheses."""
        at, depth = self.index + 1, 0
        while self.tokens[at].kind != END:
            found = self.tokens[at].word
            if found == word and depth == 1:
                return True
            depth += (found in _OPENING) - (found in _CLOSING)
            if depth == 0:
                return False
            at += 1
        return False

    def _cast(self) -> tree.Expression:
        token = self.advance()
        self.advance()
        self.deeper()
        operand = self.expression()
        if not self.take("AS"):
            self.fail("expected AS")
        type_ = self.type("a CAST")
        format_ = self.string("a format in quotes") if self.take("FORMAT") else None
        self.shallower()
        self.expect(")")
        return tree.Cast(operand, type_, token.word != "CAST", self.position(token), format_)

    def _extract(self) -> tree.Expression:
        token = self.advance()
        self.advance()
        unit = tree.StringLiteral(self.advance().text.lower())
        self.expect("FROM")
        value = self.expression()
        self.expect(")")
        return tree.Call("extract", (unit, value), self.position(token))

    def _trim(self) -> tree.Expression:
        token = self.advance()
        self.advance()
        side = self.take_one_of("BOTH", "LEADING", "TRAILING")
        characters = None if self.word == "FROM" else self.expression()
        self.expect("FROM")
        name = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(side, "trim")
        text = self.expression()
        self.expect(")")
        if characters is None:
            return tree.Call(name, (text,), self.position(token))
        parts = (text, characters) if self.grammar.text_before_characters else (characters, text)
        return tree.Call(name, parts, self.position(token))

    def _floor(self) -> tree.Expression:
        """Reads ``FLOOR(x TO MONTH)``, which is a separate function for each unit."""
        token = self.advance()
        self.advance()
        moment = self.expression()
        self.expect("TO")
        unit = unit_of(self)
        if unit is None:
            self.fail("expected a unit of time")
        self.expect(")")
        return tree.Call(f"floor_{unit}", (moment,), self.position(token))

    def _substring(self) -> tree.Expression:
        token = self.advance()
        self.advance()
        parts = [self.expression()]
        self.expect("FROM")
        parts.append(self.expression())
        if self.take("FOR"):
            parts.append(self.expression())
        self.expect(")")
        return tree.Call("substring", tuple(parts), self.position(token))

    def _position_in(self) -> tree.Expression:
        token = self.advance()
        self.advance()
        part = self.expression(self.grammar.test + 1)
        self.expect("IN")
        text = self.expression()
        self.expect(")")
        return tree.Call("locate", (part, text), self.position(token))

    def _overlay(self) -> tree.Expression:
        token = self.advance()
        self.advance()
        parts = [self.expression()]
        self.expect("PLACING")
        parts.append(self.expression())
        self.expect("FROM")
        parts.append(self.expression())
        if self.take("FOR"):
            parts.append(self.expression())
        self.expect(")")
        return tree.Call("overlay", tuple(parts), self.position(token))

    def _struct(self) -> tree.Expression:
        self.advance()
        self.advance()
        fields: list[tuple[str | None, tree.Expression]] = []
        self.deeper()
        while not self.take(")"):
            value = self.expression()
            path = value.name if isinstance(value, tree.VariantPath) else None
            fields.append((self.field_name() or path, value))
            if self.word != ")":
                self.expect(",")
        self.shallower()
        return tree.StructLiteral(tuple(fields))

    def _with_unit(self) -> tree.Expression:
        """Reads ``dateadd(DAY, 1, d)``, whose unit is a word.

        With two arguments it is another function.
        """
        token = self.at
        if self.ahead(2).word not in _UNITS or self.ahead(3).word != ",":
            return self.call((self.advance().text,), self.position(token))
        self.advance()
        self.advance()
        unit = self.advance()
        self.advance()
        parts = [self.expression()]
        if self.take(")"):
            column = tree.Name((unit.text,), self.position(unit))
            return tree.Call(token.text, (column, *parts), self.position(token))
        self.expect(",")
        parts.append(self.expression())
        self.expect(")")
        name = "timestampadd" if token.word in _ADDS else "timestampdiff"
        return tree.Call(name, (tree.StringLiteral(unit.word), *parts), self.position(token))

    def _identifier(self) -> tree.Expression:
        """Reads ``IDENTIFIER('a.b')``, whose text has the name."""
        token = self.advance()
        parts = self.named_by_text()
        if self.word == "(":
            return self.call(parts, self.position(token))
        return tree.Name(parts, self.position(token))

    def named_by_text(self) -> tuple[str, ...]:
        """Reads the name in the parentheses of IDENTIFIER, which must be constant."""
        self.expect("(")
        at = self.at
        text = self.expression()
        self.expect(")")
        known = _constant_text(text)
        if known is None:
            raise UnsupportedConstruct("IDENTIFIER of a computed text", position=self.position(at))
        inner = type(self)(known, self.grammar)
        return inner.path()


class _Arguments:
    """The arguments of one call, while they are read."""

    def __init__(self) -> None:
        self.positional: tuple[tree.Expression, ...] = ()
        self.named: tuple[tuple[str, tree.Expression], ...] = ()
        self.distinct = False
        self.ignores_nulls: bool | None = None
        self.order_by: tuple[tree.SortKey, ...] = ()


_OPENING: Final = frozenset({"(", "["})
_CLOSING: Final = frozenset({")", "]"})


def _constant_text(node: tree.Expression) -> str | None:
    match node:
        case tree.StringLiteral(value):
            return value
        case tree.Call("||", (left, right)):
            parts = [_constant_text(left), _constant_text(right)]
            return None if None in parts else "".join(p for p in parts if p is not None)
        case _:
            return None


# ruff: noqa: SLF001 (a table of the class's own methods)
_FORMS: Final[Mapping[str, tuple[str, Callable[[Calls], tree.Expression]]]] = MappingProxyType(
    {
        "CAST": ("", Calls._cast),
        "TRY_CAST": ("", Calls._cast),
        "EXTRACT": ("FROM", Calls._extract),
        "TRIM": ("FROM", Calls._trim),
        "FLOOR": ("TO", Calls._floor),
        "SUBSTRING": ("FROM", Calls._substring),
        "SUBSTR": ("FROM", Calls._substring),
        "POSITION": ("IN", Calls._position_in),
        "OVERLAY": ("PLACING", Calls._overlay),
        "STRUCT": ("", Calls._struct),
        "IDENTIFIER": ("", Calls._identifier),
        **dict.fromkeys((*_ADDS, *_SUBTRACTS), ("", Calls._with_unit)),
    }
)
"""The parser of each form, and the keyword without which it is an ordinary call."""
