"""A package index in a folder: any web server over it serves pip and uv.

``simple/{project}/`` holds the project's wheels, each with its ``.metadata`` and, if signed, its
``.provenance``, and the page as ``index.html`` and ``index.json``. The JSON page is the record: a
file is published once this page lists it. Metadata, provenance and wheel are written first, then
the HTML page and, once these are durable, the JSON page. So a listed file always exists and is
complete. After a crash in between, the next upload to the project repairs the pages. A wheel
without a record is listed with its present bytes and never overwritten. ``damages`` finds damage by
another program or a disk, and ``mend`` repairs it.

``.locks/`` has a file for each project; a process locks it to change the project.

There is no root page: each upload would rewrite it, and installers do not read it. The daemon's
server renders it on request.
"""

from __future__ import annotations

import errno
import logging
import os
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from stat import S_ISREG
from types import MappingProxyType

from codegen.package import Wheel
from publisher.index.atomic_files import (
    NO_LOCKS,
    lock,
    remove_partial_files,
    sync_folder,
    write_atomically,
)
from publisher.index.page_parsing import MalformedPage
from publisher.index.project_folder import (
    HTML_PAGE,
    JSON_PAGE,
    PROVENANCE_SUFFIX,
    ProjectFolder,
    has_content,
    read_own_metadata,
)
from publisher.index.protocol import (
    MAX_PROVENANCE_BYTES,
    Damage,
    IndexFile,
    IndexRefused,
    IndexUnavailable,
    Sign,
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
)

log = logging.getLogger(__name__)

_LOCK_TIMEOUT_SECONDS = 30.0
_NO_SPACE = "free some space (published files are intact)"
_UNUSABLE_FOLDER = "check the folder of index.path, its permissions and its disk"
_NO_LOCKS = (
    "its file system locks no files: mount it with locks (NFS without nolock), or use a local disk"
)
_CANNOT_SYNC = "the file system of index.path cannot sync folders"


def _now() -> datetime:
    return datetime.now(UTC)


