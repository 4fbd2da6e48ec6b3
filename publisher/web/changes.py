"""/changes: the newest versions of all packages, as a page and as feeds; feeds of each package.

The changes come from the state, so the page also exists if another server has the packages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final
from urllib.parse import quote

from packaging.utils import canonicalize_name
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from publisher.printable import printable
from publisher.state.records import Publication
from publisher.web.access import Access, unauthorized_page
from publisher.web.addresses import (
    Link,
    difference_address,
    package_address,
    package_link,
    version_address,
)
from publisher.web.feeds import (
    ATOM_TYPE,
    JSON_FEED_TYPE,
    Feed,
    atom_feed,
    dropped_note,
    json_feed,
    most_severe_change,
)
from publisher.web.kept_pages import KeptPages, Make
from publisher.web.moments import Time, time_of
from publisher.web.own_address import own_address
from publisher.web.rendering import render
from publisher.web.responses import Page
from publisher.web.spans import Span, spans
from publisher.web.status import Daemon, version_of

CHANGES_ADDRESS: Final = "/changes"

_PER_PAGE: Final = 50
_MAX_NAME: Final = 200
_MAX_SEQUENCE: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class ChangeView:
    """A published version in the list.

    Attributes:
        dropped: if the version is yanked because its relation was dropped, a text that says since when; else
            "".
        summary: the most severe change; ``more`` counts the other changes.
        difference: the page that compares the version with its predecessor; "" for the first version.
    """

    package: Link
    version: Link
    level: str
    relation: str
    published: Time
    dropped: str
    summary: tuple[Span, ...]
    more: int
    difference: str


@dataclass(frozen=True, slots=True)
class ChangesView:
    """The data of the page.

    Attributes:
        package: the only package to show, or None for all.
        older: the address of the next page, or "".
    """

    package: str | None
    changes: tuple[ChangeView, ...]
    older: str
    is_newest: bool
    atom: str
    json: str


class ChangesPages:
    """The page of changes and the feeds.

    ``access`` says who may read the list, ``has_pages`` whether this service has pages of packages.
    """

    def __init__(
        self, daemon: Daemon, access: Access, public_url: str | None, *, has_pages: bool
    ) -> None:
        self._daemon = daemon
        self._access = access
        self._public_url = public_url
        self._has_pages = has_pages

    def routes(self, pages: KeptPages) -> Sequence[Route]:
        version = version_of(self._daemon)
        atom = pages.handler(self._feed(atom_feed, ATOM_TYPE), version)
        json = pages.handler(self._feed(json_feed, JSON_FEED_TYPE), version)
        return (
            Route(CHANGES_ADDRESS, pages.handler(self.page, version)),
            Route(f"{CHANGES_ADDRESS}.atom", atom),
            Route(f"{CHANGES_ADDRESS}.json", json),
            Route("/packages/{project}/changes.atom", atom),
            Route("/packages/{project}/changes.json", json),
        )

    def page(self, request: Request) -> Page | Response:
        if not self._access.permits(request):
            return unauthorized_page()
        package = request.query_params.get("package") or None
        before = _before(request)
        versions, older = self._read(before, package)
        folder = _folder(package)
        view = ChangesView(
            package=None if package is None else package[:_MAX_NAME],
            changes=tuple(map(self._view, versions)),
            older=_with_before(CHANGES_ADDRESS, older, package) if older else "",
            is_newest=before is None,
            atom=f"{folder}.atom",
            json=f"{folder}.json",
        )
        return Page.of(render("changes.html", view))

    def _feed(self, written: Callable[[Feed], bytes], media_type: str) -> Make:
        def make(request: Request) -> Page | Response:
            if not self._access.permits(request):
                return unauthorized_page()
            stated = request.path_params.get("project")
            package = None if stated is None else str(canonicalize_name(stated))
            body = written(self._read_feed(request, package))
            return Page.of(body, media_type)

        return make

    def _read_feed(self, request: Request, package: str | None) -> Feed:
        before = _before(request)
        versions, older = self._read(before, package)
        if package is not None and before is None and not versions:
            raise HTTPException(HTTPStatus.NOT_FOUND, "no version of this package was published")
        site = own_address(request, self._public_url)
        suffix = request.url.path.rpartition(".")[2]
        address = f"{_folder(package)}.{suffix}"
        home = (
            f"{CHANGES_ADDRESS}?package={quote(package, safe='')}" if package else CHANGES_ADDRESS
        )
        return Feed(
            title=f"Versions of {package}" if package else "Versions of all packages",
            address=site + _with_before(address, before),
            home_page=site + home,
            site=site,
            versions=versions,
            next_page=site + _with_before(address, older) if older else "",
            has_pages=self._has_pages,
        )

    def _read(
        self, before: int | None, package: str | None
    ) -> tuple[Sequence[Publication], int | None]:
        """A page of versions, and the sequence before which the next page begins."""
        found = self._daemon.publications(_PER_PAGE + 1, before, package)
        shown = found[:_PER_PAGE]
        return shown, shown[-1].sequence if len(found) > len(shown) else None

    def _view(self, version: Publication) -> ChangeView:
        name = version.distribution
        has_pages = self._has_pages
        return ChangeView(
            package=package_link(name) if has_pages else Link(name),
            version=Link(version.number, version_address(name, version.number))
            if has_pages
            else Link(version.number),
            level=version.change,
            relation=printable(str(version.relation)),
            published=time_of(version.created_at) if version.created_at else Time("", ""),
            dropped=dropped_note(version),
            summary=spans(most_severe_change(version)),
            more=max(0, len(version.reasons) - 1),
            difference=difference_address(name, version.previous, version.number)
            if has_pages and version.previous
            else "",
        )


def _folder(package: str | None) -> str:
    """The address of a feed without its suffix."""
    return CHANGES_ADDRESS if package is None else f"{package_address(package)}/changes"


def _with_before(address: str, before: int | None, package: str | None = None) -> str:
    query = [f"before={before}"] if before is not None else []
    query += [f"package={quote(package, safe='')}"] if package else []
    return f"{address}?{'&'.join(query)}" if query else address


def _before(request: Request) -> int | None:
    """The sequence number in a link to older versions; None without one.

    Raises ``HTTPException`` if it is malformed.
    """
    stated = request.query_params.get("before")
    if not stated:
        return None
    if not (stated.isascii() and stated.isdigit() and len(stated) <= 19):
        raise HTTPException(HTTPStatus.BAD_REQUEST, "before: expected a number")
    return min(int(stated), _MAX_SEQUENCE)
