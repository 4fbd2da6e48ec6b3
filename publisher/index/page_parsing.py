"""Parses a project's page, HTML or JSON, to a ``ProjectPage``: untrusted input.

Time is linear in the size of the page. Files of other projects are left out, so that a page cannot
lead to another name than the requested name. Files other than wheels and source distributions are
left out, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import DefragResult, unquote, urldefrag, urljoin, urlsplit

from packaging.utils import canonicalize_name
from pydantic_core import from_json

from publisher.index.html_tags import MalformedMarkup, Tag, opening_tags
from publisher.index.simple_page import API_VERSION, ListedFile, ProjectPage
from publisher.index.wheel_files import MalformedWheel, is_normalised, parse_filename

MAX_ADDRESS_CHARACTERS = 8_192
"""The maximum length of the page's address and a link on it together."""
MAX_FILES = 100_000
"""The maximum number of files of a project; each file costs about 20 µs."""


class MalformedPage(ValueError):
    """The text is not a supported page of the simple API; the message says why."""


def parse_json_page(data: bytes, name: str, url: str = "") -> ProjectPage:
    """Parses a PEP 691 page; relative links are resolved against ``url``.

    Raises:
        MalformedPage: the text is not JSON of the simple API, major version 1.
    """
    entries = _parse_json(data, "files")
    return _project_page(name, (_parse_entry(entry, url) for entry in entries))


def parse_json_root(data: bytes) -> tuple[str, ...]:
    """The normalised names of the projects of a PEP 691 root page."""
    entries = _parse_json(data, "projects")
    names = (entry.get("name") for entry in entries if isinstance(entry, dict))
    return _normalised(name for name in names if isinstance(name, str))


def parse_html_root(text: str, url: str = "") -> tuple[str, ...]:
    """The normalised names on a PEP 503 root page; a name is the last part of its link's path."""
    links = _read_links(text, url)
    paths = (urlsplit(link.url).path for link in links.addresses)
    return _normalised(unquote(path.rstrip("/").rsplit("/", 1)[-1]) for path in paths)


def _normalised(names: Iterable[str]) -> tuple[str, ...]:
    normalised = (canonicalize_name(name) for name in names)
    return tuple(dict.fromkeys(name for name in normalised if is_normalised(name)))


def _parse_json(data: bytes, key: str) -> list[Any]:
    try:
        # ``from_json`` is used, because ``json.loads`` recurses in Python at each level of nesting.
        document = from_json(data)
        version = str(document["meta"]["api-version"])
        entries = document[key]
    except (ValueError, KeyError, TypeError) as error:
        raise MalformedPage("expected JSON of the simple API") from error
    _check_api_version(version)
    if not isinstance(entries, list):
        raise MalformedPage(f"expected a list of {key}")
    return entries


def parse_html_page(text: str, name: str, url: str = "") -> ProjectPage:
    """Parses a PEP 503 page; otherwise like ``parse_json_page``."""
    return _project_page(name, _read_links(text, url).files)


def _read_links(text: str, url: str) -> _Links:
    links = _Links(url)
    try:
        for tag in opening_tags(text):
            links.read(tag)
    except MalformedMarkup as error:
        raise MalformedPage(str(error)) from error
    _check_api_version(links.api_version)
    return links


def _project_page(name: str, files: Iterable[ListedFile | None]) -> ProjectPage:
    listed: list[ListedFile] = []
    for file in files:
        if file is not None and _belongs_to(file, name):
            listed.append(file)
        if len(listed) > MAX_FILES:
            raise MalformedPage(f"it lists more than {MAX_FILES} files")
    return ProjectPage(name, tuple(listed))


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
        provenance=_text(entry.get("provenance")),
    )


def _metadata_hashes(entry: Mapping[Any, object]) -> object:
    """The hashes under the key of PEP 714 or, from older servers, of PEP 658."""
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
    """The hash in ``sha256=…``, possibly among other pairs of a fragment."""
    for part in text.split("&"):
        name, _, value = part.partition("=")
        if name == "sha256" and _is_sha256(value):
            return value.lower()
    return None


def _is_sha256(text: str) -> bool:
    return len(text) == 64 and all(c in "0123456789abcdefABCDEF" for c in text)


class _Links:
    """Collects the links of a page; a file's name is the last part of its link's path."""

    def __init__(self, url: str) -> None:
        self._base = url
        self.api_version = API_VERSION
        self.addresses: list[DefragResult] = []
        self.files: list[ListedFile] = []

    def read(self, tag: Tag) -> None:
        attributes = tag.attributes
        match tag.name:
            case "base" if attributes.get("href"):
                base = _resolve(self._base, attributes["href"])
                self._base = base.url if base else self._base
            case "meta" if attributes.get("name") == "pypi:repository-version":
                self.api_version = attributes.get("content", "")
            case "a" if attributes.get("href"):
                self._add_link(attributes["href"], attributes)
            case _:
                pass

    def _add_link(self, href: str, attributes: Mapping[str, str]) -> None:
        address = _resolve(self._base, href)
        if address is None:
            return
        self.addresses.append(address)
        metadata = attributes.get("data-core-metadata", attributes.get("data-dist-info-metadata"))
        self.files.append(
            ListedFile(
                filename=unquote(urlsplit(address.url).path.rsplit("/", 1)[-1]),
                url=address.url,
                sha256=_sha256_of_fragment(address.fragment),
                requires_python=attributes.get("data-requires-python"),
                metadata_sha256=_sha256_of_fragment(metadata or ""),
                yanked=attributes.get("data-yanked"),
                provenance=attributes.get("data-provenance"),
            )
        )


def _resolve(base: str, link: str) -> DefragResult | None:
    """The absolute address of a link; None if the link is malformed or too long."""
    if len(base) + len(link) > MAX_ADDRESS_CHARACTERS:
        return None
    try:
        return urldefrag(urljoin(base, link.strip()))
    except ValueError:
        return None
