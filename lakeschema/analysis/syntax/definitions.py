"""Parses statements that change the catalog: CREATE, ALTER, DROP, RENAME, TRUNCATE, CACHE."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Final

from lakeschema.analysis.syntax import statements as st
from lakeschema.analysis.syntax.changes import Changes
from lakeschema.analysis.syntax.vocabulary import (
    ALTER_WORDS,
    BEFORE_KIND,
    COLUMN_WORDS,
    DROP_WORDS,
    TABLE_WORDS,
    TRUNCATE_WORDS,
)
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.lexing import END, QUOTED, STRING, WORD
from lakeschema.translation.syntax.operators import BEGINS_QUERY

_CONSTRAINTS: Final = frozenset(
    {"CONSTRAINT", "PRIMARY", "FOREIGN", "UNIQUE", "CHECK", "LIKE", "INDEX", "KEY", "PERIOD"}
    | {"FULLTEXT", "SPATIAL"}
)
_KEEP_ORDER: Final = frozenset({"ICEBERG", "DELTA"})
"""Formats whose partition columns keep their places."""
_KINDS: Final = {"TABLE": st.Kind.TABLE, "VIEW": st.Kind.VIEW}


_BEFORE_VALUES: Final = frozenset(
    {"AS", "COMMENT", "GENERATED", "NOT", "NULL", "DEFAULT", "WITH", "MASKING", "TAG", "OPTIONS"}
)
"""Words that may follow a column's name if it has no type."""


