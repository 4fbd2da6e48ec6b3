"""The answer for an address without a page: help for people, JSON or plain text for programs."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from lakeschema.catalog.errors import MalformedName, SessionRefused
from publisher.index.protocol import PackageIndexError
from publisher.similar_names import similar_names
from publisher.state.protocol import StateUnavailable
from publisher.web.access import Access
from publisher.web.addresses import Link, package_link, relation_link
from publisher.web.kept_pages import KeptPages
from publisher.web.negotiation import prefers_html
from publisher.web.rendering import render
from publisher.web.responses import Page
from publisher.web.served_index import ServedIndex
from publisher.web.status import Daemon, version_of

_FOR_PROGRAMS: Final = ("/simple", "/metrics", "/health", "/events", "/check", "/statements")
"""Beginnings of addresses that get a plain answer. Installers also accept HTML, but need plain text."""
_MAX_NAME: Final = 300
_MAX_SIMILAR: Final = 5


@dataclass(frozen=True, slots=True)
class MissingView:
    """The data of the page for people.

    ``shows_relations`` and ``shows_packages`` say whether the reader may see their pages.
    """

    address: str
    name: str
    relations: tuple[Link, ...]
    packages: tuple[Link, ...]
    shows_relations: bool
    shows_packages: bool


class MissingPages:
    def __init__(self, daemon: Daemon, access: Access | None, index: ServedIndex | None) -> None:
        """Answers for an application with these pages.

        ``access`` says who may read the pages of relations; None without such pages. Pages of packages
        exist if ``index`` is given.
        """
        self._daemon = daemon
        self._access = access
        self._index = index
        # Their own threads: requests for unknown addresses do not delay other pages.
        self._help = KeptPages().handler(self._make, version_of(daemon))

    async def page(self, request: Request, error: Exception) -> Response:
        reason = error.detail if isinstance(error, HTTPException) else HTTPStatus.NOT_FOUND.phrase
        accept = request.headers.get("accept")
        if request.scope["path"].startswith(_FOR_PROGRAMS) or not prefers_html(accept):
            return _plain(reason, accept)
        return await self._help(request)

    def _make(self, request: Request) -> Page:
        shown = render("missing.html", self._view(request))
        return Page.of(shown, status=HTTPStatus.NOT_FOUND)

    def _view(self, request: Request) -> MissingView:
        path: str = request.scope["path"]
        name = path.strip("/").rpartition("/")[2][:_MAX_NAME]
        shows_relations = self._access is not None and self._access.permits(request)
        return MissingView(
            path[:_MAX_NAME],
            name,
            tuple(map(relation_link, self._relations(name) if shows_relations else ())),
            tuple(map(package_link, self._packages(name))),
            shows_relations,
            self._index is not None,
        )

    def _relations(self, name: str) -> Sequence[str]:
        try:
            asked = self._daemon.named(name)
            found = [str(asked)] if self._daemon.relation(asked) is not None else []
            return [*found, *self._daemon.similar(asked)][:_MAX_SIMILAR]
        except (MalformedName, SessionRefused, StateUnavailable):
            return ()

    def _packages(self, name: str) -> Sequence[str]:
        if self._index is None or not name:
            return ()
        with contextlib.suppress(PackageIndexError):
            return similar_names(name, self._index.projects(), _MAX_SIMILAR)
        return ()


def _plain(reason: str, accept: str | None) -> Response:
    if "application/json" in (accept or ""):
        return JSONResponse({"error": reason}, HTTPStatus.NOT_FOUND)
    return PlainTextResponse(reason, HTTPStatus.NOT_FOUND)
