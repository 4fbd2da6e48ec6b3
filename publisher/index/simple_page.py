"""Represents a project's page of the simple API, and renders it as HTML and as JSON.

PEP 503 and 691 define the two forms. PEP 629 defines the page's version; PEP 700 defines versions, sizes and
times; PEP 592 defines yanks. PEP 658 and 714 define the ``.metadata`` file of each wheel, and PEP 740 defines
its ``.provenance``.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from publisher.index.releases import by_version
from publisher.index.wheel_files import parse_filename

API_VERSION = "1.1"
_API_VERSION_WITH_PROVENANCE = "1.3"
HTML_TYPE = "application/vnd.pypi.simple.v1+html"
JSON_TYPE = "application/vnd.pypi.simple.v1+json"


@dataclass(frozen=True, slots=True)
class ListedFile:
    """One file of a page.

    Attributes:
        url: absolute, or relative to the page.
        upload_time: in PEP 700's form, in UTC.
        metadata_sha256: the hash of its ``.metadata`` file, or None.
        yanked: the reason, possibly empty; None if the file is not yanked.
        provenance: the address of the ``.provenance`` file, in the form of ``url``, or None.
    """

    filename: str
    url: str
    sha256: str | None = None
    size: int | None = None
    upload_time: str | None = None
    requires_python: str | None = None
    metadata_sha256: str | None = None
    yanked: str | None = None
    provenance: str | None = None

    @property
    def version(self) -> str:
        return parse_filename(self.filename).version


@dataclass(frozen=True, slots=True)
class ProjectPage:
    """A project's page: its normalised name, and its files."""

    name: str
    files: tuple[ListedFile, ...] = ()

    def file(self, filename: str) -> ListedFile | None:
        return next((file for file in self.files if file.filename == filename), None)

    @property
    def api_version(self) -> str:
        has_provenance = any(file.provenance is not None for file in self.files)
        return _API_VERSION_WITH_PROVENANCE if has_provenance else API_VERSION

    def with_file(self, added: ListedFile) -> ProjectPage:
        """The page with an added file, which replaces a file of its name."""
        others = [file for file in self.files if file.filename != added.filename]
        return ProjectPage(self.name, tuple(sorted([*others, added], key=by_version)))


def page_to_json(page: ProjectPage) -> bytes:
    """The JSON page. It omits the older name of ``core-metadata``, which some installers misread."""
    versions = {file.version: None for file in page.files}
    document = {
        "meta": {"api-version": page.api_version},
        "name": page.name,
        "versions": list(versions),
        "files": [_file_to_json(file) for file in page.files],
    }
    return json.dumps(document, separators=(",", ":")).encode()


def page_to_html(page: ProjectPage) -> bytes:
    title = html.escape(f"Links for {page.name}")
    links = "".join(f"    {_render_link(file)}<br>\n" for file in page.files)
    return _render_document(title, links, page.api_version)


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
    return _render_document("Simple index", links, API_VERSION)


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
    # PEP 691: true means a yank without a reason.
    entry["yanked"] = False if file.yanked is None else (file.yanked or True)
    if file.provenance is not None:
        entry["provenance"] = file.provenance
    return entry


def _render_link(file: ListedFile) -> str:
    fragment = f"#sha256={file.sha256}" if file.sha256 else ""
    attributes = [("href", file.url + fragment)]
    if file.requires_python:
        attributes.append(("data-requires-python", file.requires_python))
    if file.metadata_sha256:
        digest = f"sha256={file.metadata_sha256}"
        attributes += [("data-core-metadata", digest), ("data-dist-info-metadata", digest)]
    if file.yanked is not None:
        attributes.append(("data-yanked", file.yanked))
    if file.provenance is not None:
        attributes.append(("data-provenance", file.provenance))
    rendered = " ".join(f'{name}="{html.escape(value)}"' for name, value in attributes)
    return f"<a {rendered}>{html.escape(file.filename)}</a>"


def _render_document(title: str, body: str, api_version: str) -> bytes:
    return (
        "<!DOCTYPE html>\n"
        '<html lang="en">\n'
        "  <head>\n"
        '    <meta charset="utf-8">\n'
        f'    <meta name="pypi:repository-version" content="{api_version}">\n'
        f"    <title>{title}</title>\n"
        "  </head>\n"
        "  <body>\n"
        f"    <h1>{title}</h1>\n"
        f"{body}"
        "  </body>\n"
        "</html>\n"
    ).encode("utf-8", "surrogatepass")