class Definitions(Changes):
    """Reads statements that change the catalog, and statements that change rows."""

    # CREATE

    def create(self) -> st.Statement:
        self.expect("CREATE")
        return self.defined()

    def defined(self) -> st.Statement:
        """The definition after CREATE."""
        words: set[str] = set()
        while self.word in BEFORE_KIND and self.ahead().kind == WORD:
            if self.take("OR"):
                words.add(self.take_one_of("REPLACE", "ALTER", "REFRESH"))
            elif self.word == "REPLACE":
                self.fail("expected OR before it")
            else:
                words.add(self.advance().word)
        if "" in words:
            self.fail("expected REPLACE")
        if self.word in {"ALGORITHM", "DEFINER", "SQL"}:
            self.skip_to("VIEW", "PROCEDURE", "FUNCTION", "TRIGGER")
        kind = self.word
        if kind in {"PROCEDURE", "PROC"}:
            return self.procedure()
        if kind == "STAGE":
            return self._stage()
        if kind not in _KINDS or self.ahead().word == "FUNCTION":
            return self.other_object("CREATE")
        self.advance()
        missing = self.take("IF", "NOT", "EXISTS")
        found = self._created(_KINDS[kind])
        temporary = bool(words & {"TEMPORARY", "TEMP", "VOLATILE"})
        if temporary and "GLOBAL" in words:
            found, temporary = _global(found)
        return replace(
            found,
            materialized="MATERIALIZED" in words,
            temporary=temporary,
            only_if_missing=missing,
            replaces=bool(words & {"REPLACE", "ALTER"}),
        )

    def _created(self, kind: st.Kind) -> st.Create:
        name = self.table()
        columns: tuple[str, ...] = ()
        partitions: tuple[str, ...] = ()
        keeps_order = False
        like: st.Named | None = None
        clone: st.Target | None = None
        location: str | None = None
        query: tree.Query | None = None
        filled: st.Named | None = None
        if self.word == "(" and not self._query_in_parentheses():
            columns, like = self._column_list()
        follows = False
        while not self.ends() and not self.begins_another():
            if self.take("LIKE"):
                like = self.table()
            elif self.word in {"CLONE", "COPY"} and self.ahead().kind in (WORD, QUOTED):
                self.advance()
                clone = self.table()
            elif self.word in {"DEEP", "SHALLOW"} and self.ahead().word == "CLONE":
                self.back_to(self.index + 2)
                clone = self.table()
            elif self.word in {"PARTITIONED", "PARTITION"} and self.ahead().word in {"BY", "ON"}:
                self.back_to(self.index + 2)
                follows = True
                if self.word == "(":
                    partitions, _ = self._column_list()
            elif self.word == "USING" and self.ahead().word in _KEEP_ORDER:
                keeps_order = True
                self.back_to(self.index + 2)
            elif kind is st.Kind.VIEW and self.word == "TO":
                self.advance()
                filled = self.table()
                if self.word == "(":
                    columns, _ = self._column_list()
            elif self.word == "LOCATION" and self.ahead().kind == STRING:
                self.advance()
                location = self.advance().text
            elif self.word == "AS" and self._query_behind_as():
                self.advance()
                query = self.query()
                break
            elif self._at_query():
                query = self.query()
                break
            else:
                follows = self.pass_over(TABLE_WORDS, follows=follows)
        self._skip_creation_tail()
        partitions = tuple(p for p in partitions if p not in columns)
        if query is None or columns:
            # Otherwise the columns are the query's.
            columns = (*columns, *partitions)
        return st.Create(
            kind, name, columns, query, like, clone, location, partitions, filled, keeps_order
        )

    def _query_behind_as(self) -> bool:
        """Whether a query follows AS; no query follows in ``STORED AS ORC``."""
        if self.ahead().word == "LOCKING":
            return True
        return self.ahead().word in BEGINS_QUERY or self.ahead().word == "("

    def _at_query(self) -> bool:
        if self.word == "(":
            return self._query_in_parentheses()
        if self.word == "WITH":
            # Unlike in WITH TAG (a = 'b') and WITH SERDEPROPERTIES ('a' = 'b').
            return self.ahead().kind in (WORD, QUOTED) and (
                self.ahead(2).word in {"AS", "("} and self.ahead(4).word != "="
            )
        return self.word == "SELECT"

    def _skip_creation_tail(self) -> None:
        if self.word in {"WITH", "ON", "DISTRIBUTED", "COMMENT"}:
            self.rest(TABLE_WORDS, "GO")

    def _column_list(self) -> tuple[tuple[str, ...], st.Named | None]:
        """The names of columns in parentheses; types, comments and constraints are skipped."""
        self.expect("(")
        names: list[str] = []
        like: st.Named | None = None
        while not self.take(")"):
            if self.word == "LIKE" and self.ahead().kind in (WORD, QUOTED):
                self.advance()
                like = self.table()
            elif self._constraint_comes():
                self._skip_constraint()
                continue
            elif self.at.kind in (WORD, QUOTED):
                path = self.path()
                if self.word == "(" and len(path) == 1:
                    # A transform of PARTITIONED BY: days(ts).
                    self.skip_parentheses()
                else:
                    names.append(path[-1])
                    self._skip_type()
            elif self.at.kind == STRING:
                names.append(self.advance().text)
                self._skip_type()
            else:
                self.fail("expected a column")
            self._skip_column()
        return tuple(names), like

    def _constraint_comes(self) -> bool:
        if self.comes("EXCLUDE", "USING"):
            return True
        is_word = self.at.kind == WORD and self.word in _CONSTRAINTS
        return is_word and self.ahead().word not in {",", ")"}

    def _skip_constraint(self) -> None:
        """Skips to the next column of a list, past its comma."""
        while self.word not in {",", ")"}:
            if self.at.kind == END:
                self.fail("expected )")
            if self.word == "(":
                self.skip_parentheses()
            else:
                self.advance()
        self.take(",")

    def _skip_type(self) -> None:
        """Skips a column's type; a column of a view and a computed column have no type."""
        self.take(":")
        if self.at.kind in (WORD, QUOTED) and self.word not in _BEFORE_VALUES:
            self.type("")

    def _skip_column(self) -> None:
        """Skips to the next column of a list, past its comma."""
        follows = False
        while self.word not in {",", ")"}:
            if self.ends():
                self.fail("expected )")
            follows = self.pass_over(COLUMN_WORDS, follows=follows)
        if self.take(",") and self.word in {",", ")"} and not self.grammar.trailing_commas:
            self.fail("expected a column")

    def _stage(self) -> st.Statement:
        self.expect("STAGE")
        self.take("IF", "NOT", "EXISTS")
        target = self.table()
        source: st.Files | None = None
        while not self.ends():
            if self.take("URL", "="):
                source = self.files()
            else:
                self.advance()
        if source is None:
            return st.Other("CREATE STAGE")
        return st.Load(source, target)

    @abstractmethod
    def procedure(self) -> st.Statement:
        """Reads the definition of a procedure; its name is the token after the next."""

    @abstractmethod
    def other_object(self, verb: str) -> st.Statement:
        """Reads a statement that creates, alters or drops an object of another kind."""

    # ALTER

    def alter(self) -> st.Statement:
        self.expect("ALTER")
        self.take_one_of("MATERIALIZED", "EXTERNAL", "ICEBERG")
        if self.word in {"ALGORITHM", "DEFINER", "SQL"}:
            self.skip_to("VIEW")
        word = self.word
        if word not in _KINDS:
            return self.other_object("ALTER")
        self.advance()
        kind = _KINDS[word]
        self.take("IF", "EXISTS")
        self.take("ONLY")
        names = self.separated(self.table)
        name = names[0]
        columns: tuple[str, ...] = ()
        if kind is st.Kind.VIEW and self.word == "(" and not self._query_in_parentheses():
            columns, _ = self._column_list()
        if kind is st.Kind.VIEW and (self.word == "AS" or self._at_query()):
            self.take("AS")
            return st.Create(kind, name, columns, self.query(), replaces=True)
        if self._begins_new_name():
            to = self.separated(self.table)
            if len(to) != len(names):
                self.fail("expected as many new names as old ones")
            return st.Rename(kind, tuple(zip(names, to, strict=True)))
        if self.take("SET", "SCHEMA"):
            return st.SetNamespace(names, self.name("a schema"))
        if self.take("SWAP", "WITH"):
            return st.Swap(name, self.table())
        return self._altered(kind, name)

    def _begins_new_name(self) -> bool:
        """Whether a new name follows: ``RENAME TO b``, in MySQL also ``RENAME b``.

        The renaming of a column has more words.
        """
        if self.take("RENAME", "TO") or self.take("RENAME", "AS"):
            return True
        following = self.ahead()
        alone = self.word == "RENAME" and following.kind in (WORD, QUOTED)
        if not alone or following.word in {"COLUMN", "CONSTRAINT", "INDEX", "KEY", "PARTITION"}:
            return False
        if self.ahead(2).word not in {"", ";", "."} or self.ahead(2).kind in (WORD, QUOTED):
            return False
        self.advance()
        return True

    def _altered(self, kind: st.Kind, name: st.Named) -> st.Statement:
        partition = bool(self._partition())
        if self.take("EXCHANGE"):
            self._partition()
            self.expect("WITH", "TABLE")
            return st.MovePartition(self.table(), name)
        if self.word == "SWITCH":
            # T-SQL's SWITCH PARTITION 1 TO t.
            self.skip_to("TO")
            self.expect("TO")
            other = self.table()
            self.rest(ALTER_WORDS, "GO")
            return st.MovePartition(name, other)
        if self.take("APPEND", "FROM"):
            other = self.table()
            self.rest(ALTER_WORDS, "GO")
            return st.MovePartition(other, name)
        if self.comes("ADD", "PARTITION") or self.comes("ADD", "IF", "NOT", "EXISTS", "PARTITION"):
            return st.AddPartitions(name, self._locations())
        if self.comes("SET", "LOCATION"):
            self.back_to(self.index + 2)
            location = self.files()
            if partition and location is not None:
                return st.AddPartitions(name, (location.uri,), moved=True)
            return st.AlterOther(kind, name, location.uri if location else None)
        known = self.ahead().word in ALTER_WORDS or self.ahead(2).word in {"=", "."}
        if self.word == "SET" and self.ahead().kind == WORD and not known:
            self.advance()
            self.fail("expected what to set")
        change = self._column_change(name)
        self.rest(ALTER_WORDS, "GO")
        return change or st.AlterOther(kind, name)

    def _locations(self) -> tuple[str, ...]:
        found: list[str] = []
        follows = False
        while not self.ends():
            if self.word == "LOCATION" and self.ahead().kind == STRING:
                self.advance()
                found.append(self.advance().text)
            else:
                follows = self.pass_over(ALTER_WORDS, follows=follows)
        return tuple(found)

    def _column_change(self, name: st.Named) -> st.AlterColumns | None:
        if self.take("ADD"):
            self.take_one_of("COLUMN", "COLUMNS")
            self.take("IF", "NOT", "EXISTS")
            if self.word in _CONSTRAINTS:
                return None
            if self.word == "(":
                return st.AlterColumns(name, added=self._column_list()[0])
            added = [self._added_column()]
            while self.take(","):
                self.take("ADD")
                self.take("COLUMN")
                self.take("IF", "NOT", "EXISTS")
                added.append(self._added_column())
            return st.AlterColumns(name, added=tuple(added))
        if self.take("DROP"):
            self.take_one_of("COLUMN", "COLUMNS")
            self.take("IF", "EXISTS")
            if self.word == "(":
                return st.AlterColumns(name, dropped=tuple(p[-1] for p in self._paths()))
            if self.word in _CONSTRAINTS or self.word == "PARTITION":
                return None
            dropped = [self.path()[-1]]
            while self.take(","):
                self.take("DROP")
                self.take("COLUMN")
                dropped.append(self.path()[-1])
            if self.word == "(":
                self.fail("expected a clause, or the end of the statement")
            return st.AlterColumns(name, dropped=tuple(dropped))
        if self.take("RENAME"):
            self.take("COLUMN")
            old = self.path()[-1]
            self.expect("TO")
            return st.AlterColumns(name, renamed=((old, self.name("a column")),))
        if self.take("REPLACE"):
            self.take("COLUMNS")
            return st.AlterColumns(name, replaced=self._column_list()[0])
        if self.take("CHANGE"):
            self.take("COLUMN")
            old = self.path()[-1]
            new = self.name("a column")
            self._skip_type()
            return st.AlterColumns(name, renamed=((old, new),) if old != new else ())
        is_change = self.word in {"MODIFY", "ALTER"}
        if not is_change or (self.ahead().word in ALTER_WORDS and self.ahead().word != "COLUMN"):
            return None
        takes_type = self.advance().word == "MODIFY" or self.word == "COLUMN"
        self.take("COLUMN")
        self.take("IF", "EXISTS")
        self.path()
        if takes_type and self.word not in ALTER_WORDS:
            self._skip_type()
        return None

    def _added_column(self) -> str:
        name = self.path()[-1]
        if self.word == "(":
            self.fail("expected the type of a column")
        self._skip_type()
        follows = False
        while not self.ends() and self.word != "," and not self.begins_another():
            follows = self.pass_over(COLUMN_WORDS, follows=follows)
        return name

    # DROP, RENAME, TRUNCATE

    def drop(self) -> st.Statement:
        self.expect("DROP")
        self.take_one_of("MATERIALIZED", "TEMPORARY", "EXTERNAL", "ICEBERG", "DYNAMIC")
        word = self.word
        if word not in _KINDS:
            return self.other_object("DROP")
        self.advance()
        exists = self.take("IF", "EXISTS")
        names = self.separated(self.table)
        self.rest(DROP_WORDS, "GO")
        return st.Drop(_KINDS[word], names, exists)

    def rename(self) -> st.Statement:
        """Reads ``RENAME TABLE a TO b, c TO d``."""
        self.expect("RENAME")
        kind = _KINDS.get(self.take_one_of("TABLE", "VIEW"), st.Kind.TABLE)
        return st.Rename(kind, self.separated(self._renamed))

    def _renamed(self) -> tuple[st.Named, st.Named]:
        old = self.table()
        self.expect("TO")
        return old, self.table()

    def truncate(self) -> st.Statement:
        self.expect("TRUNCATE")
        if self.take("DATABASE"):
            self.skip_to()
            return st.Other("TRUNCATE DATABASE")
        self.take("TABLE")
        self.take("IF", "EXISTS")
        names = self.separated(self._truncated)
        partial = self.comes("PARTITION", "(")
        self.rest(TRUNCATE_WORDS, "GO")
        return st.Truncate(names, partial)

    def _truncated(self) -> st.Named:
        """Reads a table's name, which in PostgreSQL may follow ONLY and precede a star."""
        self.take("ONLY")
        name = self.table()
        self.take("*")
        return name

    def cache(self) -> st.Statement:
        self.expect("CACHE")
        self.take("LAZY")
        self.expect("TABLE")
        name = self.table()
        if self.take("OPTIONS") and self.word == "(":
            self.skip_parentheses()
        self.take("AS")
        query = None if self.ends() else self.query()
        return st.Cache(name, query)


def _global(create: st.Create) -> tuple[st.Create, bool]:
    """Puts Spark's global temporary view in ``global_temp``; also returns whether it is temporary.

    A global temporary table is a normal table that only loses its rows.
    """
    if create.kind is st.Kind.TABLE:
        return create, False
    parts = ("global_temp", create.name.parts[-1])
    return replace(create, name=replace(create.name, parts=parts)), True
