"""Finds relations by a part of their name or owner, a field or a word of documentation.

A search scans all names and owners. A full-text index has fields and documentation (``full_text``).
The index is written in the derivation's transaction, so that both always agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy import TextClause, bindparam, column, delete, select, table, text

from publisher.state.records import Found, Hit, Match
from publisher.state.search_words import (
    SEPARATORS,
    Question,
    excerpt,
    matching_fields,
    question,
    searched_texts,
)
from publisher.state.sql.connection import SqlConnection
from publisher.state.sql.full_text import FTS5, TSVECTOR, FullText
from publisher.state.sql.keys import chunks, name_of
from publisher.state.sql.rows import Row
from publisher.state.sql.statements import KEYS
from publisher.state.sql.tables import SEARCHED

_MAX_FIELDS = 5
_MAX_COUNTED = 1_000


def _key(column: str) -> str:
    """The SQL expression for the ``search_key`` of a name; SQLite lowers only ASCII letters."""
    column = f"lower({column})"
    for separator in SEPARATORS:
        column = f"replace({column}, '{separator}', '')"
    return column


def _names(find: str) -> str:
    return f"""
    SELECT name, CASE
        WHEN :key IN (name_key, last_key) THEN {Match.NAME.value}
        WHEN {find}(name_key, :key) = 1 OR {find}(last_key, :key) = 1 THEN {Match.BEGINNING.value}
        ELSE {Match.PART.value} END AS place
    FROM (
        SELECT name, name_key, substr(name_key, length({_key("namespace")}) + 1) AS last_key
        FROM (SELECT name, namespace, {_key("name")} AS name_key FROM relation) AS keyed
    ) AS parted
    WHERE {find}(name_key, :key) > 0
"""  # noqa: S608  of constants


def _texts(condition: str, place: Match, more: str = "") -> str:
    """SQL that finds at most ``:most`` matches; further matches of a common word are not counted."""
    return f"""
    SELECT * FROM (
        SELECT s.name, {place.value} AS place
        FROM search JOIN searched s ON s.id = search.rowid{more}
        WHERE {condition} LIMIT :most
    ) AS {place.name.lower()}
"""  # noqa: S608  of constants


def _owners(find: str) -> str:
    """SQL that finds owners. There are few owners, so that a scan of the column costs less than an index."""
    return f"""
    SELECT * FROM (
        SELECT name, {Match.OWNER.value} AS place FROM relation
        WHERE owner <> '' AND :owner <> '' AND {find}(lower(owner), :owner) > 0 LIMIT :most
    ) AS owned
