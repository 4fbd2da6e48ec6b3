"""FROM of any dialect: what is said of how rows are locked, sampled, indexed or read is passed over."""

from __future__ import annotations

from typing import Final

from lakeschema.analysis.syntax.expressions import OpenExpressions
from lakeschema.translation.joins import JoinKind
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.from_items import NO_ALIAS
from lakeschema.translation.syntax.lexing import QUOTED, WORD

FILES: Final = "files"
"""The namespace of a table name that is a path: ``("files", uri)`` has no other meaning."""

_NO_ALIAS: Final = NO_ALIAS | frozenset(
    {
        *("FETCH", "INTO", "RETURNING", "WHERE", "OPTION", "CONNECT", "START", "TIMESERIES"),
        *("WHEN", "MATCHED", "GO", "BEGIN", "UPDATE", "DELETE", "MERGE", "CREATE", "DROP"),
        *("STRAIGHT_JOIN", "ASOF", "ALTER", "PREWHERE", "SETTINGS", "FORMAT", "TRUNCATE"),
        *("IF", "ELSE", "DECLARE", "EXEC", "EXECUTE", "COMMIT", "APPLY", "CLONE", "OUTER"),
    }
)
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
    """Adds what stands in FROM to expressions."""

    def _from_item(self) -> tree.FromItem:
        if self.take("LATERAL"):
            return self._from_item()
        self.take("ONLY")
        files = self.files()
        if files is not None:
            if self.word == "(" and self.ahead(2).word == "=>":
                # How the files of a stage are to be read.
                self.skip_parentheses()
            return self._behind_table(tree.TableName((FILES, files.uri)))
        if self.word == "UNNEST" and self.ahead().word == "(":
            return self._unnest()
        if self.word == "TABLE" and self.ahead().word == "(":
            self.advance()
            return self._parenthesised()
        if self.comes("SEMANTIC_VIEW", "("):
            return self._semantic_view()
        if self.word == "(" or (self.word == "VALUES" and self.ahead().word == "("):
            return super()._from_item()
        token = self.at
        if token.kind not in (WORD, QUOTED):
            self.fail("expected a table")
        parts = self.path()
        if self.word == "(" and not self._begins_hints():
            call = self.call(parts, self.position(token))
            call = call if isinstance(call, tree.Call) else tree.Call(parts[-1], (call,))
            self.take("WITH", "ORDINALITY")
            return tree.FromFunction(call, *self._alias())
        if len(parts) == 2 and parts[0].lower() in _FILE_FORMATS and token.kind == WORD:
            at = self.tokens[self.index - 1]
            if at.kind == QUOTED:
                parts = (FILES, parts[1])
        return self._behind_table(tree.TableName(parts, position=self.position(token)))

    def _semantic_view(self) -> tree.FromItem:
        """``SEMANTIC_VIEW(v METRICS m DIMENSIONS d)`` has columns of the view."""
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
            # BigQuery names the column by it.
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
        """At which time it is read, which part or sample of it, by which index, under which lock."""
        while True:
            start = self.index
            self._skip_time_travel()
            self.sample()
            following = self.ahead().word
            if self.word in {"PARTITION", "SUBPARTITION", "WITH"} and following == "(":
                self.advance()
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
        """T-SQL's ``(NOLOCK)``, whose WITH may be left out."""
        return self.grammar.hints_without_with and self.word == "(" and self.ahead().word in _HINTS

    def _alias(self) -> tuple[str | None, tuple[str, ...]]:
        if not self.take("AS") and not self._is_alias():
            return None, ()
        if self.word == "(":
            return None, self._names()
        alias = self.name("an alias")
        return alias, self._names() if self.word == "(" and not self._begins_hints() else ()

    def _skip_time_travel(self) -> None:
        if self.word == "FOR" and self.ahead().word in {"UPDATE", "SHARE"}:
            return
        if self.word == "FOR" and self.ahead().kind == WORD:
            self.advance()
        if self.word.startswith(("SYSTEM_", "VERSION", "TIMESTAMP")) and self.ahead().word in {
            "AS",
            "BEFORE",
        }:
            self.back_to(self.index + 2)
            self.take("OF")
            self.operand()

    def _is_alias(self) -> bool:
        kind = self.at.kind
        if kind == QUOTED:
            return True
        if kind != WORD or self.word in _NO_ALIAS:
            return False
        return not (self.word == "GLOBAL" and self.ahead().word in {"LEFT", "INNER", "JOIN"})

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
        self.take("ASOF")
        return super().join(left)

    def sample(self) -> None:
        if self.word == "SAMPLE" and self.ahead().word == "(":
            self.advance()
            self.skip_parentheses()
        super().sample()
