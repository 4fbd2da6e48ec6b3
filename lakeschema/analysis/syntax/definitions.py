"""Statements that change what exists: CREATE, ALTER, DROP, RENAME, TRUNCATE, CACHE."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from lakeschema.analysis.syntax import statements as st
from lakeschema.analysis.syntax.changes import Changes
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.lexing import END, QUOTED, STRING, WORD
from lakeschema.translation.syntax.operators import BEGINS_QUERY

_BEFORE_KIND: Final = (
    *("OR", "REPLACE", "ALTER", "GLOBAL", "LOCAL", "TEMPORARY", "TEMP", "EXTERNAL", "MANAGED"),
    *("TRANSIENT", "VOLATILE", "UNLOGGED", "MATERIALIZED", "SECURE", "RECURSIVE", "MULTISET"),
    *(
        "SNAPSHOT",
        "EDITIONABLE",
        "NONEDITIONABLE",
        "NOFORCE",
        "FLEX",
        "LIVE",
        "STREAMING",
        "REFRESH",
    ),
    *("SET", "TRANSACTIONAL", "FOREIGN", "DYNAMIC", "HYBRID", "REMOTE", "FORCE", "COLUMN"),
)
_CONSTRAINTS: Final = frozenset(
    {"CONSTRAINT", "PRIMARY", "FOREIGN", "UNIQUE", "CHECK", "LIKE", "INDEX", "KEY", "PERIOD"}
)
_KEEP_ORDER: Final = frozenset({"ICEBERG", "DELTA"})
"""Formats whose partition columns stay where they are."""
_KINDS: Final = {"TABLE": st.Kind.TABLE, "VIEW": st.Kind.VIEW}


class Definitions(Changes):
    """Adds what changes a catalog to what changes rows."""

    # CREATE

    def create(self) -> st.Statement:
        self.expect("CREATE")
        return self.defined()

    def defined(self) -> st.Statement:
        """What stands behind CREATE."""
        words: set[str] = set()
        while self.word in _BEFORE_KIND and self.ahead().kind == WORD:
            words.add(self.advance().word)
        if self.word in {"ALGORITHM", "DEFINER", "SQL"}:
            self.skip_to("VIEW", "PROCEDURE", "FUNCTION", "TRIGGER")
        kind = self.word
        if kind in {"PROCEDURE", "PROC"}:
            return self.procedure()
        if kind == "STAGE":
            return self._stage()
        if kind not in _KINDS:
            self.skip_to("GO")
            return st.Other(f"CREATE {kind}")
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
        while not self.ends():
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
                if self.word == "(":
                    partitions, _ = self._column_list()
            elif self.word == "USING" and self.ahead().word in _KEEP_ORDER:
                keeps_order = True
                self.advance()
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
            elif self.word == "(":
                self.skip_parentheses()
            else:
                self.advance()
        self._skip_creation_tail()
        partitions = tuple(p for p in partitions if p not in columns)
        if query is None or columns:
            # Else the columns are those of the query.
            columns = (*columns, *partitions)
        return st.Create(
            kind, name, columns, query, like, clone, location, partitions, filled, keeps_order
        )

    def _query_behind_as(self) -> bool:
        """Not so in ``STORED AS ORC``."""
        if self.ahead().word == "LOCKING":
            return True
        return self.ahead().word in BEGINS_QUERY or self.ahead().word == "("

    def _at_query(self) -> bool:
        if self.word == "(":
            return self._query_in_parentheses()
        if self.word == "WITH":
            # Not so in WITH TAG (a = 'b') and WITH SERDEPROPERTIES ('a' = 'b').
            return self.ahead().kind in (WORD, QUOTED) and (
                self.ahead(2).word in {"AS", "("} and self.ahead(4).word != "="
            )
        return self.word == "SELECT"

    def _skip_creation_tail(self) -> None:
        if self.word in {"WITH", "ON", "DISTRIBUTED"}:
            self.skip_to("GO")

    def _column_list(self) -> tuple[tuple[str, ...], st.Named | None]:
        """The names of columns in parentheses; types, comments and constraints are passed over."""
        self.expect("(")
        names: list[str] = []
        like: st.Named | None = None
        while not self.take(")"):
            if self.word == "LIKE" and self.ahead().kind in (WORD, QUOTED):
                self.advance()
                like = self.table()
            elif (
                self.word in _CONSTRAINTS
                and self.ahead().word not in {",", ")"}
                and (self.at.kind == WORD)
            ):
                self._skip_column()
                continue
            elif self.at.kind in (WORD, QUOTED):
                path = self.path()
                if self.word == "(" and len(path) == 1:
                    # A transform of PARTITIONED BY: days(ts).
                    self._skip_column()
                    continue
                names.append(path[-1])
            elif self.at.kind == STRING:
                names.append(self.advance().text)
            else:
                self.fail("expected a column")
            self._skip_column()
        return tuple(names), like

    def _skip_column(self) -> None:
        """Up to the next column of a list, past its comma."""
        depth = 0
        while not (depth == 0 and self.word in {",", ")"}):
            if self.at.kind == END:
                self.fail("expected )")
            word = self.advance().word
            depth += (word in {"(", "<", "["}) - (word in {")", ">", "]"})
        self.take(",")

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

    def procedure(self) -> st.Statement:
        """Overridden where the statements of its body are read."""
        self.skip_to("GO")
        return st.Other("CREATE PROCEDURE")

    # ALTER

    def alter(self) -> st.Statement:
        self.expect("ALTER")
        self.take_one_of("MATERIALIZED", "EXTERNAL")
        word = self.word
        if word not in _KINDS:
            self.skip_to("GO")
            return st.Other(f"ALTER {word}")
        self.advance()
        kind = _KINDS[word]
        self.take("IF", "EXISTS")
        self.take("ONLY")
        names = self.separated(self.table)
        name = names[0]
        if kind is st.Kind.VIEW and (self.word == "AS" or self._at_query()):
            self.take("AS")
            return st.Create(kind, name, query=self.query(), replaces=True)
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
        """``RENAME TO b``; in MySQL also ``RENAME b``, where nothing but a column's is longer."""
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
        partition = self.comes("PARTITION", "(")
        if partition:
            self.advance()
            self.skip_parentheses()
        if self.take("EXCHANGE"):
            if self.take("PARTITION") and self.word == "(":
                self.skip_parentheses()
            self.expect("WITH", "TABLE")
            return st.MovePartition(self.table(), name)
        if self.word == "SWITCH":
            # T-SQL's SWITCH PARTITION 1 TO t.
            self.skip_to("TO")
            self.expect("TO")
            other = self.table()
            self.skip_to("GO")
            return st.MovePartition(name, other)
        if self.take("APPEND", "FROM"):
            other = self.table()
            self.skip_to("GO")
            return st.MovePartition(other, name)
        if self.comes("ADD", "PARTITION") or self.comes("ADD", "IF", "NOT", "EXISTS", "PARTITION"):
            return st.AddPartitions(name, self._locations())
        if self.comes("SET", "LOCATION"):
            self.back_to(self.index + 2)
            location = self.files()
            if partition and location is not None:
                return st.AddPartitions(name, (location.uri,), moved=True)
            return st.AlterOther(kind, name, location.uri if location else None)
        change = self._column_change(name)
        self.skip_to("GO")
        return change or st.AlterOther(kind, name)

    def _locations(self) -> tuple[str, ...]:
        found: list[str] = []
        while not self.ends():
            if self.word == "LOCATION" and self.ahead().kind == STRING:
                self.advance()
                found.append(self.advance().text)
            elif self.word == "(":
                self.skip_parentheses()
            else:
                self.advance()
        return tuple(found)

    def _column_change(self, name: st.Named) -> st.AlterColumns | None:
        if self.take("ADD"):
            self.take_one_of("COLUMN", "COLUMNS")
            self.take("IF", "NOT", "EXISTS")
            if self.word in _CONSTRAINTS:
                return None
            if self.word == "(":
                return st.AlterColumns(name, added=self._column_list()[0])
            added = [self.name("a column")]
            while self.skip_to(",") and self.take(","):
                self.take("ADD")
                self.take("COLUMN")
                added.append(self.name("a column"))
            return st.AlterColumns(name, added=tuple(added))
        if self.take("DROP"):
            self.take_one_of("COLUMN", "COLUMNS")
            self.take("IF", "EXISTS")
            if self.word == "(":
                return st.AlterColumns(name, dropped=tuple(p[-1] for p in self._paths()))
            if self.word in _CONSTRAINTS or self.word == "PARTITION":
                return None
            return st.AlterColumns(name, dropped=tuple(p[-1] for p in self.separated(self.path)))
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
            return st.AlterColumns(name, renamed=((old, new),) if old != new else ())
        return None

    # DROP, RENAME, TRUNCATE

    def drop(self) -> st.Statement:
        self.expect("DROP")
        self.take_one_of("MATERIALIZED", "TEMPORARY", "EXTERNAL")
        word = self.word
        if word not in _KINDS:
            self.skip_to("GO")
            return st.Other(f"DROP {word}")
        self.advance()
        exists = self.take("IF", "EXISTS")
        names = self.separated(self.table)
        self.skip_to("GO")
        return st.Drop(_KINDS[word], names, exists)

    def rename(self) -> st.Statement:
        """``RENAME TABLE a TO b, c TO d``."""
        self.expect("RENAME")
        kind = _KINDS.get(self.take_one_of("TABLE", "VIEW"), st.Kind.TABLE)
        return st.Rename(kind, self.separated(self._renamed))

    def _renamed(self) -> tuple[st.Named, st.Named]:
        old = self.table()
        self.expect("TO")
        return old, self.table()

    def truncate(self) -> st.Statement:
        self.expect("TRUNCATE")
        self.take("TABLE")
        names = self.separated(self.table)
        partial = self.comes("PARTITION", "(")
        self.skip_to("GO")
        return st.Truncate(names, partial)

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
    """Spark's view that all sessions see in ``global_temp``; a table stays, and only its rows go."""
    if create.kind is st.Kind.TABLE:
        return create, False
    parts = ("global_temp", create.name.parts[-1])
    return replace(create, name=replace(create.name, parts=parts)), True
