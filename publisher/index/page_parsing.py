"""The text of a project's page, HTML or JSON, to a ``ProjectPage``: untrusted input.

Time is linear in the size of the page. Files of other projects, and files that are neither wheels
nor source distributions, are left out: nothing on a page may lead to another name than the one
that was asked for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from html.parser import HTMLParser
from typing import Any
from urllib.parse import DefragResult, unquote, urldefrag, urljoin, urlsplit

from publisher.index.simple_page import API_VERSION, ListedFile, ProjectPage
from publisher.index.wheel_files import MalformedWheel, parse_filename

MAX_TAG_CHARACTERS = 256 * 1024
"""A longer tag, comment or script is refused; an index writes a few hundred characters.

The standard library's parser needs some 160 bytes of memory for each character of a tag.
"""
_FEED_CHARACTERS = 64 * 1024


class MalformedPage(ValueError):
    """The text is not a page of the simple API that we know; the message says why."""


def parse_json_page(data: bytes, name: str, url: str = "") -> ProjectPage:
    """Parses a PEP 691 page; relative links are resolved against ``url``.

    Raises:
        MalformedPage: it is not JSON of the simple API of major version 1.
    """
    try:
        document = json.loads(data)
        version = str(document["meta"]["api-version"])
        entries = document["files"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise MalformedPage("expected JSON of the simple API") from error
    _check_api_version(version)
    if not isinstance(entries, list):
        raise MalformedPage("expected a list of files")
    return _project_page(name, (_parse_entry(entry, url) for entry in entries))


def parse_html_page(text: str, name: str, url: str = "") -> ProjectPage:
    """Parses a PEP 503 page; otherwise as ``parse_json_page``."""
    links = _Links(url)
    # Never closed: ``close`` takes markup without an end for text, and searches for that end again
    # at each of its characters, minutes for 200 kB of ``<!--``.
    for start in range(0, len(text), _FEED_CHARACTERS):
        _feed(links, text[start : start + _FEED_CHARACTERS])
    _check_api_version(links.api_version)
    return _project_page(name, links.files)


def _feed(links: _Links, text: str) -> None:
    try:
        links.feed(text)
    except (AssertionError, ValueError) as error:
        # The standard library's parser asserts on some broken declarations, and fails to convert
        # a character reference of thousands of digits.
        raise MalformedPage("its markup is broken") from error
    if len(links.rawdata) > MAX_TAG_CHARACTERS:
        raise MalformedPage(f"its markup has a part longer than {MAX_TAG_CHARACTERS} characters")


def _project_page(name: str, files: Iterable[ListedFile | None]) -> ProjectPage:
    return ProjectPage(name, tuple(f for f in files if f is not None and _belongs_to(f, name)))


def _belongs_to(file: ListedFile, name: str) -> bool:
    try:
        return parse_filename(file.filename).distribution == name
    except MalformedWheel:
        return False


def _check_api_version(version: str) -> None:
    if version.split(".", 1)[0] != "1":
        raise MalformedPage(f"expected version 1 of the simple API, got {version[:20]!r}")


def _parse_entry(entry: object, base_url: str) -> ListedFile | None:
    if not isinstance(entry, dict):
        return None
    filename, link, size = entry.get("filename"), entry.get("url"), entry.get("size")
    if not isinstance(filename, str) or not isinstance(link, str):
        return None
    address = _resolve(base_url, link)
    if address is None:
        return None
    return ListedFile(
        filename=filename,
        url=address.url,
        sha256=_sha256_of_hashes(entry.get("hashes")),
        size=size if isinstance(size, int) else None,
        upload_time=_text(entry.get("upload-time")),
        requires_python=_text(entry.get("requires-python")),
        metadata_sha256=_sha256_of_hashes(_metadata_hashes(entry)),
        yanked=_yank_reason(entry.get("yanked", False)),
    )


def _metadata_hashes(entry: Mapping[Any, object]) -> object:
    """Of PEP 714's key or, from older servers, PEP 658's."""
    return entry.get("core-metadata", entry.get("dist-info-metadata"))


def _yank_reason(value: object) -> str | None:
    if isinstance(value, str):
        return value
    return "" if value else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _sha256_of_hashes(hashes: object) -> str | None:
    value = hashes.get("sha256") if isinstance(hashes, dict) else None
    return value.lower() if isinstance(value, str) and _is_sha256(value) else None


def _sha256_of_fragment(text: str) -> str | None:
    """The hash of ``sha256=…``, which may stand among other pairs of a fragment."""
    for part in text.split("&"):
        name, _, value = part.partition("=")
        if name == "sha256" and _is_sha256(value):
            return value.lower()
    return None


def _is_sha256(text: str) -> bool:
    return len(text) == 64 and all(c in "0123456789abcdefABCDEF" for c in text)


class _Links(HTMLParser):
    """Collects the links of a page; a file's name is the last part of its link's path."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self._base = url
        self.api_version = API_VERSION
        self.files: list[ListedFile] = []

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag == "base" and attributes.get("href"):
            base = _resolve(self._base, attributes["href"] or "")
            self._base = base.url if base else self._base
        elif tag == "meta" and attributes.get("name") == "pypi:repository-version":
            self.api_version = attributes.get("content") or ""
        elif tag == "a" and attributes.get("href"):
            self._add_link(attributes["href"] or "", attributes)

    def _add_link(self, href: str, attributes: Mapping[str, str | None]) -> None:
        address = _resolve(self._base, href)
        if address is None:
            return
        metadata = attributes.get("data-core-metadata", attributes.get("data-dist-info-metadata"))
        yanked = (attributes["data-yanked"] or "") if "data-yanked" in attributes else None
        self.files.append(
            ListedFile(
                filename=unquote(urlsplit(address.url).path.rsplit("/", 1)[-1]),
                url=address.url,
                sha256=_sha256_of_fragment(address.fragment),
                requires_python=attributes.get("data-requires-python"),
                metadata_sha256=_sha256_of_fragment(metadata or ""),
                yanked=yanked,
            )
        )


def _resolve(base: str, link: str) -> DefragResult | None:
    """The absolute address of a link; None if the link is malformed."""
    try:
        return urldefrag(urljoin(base, link.strip()))
    except ValueError:
        return None
