"""A project's page of the simple API as a value, written and read as HTML and as JSON.

PEP 503 and 691 give the two forms, 629 and 700 their version, versions, sizes and times, 592 yanks,
658 and 714 the ``.metadata`` file beside each wheel.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html.parser import HTMLParser
from typing import Any
from urllib.parse import DefragResult, unquote, urldefrag, urljoin, urlsplit

from packaging.version import Version

from publisher.index.wheel_files import MalformedWheel, parse_filename

API_VERSION = "1.1"
HTML_TYPE = "application/vnd.pypi.simple.v1+html"
JSON_TYPE = "application/vnd.pypi.simple.v1+json"
MAX_TAG_CHARACTERS = 256 * 1024
"""A longer tag, comment or script is refused; an index writes a few hundred characters.

The standard library's parser needs some 160 bytes of memory for each character of a tag.
"""
_FEED_CHARACTERS = 64 * 1024


@dataclass(frozen=True, slots=True)
class ListedFile:
    """One file of a page.

    Attributes:
        url: absolute, or relative to the page.
        upload_time: as PEP 700 writes it, in UTC.
        metadata_sha256: of the ``.metadata`` file beside it; None if there is none.
        yanked: the reason, possibly empty; None if the file is not yanked.
    """

    filename: str
    url: str
    sha256: str | None = None
    size: int | None = None
    upload_time: str | None = None
    requires_python: str | None = None
    metadata_sha256: str | None = None
    yanked: str | None = None

    @property
    def version(self) -> str:
        return parse_filename(self.filename).version


@dataclass(frozen=True, slots=True)
class ProjectPage:
    """``name`` is the normalised name; every file's name is one of that project's."""

    name: str
    files: tuple[ListedFile, ...] = ()

    def file(self, filename: str) -> ListedFile | None:
        return next((file for file in self.files if file.filename == filename), None)

    def with_file(self, added: ListedFile) -> ProjectPage:
        """The page with a file added, or put in the place of the one of its name."""
        others = [file for file in self.files if file.filename != added.filename]
        ordered = sorted([*others, added], key=lambda f: (_parsed_version(f.version), f.filename))
        return ProjectPage(self.name, tuple(ordered))


@lru_cache(maxsize=65_536)
def _parsed_version(version: str) -> Version:
    return Version(version)


class MalformedPage(ValueError):
    """The text is no page of the simple API that we know; says why."""


def page_to_json(page: ProjectPage) -> bytes:
    """``core-metadata`` stands without its older name, which some installers misread in JSON."""
    versions = {file.version: None for file in page.files}
    document = {
        "meta": {"api-version": API_VERSION},
        "name": page.name,
        "versions": list(versions),
        "files": [_file_to_json(file) for file in page.files],
    }
    return json.dumps(document, separators=(",", ":")).encode()


def page_to_html(page: ProjectPage) -> bytes:
    title = html.escape(f"Links for {page.name}")
    links = "".join(f"    {_anchor(file)}<br>\n" for file in page.files)
    return _document(title, links)


def root_to_json(projects: Iterable[str]) -> bytes:
    document = {
        "meta": {"api-version": API_VERSION},
        "projects": [{"name": name} for name in projects],
    }
    return json.dumps(document, separators=(",", ":")).encode()


def root_to_html(projects: Iterable[str]) -> bytes:
    links = "".join(
        f'    <a href="{html.escape(name)}/">{html.escape(name)}</a><br>\n' for name in projects
    )
    return _document("Simple index", links)


def page_from_json(data: bytes, name: str, url: str = "") -> ProjectPage:
    """Reads a page, whose relative links are resolved against ``url``.

    Files of other projects, and files that are neither wheels nor source distributions, are left
    out: nothing on the page may lead us to another name than the one asked for.

    Raises:
        MalformedPage: it is no JSON of the simple API of major version 1.
    """
    try:
        document = json.loads(data)
        version = str(document["meta"]["api-version"])
        entries = document["files"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise MalformedPage("it is not JSON of the simple API") from error
    _check_api_version(version)
    if not isinstance(entries, list):
        raise MalformedPage("its files are no list")
    files = [_file_from_json(entry, url) for entry in entries]
    return _page(name, files)


def page_from_html(text: str, name: str, url: str = "") -> ProjectPage:
    """Reads a PEP 503 page; as ``page_from_json`` otherwise."""
    links = _Links(url)
    # Never closed: ``close`` takes markup without an end for text, and searches for that end again
    # at each of its characters, minutes for 200 kB of ``<!--``.
    for start in range(0, len(text), _FEED_CHARACTERS):
        _feed(links, text[start : start + _FEED_CHARACTERS])
    _check_api_version(links.api_version)
    return _page(name, links.files)


def _feed(links: _Links, text: str) -> None:
    try:
        links.feed(text)
    except (AssertionError, ValueError) as error:
        # The standard library's parser asserts on some broken declarations, and fails to convert
        # a character reference of thousands of digits.
        raise MalformedPage("its markup is broken") from error
    if len(links.rawdata) > MAX_TAG_CHARACTERS:
        raise MalformedPage(f"its markup has a part longer than {MAX_TAG_CHARACTERS} characters")


def _page(name: str, files: Iterable[ListedFile | None]) -> ProjectPage:
    return ProjectPage(name, tuple(f for f in files if f is not None and _belongs(f, name)))


def _belongs(file: ListedFile, name: str) -> bool:
    try:
        return parse_filename(file.filename).distribution == name
    except MalformedWheel:
        return False


def _check_api_version(version: str) -> None:
    if version.split(".", 1)[0] != "1":
        raise MalformedPage(f"it is of version {version[:20]!r} of the simple API, only 1 is known")


def _file_to_json(file: ListedFile) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "filename": file.filename,
        "url": file.url,
        "hashes": {"sha256": file.sha256} if file.sha256 else {},
    }
    if file.requires_python:
        entry["requires-python"] = file.requires_python
    if file.size is not None:
        entry["size"] = file.size
    if file.upload_time:
        entry["upload-time"] = file.upload_time
    entry["core-metadata"] = {"sha256": file.metadata_sha256} if file.metadata_sha256 else False
    # PEP 691: true stands for a yank without a reason.
    entry["yanked"] = False if file.yanked is None else (file.yanked or True)
    return entry


def _file_from_json(entry: object, base_url: str) -> ListedFile | None:
    if not isinstance(entry, dict):
        return None
    filename, url, hashes = entry.get("filename"), entry.get("url"), entry.get("hashes")
    if not isinstance(filename, str) or not isinstance(url, str):
        return None
    address = _address(base_url, url)
    if address is None:
        return None
    size = entry.get("size")
    return ListedFile(
        filename=filename,
        url=address.url,
        sha256=_sha256(hashes),
        size=size if isinstance(size, int) else None,
        upload_time=_text(entry.get("upload-time")),
        requires_python=_text(entry.get("requires-python")),
        metadata_sha256=_sha256(entry.get("core-metadata", entry.get("dist-info-metadata"))),
        yanked=_yanked(entry.get("yanked", False)),
    )


def _yanked(value: object) -> str | None:
    if isinstance(value, str):
        return value
    return "" if value else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _sha256(hashes: object) -> str | None:
    value = hashes.get("sha256") if isinstance(hashes, dict) else None
    return value.lower() if isinstance(value, str) and _is_sha256(value) else None


def _is_sha256(text: str) -> bool:
    return len(text) == 64 and all(c in "0123456789abcdefABCDEF" for c in text)


def _anchor(file: ListedFile) -> str:
    fragment = f"#sha256={file.sha256}" if file.sha256 else ""
    attributes = [("href", file.url + fragment)]
    if file.requires_python:
        attributes.append(("data-requires-python", file.requires_python))
    if file.metadata_sha256:
        digest = f"sha256={file.metadata_sha256}"
        attributes += [("data-core-metadata", digest), ("data-dist-info-metadata", digest)]
    if file.yanked is not None:
        attributes.append(("data-yanked", file.yanked))
    written = " ".join(f'{name}="{html.escape(value)}"' for name, value in attributes)
    return f"<a {written}>{html.escape(file.filename)}</a>"


def _document(title: str, body: str) -> bytes:
    return (
        "<!DOCTYPE html>\n"
        '<html lang="en">\n'
        "  <head>\n"
        '    <meta charset="utf-8">\n'
        f'    <meta name="pypi:repository-version" content="{API_VERSION}">\n'
        f"    <title>{title}</title>\n"
        "  </head>\n"
        "  <body>\n"
        f"    <h1>{title}</h1>\n"
        f"{body}"
        "  </body>\n"
        "</html>\n"
    ).encode("utf-8", "surrogatepass")


class _Links(HTMLParser):
    """Collects the anchors of a page; the file's name is the last part of the link's path."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self._base = url
        self.api_version = API_VERSION
        self.files: list[ListedFile] = []

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag == "base" and attributes.get("href"):
            base = _address(self._base, attributes["href"] or "")
            self._base = base.url if base else self._base
        elif tag == "meta" and attributes.get("name") == "pypi:repository-version":
            self.api_version = attributes.get("content") or ""
        elif tag == "a" and attributes.get("href"):
            self._add(attributes["href"] or "", attributes)

    def _add(self, href: str, attributes: dict[str, str | None]) -> None:
        address = _address(self._base, href)
        if address is None:
            return
        metadata = attributes.get("data-core-metadata", attributes.get("data-dist-info-metadata"))
        yanked = (attributes["data-yanked"] or "") if "data-yanked" in attributes else None
        self.files.append(
            ListedFile(
                filename=unquote(urlsplit(address.url).path.rsplit("/", 1)[-1]),
                url=address.url,
                sha256=_digest(address.fragment),
                requires_python=attributes.get("data-requires-python"),
                metadata_sha256=_digest(metadata or ""),
                yanked=yanked,
            )
        )


def _address(base: str, link: str) -> DefragResult | None:
    """Where a link of a page leads; None if it leads nowhere."""
    try:
        return urldefrag(urljoin(base, link.strip()))
    except ValueError:
        return None


def _digest(text: str) -> str | None:
    """The hash of ``sha256=…``, which may stand among other pairs of a fragment."""
    for part in text.split("&"):
        name, _, value = part.partition("=")
        if name == "sha256" and _is_sha256(value):
            return value.lower()
    return None
