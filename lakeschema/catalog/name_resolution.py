"""Turns a name in text into a catalog and an identifier, and back.

The proposal has five rules. (1) The last part is the name. (2) If there are several parts and the
first is a registered catalog, it is the catalog. (3) The parts between are the namespace. (4)
Without catalog and namespace, the current namespace counts. (5) Without a catalog, the current catalog
counts. docs/catalog-names.md lists the differences of ``Rules.SPARK``.

``resolve(read_name(print_identifier(x, session)), session)`` is ``x``, if ``x`` has the letter case
that its catalog compares.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final, assert_never

from lakeschema.catalog.catalog_identifiers import CatalogIdentifier
from lakeschema.catalog.ddl_cursor import Cursor, Unreadable
from lakeschema.catalog.ddl_tokens import TokenKind
from lakeschema.catalog.errors import Refusal, SessionRefused
from lakeschema.catalog.identifiers import quoted_part
from lakeschema.catalog.relations import Dialect
from lakeschema.catalog.sessions import CatalogTraits, Levels, Rules, Session

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_GLOBAL_TEMPORARY: Final = "global_temp"
_FILE_FORMATS: Final = frozenset(
    {"avro", "binaryfile", "csv", "json", "orc", "parquet", "text", "xml"}
)


class NameForm(Enum):
    """How a name is written.

    DOTTED: ``prod.sales.orders``. IDENTIFIER: ``IDENTIFIER('prod.sales.orders')``, which is never
    a path. PATH: ``'s3://bucket/orders'``, also after a catalog and a dot.
    """

    DOTTED = "dotted"
    IDENTIFIER = "identifier"
    PATH = "path"


@dataclass(frozen=True, slots=True)
class WrittenName:
    """A name as read from text; in the form PATH, the last part is the path."""

    parts: tuple[str, ...]
    form: NameForm = NameForm.DOTTED

    def __str__(self) -> str:
        """The text that ``read_name`` reads."""
        match self.form:
            case NameForm.DOTTED:
                return _dotted(self.parts)
            case NameForm.IDENTIFIER:
                return f"IDENTIFIER({_string(_dotted(self.parts))})"
            case NameForm.PATH:
                *catalog, path = self.parts
                return ".".join([*map(quoted_part, catalog), _string(path)])
            case _:
                assert_never(self.form)


@dataclass(frozen=True, slots=True)
class Resolved:
    """An identifier and its catalog."""

    catalog: str
    identifier: CatalogIdentifier


@dataclass(frozen=True, slots=True)
class TemporaryView:
    """A view of the Spark session, in no catalog."""

    name: str


@dataclass(frozen=True, slots=True)
class FileSource:
    """Files that Spark reads at ``path``, unless ``table`` exists."""

    format: str
    path: str
    table: Resolved


Resolution = Resolved | TemporaryView | FileSource


def read_name(text: str) -> WrittenName:
    """Reads a whole text as one name.

    Raises:
        SessionRefused: the text is not a name.
    """
    cursor = Cursor(text, 0, len(text), Dialect.SPARK)
    try:
        name = take_name(cursor)
        if not cursor.at_end():
            raise cursor.refuse("the end of the name")
    except Unreadable as error:
        raise not_readable(f"{_beginning(text)!r} is not a name", error) from error
    return name


def take_name(cursor: Cursor) -> WrittenName:
    """Reads a name in one of its forms at the cursor, whose dialect is Spark's."""
    if cursor.sees("IDENTIFIER", "("):
        return WrittenName(cursor.relation_name(), NameForm.IDENTIFIER)
    if _sees_path(cursor):
        return WrittenName((cursor.string(),), NameForm.PATH)
    first = cursor.identifier()
    if not cursor.skip("."):
        return WrittenName((first,))
    if _sees_path(cursor):
        return WrittenName((first, cursor.string()), NameForm.PATH)
    return WrittenName((first, *cursor.name()))


def _sees_path(cursor: Cursor) -> bool:
    return cursor.next.kind is TokenKind.STRING


def not_readable(what: str, error: Unreadable) -> SessionRefused:
    hint = "put a part that is not a plain word in back-ticks: prod.`order items`"
    return SessionRefused(Refusal.SYNTAX, f"{what}: {error.message}", hint)


def resolve(written: WrittenName, session: Session) -> Resolution:
    """The meaning of a name by the session's rules, in the letter case of its catalog.

    No catalog is called.

    Raises:
        SessionRefused: the catalog cannot be loaded, or cannot have this identifier.
    """
    found: Resolution
    match session.rules:
        case Rules.PROPOSAL:
            found = _as_proposed(written, session)
        case Rules.SPARK:
            found = _as_in_spark(written, session)
        case _:
            assert_never(session.rules)
    match found:
        case Resolved():
            return _as_compared(found, session)
        case FileSource(table=table):
            return replace(found, table=_as_compared(table, session))
        case TemporaryView():
            return found
        case _:
            assert_never(found)


def resolve_parts(parts: tuple[str, ...], session: Session) -> Resolved:
    """The meaning of a name by the five rules alone.

    The name is never a path, and no catalog has to be loaded.
    """
    return _as_compared(_by_rules(parts, session), session)


