"""Finds the package and version that an address names, or answers that they are unknown."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from http import HTTPStatus
from typing import Final
from urllib.parse import quote

from packaging.utils import canonicalize_name
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from publisher.index.simple_page import ProjectPage
from publisher.similar_names import similar_names
from publisher.web.addresses import package_address
from publisher.web.package_page import unknown_package_page, unknown_version_page
from publisher.web.package_search import search_packages
from publisher.web.responses import Page
from publisher.web.served_index import ServedIndex
from publisher.web.versions import ListedVersion, list_versions

_MAX_NAME: Final = 200
_MAX_SIMILAR: Final = 10


class PackageLookup:
    def __init__(self, index: ServedIndex, prefix: str) -> None:
        """Looks packages up in ``index``. ``prefix`` is the common beginning of their names."""
        self._served = index
        self._prefix = prefix

    def listed(self, request: Request) -> Hashable:
        """A value that changes when the package's list of files changes."""
        return self._served.files.page_version(request.path_params["project"])

    def package(self, request: Request) -> ProjectPage | Page | Response:
        """The files of the package.

        If the name has another spelling, a redirect; if it is unknown, a page that says so.
        """
        project: str = request.path_params["project"]
        name = canonicalize_name(project)
        page = self._served.files.page(name)
        if page is None:
            view = unknown_package_page(project[:_MAX_NAME], self._similar(name), self._prefix)
            return _not_found(view)
        if name != project:
            rest = request.url.path.removeprefix("/packages/").partition("/")[2]
            # The path is decoded, so it must be quoted again.
            address = f"{package_address(name)}/{quote(rest)}" if rest else package_address(name)
            return RedirectResponse(address, HTTPStatus.MOVED_PERMANENTLY)
        return page

    def _similar(self, name: str) -> Sequence[str]:
        """Packages whose names contain the name, then packages with similar spelling."""
        named = self._served.named_projects()
        found = search_packages(named.projects, named.keys, self._prefix, name[:_MAX_NAME], ())
        containing = (hit.link.text for hit in found.hits[:_MAX_SIMILAR])
        similar = similar_names(name, named.projects)
        return [*dict.fromkeys([*containing, *similar])][:_MAX_SIMILAR]

    def version(self, page: ProjectPage, number: str) -> ListedVersion | Page:
        versions = list_versions(page)
        found = next((each for each in versions if each.number == number), None)
        if found is not None:
            return found
        return _not_found(unknown_version_page(page.name, number[:_MAX_NAME], versions))


def _not_found(page: bytes) -> Page:
    return Page.of(page, status=HTTPStatus.NOT_FOUND)
