"""A folder of ``.sql`` files as a catalog: the relations that their statements would create.

Files are read in order of their paths, each as a session that begins in ``default``. The catalog has no
``current_event_id``: a restart would reset the number, and a new event would look old.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lakeschema.catalog.catalog_identifiers import CatalogIdentifier
from lakeschema.catalog.ddl_altered import Refused
from lakeschema.catalog.ddl_reader import MalformedStatement, Placed, read_statements
from lakeschema.catalog.ddl_state import DdlState, QueryColumns, no_query_columns
from lakeschema.catalog.ddl_statements import (
    CreateNamespace,
    CreateView,
    DropConstraint,
    IfExists,
    NoChange,
    UseNamespace,
)
from lakeschema.catalog.ddl_tokens import line_of
from lakeschema.catalog.errors import CatalogUnavailable, MalformedDdl
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.relations import Dialect, Relation

logger = logging.getLogger(__name__)


def relations_from_ddl(
    statements: Iterable[str],
    dialect: Dialect = Dialect.HIVE,
    query_columns: QueryColumns = no_query_columns,
) -> Mapping[RelationName, Relation]:
    """The relations after the statements, run as one session that begins in ``default``.

    Each text may hold several statements. ``query_columns`` gives the columns of tables that are
    created AS SELECT.

    Raises:
        MalformedDdl: the first statement that cannot be read or applied; its path is ``ddl[N]``.
    """
    return _session(statements, dialect, query_columns).facts()


def relations_with_query(
    statements: Iterable[str],
    name: RelationName,
    query: str,
    dialect: Dialect,
    query_columns: QueryColumns = no_query_columns,
) -> Mapping[RelationName, Relation]:
    """Like ``relations_from_ddl``, with the query as a view of this name.

    Raises:
        MalformedDdl: a statement is invalid. An invalid query is only noticed when it is derived.
    """
    state = _session(statements, dialect, query_columns)
    state.apply(CreateNamespace(name.namespace))
    state.apply(UseNamespace(name.namespace))
    state.apply(CreateView(name.parts, query, if_exists=IfExists.REPLACE))
    return state.facts()


def _session(statements: Iterable[str], dialect: Dialect, query_columns: QueryColumns) -> DdlState:
    state = DdlState(dialect, query_columns=query_columns)
    for number, source in enumerate(statements):
        # A statement without effect may name a relation that no statement here creates.
        placed = (
            each
            for each in read_statements(source, dialect)
            if not isinstance(each.statement, NoChange | DropConstraint)
        )
        for problem in _apply(state, f"ddl[{number}]", source, placed):
            raise problem
    return state


def _apply(
    state: DdlState, path: str, source: str, placed: Iterable[Placed]
) -> Iterable[MalformedDdl]:
    """Applies the valid statements, and yields an error for each invalid one."""
    for statement in placed:
        match statement.statement:
            case MalformedStatement() as malformed:
                state.keep_malformed(malformed)
                yield MalformedDdl(path, line_of(source, malformed.offset), malformed.message)
            case applicable:
                try:
                    state.apply(applicable)
                except Refused as refused:
                    state.keep_refused(applicable, refused)
                    yield MalformedDdl(path, line_of(source, statement.offset), str(refused))


@dataclass(frozen=True, slots=True)
class _Stamp:
    """Data that shows that a file is unchanged, without reading it."""

    modified_nanoseconds: int
    size_bytes: int
    inode: int


@dataclass(frozen=True, slots=True)
class _File:
    stamp: _Stamp
    source: str
    placed: tuple[Placed, ...]
    malformed_text: bool


@dataclass(frozen=True, slots=True)
class _Folder:
    """The folder's content from one read. Each answer of the catalog uses a single read."""

    relations: Mapping[RelationName, Relation]
    namespaces: frozenset[Namespace]
    problems: tuple[MalformedDdl, ...]


