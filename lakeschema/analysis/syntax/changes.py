"""Parses statements that change rows: INSERT, MERGE, UPDATE, DELETE, LOAD, COPY, UNLOAD."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Final

from lakeschema.analysis.syntax import statements as st
from lakeschema.analysis.syntax.dialects import StatementGrammar
from lakeschema.analysis.syntax.queries import OpenQueries
from lakeschema.analysis.syntax.vocabulary import ANY_WORDS
from lakeschema.translation.model.joins import JoinKind
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.lexing import QUOTED, STRING, WORD
from lakeschema.translation.syntax.operators import BEGINS_QUERY

_COMPOUND: Final = ("+", "-", "*", "/", "%", "&", "|", "^", "||")
_CHANGES: Final = frozenset({"INSERT", "UPDATE", "DELETE", "MERGE"})
_ALONE: Final = st.With()


class Changes(OpenQueries):
    """Reads statements that change rows; ``returned`` has the items of the last RETURNING."""

    returned: tuple[tree.SelectItem, ...] = ()

    def __init__(self, sql: str, grammar: StatementGrammar) -> None:
        super().__init__(sql, grammar)
        self._changes: list[st.Statement] = []
        self._before: list[tree.CommonTable] = []

    # WITH

    def _common_tables(self) -> tuple[tuple[tree.CommonTable, ...], bool]:
        outer, self._before = self._before, []
        found = super()._common_tables()
        self._before = outer
        return found

    def _common_table(self) -> tree.CommonTable:
        start = self.index
        if self.word == "AS":
            self.fail("expected a name")
        name = self.name()
        columns: tuple[str, ...] = ()
        if self.word == "(" and not self._query_in_parentheses():
            columns = self._names()
        if self.take("AS", "(") and self.word in _CHANGES:
            found = tree.CommonTable(name, columns, self._changed_rows())
            self.expect(")")
        else:
            self.back_to(start)
            found = super()._common_table()
        self._before.append(found)
        return found

    def _changed_rows(self) -> tree.Query:
        """The rows that a change in WITH returns; the change itself is recorded."""
        common = st.With(tuple(self._before))
        read = {
            "INSERT": self.insert,
            "UPDATE": self.update,
            "DELETE": self.delete,
            "MERGE": self.merge,
        }[self.word]
        self.returned = ()
        change = read(common)
        self._changes.append(change)
        if not isinstance(change, st.Insert | st.Update | st.Delete | st.Merge) or (
            not isinstance(change.target, st.Named)
        ):
            return tree.ValuesQuery(())
        target = change.target
        rows: tree.FromItem = tree.TableName(target.parts, target.alias, (), target.position)
        beside = None if isinstance(change, st.Insert) else change.source
        if beside is not None:
            rows = tree.Join(rows, beside, JoinKind.CROSS)
        return tree.Select(self.returned, rows) if self.returned else tree.ValuesQuery(())

    def take_changes(self) -> tuple[st.Statement, ...]:
        """The changes recorded since the last call."""
        found, self._changes = tuple(self._changes), []
        return found

    @abstractmethod
    def execute(self) -> st.Statement:
        """Reads EXECUTE of a prepared statement, of a text, or of a procedure."""

    def target(self) -> st.Target:
        return self.files() or self.table()

    # INSERT

    def insert(self, common: st.With = _ALONE) -> st.Statement:
        self.expect("INSERT")
        if self.take_one_of("ALL", "FIRST"):
            return self._oracle_insert()
        return self._inserted_behind_verb(common)

    def replace_rows(self) -> st.Statement:
        """Reads MySQL's ``REPLACE INTO t``, which inserts rows."""
        self.expect("REPLACE")
        return self._inserted_behind_verb(_ALONE)

    def _inserted_behind_verb(self, common: st.With) -> st.Statement:
        overwrite = bool(self.take_one_of("OVERWRITE", "REPLACE"))
        if self.take("OR"):
            # This skips SQLite's OR IGNORE and similar.
            self.advance()
        while self.take_one_of("LOW_PRIORITY", "DELAYED", "HIGH_PRIORITY", "IGNORE"):
            pass
        self._skip_limits_of_select("")
        self.take("INTO")
        self.take("TABLE")
        directory = self.word == "DIRECTORY" and self.ahead().kind != WORD
        if directory or self.comes("LOCAL", "DIRECTORY"):
            return self._insert_directory(common)
        target = self.table()
        partition = self._partition()
        self.take("IF", "NOT", "EXISTS")
        by_name = self.take("BY", "NAME")
        alias = self.name() if self.take("AS") else None
        columns: tuple[str, ...] = ()
        if self.word == "(" and not self._query_in_parentheses():
            columns = tuple(path[-1] for path in self._paths())
        partition = partition or self._partition()
        some = self._replaced_rows()
        if self.take("OVERRIDING"):
            self.skip_to("VALUES", "SELECT")
        logged = self._output()
        query = self._inserted(common)
        self._skip_tail()
        target = replace(target, alias=alias)
        return st.Insert(target, query, columns, partition, overwrite, some, by_name, logged)

    def _replaced_rows(self) -> bool:
        """Reads the rows to replace.

        ``REPLACE WHERE a = 1``, ``REPLACE ON a = b``, ``REPLACE USING (a)``.
        """
        if self.take("REPLACE", "WHERE") or self.take("REPLACE", "ON"):
            self.expression()
            return True
        if self.take("REPLACE", "USING"):
            self.skip_parentheses()
            return True
        return False

    def _inserted(self, common: st.With) -> tree.Query:
        if self.take("DEFAULT", "VALUES"):
            return tree.ValuesQuery(())
        if self.word in {"EXEC", "EXECUTE"}:
            # The rows of a procedure are unknown.
            ran = self.execute()
            self._changes.extend(ran.statements if isinstance(ran, st.Block) else (ran,))
            return tree.ValuesQuery(())
        if self.word == "SET":
            self.advance()
            found = self.assignments()
            items = tuple(tree.SelectItem(a.value, (a.path[-1],)) for a in found)
            return tree.Select(items)
        query = self.query()
        return _with(common, query)

    def _insert_directory(self, common: st.With) -> st.Statement:
        self.take("LOCAL")
        self.expect("DIRECTORY")
        target = self.files() or st.Files("")
        while not self.ends() and self.word not in BEGINS_QUERY and self.word != "(":
            self.advance()
            if self.word == "(" and not self._query_in_parentheses():
                self.skip_parentheses()
        return st.Insert(target, _with(common, self.query()), overwrite=True)

    def _oracle_insert(self) -> st.Statement:
        targets: list[tuple[st.Named, tuple[str, ...], tuple[tree.Expression, ...]]] = []
        while not self.ends() and self.word not in BEGINS_QUERY:
            if self.take("WHEN"):
                self.expression()
                self.expect("THEN")
            self.take("ELSE")
            self.expect("INTO")
            table = self.table()
            columns: tuple[str, ...] = ()
            if self.word == "(":
                columns = self._names()
            values: tuple[tree.Expression, ...] = ()
            if self.take("VALUES", "("):
                values = self.expressions(")")
            targets.append((table, columns, values))
        query = self.query()
        return st.MultiInsert(
            tuple(st.Insert(table, _chosen(query, v), c) for table, c, v in targets)
        )

    def _partition(self) -> tuple[tuple[str, bool], ...]:
        if not self.comes("PARTITION", "("):
            return ()
        self.back_to(self.index + 2)
        return self._partition_columns()

    def _partition_columns(self) -> tuple[tuple[str, bool], ...]:
        found: list[tuple[str, bool]] = []
        while not self.take(")"):
            name = self.name()
            fixed = bool(self.take_one_of("=", "==", "<", ">", "<=", ">=", "<>", "!="))
            if fixed:
                self.expression(6)
            found.append((name, fixed))
            if self.word != ")":
                self.expect(",")
        return tuple(found)

    def _paths(self) -> tuple[tuple[str, ...], ...]:
        self.expect("(")
        found: list[tuple[str, ...]] = []
        while not self.take(")"):
            found.append(self.path())
            if self.word != ")":
                self.expect(",")
        return tuple(found)

    def _skip_tail(self) -> None:
        """Skips RETURNING, ON CONFLICT and similar clauses, which only read the written rows."""
        if self.word == "ON":
            self.skip_to("GO", "RETURNING", ")")
        self.returned = ()
        if self.take("RETURNING"):
            self.returned = self.separated(self.select_item)
            # PL/SQL stores them in variables.
            if self.take_one_of("INTO", "BULK"):
                self.skip_to("GO", ")")

    def multi_insert(self, common: st.With = _ALONE) -> st.Statement:
        """Reads ``FROM … INSERT … SELECT … INSERT … SELECT …``.

        A plain ``FROM … SELECT`` is a query.
        """
        start = self.index
        self.expect("FROM")
        source = self.from_items()
        if self.word != "INSERT":
            self.back_to(start)
            query = _with(common, self.query())
            return st.Query(query, self.into, self.into_is_temporary)
        found: list[st.Insert] = []
        while self.word == "INSERT":
            self.advance()
            overwrite = bool(self.take("OVERWRITE"))
            self.take("INTO")
            self.take("TABLE")
            target: st.Target
            if self.take("LOCAL") or self.word == "DIRECTORY":
                self.expect("DIRECTORY")
                target = self.files() or st.Files("")
            else:
                target = self.table()
            partition = self._partition()
            self.take("IF", "NOT", "EXISTS")
            columns = self._names() if self.word == "(" else ()
            query = self.ordered(self._select(source))
            found.append(st.Insert(target, _with(common, query), columns, partition, overwrite))
        return st.MultiInsert(tuple(found))

    # MERGE, UPDATE, DELETE

    def merge(self, common: st.With = _ALONE) -> st.Statement:
        self.expect("MERGE")
        self.take("WITH", "SCHEMA", "EVOLUTION")
        self.take("INTO")
        target = self._with_alias(self.table())
        self.expect("USING")
        source = self._from_item()
        self.expect("ON")
        condition = self.expression()
        actions: list[st.MergeAction] = []
        while self.take("WHEN"):
            actions.append(self._merge_action())
        logged = self._output()
        self._skip_tail()
        return st.Merge(target, source, condition, tuple(actions), common, logged)

    def _merge_action(self) -> st.MergeAction:
        self.take("NOT")
        self.expect("MATCHED")
        if self.take("BY"):
            self.advance()
        condition = self.expression() if self.take("AND") else None
        self.expect("THEN")
        if self.take("DELETE"):
            return st.MergeAction(condition)
        if self.take("DO", "NOTHING"):
            return st.MergeAction(condition)
        if self.take("UPDATE"):
            if not self.take("SET"):
                self.fail("expected SET")
            if self.take("*"):
                return st.MergeAction(condition, every=True)
            assigned = self.assignments()
            if self.take("WHERE"):
                condition = self.expression()
            if self.take("DELETE", "WHERE"):
                self.expression()
            return st.MergeAction(condition, assigned)
        self.expect("INSERT")
        if self.take("*") or self.take("ROW"):
            return st.MergeAction(condition, every=True)
        columns: tuple[str, ...] = ()
        if self.word == "(":
            columns = tuple(path[-1] for path in self._paths())
        self.expect("VALUES", "(")
        values = self.expressions(")")
        if self.take("WHERE"):
            condition = self.expression()
        return st.MergeAction(condition, (), columns, values)

    def assignments(self) -> tuple[st.Assignment, ...]:
        found: list[st.Assignment] = []
        while True:
            if self.word == "(":
                found += self._row_assignment()
            else:
                found.append(self._assignment())
            if not self.take(","):
                return tuple(found)

    def _assignment(self) -> st.Assignment:
        path = self.path()
        operator = self.take_one_of(*_COMPOUND) if self.ahead().word == "=" else ""
        if not self.take_one_of("=", ":="):
            self.fail("expected =")
        value = tree.NullLiteral() if self.take("DEFAULT") else self.expression()
        return st.Assignment(path, value, operator)

    def _row_assignment(self) -> list[st.Assignment]:
        """Reads ``SET (a, b) = (SELECT x, y …)``."""
        paths = self._paths()
        self.expect("=")
        value = self.expression()
        if isinstance(value, tree.Tuple) and len(value.items) == len(paths):
            return [st.Assignment(p, v) for p, v in zip(paths, value.items, strict=True)]
        return [st.Assignment(path, value, place=place) for place, path in enumerate(paths)]

    def update(self, common: st.With = _ALONE) -> st.Statement:
        self.expect("UPDATE")
        self.take_one_of("ONLY", "IGNORE", "LOW_PRIORITY")
        self._skip_limits_of_select("")
        item = self.from_items()
        # Teradata has FROM before SET.
        source = self.from_items() if self.take("FROM") else None
        self.expect("SET")
        assigned = self.assignments()
        logged = self._output()
        if self.take("FROM"):
            source = self.from_items()
        condition = self._filter()
        self._skip_update_tail()
        target, joined = _first_table(item)
        if target is None:
            self.fail("expected a table to update")
        if source is not None:
            target = _resolved_alias(source, target)
        if joined is not None:
            source = joined if source is None else tree.Join(joined, source, JoinKind.CROSS)
        return st.Update(target, assigned, source, condition, common, logged)

    def _filter(self) -> tree.Expression | None:
        """Reads WHERE; Teradata's ALL means no condition."""
        self.take("ALL")
        return self.expression() if self.take("WHERE") else None

    def _skip_update_tail(self) -> None:
        if self.comes("ORDER", "BY"):
            self.back_to(self.index + 2)
            self.sort_keys()
        if self.take("LIMIT"):
            self.operand()
        self._skip_tail()

    def delete(self, common: st.With = _ALONE) -> st.Statement:
        self.expect("DELETE")
        self._skip_limits_of_select("")
        first: st.Named | None = None
        others: tuple[st.Named, ...] = ()
        if self.word != "FROM":
            first, *rest = self.separated(self.table)
            others = tuple(rest)
        source: tree.FromItem | None = None
        logged = self._output()
        if self.take("FROM"):
            if self.word == "TABLE" and self.ahead().kind in (WORD, QUOTED):
                self.advance()
            item = self.from_items()
            target, joined = _first_table(item)
            if first is None:
                if target is None:
                    self.fail("expected a table to delete from")
                first, source = target, joined
            else:
                source, first = item, _resolved_alias(item, first)
                others = tuple(_resolved_alias(item, other) for other in others)
        assert first is not None
        logged = logged or self._output()
        if self.take("USING"):
            using = self.from_items()
            source = using if source is None else tree.Join(source, using, JoinKind.CROSS)
        condition = self._filter()
        self._skip_update_tail()
        return st.Delete(first, source, condition, common, logged, others)

    def _output(self) -> st.Named | None:
        """Reads T-SQL's ``OUTPUT inserted.a INTO log (a)``: the table that also gets the rows."""
        if self.word != "OUTPUT":
            return None
        ends = ("FROM", "WHERE", "VALUES", "SELECT", "WITH", "EXEC", "GO", "OPTION", "DEFAULT")
        if not self.skip_to("INTO", *ends) or not self.take("INTO"):
            return None
        logged = self.table()
        if self.word == "(" and not self._query_in_parentheses():
            self.skip_parentheses()
        return logged

    def _with_alias(self, table: st.Named) -> st.Named:
        if self.take("AS") or self.is_alias():
            return replace(table, alias=self.name("an alias"))
        return table

    # files

    def load(self) -> st.Statement:
        """Reads ``LOAD DATA [LOCAL] INPATH '…' [OVERWRITE] INTO TABLE t``."""
        self.expect("LOAD")
        if not self.take("DATA"):
            # The statement loads an extension, by name or file.
            self.advance()
            return st.Other("LOAD")
        while self.take_one_of("LOCAL", "LOW_PRIORITY", "CONCURRENT"):
            pass
        if self.word in {"INTO", "OVERWRITE"}:
            return self._load_files()
        if not self.take_one_of("INPATH", "INFILE"):
            self.fail("expected INPATH")
        source = self.files() or self.fail("expected a path in quotes")
        overwrite = self.take("OVERWRITE")
        self.take("REPLACE")
        self.expect("INTO", "TABLE")
        target = self.table()
        partial = bool(self._partition())
        self.rest(ANY_WORDS, "GO")
        return st.Load(source, target, overwrite and not partial)

    def _load_files(self) -> st.Statement:
        """Reads BigQuery's ``LOAD DATA INTO t FROM FILES (…)``."""
        overwrite = self.advance().word == "OVERWRITE"
        self.take("TEMP", "TABLE")
        target = self.table()
        if not self.skip_to("FROM"):
            self.fail("expected FROM")
        self.skip_to()
        return st.Load(st.Files(""), target, overwrite)

    def copy(self) -> st.Statement:
        """Reads ``COPY [INTO] t FROM 'files'`` and ``COPY [INTO] 'files' FROM t``; t may be a query."""
        self.expect("COPY")
        self.take("INTO")
        query: tree.Query | None = None
        first: st.Target | None = None
        columns: tuple[str, ...] = ()
        if self.word == "(" and self._query_in_parentheses():
            self.advance()
            query = self.query()
            self.expect(")")
        else:
            first = self._place()
            if self.word == "(":
                columns = tuple(path[-1] for path in self._paths())
        word = self.take_one_of("FROM", "TO")
        if not word:
            self.fail("expected FROM or TO")
        if word == "FROM" and self.word == "(" and self._query_in_parentheses():
            self.advance()
            query = self.query()
            self.expect(")")
            second = first
        else:
            second = self._place()
        self.rest(ANY_WORDS, "GO")
        assert second is not None
        if query is not None:
            return st.Load(st.Files(""), second, query=query, columns=columns)
        assert first is not None
        return st.Load(second, first) if word == "FROM" else st.Load(first, second)

    def _place(self) -> st.Target:
        if self.take("STDIN") or self.take("STDOUT"):
            return st.Files("")
        return self.files() or self.table()

    def unload(self) -> st.Statement:
        """Reads ``UNLOAD ('select …') TO 'files'``."""
        self.expect("UNLOAD", "(")
        if self.at.kind == STRING:
            query = type(self)(self.advance().text, self.grammar).query()
        else:
            query = self.query()
        self.expect(")", "TO")
        target = self.files() or self.fail("expected a path in quotes")
        self.rest(ANY_WORDS, "GO")
        return st.Load(st.Files(""), target, query=query)


def _with(common: st.With, query: tree.Query) -> tree.Query:
    return tree.With(common.tables, query, common.recursive) if common.tables else query


def _chosen(query: tree.Query, values: tuple[tree.Expression, ...]) -> tree.Query:
    if not values:
        return query
    return tree.Select(tuple(tree.SelectItem(v) for v in values), tree.FromQuery(query))


def _first_table(item: tree.FromItem) -> tuple[st.Named | None, tree.FromItem | None]:
    """The written table, which comes first, and the other relations, which are only read."""
    leftmost = item
    while isinstance(leftmost, tree.Join):
        leftmost = leftmost.left
    if not isinstance(leftmost, tree.TableName):
        return None, item
    named = st.Named(leftmost.parts, leftmost.alias, leftmost.position)
    return named, None if leftmost is item else item


def _resolved_alias(item: tree.FromItem, name: st.Named) -> st.Named:
    """The table with its alias in ``DELETE t FROM long_name AS t``."""
    stack = [item]
    while stack:
        at = stack.pop()
        if isinstance(at, tree.Join):
            stack += [at.right, at.left]
        elif isinstance(at, tree.TableName) and name.parts in ((at.alias,), at.parts):
            return st.Named(at.parts, at.alias, at.position)
    return name