def print_identifier(resolved: Resolved, session: Session) -> str:
    """A text that ``resolve`` reads as this identifier, with the catalog in front if possible.

    Raises:
        SessionRefused: no text has this meaning in the session.
    """
    why = "the parts of a name must not be empty"
    for written in _candidates(resolved, session):
        text = str(written)
        try:
            found = resolve(read_name(text), session)
        except SessionRefused as error:
            why = str(error)
            continue
        if found == resolved:
            return text
        why = f"{text} has another meaning"
    identifier = resolved.identifier
    raise SessionRefused(
        Refusal.INEXPRESSIBLE,
        f"no name means {list(identifier.parts)} of catalog {resolved.catalog}: {why}",
    )


def check_namespace(catalog: str, traits: CatalogTraits, namespace: Levels) -> None:
    """Checks that a catalog without namespaces only gets the empty namespace.

    Raises:
        SessionRefused: the namespace is not empty.
    """
    if namespace and not traits.has_namespaces:
        raise SessionRefused(
            Refusal.NO_NAMESPACES,
            f"catalog {catalog} has no namespaces, and the name has {_dotted(namespace)!r}",
            f"write the catalog and the name only: {quoted_part(catalog)}.name",
        )


def check_session_catalog(catalog: str, namespace: Levels, session: Session) -> None:
    """Checks that Spark's session catalog gets a database of one level.

    Raises:
        SessionRefused: Spark would refuse the namespace.
    """
    if session.rules is Rules.SPARK and catalog == session.session_catalog and len(namespace) != 1:
        raise SessionRefused(
            Refusal.ONE_LEVEL,
            f"Spark's session catalog needs a namespace of one level, got {list(namespace)}",
            "write spark_catalog.database.name",
        )


def _as_compared(found: Resolved, session: Session) -> Resolved:
    identifier, traits = found.identifier, session.catalogs[found.catalog]
    if identifier.is_path or not traits.folds_case:
        return found
    namespace = tuple(map(traits.fold, identifier.namespace))
    return Resolved(found.catalog, CatalogIdentifier(namespace, traits.fold(identifier.name)))


def _by_rules(parts: tuple[str, ...], session: Session) -> Resolved:
    *front, name = parts
    catalog = session.catalog_named(front[0]) if front else None
    if catalog is not None:
        return Resolved(catalog, CatalogIdentifier(tuple(front[1:]), name))
    namespace = tuple(front) or session.current_namespace
    return Resolved(session.current_catalog, CatalogIdentifier(namespace, name))


def _as_proposed(written: WrittenName, session: Session) -> Resolved:
    *front, _ = written.parts
    catalog = session.catalog_named(front[0]) if front else None
    if _is_path(written, catalog):
        return _resolved_path(written, catalog, session)
    found = _by_rules(written.parts, session)
    check_namespace(found.catalog, session.loaded(found.catalog), found.identifier.namespace)
    return found


def _is_path(written: WrittenName, catalog: str | None) -> bool:
    if written.form is not NameForm.DOTTED:
        return written.form is NameForm.PATH
    is_alone = len(written.parts) == (1 if catalog is None else 2)
    return is_alone and _SCHEME.match(written.parts[-1]) is not None


def _resolved_path(written: WrittenName, catalog: str | None, session: Session) -> Resolved:
    *front, path = written.parts
    if front and catalog is None:
        raise session.unknown_catalog(front[0])
    chosen = session.current_catalog if catalog is None else catalog
    if not session.loaded(chosen).takes_paths:
        raise SessionRefused(
            Refusal.NO_PATHS,
            f"catalog {chosen} does not identify tables by paths, and {path!r} is a path",
            "name the table instead; IDENTIFIER('…') reads such a text as a name",
        )
    return Resolved(chosen, CatalogIdentifier.of_path(path))


def _as_in_spark(written: WrittenName, session: Session) -> Resolution:
    if written.form is NameForm.PATH:
        raise SessionRefused(
            Refusal.NOT_IN_SPARK,
            f"Spark has no path identifiers: {written.parts[-1]!r}",
            "write the format and the path in back-ticks: parquet.`/folder/table`",
        )
    *front, name = written.parts
    first = front[0].lower() if front else ""
    if not front and name.lower() in session.temporary_views:
        return TemporaryView(name)
    if first == _GLOBAL_TEMPORARY:
        # Spark reserves this namespace, whatever a catalog is called.
        found = Resolved(session.session_catalog, CatalogIdentifier(tuple(front), name))
    else:
        found = _by_rules(written.parts, session)
    namespace = found.identifier.namespace
    # Spark passes any namespace to a plugin, which refuses it.
    session.loaded(found.catalog)
    check_session_catalog(found.catalog, namespace, session)
    is_in_sparks = found.catalog == session.session_catalog and namespace == tuple(front)
    return FileSource(first, name, found) if is_in_sparks and first in _FILE_FORMATS else found


def _candidates(resolved: Resolved, session: Session) -> Iterator[WrittenName]:
    identifier = resolved.identifier
    catalog = session.name_in_text(resolved.catalog)
    if identifier.is_path:
        yield WrittenName((catalog, identifier.path), NameForm.PATH)
        return
    for parts in ((catalog, *identifier.parts), identifier.parts, (identifier.name,)):
        yield WrittenName(parts)
        yield WrittenName(parts, NameForm.IDENTIFIER)


def _dotted(parts: tuple[str, ...]) -> str:
    return ".".join(map(quoted_part, parts))


def _string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _beginning(text: str) -> str:
    return text if len(text) <= 200 else text[:200] + "…"
