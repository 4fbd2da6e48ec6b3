"""Finds and repairs damaged files in one project's folder of a static index.

A wheel is damaged if its bytes have neither the published hash, which the caller knows, nor the
hash on the page. Bytes that only match the page's hash belong to another publisher, and stay.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from publisher.index.page_parsing import MalformedPage, parse_html_page, parse_json_page
from publisher.index.protocol import Damage, Sign
from publisher.index.releases import by_version
from publisher.index.simple_page import ListedFile, ProjectPage, page_to_html, page_to_json
from publisher.index.wheel_files import CoreMetadata, MalformedWheel, parse_filename, read_metadata

HTML_PAGE = "index.html"
JSON_PAGE = "index.json"
PROVENANCE_SUFFIX = ".provenance"


@dataclass(frozen=True, slots=True)
class Contents:
    """The contents that a folder should have: ``files`` are written before ``page``."""

    page: ProjectPage
    files: Mapping[Path, bytes]


@dataclass(frozen=True, slots=True)
class ProjectFolder:
    """A project's folder. ``path`` need not exist; ``name`` is the project's normalised name."""

    path: Path
    name: str

    def read_page(self) -> ProjectPage | None:
        """The recorded page; None without one.

        Raises:
            MalformedPage: the page is damaged.
        """
        try:
            data = (self.path / JSON_PAGE).read_bytes()
        except FileNotFoundError:
            return None
        return parse_json_page(data, self.name)

    def wheels(self) -> Mapping[str, Path]:
        """The paths of the project's wheels in the folder, listed or not, by file name."""
        return {path.name: path for path in sorted(self.path.glob("*.whl")) if self._is_own(path)}

    def _is_own(self, path: Path) -> bool:
        try:
            return parse_filename(path.name).distribution == self.name and path.is_file()
        except MalformedWheel:
            return False

    def describe(
        self, filename: str, data: bytes, metadata: CoreMetadata | None, upload_time: str | None
    ) -> ListedFile:
        """The page's entry of a wheel with these bytes.

        It names the wheel's provenance file, if there is one.
        """
        return ListedFile(
            filename=filename,
            url=filename,
            sha256=sha256_of(data),
            size=len(data),
            upload_time=upload_time,
            requires_python=metadata.requires_python if metadata else None,
            metadata_sha256=metadata.sha256 if metadata else None,
            provenance=self.provenance_name(filename),
        )

    def metadata_path(self, filename: str) -> Path:
        return self.path / f"{filename}.metadata"

    def provenance_path(self, filename: str) -> Path:
        return self.path / f"{filename}{PROVENANCE_SUFFIX}"

    def provenance_name(self, filename: str) -> str | None:
        """The name of a wheel's provenance file, if it exists."""
        path = self.provenance_path(filename)
        return path.name if path.is_file() else None

    def damages(
        self, published: Mapping[str, str], may_read: Callable[[int], bool]
    ) -> Sequence[Damage]:
        """Implements ``PackageIndex.damages``; an unfinished upload also looks damaged."""
        present = self.wheels()
        page, of_pages = self._recorded(present)
        listed = {file.filename: file for file in page.files}
        sizes = {name: self._size(name) for name in {*listed, *published, *present}}
        # If the two pages disagree, the wheels must be read: their hashes show which page is right.
        reads = may_read(sum(size or 0 for size in sizes.values())) or bool(of_pages)
        found = {damage.filename: damage for damage in of_pages}
        for filename, size in sorted(sizes.items()):
            entry = listed.get(filename)
            if size is None:
                why = "it was published" if entry is None else "the page lists it"
                found[filename] = Damage(filename, f"is missing: {why}", is_missing=True)
                continue
            wanted = _wanted(filename, published, entry)
            is_like = entry is not None and (entry.size, entry.sha256) == (size, wanted)
            for damage in (
                *self._beside(filename, entry, reads),
                *(self._of_bytes(filename, entry, wanted) if reads or not is_like else ()),
            ):
                found.setdefault(damage.filename, damage)
        return [*found.values()]

    def _beside(self, filename: str, entry: ListedFile | None, reads: bool) -> Iterator[Damage]:
        if entry is None:
            yield Damage(JSON_PAGE, f"is damaged: it does not list {filename}")
            return
        path = self.metadata_path(filename)
        if entry.metadata_sha256 is not None:
            if not path.is_file():
                yield Damage(path.name, "is missing: the page names it")
            elif reads and sha256_of(path.read_bytes()) != entry.metadata_sha256:
                yield _has_other_bytes(path.name, entry.metadata_sha256)
        if entry.provenance is not None and self.provenance_name(filename) is None:
            yield Damage(self.provenance_path(filename).name, "is missing: the page names it")

    def _of_bytes(
        self, filename: str, entry: ListedFile | None, wanted: str | None
    ) -> Iterator[Damage]:
        data = (self.path / filename).read_bytes()
        if wanted in {None, sha256_of(data)}:
            metadata = read_own_metadata(filename, data)
            if entry is not None and self._entry(filename, data, entry, metadata) != entry:
                yield Damage(JSON_PAGE, f"is damaged: its entry for {filename} is wrong")
        elif entry is None or sha256_of(data) != entry.sha256:
            yield _has_other_bytes(filename, wanted)

    def _size(self, filename: str) -> int | None:
        try:
            return (self.path / filename).stat().st_size
        except FileNotFoundError:
            return None

    def _recorded(self, present: Mapping[str, Path]) -> tuple[ProjectPage, list[Damage]]:
        """The recorded page and all damages.

        The page is the JSON page or, if this is damaged, the contents of the HTML page.
        """
        json, html = self.path / JSON_PAGE, self.path / HTML_PAGE
        try:
            page = self.read_page()
        except MalformedPage as error:
            return self._shown_page(), [Damage(JSON_PAGE, f"is damaged: {error}")]
        if page is None:
            missing = Damage(JSON_PAGE, f"is missing: {self.name} has files")
            return self._shown_page(), [missing] if present else []
        found = []
        if json.read_bytes() != page_to_json(page):
            found.append(Damage(JSON_PAGE, "is damaged: it differs from the written content"))
        if not html.is_file():
            found.append(Damage(HTML_PAGE, f"is missing: {self.name} has files"))
        elif html.read_bytes() != page_to_html(page):
            found.append(Damage(HTML_PAGE, f"is damaged: it differs from {JSON_PAGE}"))
        return page, found

    def _shown_page(self) -> ProjectPage:
        """The contents of the HTML page, which lack sizes and times; empty if it is damaged."""
        try:
            page = parse_html_page((self.path / HTML_PAGE).read_text("utf-8"), self.name)
        except (FileNotFoundError, UnicodeDecodeError, MalformedPage):
            return ProjectPage(self.name)
        return page

    def _entry(
        self, filename: str, data: bytes, known: ListedFile | None, metadata: CoreMetadata | None
    ) -> ListedFile:
        """Like ``describe``, but keeps the upload time and the yank of the ``known`` entry."""
        described = self.describe(filename, data, metadata, known.upload_time if known else None)
        return replace(described, yanked=known.yanked if known else None)

    def mended(
        self,
        published: Mapping[str, str],
        wheels: Mapping[str, bytes],
        upload_time: Callable[[Path], str],
        sign: Sign | None,
    ) -> Contents:
        """The repaired contents, as far as ``wheels`` (bytes by name) and the files in the folder allow.

        ``upload_time`` is for a wheel whose time is on no page. A damaged wheel that ``wheels``
        lacks stays and is listed with its published hash.
        """
        present = self.wheels()
        recorded, _ = self._recorded(present)
        # The HTML page may still have data that the JSON page lost, such as a yank.
        pages = (self._shown_page(), recorded)
        listed = {file.filename: file for page in pages for file in page.files}
        files: dict[Path, bytes] = {}
        entries: list[ListedFile] = []
        for filename in {*listed, *present, *wheels}:
            known, path = listed.get(filename), self.path / filename
            if filename not in wheels and not path.is_file():
                # Published wheels are uploaded again later. Other listed files are dropped, since
                # nobody can install them.
                entries += [known] if known is not None and filename in published else []
                continue
            data = wheels[filename] if filename in wheels else path.read_bytes()
            wanted = _wanted(filename, published, known)
            if wanted in {None, sha256_of(data)}:
                entry, beside = self._whole(filename, data, known, sign)
                files |= {**beside, **({path: data} if filename in wheels else {})}
            elif known is not None and known.sha256 == sha256_of(data):
                entry = known
            else:
                entry = replace(known or ListedFile(filename, filename), sha256=wanted)
            entries.append(replace(entry, upload_time=entry.upload_time or upload_time(path)))
        page = ProjectPage(self.name, tuple(sorted(entries, key=by_version)))
        changed = {path: data for path, data in files.items() if not has_content(path, data)}
        return Contents(page, changed)

    def _whole(
        self, filename: str, data: bytes, known: ListedFile | None, sign: Sign | None
    ) -> tuple[ListedFile, Mapping[Path, bytes]]:
        """The page's entry of a wheel with these bytes, and the files to write next to the wheel."""
        metadata = read_own_metadata(filename, data)
        entry = self._entry(filename, data, known, metadata)
        beside = {} if metadata is None else {self.metadata_path(filename): metadata.data}
        if sign is not None and known and known.provenance and not entry.provenance:
            signed = self.provenance_path(filename)
            beside[signed] = sign(filename, sha256_of(data))
            entry = replace(entry, provenance=signed.name)
        return entry, beside


def _has_other_bytes(filename: str, sha256: str | None) -> Damage:
    return Damage(filename, f"is damaged: its bytes do not have the hash {sha256}")


def _wanted(filename: str, published: Mapping[str, str], entry: ListedFile | None) -> str | None:
    return published.get(filename, entry.sha256 if entry else None)


def read_own_metadata(filename: str, data: bytes) -> CoreMetadata | None:
    """The METADATA of a wheel; None if the data is not a wheel of that name."""
    try:
        return read_metadata(data, parse_filename(filename))
    except MalformedWheel:
        return None


def has_content(path: Path, data: bytes) -> bool:
    return path.is_file() and path.read_bytes() == data


def sha256_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
