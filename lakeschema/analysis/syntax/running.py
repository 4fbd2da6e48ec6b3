"""Parses statements that run or contain statements: EXPLAIN ANALYZE, EXECUTE, PREPARE, CALL, EXPORT."""

from __future__ import annotations

import itertools
from abc import abstractmethod
from typing import Final, Self

from lakeschema.analysis.syntax import statements as st
from lakeschema.analysis.syntax.definitions import Definitions
from lakeschema.analysis.syntax.vocabulary import ANY_WORDS, EXPLAIN_OPTIONS, OBJECTS
from lakeschema.translation.model.errors import Position, TooLarge
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.lexing import END, QUOTED, STRING, WORD, Token
from lakeschema.translation.syntax.operators import BEGINS_QUERY

MAX_TEXTS: Final = 4
"""The maximum nesting of texts in EXECUTE IMMEDIATE and similar statements."""
_OF_SQL: Final = frozenset({"SQL", "PLPGSQL"})
_WITH_BODIES: Final = frozenset({"FUNCTION", "MACRO", "AGGREGATE"})
_FREE: Final = frozenset(
    {"TRIGGER", "RULE", "EVENT", "TASK", "TYPE", "POLICY", "PACKAGE", "CAST"}
    | {"MODEL", "DICTIONARY", "SOURCE", "SINK"}
)
"""Objects whose definition contains statements or expressions."""
_NO_QUERY_BEHIND: Final = frozenset({"ON", "TO", "USING", ",", ";", ")", "="})
"""Words after the word SELECT if it is a privilege or an event, not a query."""
_OFF: Final = frozenset({"FALSE", "OFF"})
_EXPORTED: Final = frozenset({"DATA", "DATABASE", "SCHEMA"})


