"""A cursor over the tokens of DDL text, with the basic rules of the grammar."""

from __future__ import annotations

from collections.abc import Collection

from lakeschema.catalog.ddl_tokens import (
    Token,
    TokenKind,
    token_reader,
    unquoted_identifier,
    unquoted_plain_string,
    unquoted_string,
)
from lakeschema.catalog.relations import Dialect

MAX_NAME_PARTS = 32
_MAX_KEPT_TOKENS = 10_000


class Unreadable(Exception):
    """The statement does not match the grammar at ``offset``."""

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(offset, message)
        self.offset = offset
        self.message = message


class Cursor:
    """Reads ``source[:end]`` from ``start``.

    A method raises ``Unreadable`` if the next token does not fit.
    """

    def __init__(self, source: str, start: int, end: int, dialect: Dialect) -> None:
        self.source = source
        self.end = end
        self.dialect = dialect
        self._token_at = token_reader(source, start, end, plain=dialect is Dialect.TRINO)
        self._read: dict[int, Token] = {}
        self._position = start
        self._peeked: Token | None = None
        self.last_end = start

    @property
    def next(self) -> Token:
        if self._peeked is None:
            # A table's clauses are scanned before its columns are read, so most tokens are read
            # twice.
            token = self._read.get(self._position)
            if token is None:
                token = self._token_at(self._position)
                if token.start >= self.end:
                    token = Token(TokenKind.END, "", self.end, self.end)
                if len(self._read) < _MAX_KEPT_TOKENS:
                    self._read[self._position] = token
            self._peeked = token
        return self._peeked

    def take(self) -> Token:
        token = self._peeked or self.next
        if token.kind is TokenKind.UNCLOSED:
            raise Unreadable(token.start, f"{token.text} is not closed")
        self._position = self.last_end = token.end
        self._peeked = None
        return token

    def rewind(self, position: int) -> None:
        self._position = position
        self._peeked = None

    def refuse(self, expected: str) -> Unreadable:
        found = self.next
        shown = found.text if len(found.text) <= 60 else found.text[:60] + "…"
        said = f"found {shown!r}" if found.kind is not TokenKind.END else "the statement ends"
        return Unreadable(found.start, f"expected {expected}, {said}")

    def at_end(self) -> bool:
        return (self._peeked or self.next).kind is TokenKind.END

    def sees(self, *words: str) -> bool:
        """Whether these words (in upper case) or marks come next, in this order."""
        if len(words) == 1 or not self._fits(words[0]):
            return self._fits(words[0])
        first = self.next
        seen = self.skip(*words)
        self._position, self._peeked = first.start, first
        return seen

    def sees_any(self, words: Collection[str]) -> bool:
        """Whether one of these words (upper-case) or marks comes next."""
        return (self._peeked or self.next).bare in words

    def skip(self, *words: str) -> bool:
        """Skips all of these words or marks if they come next; otherwise skips none of them."""
        first = self._peeked or self.next
        if first.bare != words[0]:
            return False
        for word in words:
            if not self._fits(word):
                self._position, self._peeked = first.start, first
                return False
            self.take()
        return True

    def _fits(self, word: str) -> bool:
        return (self._peeked or self.next).bare == word

    def expect(self, *words: str) -> None:
        if not self.skip(*words):
            raise self.refuse(" ".join(words))

    def word(self, expected: str) -> str:
        if (self._peeked or self.next).kind is not TokenKind.WORD:
            raise self.refuse(expected)
        return self.take().text

    def identifier(self, expected: str = "a name") -> str:
        token = self._peeked or self.next
        if token.kind is TokenKind.QUOTED and len(token.text) > 2:
            return unquoted_identifier(self.take().text)
        return self.word(expected)

    def name(self, expected: str = "a name") -> tuple[str, ...]:
        """Reads a dotted name."""
        parts = [self.identifier(expected)]
        while self.skip("."):
            parts.append(self.identifier())
            if len(parts) > MAX_NAME_PARTS:
                raise self.refuse(f"a name of at most {MAX_NAME_PARTS} parts")
        return tuple(parts)

    def relation_name(self) -> tuple[str, ...]:
        """Reads a dotted name, or one in Spark's ``IDENTIFIER('…')``."""
        if not (self.dialect is Dialect.SPARK and self.skip("IDENTIFIER", "(")):
            return self.name()
        start = self.next.start
        text = self.string("a name in quotes")
        self.expect(")")
        inner = Cursor(text, 0, len(text), self.dialect)
        try:
            name = inner.name()
            if inner.at_end():
                return name
        except Unreadable:
            pass
        raise Unreadable(start, f"{text[:60]!r} is not a name")

    def string(self, expected: str = "text in quotes") -> str:
        return "".join(self._strings(expected))

    def _strings(self, expected: str = "text in quotes") -> list[str]:
        """Reads a string literal; in Spark also adjacent literals, which form one text with it."""
        found = [self._one_string(expected)]
        while self.dialect is Dialect.SPARK and self.next.kind is TokenKind.STRING:
            found.append(self._one_string(expected))
        return found

    def _one_string(self, expected: str) -> str:
        if self.next.kind is not TokenKind.STRING:
            raise self.refuse(expected)
        if self.dialect is Dialect.TRINO:
            return unquoted_plain_string(self.take().text)
        return unquoted_string(
            self.take().text, doubled_quote_is_quote=self.dialect is Dialect.SPARK
        )

    def balanced(self) -> None:
        """Skips parentheses with their content."""
        self.expect("(")
        depth = 1
        while depth:
            token = self.next
            if token.kind is TokenKind.END:
                raise self.refuse(")")
            self.take()
            if token.kind is TokenKind.MARK:
                depth += (token.text == "(") - (token.text == ")")

    def rest(self) -> str:
        """The rest of the statement, as written."""
        text = self.source[self.next.start : self.end].rstrip()
        self.rewind(self.end)
        return text

    def properties(self) -> dict[str, str]:
        """Reads ``('key' = 'value', …)``; Spark also allows bare keys and values, and no ``=``."""
        self.expect("(")
        found: dict[str, str] = {}
        while not self.skip(")"):
            if found:
                self.expect(",")
            if self.next.kind is TokenKind.STRING:
                key, *more = self._strings()
                if more and not self.sees("="):
                    found["".join((key, *more[:-1]))] = more[-1]
                    continue
                key += "".join(more)
            else:
                key = self._property_key()
            self.skip("=")
            found[key] = self._property_value()
        return found

    def _property_key(self) -> str:
        parts = [self.identifier("a property's name")]
        while self.skip(".") or self.skip("-"):
            parts.append(self.identifier("a property's name"))
        return ".".join(parts)

    def _property_value(self) -> str:
        if self.next.kind is TokenKind.STRING:
            return self.string()
        if self.sees(",") or self.sees(")"):
            return ""
        start = self.next.start
        end = start
        while not (self.sees(",") or self.sees(")") or self.at_end()):
            end = self.take().end
        return self.source[start:end]
