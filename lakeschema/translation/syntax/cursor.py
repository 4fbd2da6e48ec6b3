"""A parser's position among its tokens: it takes tokens, and raises errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn, TypeVar

from lakeschema.translation.model.errors import MalformedSql, Position, TooLarge
from lakeschema.translation.syntax.grammars import Grammar
from lakeschema.translation.syntax.lexing import (
    END,
    QUOTED,
    STRING,
    WORD,
    Lines,
    Token,
    tokens_of,
)

T = TypeVar("T")

MAX_NESTING = 150
"""The maximum nesting of parentheses, brackets, CASE and prefix operators; engines allow less."""


class Cursor:
    """Reads the tokens of a text; ``at`` is the next token, ``word`` its upper-case word or symbol."""

    def __init__(self, sql: str, grammar: Grammar) -> None:
        self.sql = sql
        self.grammar = grammar
        self.tokens = self.read_tokens()
        self.index = 0
        self.at: Token = self.tokens[0]
        self.word = self.at.word
        self._lines = Lines(sql)
        self._depth = 0

    # reading

    def read_tokens(self) -> list[Token]:
        """All tokens of the text, the last of kind ``END``."""
        return tokens_of(self.sql, self.grammar)

    def advance(self) -> Token:
        """Takes the next token."""
        token = self.at
        if token.kind != END:
            self.index += 1
            self.at = self.tokens[self.index]
            self.word = self.at.word
        return token

    def back_to(self, index: int) -> None:
        self.index = index
        self.at = self.tokens[index]
        self.word = self.at.word

    def ahead(self, count: int = 1) -> Token:
        return self.tokens[min(self.index + count, len(self.tokens) - 1)]

    def take(self, *words: str) -> bool:
        """Takes these words or symbols if all of them come next, in order."""
        if not self.comes(*words):
            return False
        self.back_to(self.index + len(words))
        return True

    def take_one_of(self, *words: str) -> str:
        """The word that was taken; empty if none of these words comes next."""
        word = self.word
        if word and word in words:
            self.advance()
            return word
        return ""

    def comes(self, *words: str) -> bool:
        """Whether these words or symbols come next, in this order."""
        if self.word != words[0]:
            return False
        last = len(self.tokens) - 1
        for offset, word in enumerate(words):
            if self.tokens[min(self.index + offset, last)].word != word:
                return False
        return True

    def expect(self, *words: str) -> None:
        for word in words:
            if self.word != word:
                self.fail(f"expected {word}")
            self.advance()

    def name(self, what: str = "a name") -> str:
        """Reads an identifier, quoted or not."""
        if self.at.kind not in {WORD, QUOTED}:
            self.fail(f"expected {what}")
        return self.advance().text

    def string(self, what: str) -> str:
        if self.at.kind != STRING:
            self.fail(f"expected {what}")
        return self.advance().text

    def separated(self, read: Callable[[], T]) -> tuple[T, ...]:
        """Reads one or more parts, separated by commas; ``read`` reads each."""
        found = [read()]
        while self.take(","):
            found.append(read())
        return tuple(found)

    # places

    def position(self, token: Token) -> Position:
        return self._lines.position(token.start)

    def text_since(self, start: int) -> str:
        """The text from the token with index ``start`` to the last token that was taken."""
        return self.sql[self.tokens[start].start : self.tokens[self.index - 1].end]

    # limits and errors

    def deeper(self) -> None:
        """Counts a level of nesting; ``shallower`` ends it."""
        self._depth += 1
        if self._depth > MAX_NESTING:
            raise TooLarge(
                f"the query nests more than {MAX_NESTING} levels deep",
                position=self.position(self.at),
                hint="split the view into views of its parts",
            )

    def shallower(self) -> None:
        self._depth -= 1

    def fail(self, expected: str) -> NoReturn:
        """Raises the error of an unexpected token.

        ``expected`` is in words, such as ``expected )``.
        """
        found = "at its end" if self.at.kind == END else f"near {self._shown()!r}"
        raise MalformedSql(
            f"the query cannot be parsed {found}: {expected}",
            position=self.position(self.at),
            hint="check the query in its own engine; keywords used as names need back-ticks",
        )

    def _shown(self) -> str:
        return self.sql[self.at.start : self.at.end][:60]
