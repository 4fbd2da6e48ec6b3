"""Reads operators: from tokens to the raw tree's expressions, strongest operators first."""

from __future__ import annotations

from abc import abstractmethod
from typing import Final

from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.grammars import AND, IS, NOT, OR
from lakeschema.translation.syntax.lexing import END, NUMBER, QUOTED, STRING, SYMBOL, WORD
from lakeschema.translation.syntax.literals import Literals

BEGINS_QUERY: Final = frozenset({"SELECT", "WITH", "FROM", "VALUES", "TABLE"})

PIPED: Final = frozenset(
    {
        *("SELECT", "EXTEND", "SET", "DROP", "AS", "WHERE", "LIMIT", "OFFSET", "AGGREGATE", "JOIN"),
        *("ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "UNION", "INTERSECT", "EXCEPT", "MINUS"),
        *("PIVOT", "UNPIVOT", "TABLESAMPLE", "NATURAL", "INNER", "CROSS", "LEFT", "RIGHT", "FULL"),
        *("SEMI", "ANTI", "LATERAL"),
    }
)
"""The operators of Spark's pipe syntax."""
_AFTER_COLUMN: Final = frozenset({"FROM", "AS", "AND", "OR", "THEN", "ELSE", "END", "IN", "IS"})
_TESTS: Final = frozenset({"IN", "BETWEEN", "LIKE", "ILIKE", "RLIKE", "REGEXP"})
_OPERATING: Final = frozenset({"AND", "OR", "IS", "DIV", *_TESTS})
_QUANTIFIERS: Final = frozenset({"ANY", "ALL", "SOME"})


class Operators(Literals):
    """Reads operators; ``operand`` reads operands, and ``query`` queries inside."""

    @abstractmethod
    def query(self) -> tree.Query:
        """Reads a whole query, up to the first token that cannot belong to it."""

    @abstractmethod
    def rest_of_query(self, first: tree.Query) -> tree.Query:
        """Reads the rest after a first query in parentheses: set operators, ORDER BY, LIMIT."""

    @abstractmethod
    def continues_query(self) -> bool:
        """Whether a set operator, ORDER BY or LIMIT comes next."""

    @abstractmethod
    def operand(self) -> tree.Expression:
        """Reads an operand of operators: a column, a call, a constant, parentheses."""

    @abstractmethod
    def postfix(self, base: tree.Expression) -> tree.Expression:
        """Reads the suffixes of an operand: fields, elements and casts."""

    def expression(self, minimum: int = OR) -> tree.Expression:
        """Reads an expression whose operators are at least as strong as ``minimum``."""
        left = self._not() if self.word in {"NOT", "!"} else self._signed()
        infix = self.grammar.infix
        while word := self.word:
            if word in _OPERATING and self._names_here():
                return left
            found = infix.get(word)
            if found is not None and not (word == "|" and self.bar_pipes()):
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

    def _names_here(self) -> bool:
        """Whether an operator's word is a name, because no operand follows it."""
        following = self.ahead()
        return following.kind == END or following.word in {",", ")", "FROM"}

    def bar_pipes(self) -> bool:
        """Whether ``|`` comes next as a shorthand for ``|>``, followed by a pipe operator."""
        if not self.grammar.bars_pipe or self.word != "|" or self.ahead().word not in PIPED:
            return False
        following = self.ahead(2)
        begins = following.kind in (WORD, QUOTED, NUMBER, STRING) or following.word in {"(", "*"}
        return begins and following.word not in _AFTER_COLUMN

    def _not(self) -> tree.Expression:
        self.advance()
        self.deeper()
        operand = self.expression(NOT)
        self.shallower()
        return tree.Call("not", (operand,))

    def _chain(self, left: tree.Expression, word: str) -> tree.Expression:
        """Reads all operands of one connective in one call; there may be 10,000."""
        operands = [left]
        strength = (AND if word == "AND" else OR) + 1
        while self.take(word):
            operands.append(self.expression(strength))
        return tree.Call(word.lower(), tuple(operands))

    def _shift(self, word: str, strength: int, name: str) -> tuple[int, str, int]:
        """Reads ``<<``, ``>>`` and ``>>>``.

        Their characters are separate tokens, since types also end in ``>>``.
        """
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
        """Reads ``x > ALL (SELECT …)``; ``= ANY`` is IN."""
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
        """Reads ``x LIKE ANY ('a%', 'b%')``; NOT has a special meaning with listed patterns."""
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
        items = self.expressions(")", queries=True)
        if len(items) == 1 and isinstance(items[0], tree.ScalarQuery):
            return tree.InQuery(left, items[0].query)
        return tree.InList(left, items)

    def _signed(self) -> tree.Expression:
        word = self.word
        if word not in {"-", "+", "~"} or self.at.kind != SYMBOL:
            return self.operand()
        self.advance()
        if word == "-" and self.at.kind == NUMBER:
            return self.postfix(self._number("-"))
        self.deeper()
        operand = self.expression(self.grammar.unary)
        self.shallower()
        return tree.Call({"-": "negative", "+": "positive", "~": "~"}[word], (operand,))

    def expressions(self, closing: str, *, queries: bool = False) -> tuple[tree.Expression, ...]:
        """Reads expressions separated by commas, possibly none, and the closing bracket.

        With ``queries`` the content may be one query that starts in parentheses: ``(SELECT …) UNION
        …``.
        """
        found: list[tree.Expression] = []
        self.deeper()
        if not self.take(closing):
            first = self.expression()
            if queries and isinstance(first, tree.ScalarQuery) and self.continues_query():
                first = tree.ScalarQuery(self.rest_of_query(first.query))
            found.append(first)
            while self.take(","):
                found.append(self.expression())
            self.expect(closing)
        self.shallower()
        return tuple(found)
