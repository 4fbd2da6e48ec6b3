"""Parses names, types and places of any dialect; skips clauses that do not concern columns.

An unknown type is accepted as a type.
"""

from __future__ import annotations

from typing import Final

from lakeschema.analysis.syntax.dialects import StatementGrammar
from lakeschema.analysis.syntax.lexing import statement_tokens
from lakeschema.analysis.syntax.statements import Files, Named
from lakeschema.analysis.syntax.vocabulary import NO_NAME_BEHIND
from lakeschema.catalog.column_types import STRING as TEXT
from lakeschema.catalog.column_types import ColumnType
from lakeschema.translation.syntax.interval_units import unit_of
from lakeschema.translation.syntax.lexing import END, QUOTED, STRING, SYMBOL, WORD, Token
from lakeschema.translation.syntax.pipes import Pipes

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


class OpenNames(Pipes):
    """Reads names of tables and columns, types and file paths."""

    grammar: StatementGrammar

    def read_tokens(self) -> list[Token]:
        return statement_tokens(self.sql, self.grammar)

    def path(self) -> tuple[str, ...]:
        if self.comes("IDENTIFIER", "("):
            self.advance()
            return self.named_by_text()
        parts = [self._part()]
        while self.word == "." and self.ahead().kind in (WORD, QUOTED):
            self.advance()
            parts.append(self._part())
        if self.comes(".", "."):
            # ``db..t`` has a database and a table, with the default schema between them.
            self.back_to(self.index + 2)
            parts.append(self._part())
        return tuple(part for name in parts for part in self._split(name))

    def named_by_text(self) -> tuple[str, ...]:
        """The name in the parentheses of IDENTIFIER: a word, a text, or a variable as written."""
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
        if self.grammar.transact and token.kind == STRING and token.text[:1] == "@":
            # The table is in a variable.
            return Named((self.advance().text,), position=self.position(token))
        if token.kind not in (WORD, QUOTED):
            self.fail(f"expected {what}")
        return Named(self.path(), position=self.position(token))

    # types

    def type(self, of: str) -> ColumnType:
        """Reads any type: its name and the brackets after it."""
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
        """Skips the next parentheses with their content."""
        self.expect(opening)
        depth = 1
        in_range = False
        while depth:
            if self.at.kind == END:
                self.fail(f"expected {closing}")
            word = self.advance().word
            depth += (word == opening) - (word == closing)
            if word == "VALUES" and self.word == "[":
                # This begins a range, whose end may be outside: VALUES [(1), (2)).
                depth, in_range = depth + 1, True
            elif word == "]" and in_range:
                depth, in_range = depth - 1, False

    def skip_to(self, *words: str) -> bool:
        """Skips to one of the words outside parentheses, or to the statement's end."""
        depth = 0
        while self.at.kind != END and not (depth == 0 and self.word == ";"):
            if depth == 0 and self.word in words:
                return True
            word = self.advance().word
            depth += (word == "(") - (word == ")")
        return False

    def rest(self, words: frozenset[str], *ends: str, follows: bool = False) -> None:
        """Skips clauses that do not concern rows, up to the statement's end or one of ``ends``.

        ``words`` are the words of the clauses. Any other word is only allowed after one of these words or
        after a sign. With ``follows``, another word may also come first.
        """
        while not self.ends() and self.word not in ends and not self.begins_another():
            follows = self.pass_over(words, follows=follows)

    def pass_over(self, words: frozenset[str], *, follows: bool) -> bool:
        """Skips a token of a clause, or parentheses; returns whether a name or value may follow.

        ``follows``: whether a name or value may stand here.
        """
        if self.word == "(":
            self.skip_parentheses()
            return False
        if self.word == ")":
            self.fail("expected ( before it")
        if self.at.kind == SYMBOL:
            return self.advance().word not in {"]", "}"}
        if self.at.kind == WORD and (self.word in words or self.ahead().word == "="):
            return self.advance().word not in NO_NAME_BEHIND
        if not follows:
            self.fail("expected a clause, or the end of the statement")
        self.advance()
        return False

    def begins_another(self) -> bool:
        """Whether another statement comes next without a semicolon before it."""
        return False

    def files(self) -> Files | None:
        """A quoted path, a stage or a variable, if it comes next."""
        if self.sql[self.at.start : self.at.start + 1] == "@" and (not self.grammar.transact):
            return Files(self._written_place())
        if self.at.kind == STRING:
            return Files(self.advance().text)
        if self.at.kind == QUOTED and "/" in self.at.text:
            return Files(self.advance().text)
        return None

    def _written_place(self) -> str:
        """Reads ``@s.t/path``, ``@~/path`` or ``@%t``, up to the next blank."""
        start = self.index
        self.advance()
        while self.at.start == self.tokens[self.index - 1].end and (
            self.at.kind != END and self.word not in {"(", ")", ",", ";"}
        ):
            self.advance()
        return self.text_since(start)

    def ends(self) -> bool:
        return self.at.kind == END or (self.at.kind == SYMBOL and self.word == ";")
