"""Finds relations by what people remember: a part of a name, a field, a word of documentation.

Names are scanned; SQLite's FTS5 indexes the rest. The index is written in the derivation's
transaction, so that both always agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import TextClause, bindparam, delete, select, text

from publisher.state.records import Found, Hit, Match
from publisher.state.search_words import (
    SEPARATORS,
    Question,
    matching_fields,
    question,
    searched_texts,
)
from publisher.state.sql.connection import SqlConnection
from publisher.state.sql.keys import chunks, name_of
from publisher.state.sql.tables import SEARCHED

_EXCERPT_WORDS = 16
_MAX_FIELDS = 5
_MAX_COUNTED = 1_000


def _key(column: str) -> str:
    """SQL for ``search_key`` of a name, which is in lower case."""
    for separator in SEPARATORS:
        column = f"replace({column}, '{separator}', '')"
    return column


_NAMES = f"""
    SELECT name, CASE
        WHEN :key IN (name_key, last_key) THEN {Match.NAME.value}
        WHEN instr(name_key, :key) = 1 OR instr(last_key, :key) = 1 THEN {Match.BEGINNING.value}
        ELSE {Match.PART.value} END AS place
    FROM (
        SELECT name, name_key, substr(name_key, length({_key("namespace")}) + 1) AS last_key
        FROM (SELECT name, namespace, {_key("name")} AS name_key FROM relation)
    )
    WHERE instr(name_key, :key) > 0
"""  # noqa: S608  of constants


def _texts(column: str, place: Match, more: str = "") -> str:
    """Finds at most ``:most``; a common word's other matches are not counted."""
    return f"""
    SELECT * FROM (
        SELECT s.name, {place.value} AS place
        FROM search JOIN searched s ON s.id = search.rowid{more}
        WHERE search MATCH :{column} LIMIT :most
    )
"""  # noqa: S608  of constants


# Readers of packages must not see derivations that are newer than the newest version.
_IS_PUBLISHED = """
    JOIN schema d ON d.name = s.name AND d.published_hash IN (s.content_hash, d.content_hash)"""


def _best(names: str, *texts: str) -> TextClause:
    """Counts a relation once, at its best match; ``names`` has each only once."""
    every = " UNION ALL ".join(texts)
    said = (
        f"SELECT name, min(place) AS place FROM ({every})"  # noqa: S608  of constants
        " WHERE name NOT IN (SELECT name FROM named) GROUP BY name"
    )
    return text(
        f"WITH named AS ({names}), said AS ({said})"  # noqa: S608  of constants
        " SELECT name, place, (SELECT count(*) FROM named) + (SELECT count(*) FROM said) AS total"
        " FROM (SELECT * FROM named UNION ALL SELECT * FROM said) ORDER BY place, name LIMIT :limit"
    )


_NONE = "SELECT NULL AS name, NULL AS place WHERE 0"

_EVERYWHERE = _best(
    _NAMES, _texts("fields", Match.FIELD), _texts("documentation", Match.DOCUMENTATION)
)

_BY_NAME = _best(_NAMES, _NONE)

_IN_PACKAGES = _best(
    _NONE,
    _texts("fields", Match.FIELD, _IS_PUBLISHED),
    _texts("documentation", Match.DOCUMENTATION, _IS_PUBLISHED),
)

_EACH = text(
    f"SELECT name, {Match.BEGINNING.value} AS place, (SELECT count(*) FROM relation) AS total"  # noqa: S608
    " FROM relation ORDER BY name LIMIT :limit"
)

_FIELDS = text(
    "SELECT s.name, search.fields FROM search JOIN searched s ON s.id = search.rowid"
    " WHERE s.name IN (SELECT value FROM json_each(:keys))"
)

_EXCERPTS = text(
    f"SELECT s.name, snippet(search, 1, '', '', '…', {_EXCERPT_WORDS}) AS excerpt"  # noqa: S608
    " FROM search JOIN searched s ON s.id = search.rowid"
    " WHERE search MATCH :documentation AND s.name IN (SELECT value FROM json_each(:keys))"
)

# Also returns the index's present texts of the relation, NULL if it is new.
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

_WRITE = text(
    "REPLACE INTO search (rowid, fields, documentation) VALUES (:id, :fields, :documentation)"
)

_DELETE = text("DELETE FROM search WHERE rowid = :id")


class SqlSearch:
    def __init__(self, connection: SqlConnection) -> None:
        self._connection = connection

    def find(self, asked: str, limit: int) -> Found:
        parsed = question(asked)
        if not parsed.key:
            return self._found(_EACH, parsed, limit)
        return self._found(_EVERYWHERE if parsed.fields else _BY_NAME, parsed, limit)

    def find_in_packages(self, asked: str, limit: int) -> Found:
        parsed = question(asked)
        return self._found(_IN_PACKAGES, parsed, limit) if parsed.fields else Found((), 0)

    def _found(self, statement: TextClause, asked: Question, limit: int) -> Found:
        row = {
            "key": asked.key,
            "fields": asked.fields,
            "documentation": asked.documentation,
            "limit": limit,
            "most": _MAX_COUNTED,
        }
        rows = list(self._connection.execute(statement, row))
        places = {each.name: Match(each.place) for each in rows}
        fields = self._fields([n for n, place in places.items() if place is Match.FIELD], asked)
        described = [n for n, place in places.items() if place is Match.DOCUMENTATION]
        excerpts = self._excerpts(described, asked)
        hits = tuple(
            Hit(name_of(name), place, fields.get(name, ()), excerpts.get(name, ""))
            for name, place in places.items()
        )
        return Found(hits, rows[0].total if rows else 0)

    def _fields(self, keys: Sequence[str], asked: Question) -> Mapping[str, tuple[str, ...]]:
        return {
            row.name: matching_fields(row.fields, asked)[:_MAX_FIELDS]
            for chunk in chunks(keys)
            for row in self._connection.execute(_FIELDS, {"keys": chunk})
        }

    def _excerpts(self, keys: Sequence[str], asked: Question) -> Mapping[str, str]:
        return {
            row.name: row.excerpt
            for chunk in chunks(keys)
            for row in self._connection.execute(
                _EXCERPTS, {"keys": chunk, "documentation": asked.documentation}
            )
        }


def enter_derivation(connection: SqlConnection, name: str, derivation: str) -> None:
    """Makes a derivation known to the search; call it after its relation's record is written."""
    entered = connection.execute(_ENTER, {"name": name}).one()
    found = searched_texts(derivation)
    # Most changed derivations have the same fields and documentation as before.
    if (entered.fields, entered.documentation) != (found.fields, found.documentation):
        row = {"id": entered.id, "fields": found.fields, "documentation": found.documentation}
        connection.execute(_WRITE, row)


def forget_derivation(connection: SqlConnection, name: str) -> None:
    id_ = connection.execute(_ID, {"of_name": name}).scalar_one_or_none()
    if id_ is not None:
        connection.execute(_DELETE, {"id": id_})
        connection.execute(_FORGET, {"of_name": name})