"""  # noqa: S608  of constants


# Readers of packages must not see derivations that are newer than the newest version.
_IS_PUBLISHED = """
    JOIN schema d ON d.name = s.name AND d.published_hash IN (s.content_hash, d.content_hash)"""


def _best(names: str, *texts: str) -> TextClause:
    """The statement that returns each relation once, at its best match.

    ``names`` must return each relation only once.
    """
    every = " UNION ALL ".join(texts)
    said = (
        f"SELECT name, min(place) AS place FROM ({every}) AS every"  # noqa: S608  of constants
        " WHERE name NOT IN (SELECT name FROM named) GROUP BY name"
    )
    return text(
        f"WITH named AS ({names}), said AS ({said})"  # noqa: S608  of constants
        " SELECT name, place, (SELECT count(*) FROM named) + (SELECT count(*) FROM said) AS total"
        " FROM (SELECT * FROM named UNION ALL SELECT * FROM said) AS best"
        " ORDER BY place, name LIMIT :limit"
    )


_NONE = "SELECT CAST(NULL AS TEXT) AS name, CAST(NULL AS INTEGER) AS place WHERE 1 = 0"


class _Statements:
    """The statements that depend on the database."""

    def __init__(self, full_text: FullText) -> None:
        self.full_text = full_text
        names, owners = _names(full_text.find), _owners(full_text.find)
        fields = full_text.in_fields
        documentation = full_text.in_documentation
        self.by_name = _best(names, owners)
        self.everywhere = _best(
            names,
            _texts(fields, Match.FIELD),
            _texts(documentation, Match.DOCUMENTATION),
            owners,
        )
        self.in_packages = _best(
            _NONE,
            _texts(fields, Match.FIELD, _IS_PUBLISHED),
            _texts(documentation, Match.DOCUMENTATION, _IS_PUBLISHED),
        )


_OF: Final = {"sqlite": _Statements(FTS5), "postgresql": _Statements(TSVECTOR)}

_EACH = text(
    f"SELECT name, {Match.BEGINNING.value} AS place, (SELECT count(*) FROM relation) AS total"  # noqa: S608
    " FROM relation ORDER BY name LIMIT :limit"
)

_INDEX = table("search", column("rowid"), column("fields"), column("documentation"))

_TEXTS = (
    select(SEARCHED.c.name, _INDEX.c.fields, _INDEX.c.documentation)
    .join_from(SEARCHED, _INDEX, _INDEX.c.rowid == SEARCHED.c.id)
    .where(SEARCHED.c.name.in_(KEYS))
)

# Also returns the texts that the index now has for the relation; NULL for a new relation.
_ENTER = text(
    "INSERT INTO searched (name, content_hash)"
    " VALUES (:name, (SELECT content_hash FROM schema WHERE name = :name))"
    " ON CONFLICT (name) DO UPDATE SET content_hash = excluded.content_hash"
    " RETURNING id, (SELECT fields FROM search WHERE rowid = searched.id) AS fields,"
    " (SELECT documentation FROM search WHERE rowid = searched.id) AS documentation"
)

_OF_NAME = SEARCHED.c.name == bindparam("of_name")

_ID = select(SEARCHED.c.id).where(_OF_NAME)

_FORGET = delete(SEARCHED).where(_OF_NAME)

_DELETE = text("DELETE FROM search WHERE rowid = :id")


class SqlSearch:
    def __init__(self, connection: SqlConnection) -> None:
        self._connection = connection
        self._statements = _OF[connection.dialect.name]

    def find(self, asked: str, limit: int) -> Found:
        parsed = question(asked)
        if not parsed.key:
            return self._found(_EACH, parsed, limit)
        chosen = self._statements.everywhere if parsed.words else self._statements.by_name
        return self._found(chosen, parsed, limit)

    def find_in_packages(self, asked: str, limit: int) -> Found:
        parsed = question(asked)
        if not parsed.words:
            return Found((), 0)
        return self._found(self._statements.in_packages, parsed, limit)

    def _found(self, statement: TextClause, asked: Question, limit: int) -> Found:
        full_text = self._statements.full_text
        row = {
            "key": asked.key,
            "owner": asked.owner,
            "fields": full_text.fields(asked) if asked.words else "",
            "documentation": full_text.documentation(asked) if asked.words else "",
            "limit": limit,
            "most": _MAX_COUNTED,
        }
        rows = list(self._connection.execute(statement, row))
        places = {each.name: Match(each.place) for each in rows}
        said = [n for n, place in places.items() if place in {Match.FIELD, Match.DOCUMENTATION}]
        texts = self._texts(said)
        hits = tuple(_hit(name, place, texts.get(name), asked) for name, place in places.items())
        return Found(hits, rows[0].total if rows else 0)

    def _texts(self, keys: Sequence[str]) -> Mapping[str, Row]:
        return {
            row.name: row
            for chunk in chunks(keys)
            for row in self._connection.execute(_TEXTS, {"keys": chunk})
        }


def _hit(name: str, place: Match, said: Row | None, asked: Question) -> Hit:
    if said is None:
        return Hit(name_of(name), place)
    if place is Match.FIELD:
        return Hit(name_of(name), place, matching_fields(said.fields, asked)[:_MAX_FIELDS])
    return Hit(name_of(name), place, excerpt=excerpt(said.documentation, asked))


def enter_derivation(connection: SqlConnection, name: str, derivation: str) -> None:
    """Adds a derivation to the search index. Call it after the relation's record is written."""
    entered = connection.execute(_ENTER, {"name": name}).one()
    found = searched_texts(derivation)
    # Write only other texts: most changed derivations have the same fields and documentation as before.
    if (entered.fields, entered.documentation) != (found.fields, found.documentation):
        full_text = _OF[connection.dialect.name].full_text
        connection.execute(full_text.write, {"id": entered.id, **full_text.row(found)})


def forget_derivation(connection: SqlConnection, name: str) -> None:
    id_ = connection.execute(_ID, {"of_name": name}).scalar_one_or_none()
    if id_ is not None:
        connection.execute(_DELETE, {"id": id_})
        connection.execute(_FORGET, {"of_name": name})
