"""Records the files of a static index when they appear, since a folder has no recording proxy."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.chaos.evidence import IndexFile, read_index_file
from tests.chaos.journal import Journal

_POLL_SECONDS = 0.1


class FolderWatch:
    """Records each listed file once, and again whenever its bytes change."""

    def __init__(self, index: Path, log: Journal) -> None:
        self.simple = index / "simple"
        self._log = log
        self._pages: dict[Path, int] = {}
        self._wheels: dict[Path, tuple[int, int, int]] = {}
        self._hashes: dict[str, str] = {}
        self._damaged: set[str] = set()
        self._stopping = threading.Event()

    @contextmanager
    def running(self) -> Iterator[None]:
        thread = threading.Thread(target=self._watch, name="folder watch")
        thread.start()
        try:
            yield
        finally:
            self._stopping.set()
            thread.join()

    def expect_damage(self, data: bytes) -> None:
        """Announces bytes in a file that the program did not write."""
        self._damaged.add(hashlib.sha256(data).hexdigest())

    def expect_removal(self, filename: str) -> None:
        self._log.write("removed", filename=filename)

    def look(self) -> None:
        """Records new files: a file is shown once its project's page lists it."""
        for page in sorted(self.simple.glob("*/index.json")):
            try:
                changed = page.stat().st_mtime_ns
            except FileNotFoundError:
                continue
            if self._pages.get(page) != changed:
                self._pages[page] = changed
                for file in _listed(page):
                    self._see(page.parent / file["filename"])
        for wheel in list(self._wheels):
            self._see(wheel)

    def _watch(self) -> None:
        while not self._stopping.wait(_POLL_SECONDS):
            self.look()
        self.look()

    def _see(self, wheel: Path) -> None:
        try:
            stat = wheel.stat()
            identity = (stat.st_mtime_ns, stat.st_ino, stat.st_size)
            if self._wheels.get(wheel) == identity:
                return
            sha256 = hashlib.sha256(wheel.read_bytes()).hexdigest()
        except FileNotFoundError:
            return
        self._wheels[wheel] = identity
        if sha256 not in self._damaged and self._hashes.get(wheel.name) != sha256:
            self._hashes[wheel.name] = sha256
            self._log.write("arrived", filename=wheel.name, sha256=sha256)


def static_files(index: Path) -> list[IndexFile]:
    """All files that the pages list; a yanked file is not offered."""
    return [
        read_index_file(page.parent / file["filename"], offered=file.get("yanked", False) is False)
        for page in sorted((index / "simple").glob("*/index.json"))
        for file in _listed(page)
        if (page.parent / file["filename"]).is_file()
    ]


def _listed(page: Path) -> list[Mapping[str, Any]]:
    """The files of a page; none if the page is damaged or gone."""
    try:
        return list(json.loads(page.read_bytes())["files"])
    except (FileNotFoundError, ValueError):
        return []
