"""Parses a text of any number of statements, each separately.

An unreadable statement becomes an ``Unreadable``, and reading continues after it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from lakeschema.analysis.syntax import statements as st
from lakeschema.analysis.syntax.dialects import StatementGrammar
from lakeschema.analysis.syntax.running import Running
from lakeschema.analysis.syntax.vocabulary import ANY_WORDS, NEVER_LAST, PRIVILEGES
from lakeschema.translation.model.errors import MalformedSql, TooLarge, TranslationError
from lakeschema.translation.syntax.lexing import END, QUOTED, STRING, SYMBOL, WORD, Token
from lakeschema.translation.syntax.operators import BEGINS_QUERY

MAX_BYTES: Final = 1_000_000
MAX_STATEMENTS: Final = 3_000
"""The maximum number of statements in a text; their analysis takes about a second."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An unreadable statement, with the reason and the place, if known."""

    error: TranslationError


@dataclass(frozen=True, slots=True)
class Placed:
    """A statement with its text, from its first to its last token."""

    statement: st.Statement | Unreadable
    text: str


def read_script(
    sql: str, grammar: StatementGrammar, max_bytes: int = MAX_BYTES
) -> tuple[Placed, ...]:
    """The statements of a text. Never raises for its content."""
    size = len(sql.encode("utf-8", "surrogatepass"))
    if size > max_bytes:
        error = TooLarge(
            f"the text has {size} bytes, more than the {max_bytes} allowed",
            hint="raise max_sql_bytes",
        )
        return (Placed(Unreadable(error), ""),)
    try:
        return Scripts(sql, grammar).script()
    except TranslationError as error:
        return (Placed(Unreadable(error), sql),)


def _too_many_statements() -> TooLarge:
    return TooLarge(
        f"the text has more than {MAX_STATEMENTS:,} statements",
        hint="split it into several texts",
    )


