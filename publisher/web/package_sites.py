"""Where people find a package: on a page of this service, or on another server's index."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, urlsplit

from publisher.web.addresses import Link, package_link


@dataclass(frozen=True, slots=True)
class PackageSite:
    """Knows the addresses of packages' pages.

    Attributes:
        has_page: whether a package has a page of this service; None if no package has a page.
        index_url: the address of another server's index that has the packages, or "".
    """

    has_page: Callable[[str], bool] | None = None
    index_url: str = ""

    def link(self, distribution: str) -> Link:
        """The link to a published package, without a check that its page exists."""
        if not distribution:
            return Link("")
        if self.has_page is not None:
            return package_link(distribution)
        if not self.index_url:
            return Link(distribution)
        return Link(distribution, f"{self.index_url.rstrip('/')}/{quote(distribution, safe='')}/")

    def checked_link(self, distribution: str) -> Link:
        """Like ``link``, but without an address if the package is missing from this service's index."""
        if self.has_page is not None and not self.has_page(distribution):
            return Link(distribution)
        return self.link(distribution)


NO_PAGES: Final = PackageSite()


def without_credentials(url: str) -> str:
    """The address of an index without user, password and query, so that pages may show it."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()
