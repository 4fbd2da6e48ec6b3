"""Rules for names that mean nothing, or several things, according to the catalog."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from lakeschema.analysis import resolved as rs
from lakeschema.analysis.catalog import Source
from lakeschema.analysis.rules.subject import Finding, Subject
from lakeschema.analysis.syntax import statements as st
from lakeschema.analysis.walking import expressions_of, operands, relations_of
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.translation.model.errors import Position
from lakeschema.translation.syntax import tree

_CHANGING: Final = frozenset({"INSERT", "UPDATE", "DELETE", "MERGE", "TRUNCATE", "ALTER", "RENAME"})

_NEVER_LISTED: Final = frozenset({"dual"})

_WITHOUT_TABLE: Final = frozenset(
    {
        # Functions that need no parentheses.
        *("current_date", "current_time", "current_timestamp", "current_user", "session_user"),
        *("system_user", "user", "localtime", "localtimestamp", "sysdate", "systimestamp"),
        *("current_catalog", "current_schema", "current_role", "current_database", "current_path"),
        # Columns of every table.
        *("rownum", "rowid", "level", "ctid", "xmin", "oid", "_metadata", "_rowid_", "row__id"),
        *("input__file__name", "block__offset__inside__file", "row__offset__inside__block"),
        *("grouping__id", "_partitiontime", "_partitiondate", "_table_suffix", "_file"),
        *("excluded", "default"),
        # Units, as arguments of date functions.
        *("year", "quarter", "month", "week", "day", "hour", "minute", "second", "dow", "doy"),
        *("yyyy", "yy", "mm", "dd", "hh", "mi", "ss", "years", "months", "days", "hours"),
        *("minutes", "seconds", "weeks", "quarters", "millisecond", "microsecond", "isoweek"),
        *("isoyear", "dayofweek", "dayofyear", "epoch", "both", "leading", "trailing"),
    }
)


def unknown_statement(subject: Subject) -> Iterator[Finding]:
    for node in (subject.statement, *_changes(subject.statement)):
        if isinstance(node, st.Unknown):
            yield Finding(f"what {node.verb} reads and writes is not known", node.position)


def _changes(statement: st.Statement) -> tuple[st.Statement, ...]:
    return statement.changes if isinstance(statement, st.Chained) else ()


def unknown_table(subject: Subject) -> Iterator[Finding]:
    """Finds tables that are missing from their namespace, if the catalog knows the namespace."""
    seen: set[Source] = set()
    for source, where in _mentioned(subject):
        if source in seen or not isinstance(source, RelationName):
            continue
        seen.add(source)
        if source.name in _NEVER_LISTED or subject.catalog.known(source) is not None:
            continue
        if _is_listed(source.place, subject):
            yield Finding(f"there is no table or view {source}", where)


def _mentioned(subject: Subject) -> Iterator[tuple[Source, Position | None]]:
    for select in subject.selects:
        for relation in relations_of(select.source):
            if isinstance(relation, rs.Scan):
                yield relation.source, relation.position
    statement = subject.statement
    if isinstance(statement, st.Drop) and not statement.if_exists:
        for named in statement.names:
            yield subject.catalog.named(named.parts), named.position
    if subject.resolved.verb in _CHANGING:
        written = [source for _, source in subject.resolved.touched]
        if subject.resolved.verb == "RENAME":
            written = written[:1]
        inserts = statement.inserts if isinstance(statement, st.MultiInsert) else (statement,)
        targets = [getattr(each, "target", getattr(each, "name", None)) for each in inserts]
        places = {
            subject.catalog.named(target.parts): target.position
            for target in targets
            if isinstance(target, st.Named)
        }
        alone = next(iter(places.values()), None) if len(inserts) == 1 else None
        for source in written:
            known = places.get(source) if isinstance(source, RelationName) else None
            yield source, known or alone


def _is_listed(namespace: Namespace, subject: Subject) -> bool:
    """Whether the namespace's tables are known, so that an unlisted table does not exist."""
    return any(
        name.place == namespace
        for name, table in subject.catalog.tables.items()
        if table is not None and name not in subject.catalog.temporary
    )


def unknown_column(subject: Subject) -> Iterator[Finding]:
    """Finds names that no table in FROM has, if all columns of these tables are known."""
    for name in _unknown(subject):
        if not name.readings:
            yield Finding(f"no table here has a column {'.'.join(name.name)}", name.position)


def ambiguous_column(subject: Subject) -> Iterator[Finding]:
    """Finds names that are columns of several tables in FROM."""
    for name in _unknown(subject):
        has = subject.shapes.of
        if name.readings and all(has(r.relation).has(r.column) for r in name.readings):
            tables = ", ".join(dict.fromkeys(called(reading.relation) for reading in name.readings))
            message = f"the column {'.'.join(name.name)} is in several tables: {tables}"
            yield Finding(message, name.position)


def called(relation: rs.Relation) -> str:
    """A relation's name in messages."""
    match relation:
        case rs.Scan(source):
            return str(source)
        case rs.Renamed(inner):
            return called(inner)
        case rs.Derived(common=True):
            return "a table of WITH"
        case rs.Generated():
            return "a table function"
        case _:
            return "a sub-query"


def _unknown(subject: Subject) -> Iterator[rs.UnknownColumn]:
    seen: set[tuple[object, ...]] = set()
    rows = _names_of_rows(subject)
    for name, aliases in _all_unknown(subject):
        # Several queries may read one star's column, so it is reported once. An alias may be legal,
        # since the dialect's scoping rules are not fully known.
        key = (name.name, name.position)
        bare = name.name[0].lower() if len(name.name) == 1 else ""
        is_special = bare in _WITHOUT_TABLE or bare in rows or name.name[-1][:1] in "$@:{"
        if key not in seen and bare not in aliases and not is_special:
            seen.add(key)
            yield name


def _names_of_rows(subject: Subject) -> frozenset[str]:
    """The names of relations: in some dialects a relation's name means the whole row."""
    found: set[str] = set()
    for node in subject.nodes:
        match node:
            case tree.TableName(parts, alias):
                found.add((alias or parts[-1]).lower())
            case tree.FromQuery(alias=str(alias)) | tree.FromFunction(alias=str(alias)):
                found.add(alias.lower())
            case _:
                pass
    return frozenset(found)


def _all_unknown(subject: Subject) -> Iterator[tuple[rs.UnknownColumn, frozenset[str]]]:
    for select in subject.selects:
        if select.source is None:
            continue
        named = [item for item in select.items if isinstance(item, rs.Item)]
        times = Counter(item.name.lower() for item in named)
        aliases = frozenset(
            item.name.lower()
            for item in named
            if not isinstance(item.expression, rs.UnknownColumn)
            # A name that two columns share, one of them from a star, cannot be meant as an alias.
            and not (item.starred and times[item.name.lower()] > 1)
        )
        # Relations are checked one by one, since chains of joins are deep.
        is_open = any(subject.shapes.of(r).is_open for r in relations_of(select.source))
        for _, expression in expressions_of(select):
            for name in _inside(expression):
                if not (is_open and len(name.name) == 1 and not name.readings):
                    yield name, aliases
    for write in subject.resolved.writes:
        for _, condition in write.conditions:
            for name in _inside(condition):
                yield name, frozenset()


def _inside(expression: rs.Expression) -> Iterator[rs.UnknownColumn]:
    pending = [expression]
    while pending:
        at = pending.pop()
        if isinstance(at, rs.UnknownColumn):
            yield at
        pending += operands(at)