class DdlFilesCatalog:
    """A folder as a catalog. Only changed files are read again, and only on demand.

    Safe for threads. An unreadable folder or file raises ``CatalogUnavailable``, so that its
    relations do not seem dropped.
    """

    def __init__(
        self,
        path: Path,
        dialect: Dialect = Dialect.HIVE,
        query_columns: QueryColumns = no_query_columns,
        on_close: Callable[[], None] = lambda: None,
    ) -> None:
        """Reads no file yet; ``on_close`` releases the resources of ``query_columns``."""
        self.path = path
        self.dialect = dialect
        self._query_columns = query_columns
        self._on_close = on_close
        self._files: dict[Path, _File] = {}
        self._folder: _Folder | None = None
        self._lock = threading.Lock()

    def namespaces(self) -> Sequence[Namespace]:
        return tuple(self._current().namespaces)

    def relations(self, namespace: Namespace) -> Sequence[RelationName]:
        return tuple(name for name in self._current().relations if name.place == namespace)

    def read(self, names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        existing = self._current().relations
        return {name: existing[name] for name in names if name in existing}

    def list_views(self, namespace: tuple[str, ...]) -> Sequence[CatalogIdentifier]:
        """The views of a namespace, from one read of the folder; no query is resolved."""
        return [
            CatalogIdentifier(namespace, name.name)
            for name, relation in self._current().relations.items()
            if relation.is_view and name.namespace == namespace
        ]

    def read_all(self) -> Mapping[RelationName, Relation]:
        """Every relation at the time of one read of the folder."""
        return self._current().relations

    def current_event_id(self) -> int | None:
        return None

    def close(self) -> None:
        self._on_close()

    def problems(self) -> Sequence[MalformedDdl]:
        """The statements that could not be read or applied, in order."""
        return self._current().problems

    def _current(self) -> _Folder:
        with self._lock:
            stamps = self._stamps()
            unchanged = {path: file.stamp for path, file in self._files.items()} == stamps
            if self._folder is None or not unchanged:
                self._files = {path: self._file(path, stamp) for path, stamp in stamps.items()}
                self._folder = self._read_folder()
            return self._folder

    def _stamps(self) -> dict[Path, _Stamp]:
        try:
            if not self.path.is_dir():
                raise self._unavailable("there is no such folder")
            found = {}
            for path in sorted(self.path.rglob("*.sql")):
                if _is_in_hidden_folder(path.relative_to(self.path)):
                    continue
                stat = path.stat()
                found[path] = _Stamp(stat.st_mtime_ns, stat.st_size, stat.st_ino)
        except OSError as error:
            raise self._unavailable(str(error)) from error
        return found

    def _file(self, path: Path, stamp: _Stamp) -> _File:
        known = self._files.get(path)
        if known is not None and known.stamp == stamp:
            return known
        try:
            content = path.read_bytes()
        except OSError as error:
            raise self._unavailable(str(error)) from error
        source = content.decode("utf-8-sig", "replace")
        malformed = "�" in source and not _is_utf8(content)
        return _File(stamp, source, tuple(read_statements(source, self.dialect)), malformed)

    def _unavailable(self, reason: str) -> CatalogUnavailable:
        hint = "check that its path is right, and that this user may read what is there"
        return CatalogUnavailable(str(self.path), reason, hint)

    def _read_folder(self) -> _Folder:
        state = DdlState(self.dialect, query_columns=self._query_columns)
        problems: list[MalformedDdl] = []
        for path, file in self._files.items():
            shown = str(path.relative_to(self.path))
            state.begin_session()
            if file.malformed_text:
                line = line_of(file.source, file.source.index("�"))
                problems.append(MalformedDdl(shown, line, "the text is not UTF-8"))
            problems.extend(_apply(state, shown, file.source, file.placed))
        for problem in problems:
            logger.warning("ddl statement skipped", extra={"reason": str(problem)})
        return _Folder(state.facts(), frozenset(state.namespaces), tuple(problems))


def _is_in_hidden_folder(path: Path) -> bool:
    """Whether a folder on the path is hidden, such as ``..2026_11_29/``.

    Kubernetes keeps the files of a volume a second time in such folders.
    """
    return any(part.startswith(".") for part in path.parts[:-1])


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True
