"""/packages/NAME/diff/A...B: any two versions of a package."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import lru_cache
from http import HTTPStatus
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from publisher.index.protocol import IndexRefused
from publisher.index.simple_page import ListedFile, ProjectPage
from publisher.web.addresses import difference_address, package_address
from publisher.web.comparisons import Comparison
from publisher.web.described_wheels import DescribedWheels
from publisher.web.descriptions import Undescribed
from publisher.web.difference_page import difference_page
from publisher.web.package_lookup import PackageLookup
from publisher.web.responses import Page
from publisher.web.versions import ListedVersion, list_versions

log = logging.getLogger(__name__)

_MAX_CACHED: Final = 32


class DifferencePages:
    def __init__(
        self,
        lookup: PackageLookup,
        wheels: DescribedWheels,
        compare: Callable[[bytes, bytes], Comparison],
    ) -> None:
        self._lookup = lookup
        self._wheels = wheels
        # Comparisons stay valid, since files never change. Errors are not cached.
        self._compare = lru_cache(_MAX_CACHED)(self._compare_files)
        self._compare_wheels = compare

    def choose(self, request: Request) -> Page | Response:
        """Redirects to the page of the two versions in a form, or to the package's page if one is missing."""
        found = self._lookup.package(request)
        if not isinstance(found, ProjectPage):
            return found
        old, new = (request.query_params.get(key, "") for key in ("from", "to"))
        address = difference_address(found.name, old, new) if old and new else ""
        return RedirectResponse(
            address or f"{package_address(found.name)}#versions", HTTPStatus.SEE_OTHER
        )

    def difference(self, request: Request) -> Page | Response:
        found = self._lookup.package(request)
        if not isinstance(found, ProjectPage):
            return found
        stated, dots, other = request.path_params["between"].partition("...")
        old = self._lookup.version(found, stated)
        if isinstance(old, Page):
            return old
        new = self._lookup.version(found, other if dots else "")
        if isinstance(new, Page):
            return new
        comparison = self._comparison(old, new)
        return Page.of(difference_page(found.name, list_versions(found), old, new, comparison))

    def _comparison(self, old: ListedVersion, new: ListedVersion) -> Comparison | None:
        if old == new:
            return None
        files = tuple(self._wheels.find_comparable(each.files) for each in (old, new))
        if files[0] is None or files[1] is None:
            return None
        try:
            return self._compare(files[0], files[1])
        except (Undescribed, IndexRefused) as error:
            log.info("versions not compared", extra={"reason": str(error)})
            return None

    def _compare_files(self, old: ListedFile, new: ListedFile) -> Comparison:
        return self._compare_wheels(self._wheels.fetch(old), self._wheels.fetch(new))
