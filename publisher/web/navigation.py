"""The bar at the top of every page: the deployment's name, and links to its pages.

The bar is stored once in the context of each request, so that no page has to pass it on.
"""

from __future__ import annotations

from collections.abc import Collection
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from publisher.web.access import Access

_PAGES: Final = (
    ("Catalog", "/catalog", ("/catalog", "/relations")),
    ("Packages", "/packages/", ("/packages",)),
    ("Changes", "/changes", ("/changes",)),
    ("Lineage", "/lineage", ("/lineage", "/impact")),
    ("Translate", "/translate", ("/translate",)),
    ("Health", "/health/ready", ("/health",)),
)
"""Each page's title and address, and the beginnings of the addresses that belong to it."""

OPERATORS_PAGES: Final = frozenset({"/catalog", "/lineage", "/translate"})


@dataclass(frozen=True, slots=True)
class Deployed:
    """The data that distinguish deployments, for the bar. ``release`` may be empty."""

    name: str = "schema-publisher"
    colour: str = "plain"
    release: str = ""


@dataclass(frozen=True, slots=True)
class NavigationLink:
    text: str
    address: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class Navigation:
    deployed: Deployed
    links: tuple[NavigationLink, ...] = ()


UNNAMED: Final = Deployed()
_PLAIN: Final = Navigation(UNNAMED)

NAVIGATION: Final[ContextVar[Navigation]] = ContextVar("navigation", default=_PLAIN)


class WithNavigation:
    """Sets the bar for each request to ``app``."""

    def __init__(
        self,
        app: ASGIApp,
        deployed: Deployed,
        addresses: Collection[str],
        access: Access | None,
        operators: Collection[str] = OPERATORS_PAGES,
    ) -> None:
        """Wraps an application. ``addresses`` are the addresses of all pages that exist.

        ``access`` says who may read the operators' pages; None without such pages. ``operators`` are
        the addresses of these pages.
        """
        self._app = app
        self._deployed = deployed
        self._pages = tuple(page for page in _PAGES if page[1] in addresses)
        self._access = access
        self._operators = operators

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            NAVIGATION.set(self._navigation(Request(scope)))
        await self._app(scope, receive, send)

    def _navigation(self, request: Request) -> Navigation:
        path: str = request.scope["path"]
        is_operator = self._access is not None and self._access.permits(request)
        links = tuple(
            NavigationLink(text, address, path.startswith(beginnings))
            for text, address, beginnings in self._pages
            if is_operator or address not in self._operators
        )
        return Navigation(self._deployed, links)
