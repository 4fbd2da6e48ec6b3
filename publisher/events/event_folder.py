"""A folder of files with events as an event source; a file is one message, or has one in each line.

The position records how far each file was read. A half-written file is read again until it is
complete, or until it has not changed for a while.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias

from publisher.events.decoding import Heard
from publisher.events.messages import MAX_EVENT_BYTES, Message
from publisher.events.protocol import FIRST_START, Batch, SourceUnavailable

MAX_FILES: Final = 10_000
_MAX_MESSAGES: Final = 1_000
_MAX_BATCH_BYTES: Final = 16 * 1024**2
_QUIET_SECONDS: Final = 10.0
_SUFFIXES: Final = frozenset({".json", ".jsonl", ".ndjson"})


@dataclass(frozen=True, slots=True)
class _Version:
    """A state of a file. ``file`` is the file's number in the file system."""

    file: int
    size: int
    changed_at: int

    @classmethod
    def of(cls, status: os.stat_result) -> _Version:
        return cls(status.st_ino, status.st_size, status.st_mtime_ns)


@dataclass(frozen=True, slots=True)
class _Mark:
    """How far one version of a file was read."""

    version: _Version
    offset: int

    @property
    def is_at_end(self) -> bool:
        return self.offset >= self.version.size


_Marks: TypeAlias = dict[str, _Mark]


class EventFolderSource:
    """A folder of events as a source. Not safe for threads; only one thread polls a source."""

    def __init__(
        self,
        name: str,
        folder: Path,
        decode: Callable[[Message], Heard],
        *,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._name = f"event-folder:{name}"
        self._folder = folder
        self._decode = decode
        self._wall = wall
        self._stop = threading.Event()

    @property
    def name(self) -> str:
        return self._name

    def poll(self, position: str | None, timeout_seconds: float) -> Batch | None:
        marks = None if position is None else _parse_position(position)
        try:
            files = self._files()
            if marks is None:
                reason = FIRST_START if position is None else "the position is unreadable"
                return Batch((), (), _position_text(self._begin(files)), gap=reason, behind=0)
            batch = self._read(files, marks)
        except OSError as error:
            what = f"{error.filename or self._folder}: {error.strerror or error}"
            raise SourceUnavailable(
                self._name, what, "make the folder of events readable"
            ) from error
        if batch is None:
            self._stop.wait(timeout_seconds)
        return batch

    def acknowledge(self, position: str) -> None:
        """Does nothing, since the files stay."""

    def close(self) -> None:
        self._stop.set()

    def _files(self) -> dict[str, Path]:
        """The files of events in the folder, by their paths within it, in order."""
        # Raises if the folder is missing; otherwise the folder would look empty.
        self._folder.stat()
        found = [
            each
            for each in self._folder.rglob("*")
            if each.suffix.lower() in _SUFFIXES and not each.name.startswith(".")
        ]
        if len(found) > MAX_FILES:
            raise SourceUnavailable(
                self._name,
                f"{self._folder} has more than {MAX_FILES:,} files of events",
                "remove files that were read",
            )
        return {each.relative_to(self._folder).as_posix(): each for each in sorted(found)}

    def _begin(self, files: Mapping[str, Path]) -> _Marks:
        """The marks of the first position.

        Finished files are skipped, since a later snapshot sees their changes. Files that still grow are
        read from their start.
        """
        marks: _Marks = {}
        for name, file in files.items():
            version = _version(file)
            if version is not None and self._is_quiet(version):
                marks[name] = _Mark(version, version.size)
        return marks

    def _read(self, files: Mapping[str, Path], marks: _Marks) -> Batch | None:
        # Forget the marks of files that no longer exist.
        marks = {name: mark for name, mark in marks.items() if name in files}
        before = dict(marks)
        heard: list[Heard] = []
        behind = 0
        left = _MAX_BATCH_BYTES
        for name, file in files.items():
            version, mark = _version(file), marks.get(name)
            if version is None or (mark is not None and mark.version == version and mark.is_at_end):
                continue
            if len(heard) >= _MAX_MESSAGES or left <= 0:
                behind += 1
                continue
            for body, reached in self._messages(file, mark):
                marks[name] = reached
                if body.strip():
                    heard.append(self._decode(Message(body)))
                    left -= len(body)
                if len(heard) >= _MAX_MESSAGES or left <= 0:
                    break
            if name in marks and not marks[name].is_at_end:
                behind += 1
        if marks == before:
            return None
        return self._batch(heard, marks, behind)

    def _batch(self, heard: list[Heard], marks: _Marks, behind: int) -> Batch:
        every = Heard.together(heard)
        return Batch(
            every.hints,
            every.dead_letters,
            _position_text(marks),
            seen=len(heard),
            behind=behind,
            event_times=every.times,
            newest_event_at=every.newest_at,
        )

    def _messages(self, file: Path, mark: _Mark | None) -> Iterator[tuple[bytes, _Mark]]:
        """The messages after a mark, each with the mark after it; none if the file is half-written."""
        try:
            stream = file.open("rb")
        except FileNotFoundError:
            return
        with stream:
            version = _Version.of(os.fstat(stream.fileno()))
            first = stream.readline(MAX_EVENT_BYTES)
            if _is_json(first):
                yield from self._lines(stream, version, mark)
                return
            # The file is one message over several lines, or the beginning of a message.
            content = first + stream.read(MAX_EVENT_BYTES + 1 - len(first))
            if _is_json(content) or self._is_quiet(version):
                yield content, _Mark(version, version.size)

    def _lines(
        self, stream: BinaryIO, version: _Version, mark: _Mark | None
    ) -> Iterator[tuple[bytes, _Mark]]:
        is_longer = mark is not None and mark.version.file == version.file
        offset = mark.offset if mark and is_longer and mark.offset <= version.size else 0
        stream.seek(offset)
        while offset < version.size:
            line = stream.readline(min(MAX_EVENT_BYTES + 1, version.size - offset))
            is_whole = line.endswith(b"\n") or len(line) > MAX_EVENT_BYTES or _is_json(line)
            if not line or not (is_whole or self._is_quiet(version)):
                return
            offset += len(line)
            yield line, _Mark(version, offset)

    def _is_quiet(self, version: _Version) -> bool:
        # The clock of another machine, which may set the file's time, may be ahead.
        return abs(self._wall() - version.changed_at / 1e9) > _QUIET_SECONDS


def _version(file: Path) -> _Version | None:
    """The version of a file; None if the file is gone, or is not a regular file."""
    try:
        return _Version.of(file.stat()) if file.is_file() else None
    except FileNotFoundError:
        return None


def _is_json(text: bytes) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _position_text(marks: Mapping[str, _Mark]) -> str:
    files = {
        name: [mark.version.file, mark.version.size, mark.version.changed_at, mark.offset]
        for name, mark in marks.items()
    }
    return json.dumps({"files": files}, separators=(",", ":"))


def _parse_position(position: str) -> _Marks | None:
    try:
        return {
            str(name): _Mark(_Version(int(file), int(size), int(changed_at)), int(offset))
            for name, (file, size, changed_at, offset) in json.loads(position)["files"].items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