class Scripts(Running):
    """Reads sequences of statements."""

    _last_begin: int | None = None
    _in_procedure = False

    def script(self) -> tuple[Placed, ...]:
        found: list[Placed] = []
        while self.at.kind != END:
            if self.take(";") or self.take("GO") or self.take("/"):
                continue
            if len(found) == MAX_STATEMENTS:
                found.append(Placed(Unreadable(_too_many_statements()), ""))
                break
            start = self.index
            statement = self._guarded(start)
            if self.index > start:
                found.append(Placed(statement, self.text_since(start)))
        return tuple(found)

    def _guarded(self, start: int) -> st.Statement | Unreadable:
        depth = self._depth
        try:
            statement = self.statement()
            self._check_end(statement, start)
        except TranslationError as error:
            return self._failed(error, start, depth)
        except RecursionError:
            return self._failed(TooLarge("the statement is nested too deeply"), start, depth)
        return statement

    def _check_end(self, statement: st.Statement, start: int) -> None:
        if not self.ends() and self.word not in {"GO", "/"} and not self._joins(statement):
            self.fail("expected the end of the statement")
        if isinstance(statement, _EXACT):
            return
        tokens = self.tokens[start : self.index]
        signs = Counter(token.word for token in tokens if token.kind == SYMBOL)
        # In the range [(1), (2)) the signs do not match.
        opened = signs["("] - signs[")"] if signs["["] == signs["]"] else 0
        last = tokens[-1]
        is_cut = last.word in NEVER_LAST and tokens[0].word not in _LENIENT
        ends_in_query = isinstance(statement, st.Create) and statement.query is not None
        if opened or (is_cut and not ends_in_query):
            self.fail("expected ) before it" if opened > 0 else "the statement is not complete")

    def _joins(self, statement: st.Statement) -> bool:
        """Whether another statement may follow the present statement without a semicolon."""
        is_word = self.word in _STARTS and self.at.kind == WORD
        return is_word and (self.grammar.transact or isinstance(statement, st.Other | st.Block))

    def _failed(self, error: TranslationError, start: int, depth: int) -> Unreadable:
        self._depth = depth
        self.back_to(start)
        while self.at.kind != END and self.word != ";":
            self.advance()
        return Unreadable(error)

    def statement(self) -> st.Statement:
        self.into = None
        self.into_is_temporary = False
        self.take_changes()
        word = self.word
        if word == "WITH":
            return self._chained(self._with_common_tables())
        if word == "FROM":
            return self.multi_insert()
        if word in BEGINS_QUERY or word == "(":
            return self._query()
        read = _STARTS.get(word) if self.at.kind == WORD else None
        if read is None:
            self.fail("expected a statement")
        return self._chained(read(self))

    def _chained(self, statement: st.Statement) -> st.Statement:
        changes = self.take_changes()
        if changes and isinstance(statement, st.Block):
            return st.Block(statement.name, (*changes, *statement.statements))
        return st.Chained(changes, statement) if changes else statement

    def _with_common_tables(self) -> st.Statement:
        start = self.index
        tables, recursive = self._common_tables()
        changes = {
            "INSERT": self.insert,
            "MERGE": self.merge,
            "UPDATE": self.update,
            "DELETE": self.delete,
        }.get(self.word)
        if changes is not None:
            return changes(st.With(tables, recursive))
        if self.word == "FROM":
            return self.multi_insert(st.With(tables, recursive))
        self.take_changes()
        self.back_to(start)
        return self._query()

    def _query(self) -> st.Statement:
        query = self.query()
        return st.Query(query, self.into, self.into_is_temporary)

    # statements without rows

    def use(self) -> st.Statement:
        self.expect("USE")
        if self.ends():
            self.fail("expected a namespace")
        what = ""
        if self.ahead().kind == WORD or self.ahead().kind == 1:
            what = self.take_one_of(
                "CATALOG", "DATABASE", "SCHEMA", "NAMESPACE", "WAREHOUSE", "ROLE"
            )
        if what in {"", "DATABASE"}:
            what = "CATALOG" if self.grammar.use_names_catalog else "SCHEMA"
        path = (self.advance().text,) if self.at.kind == STRING else self.path()
        return st.Use(path, what.lower())

    def set(self) -> st.Statement:
        self.expect("SET")
        start = self.index
        found = self.with_queries(st.Set("", None), *self.starts_without_semicolon())
        end = self.index
        words = [token.word for token in self.tokens[start:end]]
        equals = start + words.index("=") if "=" in words else end
        value = None if equals == end else self._text_between(equals + 1, end)
        setting = st.Set(self._text_between(start, equals), value)
        queries = found.statements[1:] if isinstance(found, st.Block) else ()
        return st.Block(None, (setting, *queries)) if queries else setting

    def _text_between(self, start: int, end: int) -> str:
        """The text from one token to another; both are indexes of tokens."""
        if start == end:
            return ""
        return self.sql[self.tokens[start].start : self.tokens[end - 1].end]

    def describe(self) -> st.Statement:
        verb = self.advance().word
        if (
            verb != "SHOW"
            and (self.word in {"SELECT", *_CHANGES})
            and self.ahead().word != "SYSTEM"
        ):
            # ANALYZE in MariaDB runs the statement; DESCRIBE in MySQL does not.
            inner = self.statement()
            return inner if verb == "ANALYZE" else st.Explain(inner)
        words = {"TABLE", "VIEW", "EXTENDED", "FORMATTED", "CREATE", "COLUMNS", "FROM", "IN"}
        words |= {"PARTITIONS", "TBLPROPERTIES", "DETAIL", "HISTORY", "SEMANTIC"}
        if self.word in {"FUNCTION", "FUNCTIONS", "DATABASE", "SCHEMA", "CATALOG", "QUERY"}:
            self.skip_to()
            return st.Other(verb)
        about = verb in {"DESCRIBE", "DESC", "ANALYZE"}
        while self.word in words:
            about = about or self.word in {"CREATE", "COLUMNS", "PARTITIONS", "TBLPROPERTIES"}
            self.advance()
        name = None
        if about and self.at.kind != STRING and not self.ends():
            name = self.table()
        if verb in {"DESCRIBE", "DESC"} and self.at.kind in (WORD, QUOTED):
            # This skips the name of a column.
            self.path()
        if verb == "SHOW":
            self.skip_to()
        elif verb == "ANALYZE":
            self._skip_analysis()
        else:
            self.rest(ANY_WORDS)
        return st.ReadMetadata((name,)) if name is not None else st.Other(verb)

    def _skip_analysis(self) -> None:
        """Skips the clauses of Hive's and Spark's ANALYZE after a table."""
        is_clause = self.at.kind != WORD or self.word in ANY_WORDS or self.ends()
        if self.take("COMPUTE"):
            self.take("DELTA")
            self.expect("STATISTICS")
            if self.take("FOR"):
                self.take("ALL")
                self.expect("COLUMNS")
            self.rest(ANY_WORDS, follows=True)
            return
        start = self.index
        self.skip_to()
        if not is_clause and any(t.word == "STATISTICS" for t in self.tokens[start : self.index]):
            self.back_to(start)
            self.fail("expected COMPUTE STATISTICS")

    def other(self) -> st.Statement:
        verb = self.advance().word
        if verb in _NO_SEMICOLON:
            return self.with_queries(st.Other(verb), *self.starts_without_semicolon())
        if self.word not in _SECOND.get(verb, (self.word,)):
            self.fail(f"expected what to {verb}")
        while verb in _OF_PRIVILEGES and (self.word in PRIVILEGES or self.word in {",", "("}):
            if self.word == "(":
                self.skip_parentheses()
            else:
                self.advance()
        if verb in _LENIENT:
            self.skip_to()
        else:
            self.rest(ANY_WORDS, follows=True)
        return st.Other(verb)

    def starts_without_semicolon(self) -> tuple[str, ...]:
        return _STARTS_WITHOUT_SEMICOLON if self.grammar.transact else ()

    def statements_in(self, text: Token) -> tuple[st.Statement, ...]:
        found: list[st.Statement] = []
        for placed in self.inside(text).script():
            if isinstance(placed.statement, Unreadable):
                raise MalformedSql(
                    f"of the text that is run: {placed.statement.error.message}",
                    position=self.position(text),
                    hint=placed.statement.error.hint,
                )
            found.append(placed.statement)
        if not found:
            raise MalformedSql(
                "the text that is run has no statement", position=self.position(text)
            )
        return tuple(found)

    def statements_of_body(self) -> tuple[st.Statement, ...]:
        found: list[st.Statement] = []
        self._body(found)
        return tuple(found)

    def replace(self) -> st.Statement:
        """Reads REPLACE: rows in MySQL, a definition in Spark and Teradata."""
        if self.ahead().word not in {"TABLE", "VIEW", "PROCEDURE", "MACRO", "FUNCTION", "TRIGGER"}:
            return self.replace_rows()
        self.expect("REPLACE")
        found = self.defined()
        return replace(found, replaces=True) if isinstance(found, st.Create) else found

    def exchange(self) -> st.Statement:
        """Reads ClickHouse's ``EXCHANGE TABLES a AND b``."""
        self.expect("EXCHANGE")
        if not self.take("TABLES"):
            self.skip_to()
            return st.Other("EXCHANGE")
        first = self.table()
        self.expect("AND")
        second = self.table()
        self.skip_to()
        return st.Swap(first, second)

    def locking(self) -> st.Statement:
        """Reads Teradata's ``LOCKING t FOR ACCESS SELECT …``."""
        self.skip_to("SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "MERGE")
        return self.statement()

    # control of flow: its words separate statements, and its conditions are skipped

    def begin(self) -> st.Statement:
        """Reads BEGIN: a transaction up to its end, or only a block's first word."""
        self.expect("BEGIN")
        if self.word in _TRANSACTIONS:
            self.skip_to(*_STARTS_WITHOUT_SEMICOLON)
        self.take_one_of("TRY", "CATCH", "ATOMIC")
        return st.Other("BEGIN")

    def end(self) -> st.Statement:
        self.expect("END")
        what = self.take_one_of("TRY", "CATCH", "IF", "WHILE", "LOOP", "CASE", "FOR", "REPEAT")
        if not what and self.at.kind in (WORD, QUOTED) and self.word not in _STARTS:
            # This skips the name of the block.
            self.advance()
        return st.Other("END")

    def branch(self) -> st.Statement:
        """Reads ``IF a``, ``ELSEIF a THEN``, ``WHILE a DO``; ELSE and LOOP have no condition."""
        verb = self.advance().word
        if verb in {"ELSE", "LOOP"}:
            return st.Other(verb)
        found = self.with_expression(st.Other(verb))
        self.take_one_of("THEN", "DO", "LOOP")
        return found

    def declare(self) -> st.Statement:
        """Reads DECLARE: ``DECLARE @t TABLE (a INT)`` creates a table, and a cursor is a query."""
        start = self.index
        self.expect("DECLARE")
        if self.ahead().word == "TABLE" and self.ahead(2).word == "(":
            name = self.table()
            self.advance()
            columns, _ = self._column_list()
            return st.Create(st.Kind.TABLE, name, columns, temporary=True)
        if self.ahead().word == "CURSOR" or self.ahead(2).word == "CURSOR":
            self.skip_to("FOR")
            if self.take("FOR") and self.word in BEGINS_QUERY:
                return self._query()
        self.back_to(start)
        return self.other()

    # procedures

    def procedure(self) -> st.Statement:
        """Skips a procedure's name, parameters and declarations up to its first statement."""
        self.advance()
        name = self.table("a procedure")
        if self.word == "(":
            self.skip_parentheses()
        while not self.ends() and self.word != "BEGIN":
            self.advance()
            if self.word == ";" and self._has_body():
                self.advance()
        if self._in_procedure:
            # This procedure ends the previous body: consecutive procedures are not nested.
            return st.Block(name, ())
        found: list[st.Statement] = []
        self._in_procedure = True
        try:
            self._body(found)
        finally:
            self._in_procedure = False
        return st.Block(name, tuple(found))

    def _body(self, found: list[st.Statement]) -> None:
        while self.at.kind != END:
            if self.word in _IN_BODIES and self.word not in {"SET", "IF"}:
                before, depth = self.index, self._depth
                try:
                    statement = self.statement()
                except TranslationError:
                    self._depth = depth
                    # Reading continues after the part that was understood, so that no part is read
                    # once for each of its words.
                    self.back_to(max(self.index, before + 1))
                    continue
                if isinstance(statement, st.Block):
                    self.back_to(before)
                    return
                found.append(statement)
            else:
                self.advance()

    def _has_body(self) -> bool:
        if self._last_begin is None:
            begins = (at for at, token in enumerate(self.tokens) if token.word == "BEGIN")
            self._last_begin = max(begins, default=-1)
        return self.index <= self._last_begin


_IN_BODIES: Final = frozenset(
    {"INSERT", "MERGE", "UPDATE", "DELETE", "TRUNCATE", "SELECT", "WITH", "CREATE", "DROP"}
)
_TRANSACTIONS: Final = frozenset(
    {
        *("TRAN", "TRANSACTION", "WORK", "ISOLATION", "READ", "DISTRIBUTED"),
        *("IMMEDIATE", "DEFERRED", "EXCLUSIVE", "CONCURRENT", "NOT"),
    }
)
_EXACT: Final = (
    *(st.Query, st.Insert, st.MultiInsert, st.Merge, st.Update, st.Delete, st.Chained, st.Set),
    st.Block,
)
"""Kinds of statements that the parser understands up to their last word."""
_LENIENT: Final = frozenset(
    {"SHOW", "SYSTEM", "PUT", "GET", "PRAGMA", "ATTACH", "LS", "LIST", "RM", "REMOVE"}
)
"""Statements that may contain any words, since they have one engine's paths and settings."""
_OF_PRIVILEGES: Final = ("GRANT", "REVOKE", "DENY")
_SECOND: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "MSCK": frozenset({"REPAIR", "TABLE"}),
        "REPAIR": frozenset({"TABLE"}),
        **dict.fromkeys(_OF_PRIVILEGES, PRIVILEGES),
    }
)
"""The words that may follow a verb."""
_CHANGES: Final = frozenset({"INSERT", "UPDATE", "DELETE", "MERGE"})
_NO_SEMICOLON: Final = frozenset(
    {"DECLARE", "PRINT", "COMMIT", "ROLLBACK", "RETURN", "ASSERT", "LET"}
)
"""Statements that contain expressions, or need no semicolon in T-SQL."""
_STARTS_WITHOUT_SEMICOLON: Final = (
    *("INSERT", "MERGE", "UPDATE", "DELETE", "TRUNCATE", "SELECT", "WITH", "CREATE", "DROP"),
    *("DECLARE", "EXEC", "EXECUTE", "PRINT", "IF", "ELSE", "BEGIN", "END", "COMMIT", "ROLLBACK"),
    *("RETURN", "WHILE", "GO"),
)
_STARTS: Final[Mapping[str, Callable[[Scripts], st.Statement]]] = MappingProxyType(
    {
        "SELECT": Scripts.statement,
        "INSERT": Scripts.insert,
        "MERGE": Scripts.merge,
        "UPDATE": Scripts.update,
        "DELETE": Scripts.delete,
        "CREATE": Scripts.create,
        "ALTER": Scripts.alter,
        "DROP": Scripts.drop,
        "RENAME": Scripts.rename,
        "TRUNCATE": Scripts.truncate,
        "LOAD": Scripts.load,
        "COPY": Scripts.copy,
        "UNLOAD": Scripts.unload,
        "CACHE": Scripts.cache,
        "USE": Scripts.use,
        "SET": Scripts.set,
        "DESCRIBE": Scripts.describe,
        "DESC": Scripts.describe,
        "ANALYZE": Scripts.describe,
        "SHOW": Scripts.describe,
        "EXPLAIN": Scripts.explain,
        "PREPARE": Scripts.prepare,
        **dict.fromkeys(("EXECUTE", "EXEC"), Scripts.execute),
        "CALL": Scripts.call_procedure,
        "EXPORT": Scripts.export,
        "IMPORT": Scripts.import_,
        **dict.fromkeys(("HANDLER", "SUMMARIZE"), Scripts.reads_table),
        **dict.fromkeys(("DO", "DFS"), Scripts.unknown),
        "REPLACE": Scripts.replace,
        "EXCHANGE": Scripts.exchange,
        "LOCKING": Scripts.locking,
        "BEGIN": Scripts.begin,
        "END": Scripts.end,
        **dict.fromkeys(("IF", "ELSE", "ELSEIF", "ELSIF", "WHILE", "LOOP"), Scripts.branch),
        "DECLARE": Scripts.declare,
        **dict.fromkeys(
            (
                *("GRANT", "REVOKE", "DENY", "COMMIT", "ROLLBACK", "START"),
                *("REFRESH", "UNCACHE", "CLEAR", "MSCK", "RESET"),
                *("COMMENT", "VACUUM", "OPTIMIZE", "RELOAD", "ADD", "LIST", "DELIMITER"),
                *(
                    "DEALLOCATE",
                    "KILL",
                    "LOCK",
                    "UNLOCK",
                    "SAVEPOINT",
                    "PRINT",
                    "RETURN",
                ),
                *("CLUSTER", "REINDEX", "ABORT", "PUT", "GET", "REMOVE", "RM"),
                *("LS", "CHECKPOINT", "ATTACH", "DETACH", "PRAGMA", "UNDROP", "REPAIR", "FLUSH"),
                *(
                    "PURGE",
                    "FLASHBACK",
                    "ASSERT",
                    "SYSTEM",
                    "INSTALL",
                ),
                *("RESTORE", "HELP", "GENERATE", "FSCK", "COLLECT", "BT", "ET", "LET", "LISTEN"),
                *("UNSET", "WHENEVER", "NOTIFY", "DISCARD", "DELETEJAR", "COMPACT"),
            ),
            Scripts.other,
        ),
    }
)