class Running(Definitions):
    """Reads statements that run other statements and so read their tables."""

    texts = 0
    """The number of texts of EXECUTE and similar statements around this text."""
    _prepared: frozenset[str] = frozenset()

    @abstractmethod
    def statement(self) -> st.Statement:
        """The next statement."""

    @abstractmethod
    def statements_in(self, text: Token) -> tuple[st.Statement, ...]:
        """The statements of a text that is run.

        Raises:
            MalformedSql: a statement cannot be read.
        """

    @abstractmethod
    def statements_of_body(self) -> tuple[st.Statement, ...]:
        """The readable statements of a procedure's or function's body, up to the end of the text."""

    def inside(self, text: Token) -> Self:
        """A reader for a text inside this text."""
        if self.texts == MAX_TEXTS:
            raise TooLarge(
                f"more than {MAX_TEXTS} texts run each other", position=self.position(text)
            )
        found = type(self)(text.text, self.grammar)
        found.texts = self.texts + 1
        return found

    # queries in other statements

    def with_queries(
        self, statement: st.Statement, *ends: str, words: frozenset[str] | None = None
    ) -> st.Statement:
        """A statement with its queries, up to its end or to a word of ``ends`` outside parentheses.

        ``words`` are the words of its clauses, as in ``rest``; None if they contain expressions.
        """
        found: list[st.Statement] = []
        depth = 0
        follows = True
        while not self.ends() and (depth or self.word not in ends):
            if self._query_comes():
                found.append(st.Query(self.query()))
            elif words is None or depth or self.word == "(":
                word = self.advance().word
                depth += (word == "(") - (word == ")")
                follows = False
            else:
                follows = self.pass_over(words, follows=follows)
        if depth > 0 and words is not None:
            self.fail("expected )")
        return st.Block(None, (statement, *found)) if found else statement

    def _query_comes(self) -> bool:
        if self.at.kind != WORD:
            return False
        if self.word == "SELECT":
            following = self.ahead()
            return following.kind != END and following.word not in _NO_QUERY_BEHIND
        if self.word == "WITH":
            return self._at_query()
        return self.word in {"FROM", "TABLE"} and self.tokens[self.index - 1].word == "("

    def with_expression(self, statement: st.Statement) -> st.Statement:
        """A statement with the queries in the next expression."""
        start = self.index
        value = self.expression()
        words = {token.word for token in self.tokens[start : self.index]}
        if words.isdisjoint(BEGINS_QUERY):
            return statement
        return st.Block(None, (statement, st.Query(tree.Select((tree.SelectItem(value),)))))

    def other_object(self, verb: str) -> st.Statement:
        if self.take("TABLE"):
            # A function that returns rows.
            return self.function(f"{verb} {self.word}")
        if self.word not in OBJECTS:
            self.fail("expected what kind of object it is")
        kind = self.advance().word
        if self.ends():
            self.fail("expected a name")
        if verb == "CREATE" and kind in _WITH_BODIES:
            return self.function(f"{verb} {kind}")
        position = self.position(self.at)
        start = self.index
        words = None if kind in _FREE else ANY_WORDS
        found = self.with_queries(st.Other(f"{verb} {kind}"), "GO", words=words)
        if verb == "CREATE" and any(
            token.word == "CLONE" for token in self.tokens[start : self.index]
        ):
            # The statement copies a schema with everything in it.
            return st.Unknown(f"{verb} {kind}", position)
        return found

    def function(self, verb: str) -> st.Statement:
        """Reads the definition of a function; its body is SQL, or a text in another language."""
        language = ""
        texts: list[Token] = []
        start = self.index
        while not self.ends():
            if self.take("LANGUAGE"):
                language = self.word or self.at.text.upper()
            if self._is_text():
                texts.append(self.at)
                behind = self.ahead()
                is_clause = behind.word in ANY_WORDS or self.ahead(2).word == "="
                if behind.kind == WORD and not is_clause:
                    self.advance()
                    self.fail("expected a clause, or the end of the statement")
            self.advance()
        self.back_to(start)
        found = self.with_queries(st.Other(verb))
        if texts and (not language or language in _OF_SQL):
            inner = self.inside(max(texts, key=lambda text: text.end - text.start))
            read = inner.statements_of_body()
            found = st.Block(None, (found, *read)) if read else found
        return found

    def _is_text(self) -> bool:
        """Whether a literal text comes next, rather than a variable or a template."""
        return self.at.kind == STRING and self.sql[self.at.end - 1] in "'\"$"

    # statements that run others

    def explain(self) -> st.Statement:
        """Reads EXPLAIN; EXPLAIN ANALYZE runs its statement."""
        self.expect("EXPLAIN")
        start = self.index
        if self.word == "(":
            self.skip_parentheses()
        options = self.tokens[start : self.index + 1]
        runs = any(
            option.word == "ANALYZE" and value.word not in _OFF and value.text != "0"
            for option, value in itertools.pairwise(options)
        )
        while self.word in EXPLAIN_OPTIONS and not self.comes("ANALYZE", "TABLE"):
            word = self.advance().word
            runs = runs or word == "ANALYZE"
            if word in {"FORMAT", "TYPE", "STATEMENT_ID"} and self.take("="):
                self.advance()
        inner = self.statement()
        return inner if runs else st.Explain(inner)

    def prepare(self) -> st.Statement:
        """Reads PREPARE.

        ``PREPARE p FROM SELECT …``, ``PREPARE p (int) AS SELECT …``, ``PREPARE p FROM 'SELECT …'``.
        """
        position = self.position(self.at)
        self.expect("PREPARE")
        name = self.name("the name of a statement")
        if self.word == "(":
            self.skip_parentheses()
        if not self.take_one_of("FROM", "AS"):
            self.fail("expected FROM or AS")
        self._prepared |= {name.lower()}
        if self.at.kind == STRING:
            return self._run_text("PREPARE", position)
        return self.statement()

    def execute(self) -> st.Statement:
        """Reads EXECUTE of a prepared statement, of a text, or of a procedure."""
        position = self.position(self.at)
        verb = self.advance().word
        if self.take("IMMEDIATE"):
            return self._run_text("EXECUTE IMMEDIATE", position)
        if self.word == "(" and self.ahead().kind == STRING:
            self.advance()
            return self._run_text(verb, position, ")")
        if self.ahead().kind == STRING and self.at.text.lower().endswith("sp_executesql"):
            self.advance()
            return self._run_text(verb, position, ",")
        if self.ends():
            self.fail("expected a statement's name, or IMMEDIATE and a text")
        name = self.at.text.lower()
        known = name in self._prepared
        if not self.grammar.transact and self.ahead().kind == STRING:
            self.advance()
            self.fail("expected USING, or the end of the statement")
        found = st.Other(verb) if known else st.Unknown(verb, position)
        return self.with_queries(found, *self.starts_without_semicolon())

    def _run_text(self, verb: str, position: Position, *behind: str) -> st.Statement:
        """The statements of the literal text that comes next.

        If the literal is only a part of the text, the statement is unknown.
        """
        if self.ends():
            self.fail("expected a text")
        text, following = self.at, self.ahead()
        starts = self.starts_without_semicolon()
        ends = following.kind == END or following.word in {";", "INTO", "USING", *behind, *starts}
        if not (self._is_text() and ends):
            if self._is_text() and following.kind in (WORD, QUOTED) and not self.grammar.transact:
                self.advance()
                self.fail("expected USING, or the end of the statement")
            # The text is a variable, or has something appended, so it is unknown.
            return self.with_queries(st.Unknown(verb, position), *starts)
        self.advance()
        found = self.statements_in(text)
        if behind:
            self.take(")")
        around = self.with_queries(st.Other(verb), *starts, words=ANY_WORDS)
        rest = around.statements[1:] if isinstance(around, st.Block) else ()
        every = (*found, *rest)
        return every[0] if len(every) == 1 else st.Block(None, every)

    @abstractmethod
    def starts_without_semicolon(self) -> tuple[str, ...]:
        """The words that begin a new statement, and so end a statement without a semicolon."""

    def begins_another(self) -> bool:
        if self.word == "WITH":
            return self.grammar.transact and self._at_query()
        # ON DELETE and ON UPDATE belong to a foreign key.
        is_event = self.tokens[self.index - 1].word == "ON"
        return self.word in self.starts_without_semicolon() and not is_event

    def call_procedure(self) -> st.Statement:
        """Reads CALL. Only the reads of queries in its arguments are known, not those of the procedure."""
        self.expect("CALL")
        start = self.index
        name = self.table("a procedure")
        found: st.Statement = st.Unknown("CALL", name.position)
        if self.word == "(":
            self.back_to(start)
            found = self.with_expression(found)
        self.rest(ANY_WORDS)
        return found

    def unknown(self) -> st.Statement:
        position = self.position(self.at)
        return self.with_queries(st.Unknown(self.advance().word, position))

    def reads_table(self) -> st.Statement:
        """Reads ``SUMMARIZE t``, ``SUMMARIZE SELECT …`` or ``HANDLER t READ FIRST``."""
        self.advance()
        if self.word in BEGINS_QUERY - {"TABLE"}:
            return st.Query(self.query())
        self.take("TABLE")
        if self.files() is not None:
            return st.Other("SUMMARIZE")
        name = self.table()
        self.skip_to()
        rows = tree.TableName(name.parts, None, (), name.position)
        return st.Query(tree.Select((tree.SelectItem(tree.Star()),), rows))

    # files

    def export(self) -> st.Statement:
        """Reads ``EXPORT TABLE t TO 'files'``, ``EXPORT t INTO …``, and exported queries."""
        position = self.position(self.at)
        self.expect("EXPORT")
        is_table = self.take("TABLE")
        if is_table or (self.at.kind in (WORD, QUOTED) and self.word not in {"TO", *_EXPORTED}):
            source = self.table()
            if self.word == "(":
                self.skip_parentheses()
            self._partition()
            if not self.take_one_of("TO", "INTO"):
                self.fail("expected TO")
            target = self.files() or st.Files("")
            self.rest(ANY_WORDS)
            return st.Load(source, target)
        found = self.with_queries(st.Other("EXPORT"))
        return found if isinstance(found, st.Block) else st.Unknown("EXPORT", position)

    def import_(self) -> st.Statement:
        """Reads ``IMPORT [EXTERNAL] TABLE t FROM 'files'``."""
        position = self.position(self.at)
        self.expect("IMPORT")
        self.take("EXTERNAL")
        if not self.take_one_of("TABLE", "INTO"):
            self.rest(ANY_WORDS)
            return st.Unknown("IMPORT", position)
        target = self.table()
        self._partition()
        if not self.skip_to("FROM") or not self.take("FROM"):
            self.fail("expected FROM")
        source = self.files() or st.Files("")
        self.rest(ANY_WORDS)
        return st.Load(source, target)
