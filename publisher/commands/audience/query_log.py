"""Reads a log of queries: each text once, with its number of runs and its users.

The log is a file, or a folder of files. ``.sql`` has statements, separated by semicolons.
``.jsonl``, ``.ndjson`` and ``.json`` have one object a line, with the text under ``query``,
``sql``, ``statement`` or ``query_text``. Optional keys are the ``database`` in which the query ran,
the ``user`` and the ``count`` of its runs. Nothing in the log is executed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lakeschema.catalog.ddl_tokens import statements
from publisher.commands.failures import OUTSIDE_FAILED, USAGE_ERROR, Refused

SETTING = "plan.query_log"
MAX_FILE_BYTES = 256 * 1024**2
MAX_FILES = 1_000
MAX_LINE_BYTES = 4 * 1024**2
_TEXTS = ("query", "sql", "statement", "query_text")
_MAX_USERS = 5
_JSON_LINES = frozenset({".jsonl", ".ndjson", ".json"})
_READS = re.compile(r"(?is)\s*(?:\(|(?:select|with|from)\b)")
_WRITES = re.compile(r"(?is)\s*(?:insert|create|replace|merge|explain)\b")
_INNER = re.compile(r"(?i)\b(?:with|select)\b")


@dataclass(slots=True)
class LoggedQuery:
    """A query of the log. ``where`` is the place of its first entry; ``text`` lacks an INSERT around it."""

    where: str
    text: str
    database: str
    times: int = 0
    users: list[str] = field(default_factory=list)


def require_query_log(path: Path) -> None:
    """Refuses a missing log early, because it is read late.

    Raises:
        Refused: the file does not exist.
    """
    if not path.exists():
        raise Refused(OUTSIDE_FAILED, f"{SETTING}: {path}: No such file or directory")


def read_query_log(path: Path, is_wanted: Callable[[str], bool]) -> Sequence[LoggedQuery]:
    """The queries with a wanted text; statements that read nothing are left out.

    Raises:
        Refused: a file is missing, too large or damaged, or there are too many.
    """
    found: dict[tuple[str, str], LoggedQuery] = {}
    try:
        for where, text, entry in log_entries(path):
            if is_wanted(text):
                _add(found, where, text, entry)
    except OSError as error:
        raise Refused(OUTSIDE_FAILED, f"{SETTING}: {path}: {error.strerror}") from error
    return list(found.values())


def log_entries(path: Path, called: str = SETTING) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """The place, the text and the entry of each statement.

    Error messages begin with ``called``, such as the name of the setting or option with the path.

    Raises:
        OSError: a file cannot be read.
        Refused: a file is too large or damaged, or there are too many.
    """
    try:
        for file in _files(path):
            yield from _entries(file)
    except _Unusable as error:
        raise Refused(USAGE_ERROR, f"{called}: {error}") from error


class _Unusable(Exception):
    pass


def _add(
    found: dict[tuple[str, str], LoggedQuery], where: str, text: str, entry: Mapping[str, Any]
) -> None:
    query = query_in(text)
    if query is None:
        return
    database, user, count = (entry.get(key) for key in ("database", "user", "count"))
    database = database.lower() if isinstance(database, str) and database else "default"
    logged = found.setdefault((query, database), LoggedQuery(where, query, database))
    logged.times += count if type(count) is int and count > 0 else 1
    if isinstance(user, str) and user not in logged.users and len(logged.users) < _MAX_USERS:
        logged.users.append(user)


def query_in(text: str) -> str | None:
    """The query that a statement is or contains; None for other statements."""
    if _READS.match(text):
        return text.strip()
    if not _WRITES.match(text):
        return None
    inner = _INNER.search(text, 1)
    return None if inner is None else text[inner.start() :].strip()


def _files(path: Path) -> Sequence[Path]:
    if not path.is_dir():
        return [path]
    kinds = {".sql", *_JSON_LINES}
    files = sorted(f for f in path.rglob("*") if f.suffix.lower() in kinds and f.is_file())
    if len(files) > MAX_FILES:
        raise _Unusable(f"{path} has more than {MAX_FILES} files")
    return files


def _entries(file: Path) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    if file.stat().st_size > MAX_FILE_BYTES:
        raise _Unusable(f"{file} is larger than {MAX_FILE_BYTES} bytes")
    if file.suffix.lower() in _JSON_LINES:
        yield from _json_entries(file)
        return
    source = file.read_bytes().decode("utf-8-sig", "replace")
    line, counted = 1, 0
    for start, end in statements(source):
        line, counted = line + source.count("\n", counted, start), start
        yield f"{file}:{line}", source[start:end], {}


def _json_entries(file: Path) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    with file.open("rb") as stream:
        for number, line in enumerate(iter(lambda: stream.readline(MAX_LINE_BYTES), b""), 1):
            if not line.strip():
                continue
            try:
                entry = json.loads(line)
            except (ValueError, RecursionError) as error:
                why = f"{file}:{number} is not JSON ({error}): expected one object a line"
                raise _Unusable(why) from error
            fields = entry if isinstance(entry, dict) else {}
            text = next((fields[key] for key in _TEXTS if key in fields), None)
            if not isinstance(text, str):
                why = f"{file}:{number}: expected an object with a text under {', '.join(_TEXTS)}"
                raise _Unusable(why)
            yield f"{file}:{number}", text, fields
