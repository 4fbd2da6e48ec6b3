"""Reads the new lines of a growing file or folder of statements, and the position after them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from lakeschema.catalog.ddl_tokens import statements

MAX_FILES: Final = 10_000
MAX_FILE_BYTES: Final = 256 * 1024**2
"""The maximum size of a SQL file, which is read as a whole."""
MAX_LINE_BYTES: Final = 4 * 1024**2
_QUIET_SECONDS: Final = 10.0
_LONGEST_TOGETHER: Final = 200_000
_MOST_TOGETHER: Final = 200
_JSON_LINES: Final = frozenset({".jsonl", ".ndjson", ".json"})
_SQL: Final = ".sql"


class UnreadableLog(Exception):
    """Raised if the log cannot be read; the message has the file and the reason."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines of one file.

    Attributes:
        lines: lines of JSON, each an object.
        ran_at: when the file was last changed, in seconds since the epoch.
        position: the log's position once these lines are learnt.
    """

    file: str
    lines: tuple[bytes, ...]
    ran_at: float
    position: str


class LogFiles:
    """A log as a source of statements. Its position is stored under ``name``."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.name = "statements:log"

    def read(self, position: str | None) -> Iterator[Piece]:
        """The lines added since ``position``; a SQL file that changed is read again as a whole.

        An unfinished last line waits until it ends, or until the file is quiet.

        Raises:
            UnreadableLog: a file is missing, too large or cannot be read.
        """
        read_to = _parsed(position)
        try:
            files = self._files()
            done = {name: place for name, place in read_to.items() if name in files}
            for name, file in files.items():
                yield from self._added(name, file, done)
        except OSError as error:
            raise UnreadableLog(f"{error.filename or self._path}: {error.strerror}") from error

    def close(self) -> None:
        """Does nothing: no file stays open between two readings."""

    def _files(self) -> dict[str, Path]:
        if not self._path.is_dir():
            self._path.stat()
            return {self._path.name: self._path}
        kinds = {_SQL, *_JSON_LINES}
        found = [f for f in self._path.rglob("*") if f.suffix.lower() in kinds and f.is_file()]
        if len(found) > MAX_FILES:
            raise UnreadableLog(f"{self._path} has more than {MAX_FILES:,} files")
        return {str(f.relative_to(self._path)): f for f in sorted(found)}

    def _added(self, name: str, file: Path, done: dict[str, list[int]]) -> Iterator[Piece]:
        status = file.stat()
        before = done.get(name, [0, 0])
        now = [status.st_size, status.st_mtime_ns]
        if before == now or not status.st_size:
            return
        ran_at = status.st_mtime_ns / 1e9
        if file.suffix.lower() == _SQL:
            if status.st_size > MAX_FILE_BYTES:
                raise UnreadableLog(f"{file} is larger than {MAX_FILE_BYTES} bytes")
            pieces = list(_together(_statements(file)))
            for number, lines in enumerate(pieces, 1):
                # The position only moves after the whole file. Lines that are learnt twice change nothing.
                done[name] = now if number == len(pieces) else before
                yield Piece(name, lines, ran_at, _text(done))
            return
        start = before[0] if before[0] <= status.st_size else 0
        is_quiet = time.time() - ran_at > _QUIET_SECONDS
        with file.open("rb") as stream:
            stream.seek(start)
            for lines in _together(_lines(stream, takes_last=is_quiet)):
                start += sum(map(len, lines))
                done[name] = [start, status.st_mtime_ns]
                yield Piece(name, lines, ran_at, _text(done))


def _lines(stream: BinaryIO, *, takes_last: bool) -> Iterator[bytes]:
    while line := stream.readline(MAX_LINE_BYTES):
        if line.endswith(b"\n") or len(line) == MAX_LINE_BYTES or takes_last:
            yield line


def _statements(file: Path) -> Iterator[bytes]:
    source = file.read_bytes().decode("utf-8-sig", "replace")
    for start, end in statements(source):
        yield json.dumps({"sql": source[start:end]}).encode() + b"\n"


def _together(lines: Iterator[bytes]) -> Iterator[tuple[bytes, ...]]:
    found: list[bytes] = []
    length = 0
    for line in lines:
        if found and (len(found) == _MOST_TOGETHER or length + len(line) > _LONGEST_TOGETHER):
            yield tuple(found)
            found, length = [], 0
        found.append(line)
        length += len(line)
    if found:
        yield tuple(found)


def _text(done: Mapping[str, list[int]]) -> str:
    return json.dumps(done, separators=(",", ":"))


def _parsed(position: str | None) -> dict[str, list[int]]:
    if position is None:
        return {}
    found: dict[str, list[int]] = json.loads(position)
    return found
