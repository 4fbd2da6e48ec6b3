"""A package index that is a folder: any web server over it serves pip and uv.

``simple/{project}/`` holds the project's wheels, each with its ``.metadata``, and the page as
``index.html`` and ``index.json``. The JSON page is the record: a file counts once it stands there.
Order of writing: wheel, HTML, JSON, each synced; so that what is listed is always there and
whole, and a crash between them is mended by the next upload to the project. A wheel found without
a record is adopted with the bytes that it has, never overwritten.

There is no root page: it would be rewritten by each upload, and installers do not read it. The
daemon's server renders it on request.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from codegen.package import Wheel
from publisher.index.atomic_files import locked, remove_partial_files, sync_folder, write_whole
from publisher.index.page_parsing import MalformedPage, parse_json_page
from publisher.index.protocol import IndexFile, IndexRefused, IndexUnavailable
from publisher.index.simple_page import (
    ListedFile,
    ProjectPage,
    page_to_html,
    page_to_json,
)
from publisher.index.wheel_files import (
    CoreMetadata,
    MalformedWheel,
    check_wheel,
    is_normalised,
    parse_filename,
    read_metadata,
)

_HTML_PAGE = "index.html"
_JSON_PAGE = "index.json"
_LOCK_TIMEOUT_SECONDS = 30.0


class StaticIndex:
    """Files under ``path``; several processes may use one folder on a local disk at once."""

    def __init__(
        self, path: Path | str, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._simple = Path(path) / "simple"
        self._name = str(path)
        self._now = now

    def files(self, distribution: str) -> Sequence[IndexFile]:
        """As the protocol says; a name that no distribution can have has no files."""
        page = self.page(distribution)
        return () if page is None else tuple(_index_file(file) for file in page.files)

    def fetch(self, file: IndexFile) -> bytes:
        path = self.file_path(file.filename)
        with self._reported(f"reading {file.filename}"):
            try:
                return path.read_bytes()
            except FileNotFoundError as error:
                raise IndexRefused(self._name, f"{file.filename} is not there", 404) from error

    def upload(self, wheel: Wheel) -> None:
        """Equal bytes again are welcome; other bytes under a known name are refused for ever."""
        try:
            metadata = check_wheel(wheel)
        except MalformedWheel as error:
            raise IndexRefused(self._name, str(error), 400) from error
        with self._changing(wheel.distribution) as folder:
            page = self._recorded(folder, wheel.distribution)
            known = page.file(wheel.filename)
            if known is not None and known.sha256 != wheel.sha256:
                raise IndexRefused(
                    self._name, f"{wheel.filename} exists already, with other bytes", 409
                )
            if not (folder / wheel.filename).is_file():
                self._write_wheel(folder, wheel, metadata)
            if known is None:
                page = page.with_file(self._listed(wheel.filename, wheel.data, metadata))
            self._write_pages(folder, page)

    def yank(self, file: IndexFile, reason: str | None) -> bool:
        try:
            distribution = parse_filename(file.filename).distribution
        except MalformedWheel as error:
            raise IndexRefused(self._name, str(error), 400) from error
        if not self._folder(distribution).is_dir():
            raise IndexRefused(self._name, f"{file.filename} is not there", 404)
        with self._changing(distribution) as folder:
            page = self._recorded(folder, distribution)
            known = page.file(file.filename)
            if known is None:
                raise IndexRefused(self._name, f"{file.filename} is not there", 404)
            self._write_pages(folder, page.with_file(replace(known, yanked=reason)))
        return True

    def page(self, distribution: str) -> ProjectPage | None:
        """What is recorded of a project; None if there is no such project."""
        if not is_normalised(distribution):
            return None
        with self._reported(f"reading the page of {distribution}"):
            return self._read_page(distribution)

    def has(self, distribution: str) -> bool:
        """Whether there is a page of a project, without reading it."""
        return is_normalised(distribution) and (self._folder(distribution) / _JSON_PAGE).is_file()

    def projects(self) -> tuple[str, ...]:
        """Every project with at least one recorded file, in order of names."""
        with self._reported("listing the projects"):
            try:
                with os.scandir(self._simple) as entries:
                    found = [entry.name for entry in entries if entry.is_dir()]
            except FileNotFoundError:
                return ()
            return tuple(sorted(project for project in found if self.has(project)))

    def file_path(self, filename: str) -> Path:
        """Where a wheel of that name lies, whether or not it is there.

        Raises:
            IndexRefused: it is not the name of a wheel.
        """
        try:
            return self._folder(parse_filename(filename).distribution) / filename
        except MalformedWheel as error:
            raise IndexRefused(self._name, str(error), 400) from error

    def _folder(self, distribution: str) -> Path:
        return self._simple / distribution

    @contextmanager
    def _changing(self, distribution: str) -> Iterator[Path]:
        """The project's folder, made if need be, held alone and cleared of torn files."""
        with self._reported(f"changing {distribution}"):
            folder = self._folder(distribution)
            if not folder.is_dir():
                self._make_folder(folder)
            with locked(folder, _LOCK_TIMEOUT_SECONDS):
                remove_partial_files(folder)
                yield folder

    def _make_folder(self, folder: Path) -> None:
        if not self._simple.is_dir():
            self._simple.mkdir(parents=True, exist_ok=True)
            sync_folder(self._simple.parent)
        folder.mkdir(exist_ok=True)
        sync_folder(self._simple)

    @contextmanager
    def _reported(self, doing: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else str(error)
            if error.errno in {errno.ENOSPC, errno.EDQUOT}:
                reason += "; free some space, what is published is whole"
            raise IndexUnavailable(self._name, f"{doing}: {reason}") from error

    def _read_page(self, distribution: str) -> ProjectPage | None:
        path = self._folder(distribution) / _JSON_PAGE
        try:
            return parse_json_page(path.read_bytes(), distribution)
        except FileNotFoundError:
            return None
        except MalformedPage as error:
            raise IndexUnavailable(
                self._name,
                f"{path} was damaged from outside: {error}; restore it, or remove it and the "
                "next upload lists the wheels anew, without their yanks",
            ) from error

    def _recorded(self, folder: Path, distribution: str) -> ProjectPage:
        """The page as recorded, and the wheels that a crash left without a record."""
        page = self._read_page(distribution) or ProjectPage(distribution)
        listed = {file.filename for file in page.files}
        for path in sorted(folder.glob("*.whl")):
            if path.name not in listed:
                page = self._with_unlisted(page, path)
        return page

    def _with_unlisted(self, page: ProjectPage, path: Path) -> ProjectPage:
        try:
            named = parse_filename(path.name)
        except MalformedWheel:
            return page
        if named.distribution != page.name:
            return page
        data = path.read_bytes()
        try:
            metadata = read_metadata(data, named)
        except MalformedWheel:
            return page.with_file(self._listed(path.name, data, None))
        write_whole(_metadata_path(path), metadata.data)
        return page.with_file(self._listed(path.name, data, metadata))

    def _listed(self, filename: str, data: bytes, metadata: CoreMetadata | None) -> ListedFile:
        return ListedFile(
            filename=filename,
            url=filename,
            sha256=hashlib.sha256(data).hexdigest(),
            size=len(data),
            upload_time=self._now().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            requires_python=metadata.requires_python if metadata else None,
            metadata_sha256=metadata.sha256 if metadata else None,
        )

    def _write_wheel(self, folder: Path, wheel: Wheel, metadata: CoreMetadata) -> None:
        path = folder / wheel.filename
        write_whole(_metadata_path(path), metadata.data)
        write_whole(path, wheel.data)
        sync_folder(folder)

    def _write_pages(self, folder: Path, page: ProjectPage) -> None:
        """Writes what differs: an upload that changes nothing writes nothing."""
        for name, data in ((_HTML_PAGE, page_to_html(page)), (_JSON_PAGE, page_to_json(page))):
            path = folder / name
            if not path.is_file() or path.read_bytes() != data:
                write_whole(path, data)
                sync_folder(folder)


def _metadata_path(wheel: Path) -> Path:
    return wheel.with_name(wheel.name + ".metadata")


def _index_file(file: ListedFile) -> IndexFile:
    return IndexFile(file.filename, file.version, file.url, file.sha256, file.yanked)