class StaticIndex:
    """A package index in the folder ``path``, which several processes may use at once."""

    def __init__(
        self, path: Path | str, now: Callable[[], datetime] = _now, sign: Sign | None = None
    ) -> None:
        """Signs each upload with ``sign``, which makes its provenance; None uploads without provenance."""
        self._simple = Path(path) / "simple"
        self._name = str(path)
        self._now = now
        self._sign = sign
        self._syncs_folders = True

    def files(self, distribution: str) -> Sequence[IndexFile]:
        """The listed files that exist; somebody may have removed a listed file.

        A name that is not normalised has no files.
        """
        page = self.page(distribution)
        if page is None:
            return ()
        with self._report_os_errors(f"listing {distribution}"):
            present = {path.name for path in self._folder(distribution).path.iterdir()}
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
        wheel = self.file_path(filename)
        path = wheel.with_name(wheel.name + PROVENANCE_SUFFIX)
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
        """Uploads a wheel. Accepts the same bytes again; refuses other bytes under a file name that exists."""
        try:
            metadata = check_wheel(wheel)
        except MalformedWheel as error:
            raise IndexRefused(self._name, str(error), 400) from error
        with self._lock_project(wheel.distribution) as folder:
            page = self._read_or_rebuild_page(folder)
            known = page.file(wheel.filename)
            if known is not None and known.sha256 != wheel.sha256:
                raise IndexRefused(
                    self._name, f"{wheel.filename} already exists with other bytes", 409
                )
            path = folder.path / wheel.filename
            files = {} if has_content(path, wheel.data) else self._files(folder, wheel, metadata)
            signed = folder.provenance_path(wheel.filename)
            is_new = signed in files
            provenance = signed.name if is_new else folder.provenance_name(wheel.filename)
            entry = known or folder.describe(
                wheel.filename, wheel.data, metadata, self._upload_time()
            )
            self._write(folder, page.with_file(replace(entry, provenance=provenance)), files)

    def damages(
        self,
        distribution: str,
        published: Mapping[str, str],
        may_read: Callable[[int], bool],
    ) -> Sequence[Damage]:
        if not is_normalised(distribution):
            return ()
        folder, reads = self._folder(distribution), False

        def read(size: int) -> bool:
            nonlocal reads
            reads = may_read(size)
            return reads

        with self._report_os_errors(f"reading {distribution}"):
            found = folder.damages(published, read)
        if not found or not self._lock_file(distribution).exists():
            return found
        # An unfinished upload looks damaged, so damage is confirmed while no upload runs.
        try:
            with self._lock_project(distribution):
                return folder.damages(published, lambda _: reads)
        except IndexUnavailable:
            # A process that may only read cannot lock, so it returns the unconfirmed damage.
            return found

    def mend(
        self, distribution: str, published: Mapping[str, str], wheels: Sequence[Wheel]
    ) -> None:
        given = {wheel.filename: wheel.data for wheel in wheels}
        with self._lock_project(distribution) as folder:
            found = folder.mended(published, given, self._time_of, self._sign)
            self._write(folder, found.page, found.files)

    def yank(self, file: IndexFile, reason: str | None) -> bool:
        try:
            distribution = parse_filename(file.filename).distribution
        except MalformedWheel as error:
            raise IndexRefused(self._name, str(error), 400) from error
        if not self._folder(distribution).path.is_dir():
            raise IndexRefused(self._name, f"{file.filename} does not exist", 404)
        with self._lock_project(distribution) as folder:
            page = self._read_or_rebuild_page(folder)
            known = page.file(file.filename)
            if known is None:
                raise IndexRefused(self._name, f"{file.filename} does not exist", 404)
            self._write(folder, page.with_file(replace(known, yanked=reason)))
        return True

    def page(self, distribution: str) -> ProjectPage | None:
        """The recorded page of a project, or None."""
        if not is_normalised(distribution):
            return None
        with self._report_os_errors(f"reading the page of {distribution}"):
            return self._read_page(distribution)

    def page_version(self, distribution: str) -> Hashable:
        """A value that changes with the page of a project; None without a page."""
        if not is_normalised(distribution):
            return None
        with self._report_os_errors(f"reading the page of {distribution}"):
            try:
                found = (self._folder(distribution).path / JSON_PAGE).stat()
            except FileNotFoundError:
                return None
        return found.st_ino, found.st_mtime_ns, found.st_size

    def has(self, distribution: str) -> bool:
        """Whether a project has a page, without reading it."""
        if not is_normalised(distribution):
            return False
        try:
            # A page asks this of hundreds of projects, and paths as objects take most of the time.
            found = os.stat(f"{self._simple}/{distribution}/{JSON_PAGE}")  # noqa: PTH116
        except (FileNotFoundError, NotADirectoryError):
            return False
        return S_ISREG(found.st_mode)

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
        """Like ``has``, but true if the project cannot be inspected. Its page then says why."""
        try:
            return self.has(project)
        except PermissionError:
            return True

    def file_path(self, filename: str) -> Path:
        """The path for a file name. The file need not exist.

        Raises:
            IndexRefused: the name is not valid for a wheel or source distribution.
        """
        try:
            return self._folder(parse_filename(filename).distribution).path / filename
        except MalformedWheel as error:
            raise IndexRefused(self._name, str(error), 400) from error

    def _folder(self, distribution: str) -> ProjectFolder:
        return ProjectFolder(self._simple / distribution, distribution)

    def _lock_file(self, distribution: str) -> Path:
        return self._simple.parent / ".locks" / distribution

    @contextmanager
    def _lock_project(self, distribution: str) -> Iterator[ProjectFolder]:
        """Locks a project, makes its folder if missing, and removes half-written files."""
        with self._report_os_errors(f"changing {distribution}"):
            folder, file = self._folder(distribution), self._lock_file(distribution)
            if not folder.path.is_dir():
                self._make_folder(folder.path)
            file.parent.mkdir(exist_ok=True)
            with lock(file, _LOCK_TIMEOUT_SECONDS, also=folder.path):
                remove_partial_files(folder.path)
                yield folder

    def _make_folder(self, folder: Path) -> None:
        if not self._simple.is_dir():
            self._simple.mkdir(parents=True, exist_ok=True)
            self._sync_folder(self._simple.parent)
        folder.mkdir(exist_ok=True)
        self._sync_folder(self._simple)

    def _sync_folder(self, folder: Path) -> None:
        if not sync_folder(folder) and self._syncs_folders:
            self._syncs_folders = False
            why = "after a loss of power the newest files may be gone, and are uploaded again"
            log.warning(_CANNOT_SYNC, extra={"path": self._name, "why": why})

    @contextmanager
    def _report_os_errors(self, action: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else str(error)
            is_full = error.errno in {errno.ENOSPC, errno.EDQUOT}
            other = _NO_LOCKS if error.errno in NO_LOCKS else _UNUSABLE_FOLDER
            hint = _NO_SPACE if is_full else other
            raise IndexUnavailable(self._name, f"{action}: {reason}", hint=hint) from error

    def _read_page(self, distribution: str) -> ProjectPage | None:
        folder = self._folder(distribution)
        try:
            return folder.read_page()
        except MalformedPage as error:
            raise IndexRefused(
                self._name,
                f"{folder.path / JSON_PAGE} was damaged by another program: {error}; the next "
                "snapshot writes it again, and so does schema-publisher verify --repair",
            ) from error

    def _read_or_rebuild_page(self, folder: ProjectFolder) -> ProjectPage:
        """The recorded page, plus the wheels that a crash left unrecorded."""
        page = self._read_page(folder.name) or ProjectPage(folder.name)
        listed = {file.filename for file in page.files}
        for filename, path in folder.wheels().items():
            if filename not in listed:
                page = page.with_file(self._record(folder, path))
        return page

    def _record(self, folder: ProjectFolder, path: Path) -> ListedFile:
        data = path.read_bytes()
        metadata = read_own_metadata(path.name, data)
        if metadata is not None:
            write_atomically({folder.metadata_path(path.name): metadata.data})
        return folder.describe(path.name, data, metadata, self._upload_time())

    def _upload_time(self) -> str:
        return _written_time(self._now())

    def _time_of(self, wheel: Path) -> str:
        """The time when the wheel was written; now if it does not exist."""
        if not wheel.is_file():
            return self._upload_time()
        return _written_time(datetime.fromtimestamp(wheel.stat().st_mtime, UTC))

    def _files(
        self, folder: ProjectFolder, wheel: Wheel, metadata: CoreMetadata
    ) -> dict[Path, bytes]:
        """The files to write for a new wheel."""
        files = {folder.metadata_path(wheel.filename): metadata.data}
        signed = folder.provenance_path(wheel.filename)
        if self._sign is None:
            # A crash may have left a provenance of other bytes under this name.
            signed.unlink(missing_ok=True)
        else:
            files[signed] = self._sign(wheel.filename, wheel.sha256)
        return {**files, folder.path / wheel.filename: wheel.data}

    def _write(
        self,
        folder: ProjectFolder,
        page: ProjectPage,
        files: Mapping[Path, bytes] = MappingProxyType({}),
    ) -> None:
        """Writes the pages that differ, so that an upload without changes writes nothing."""
        html, json = folder.path / HTML_PAGE, folder.path / JSON_PAGE
        self._write_and_sync(folder, {**files, **_different(html, page_to_html(page))})
        self._write_and_sync(folder, _different(json, page_to_json(page)))

    def _write_and_sync(self, folder: ProjectFolder, files: Mapping[Path, bytes]) -> None:
        if files:
            write_atomically(files)
            self._sync_folder(folder.path)


def _written_time(time: datetime) -> str:
    """A time in PEP 700's form."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _different(path: Path, data: bytes) -> Mapping[Path, bytes]:
    """The file to write, if its content differs."""
    return {} if has_content(path, data) else {path: data}


def _index_file(file: ListedFile) -> IndexFile:
    return IndexFile(file.filename, file.version, file.url, file.sha256, file.yanked)
