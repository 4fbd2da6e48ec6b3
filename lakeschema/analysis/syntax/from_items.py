"""Parses FROM in any dialect; skips clauses about locks, samples, indexes and ways of reading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from lakeschema.analysis.syntax.expressions import OpenExpressions
from lakeschema.translation.model.joins import JoinKind
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.from_items import NO_ALIAS
from lakeschema.translation.syntax.lexing import END, NUMBER, QUOTED, STRING, WORD, Token
from lakeschema.translation.syntax.operators import BEGINS_QUERY
from lakeschema.translation.syntax.transforms import begins_script

FILES: Final = "files"
"""The namespace of a table name that is a path: ``("files", uri)`` has no other meaning."""

_NO_ALIAS: Final = NO_ALIAS | frozenset(
    {
        *("FETCH", "INTO", "RETURNING", "WHERE", "OPTION", "CONNECT", "START", "TIMESERIES"),
        *("WHEN", "MATCHED", "GO", "BEGIN", "UPDATE", "DELETE", "MERGE", "CREATE", "DROP"),
        *("MATCH_CONDITION", "MATCH_RECOGNIZE"),
        *("STRAIGHT_JOIN", "ASOF", "ALTER", "PREWHERE", "SETTINGS", "FORMAT", "TRUNCATE"),
        *("IF", "ELSE", "DECLARE", "EXEC", "EXECUTE", "COMMIT", "APPLY", "CLONE", "OUTER"),
    }
)
LOCKS: Final = frozenset({"UPDATE", "SHARE", "NO", "KEY", "READ", "FETCH"})
_JOIN_WORDS: Final = frozenset(
    {"LOOP", "HASH", "MERGE", "REMOTE", "ASOF", "ANY", "ALL", "PASTE", "POSITIONAL", "ARRAY"}
)
"""Words before JOIN about how rows are found or matched."""
_AFTER_JOIN_WORDS: Final = frozenset({"JOIN", "LEFT", "RIGHT", "INNER", "FULL"})
_WITH_WORD_BEHIND: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "OUTPUT": frozenset({"INSERTED", "DELETED", "$ACTION"}),
        "LOCK": frozenset({"IN"}),
        "VERSIONS": frozenset({"BETWEEN"}),
        "GLOBAL": frozenset({"LEFT", "INNER", "JOIN"}),
        "DISTRIBUTED": frozenset({"BY", "RANDOMLY", "REPLICATED"}),
        **dict.fromkeys(_JOIN_WORDS, _AFTER_JOIN_WORDS),
    }
)
"""Words that are aliases unless one of their listed words follows."""
_DOCUMENT_TABLES: Final = frozenset({"JSON_TABLE", "XMLTABLE"})
_FILE_FORMATS: Final = frozenset({"parquet", "orc", "json", "csv", "avro", "text", "delta"})
_HINTS: Final = frozenset(
    {
        *("NOLOCK", "READUNCOMMITTED", "READCOMMITTED", "READCOMMITTEDLOCK", "REPEATABLEREAD"),
        *("SERIALIZABLE", "SNAPSHOT", "HOLDLOCK", "UPDLOCK", "XLOCK", "TABLOCK", "TABLOCKX"),
        *("PAGLOCK", "ROWLOCK", "READPAST", "NOWAIT", "NOEXPAND", "FORCESEEK", "FORCESCAN"),
        *("INDEX", "KEEPIDENTITY", "KEEPDEFAULTS", "FASTFIRSTROW"),
    }
)


class OpenFromItems(OpenExpressions):
    """Reads the items of FROM, in addition to expressions."""

    def _from_item(self) -> tree.FromItem:
        if self.take("LATERAL"):
            return self._from_item()
        self.take("ONLY")
        if self.grammar.transact and self.at.kind == STRING:
            name = self.table()
            return self._behind_table(tree.TableName(name.parts, position=name.position))
        files = self.files()
        if files is not None:
            if self.word == "(" and self.ahead(2).word == "=>":
                # Options for reading a stage's files.
                self.skip_parentheses()
            return self._behind_table(tree.TableName((FILES, files.uri)))
        if self.word == "UNNEST" and self.ahead().word == "(":
            return self._unnest()
        if self.word == "TABLE" and self.ahead().word == "(":
            return self._table_of()
        if self.word in _DOCUMENT_TABLES and self.ahead().word == "(":
            return self._document_table()
        if self.word == "[" and self.ahead(2).word == "]":
            # Impala's [SHUFFLE] and [BROADCAST].
            self.back_to(self.index + 3)
        if self.comes("SEMANTIC_VIEW", "("):
            return self._semantic_view()
        if self.word == "(" or (self.word == "VALUES" and self.ahead().word == "("):
            return super()._from_item()
        token = self.at
        if token.kind not in (WORD, QUOTED):
            self.fail("expected a table")
        parts = self.path()
        if self.sql[self.at.start : self.at.start + 1] == "@" and self._follows():
            # An Oracle link to another database becomes a part of the name.
            parts = (*parts[:-1], f"{parts[-1]}{self.advance().text}")
        if self.word == "(" and not self._begins_hints():
            return self._function(parts, token)
        if len(parts) == 2 and parts[0].lower() in _FILE_FORMATS and token.kind == WORD:
            at = self.tokens[self.index - 1]
            if at.kind == QUOTED:
                parts = (FILES, parts[1])
        return self._behind_table(tree.TableName(parts, position=self.position(token)))

    def _follows(self) -> bool:
        """Whether the next token follows without a blank."""
        return self.index > 0 and self.at.start == self.tokens[self.index - 1].end

    def _function(self, parts: tuple[str, ...], token: Token) -> tree.FromItem:
        call = self.call(parts, self.position(token))
        call = call if isinstance(call, tree.Call) else tree.Call(parts[-1], (call,))
        self.take("WITH", "ORDINALITY")
        if self.grammar.transact and self.comes("WITH", "("):
            # The columns that OPENJSON finds follow WITH.
            self.advance()
            columns = self._defined_columns()
            return tree.FromFunction(call, self._alias()[0], columns)
        return tree.FromFunction(call, *self._alias())

    def _table_of(self) -> tree.FromItem:
        """Reads ``TABLE(f(x))``, and Oracle's and Snowflake's ``TABLE(t.a)`` and ``TABLE('t')``."""
        start = self.index + 1
        self.back_to(start + 1)
        if self.word in BEGINS_QUERY:
            self.back_to(start)
            return self._parenthesised()
        item = self._from_item()
        self.expect(")")
        alias, columns = self._alias()
        if isinstance(item, tree.TableName | tree.FromFunction) and (alias or columns):
            return replace(item, alias=alias, columns=columns)
        return item

    def _document_table(self) -> tree.FromItem:
        """Reads a table made of a document.

        ``JSON_TABLE(t.doc, '$' COLUMNS (…))``, ``XMLTABLE('/a' PASSING t.doc COLUMNS …)``.
        """
        token = self.advance()
        self.expect("(")
        made: list[tree.Expression] = []
        while self.word not in {"COLUMNS", ")"} and self.at.kind != END:
            if self.word in {"PASSING", "BY", "VALUE", "REF", "ERROR", "NULL", "AS", "FORMAT", ","}:
                self.advance()
            else:
                made.append(self.expression())
        call = tree.Call(token.text, tuple(made), self.position(token))
        names = self._document_columns()
        return tree.FromFunction(call, self._alias()[0], names)

    def _document_columns(self) -> tuple[str, ...]:
        """The names after COLUMNS, also nested ones; reads up to the closing parenthesis."""
        names: list[str] = []
        depth, begins = 1, False
        while depth:
            if self.at.kind == END:
                self.fail("expected )")
            if begins and self.at.kind in (WORD, QUOTED) and self.word not in {"NESTED", "COLUMNS"}:
                names.append(self.at.text)
            word = self.advance().word
            begins = word in {"COLUMNS", ","} or (word == "(" and begins)
            depth += (word == "(") - (word == ")")
        return tuple(names)

    def _defined_columns(self) -> tuple[str, ...]:
        """The names of columns in parentheses, with or without types."""
        self.expect("(")
        names: list[str] = []
        while True:
            names.append(self.name("a column"))
            self.skip_to(",", ")")
            if not self.take(","):
                self.expect(")")
                return tuple(names)

    def _semantic_view(self) -> tree.FromItem:
        """Reads ``SEMANTIC_VIEW(v METRICS m DIMENSIONS d)``, which has columns of the view."""
        self.advance()
        start = self.index
        self.advance()
        token = self.at
        parts = self.path()
        self.back_to(start)
        self.skip_parentheses()
        return self._behind_table(tree.TableName(parts, position=self.position(token)))

    def _unnest(self) -> tree.FromItem:
        token = self.advance()
        self.expect("(")
        call = tree.Call("unnest", self.expressions(")"), self.position(token))
        self.take("WITH", "ORDINALITY")
        alias, columns = self._alias()
        if alias is not None and not columns and self.grammar.dotted_quotes:
            # BigQuery names the column after the alias.
            columns = (alias,)
        if self.take("WITH", "OFFSET"):
            offset = self._alias()[0] or "offset"
            columns = (*columns, offset) if columns else ()
        return tree.FromFunction(call, alias, columns)

    def _behind_table(self, name: tree.TableName) -> tree.FromItem:
        self._skip_said_of_table()
        alias, columns = self._alias()
        self._skip_said_of_table()
        self.take("FINAL")
        return tree.TableName(name.parts, alias, columns, name.position)

    def _skip_said_of_table(self) -> None:
        """Skips a table's time travel, partition, sample, index hints and locks."""
        while True:
            start = self.index
            self._skip_time_travel()
            self.sample()
            following = self.ahead().word
            if self.word in {"PARTITION", "SUBPARTITION", "WITH", "MATCH_CONDITION"} and (
                following == "(" or self.comes("PARTITION", "BY", "(")
            ):
                self.skip_to("(")
                self.skip_parentheses()
            elif self._begins_hints():
                self.skip_parentheses()
            elif self.word in {"AT", "BEFORE", "CHANGES"} and (
                following == "(" and self.ahead(3).word == "=>"
            ):
                self.advance()
                self.skip_parentheses()
            elif self.word in {"USE", "FORCE", "IGNORE"} and following in {"INDEX", "KEY"}:
                self.skip_to("(")
                self.skip_parentheses()
                self.take(",")
            elif self.take("INDEXED", "BY"):
                self.name("an index")
            else:
                self.take("NOT", "INDEXED")
            if self.index == start:
                return

    def _begins_hints(self) -> bool:
        """Whether T-SQL's hints follow without WITH: ``(NOLOCK)``."""
        return self.grammar.transact and self.word == "(" and self.ahead().word in _HINTS

    def _alias(self) -> tuple[str | None, tuple[str, ...]]:
        if not self.take("AS") and not self.is_alias():
            return None, ()
        if self.word == "(":
            return None, self._defined_columns()
        alias = self.name("an alias")
        if self.word != "(" or self._begins_hints():
            return alias, ()
        return alias, self._defined_columns()

    def _skip_time_travel(self) -> None:
        if self.take("AS", "OF"):
            # Oracle's; in other engines VERSION or TIMESTAMP comes first.
            self.take_one_of("TIMESTAMP", "SCN", "SYSTEM_TIME")
            self.expression()
        if self.word == "FOR" and self.ahead().word in LOCKS | {"XML", "JSON", "BROWSE"}:
            return
        if self.word == "FOR" and self.ahead().kind == WORD:
            self.advance()
        if not self.word.startswith(("SYSTEM_", "VERSION", "TIMESTAMP")):
            return
        following = self.ahead().word
        if following in {"AS", "BEFORE"}:
            self.back_to(self.index + 2)
            self.take("OF")
            self.operand()
        elif following in {"BETWEEN", "FROM"}:
            self.back_to(self.index + 2)
            self.take_one_of("SCN", "TIMESTAMP")
            self.operand()
            self.take_one_of("AND", "TO")
            self.operand()
        elif following in {"ALL", "CONTAINED"}:
            self.back_to(self.index + 2)
            if self.take("IN"):
                self.skip_parentheses()

    def is_alias(self) -> bool:
        kind = self.at.kind
        if kind == QUOTED:
            return True
        if kind != WORD or self.word in _NO_ALIAS or self.comes("BULK", "COLLECT"):
            return False
        if self.word in {"MAP", "REDUCE"} and begins_script(self):
            return False
        goes_on = _WITH_WORD_BEHIND.get(self.word)
        if goes_on is None:
            return True
        following = self.ahead()
        return (following.word or following.text.upper()) not in goes_on

    def join(self, left: tree.FromItem) -> tree.FromItem | None:
        self.take("GLOBAL")
        if self.word in {"CROSS", "OUTER"} and self.ahead().word == "APPLY":
            self.back_to(self.index + 2)
            return tree.Join(left, self._from_item(), JoinKind.CROSS, lateral=True)
        if self.take("STRAIGHT_JOIN"):
            condition = None
            right = self._from_item()
            if self.take("ON"):
                condition = self.expression()
            return tree.Join(left, right, JoinKind.INNER, condition)
        if self.word in _JOIN_WORDS and self.ahead().word in _AFTER_JOIN_WORDS:
            self.advance()
        return super().join(left)

    def behind_side(self) -> None:
        self.take_one_of(*_JOIN_WORDS)

    def _extended(self, item: tree.FromItem) -> tree.FromItem | None:
        if self.comes("MATCH_RECOGNIZE", "("):
            # The measures are unknown, so all columns are those of the input.
            self.advance()
            self.skip_parentheses()
            alias, columns = self._alias()
            star = tree.Select((tree.SelectItem(tree.Star()),), item)
            return tree.FromQuery(star, alias, columns)
        return super()._extended(item)

    def pivot(self, item: tree.FromItem) -> tree.FromItem:
        """Reads PIVOT, also with values known only from rows: ``IN (ANY)``, ``IN (SELECT …)``."""
        start = self.index
        self.expect("PIVOT", "(")
        self.separated(self._aliased)
        self.expect("FOR")
        self._row_of_paths()
        self.expect("IN")
        if self.ahead().word not in {"ANY", "SELECT"}:
            self.back_to(start)
            return super().pivot(item)
        self.skip_parentheses()
        self.skip_to(")")
        self.expect(")")
        alias, columns = self._alias()
        return tree.FromQuery(tree.Select((tree.SelectItem(tree.Star()),), item), alias, columns)

    def sample(self) -> None:
        if self.word == "SAMPLE" and (
            self.ahead().word in {"(", "BERNOULLI", "SYSTEM", "BLOCK", "ROW"}
            or self.ahead().kind == NUMBER
        ):
            self.advance()
            self.take_one_of("BERNOULLI", "SYSTEM", "BLOCK", "ROW")
            if self.at.kind == NUMBER:
                self.operand()
            else:
                self.skip_parentheses()
        super().sample()
        if self.word in {"SEED", "REPEATABLE"} and self.ahead().word == "(":
            self.advance()
            self.skip_parentheses()
