"""A package index that is a folder: any web server over it serves pip and uv.

``simple/{project}/`` holds the project's wheels, each with its ``.metadata`` and, where they are signed,
its ``.provenance``, and the page as ``index.html`` and ``index.json``. The JSON page is the record: a
file is published once it is listed there. The order of writing is metadata, provenance, wheel, HTML and, once these are durable, JSON, so that a
listed file always exists and is complete; after a crash between them, the next upload to the project repairs the pages. A wheel
without a record is listed with the bytes that it has and never overwritten.

There is no root page: it would be rewritten by each upload, and installers do not read it. The
daemon's server renders it on request.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from codegen.package import Wheel
from publisher.index.atomic_files import lock, remove_partial_files, sync_folder, write_atomically
from publisher.index.page_parsing import MalformedPage, parse_json_page
from publisher.index.protocol import (
    MAX_PROVENANCE_BYTES,
    IndexFile,
    IndexRefused,
    IndexUnavailable,
)
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
PROVENANCE_SUFFIX = ".provenance"
_LOCK_TIMEOUT_SECONDS = 30.0
_NO_SPACE = "free some space (published files are intact)"
_UNUSABLE_FOLDER = "check the folder of index.path, its permissions and its disk"

Sign: TypeAlias = Callable[[str, str], bytes]
"""File name and SHA-256 to the provenance that says who published such a file."""


def _now() -> datetime:
    return datetime.now(UTC)


class StaticIndex:
    """Files under ``path``; several processes may use one folder on a local disk at once."""

    def __init__(
        self, path: Path | str, now: Callable[[], datetime] = _now, sign: Sign | None = None
    ) -> None:
        """``sign``: makes the provenance of what is uploaded; None uploads without one."""
        self._simple = Path(path) / "simple"
        self._name = str(path)
        self._now = now
        self._sign = sign

    def files(self, distribution: str) -> Sequence[IndexFile]:
        """As the protocol says, of those that are there: somebody may have removed one.

        A name that is not normalised has no files.
        """
        page = self.page(distribution)
        if page is None:
            return ()
        with self._report_os_errors(f"listing {distribution}"):
            present = {path.name for path in self._folder(distribution).iterdir()}
        return tuple(_index_file(file) for file in page.files if file.filename in present)

    def fetch(self, file: IndexFile) -> bytes:
        path = self.file_path(file.filename)
        with self._report_os_errors(f"reading {file.filename}"):
            try:
                return path.read_bytes()
            except FileNotFoundError as error:
                raise IndexRefused(self._name, f"{file.filename} does not exist", 404) from error

    def provenance(self, file: IndexFile) -> bytes | None:
        return self.read_provenance(file.filename)

    def read_provenance(self, filename: str) -> bytes | None:
        """That of a file of this name."""
        path = _provenance_path(self.file_path(filename))
        with self._report_os_errors(f"reading {path.name}"):
            try:
                with path.open("rb") as stream:
                    data = stream.read(MAX_PROVENANCE_BYTES + 1)
            except FileNotFoundError:
                return None
        if len(data) > MAX_PROVENANCE_BYTES:
            raise IndexRefused(
                self._name, f"{path.name} is larger than {MAX_PROVENANCE_BYTES} bytes"
            )
        return data

    def upload(self, wheel: Wheel) -> None:
        """Accepts the same bytes again; refuses other bytes under a file name that exists."""
        try:
            metadata = check_wheel(wheel)
        except MalformedWheel as error:
            raise IndexRefused(self._name, str(error), 400) from error
        with self._lock_project(wheel.distribution) as folder:
            page = self._read_or_rebuild_page(folder, wheel.distribution)
            known = page.file(wheel.filename)
            if known is not None and known.sha256 != wheel.sha256:
                raise IndexRefused(
                    self._name, f"{wheel.filename} already exists with other bytes", 409
                )
            path = folder / wheel.filename
            files = {} if path.is_file() else self._files(path, wheel, metadata)
            is_new = _provenance_path(path) in files
            provenance = _provenance_path(path).name if is_new else _provenance_name(path)
            entry = known or self._describe(path, wheel.data, metadata)
            self._write(folder, page.with_file(replace(entry, provenance=provenance)), files)

    def yank(self, file: IndexFile, reason: str | None) -> bool:
        try:
            distribution = parse_filename(file.filename).distribution
        except MalformedWheel as error:
            raise IndexRefused(self._name, str(error), 400) from error
        if not self._folder(distribution).is_dir():
            raise IndexRefused(self._name, f"{file.filename} does not exist", 404)
        with self._lock_project(distribution) as folder:
            page = self._read_or_rebuild_page(folder, distribution)
            known = page.file(file.filename)
            if known is None:
                raise IndexRefused(self._name, f"{file.filename} does not exist", 404)
            self._write(folder, page.with_file(replace(known, yanked=reason)))
        return True

    def page(self, distribution: str) -> ProjectPage | None:
        """The recorded page of a project; None if there is no such project."""
        if not is_normalised(distribution):
            return None
        with self._report_os_errors(f"reading the page of {distribution}"):
            return self._read_page(distribution)

    def has(self, distribution: str) -> bool:
        """Whether there is a page of a project, without reading it."""
        return is_normalised(distribution) and (self._folder(distribution) / _JSON_PAGE).is_file()

    def projects(self) -> tuple[str, ...]:
        """Every project with at least one recorded file, in order of names."""
        with self._report_os_errors("listing the projects"):
            try:
                with os.scandir(self._simple) as entries:
                    found = [entry.name for entry in entries if entry.is_dir()]
            except FileNotFoundError:
                return ()
            return tuple(sorted(project for project in found if self._may_have(project)))

    def _may_have(self, project: str) -> bool:
        """As ``has``; what cannot be looked at is listed, and its own page then says why."""
        try:
            return self.has(project)
        except PermissionError:
            return True

    def file_path(self, filename: str) -> Path:
        """The path of a file of that name, which need not exist.

        Raises:
            IndexRefused: it is not the name of a wheel or source distribution.
        """
        try:
            return self._folder(parse_filename(filename).distribution) / filename
        except MalformedWheel as error:
            raise IndexRefused(self._name, str(error), 400) from error

    def _folder(self, distribution: str) -> Path:
        return self._simple / distribution

    @contextmanager
    def _lock_project(self, distribution: str) -> Iterator[Path]:
        """Holds the project's folder locked, created if missing, without half-written files."""
        with self._report_os_errors(f"changing {distribution}"):
            folder = self._folder(distribution)
            if not folder.is_dir():
                self._make_folder(folder)
            with lock(folder, _LOCK_TIMEOUT_SECONDS):
                remove_partial_files(folder)
                yield folder

    def _make_folder(self, folder: Path) -> None:
        if not self._simple.is_dir():
            self._simple.mkdir(parents=True, exist_ok=True)
            sync_folder(self._simple.parent)
        folder.mkdir(exist_ok=True)
        sync_folder(self._simple)

    @contextmanager
    def _report_os_errors(self, action: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else str(error)
            is_full = error.errno in {errno.ENOSPC, errno.EDQUOT}
            hint = _NO_SPACE if is_full else _UNUSABLE_FOLDER
            raise IndexUnavailable(self._name, f"{action}: {reason}", hint=hint) from error

    def _read_page(self, distribution: str) -> ProjectPage | None:
        path = self._folder(distribution) / _JSON_PAGE
        try:
            return parse_json_page(path.read_bytes(), distribution)
        except FileNotFoundError:
            return None
        except MalformedPage as error:
            raise IndexRefused(
                self._name,
                f"{path} was damaged by another program: {error}; restore it, or delete it: the "
                "next upload then lists the wheels again, without their yanks",
            ) from error

    def _read_or_rebuild_page(self, folder: Path, distribution: str) -> ProjectPage:
        """The recorded page, with the wheels that a crash left unrecorded."""
        page = self._read_page(distribution) or ProjectPage(distribution)
        listed = {file.filename for file in page.files}
        for path in sorted(folder.glob("*.whl")):
            if path.name not in listed:
                page = self._list_unrecorded(page, path)
        return page

    def _list_unrecorded(self, page: ProjectPage, path: Path) -> ProjectPage:
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
            return page.with_file(self._describe(path, data, None))
        write_atomically({_metadata_path(path): metadata.data})
        return page.with_file(self._describe(path, data, metadata))

    def _describe(self, path: Path, data: bytes, metadata: CoreMetadata | None) -> ListedFile:
        """The entry of a wheel that is in the folder, as its provenance is if there is one."""
        return ListedFile(
            filename=path.name,
            url=path.name,
            sha256=hashlib.sha256(data).hexdigest(),
            size=len(data),
            upload_time=self._now().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            requires_python=metadata.requires_python if metadata else None,
            metadata_sha256=metadata.sha256 if metadata else None,
            provenance=_provenance_name(path),
        )

    def _files(self, path: Path, wheel: Wheel, metadata: CoreMetadata) -> dict[Path, bytes]:
        """A wheel that is not in the folder, with what belongs to it."""
        files = {_metadata_path(path): metadata.data}
        if self._sign is None:
            # What a crash left of another wheel of this name does not stay.
            _provenance_path(path).unlink(missing_ok=True)
        else:
            files[_provenance_path(path)] = self._sign(wheel.filename, wheel.sha256)
        return {**files, path: wheel.data}

    def _write(
        self, folder: Path, page: ProjectPage, files: Mapping[Path, bytes] = MappingProxyType({})
    ) -> None:
        """Writes only the pages that differ: an upload that changes nothing writes nothing."""
        html, json = folder / _HTML_PAGE, folder / _JSON_PAGE
        _write_and_sync(folder, {**files, **_different(html, page_to_html(page))})
        _write_and_sync(folder, _different(json, page_to_json(page)))


def _different(path: Path, data: bytes) -> Mapping[Path, bytes]:
    """What is to be written so that a file has this content."""
    return {} if path.is_file() and path.read_bytes() == data else {path: data}


def _write_and_sync(folder: Path, files: Mapping[Path, bytes]) -> None:
    if files:
        write_atomically(files)
        sync_folder(folder)


def _metadata_path(wheel: Path) -> Path:
    return wheel.with_name(wheel.name + ".metadata")


def _provenance_path(wheel: Path) -> Path:
    return wheel.with_name(wheel.name + PROVENANCE_SUFFIX)


def _provenance_name(wheel: Path) -> str | None:
    """Of the file beside a wheel, if there is one."""
    path = _provenance_path(wheel)
    return path.name if path.is_file() else None


def _index_file(file: ListedFile) -> IndexFile:
    return IndexFile(file.filename, file.version, file.url, file.sha256, file.yanked)
