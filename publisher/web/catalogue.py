"""/catalog: catalogs and namespaces with their figures, then relations by filters, a page at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from lakeschema.catalog.errors import MalformedName
from lakeschema.catalog.identifiers import Namespace, parts_of_text, quoted_part
from lakeschema.translation.model.outcome import Status
from publisher.state.records import EVERY_RELATION, Chosen, NamespaceFigures
from publisher.web.access import Access, unauthorized_page
from publisher.web.addresses import Link, relation_address, relation_link
from publisher.web.kept_pages import KeptPages
from publisher.web.listing import Asked, CatalogueFigures, ListedRelations, RelationRow
from publisher.web.negotiation import prefers_html
from publisher.web.package_sites import PackageSite
from publisher.web.rendering import render
from publisher.web.responses import Page
from publisher.web.status import Daemon, version_of

CATALOGUE_ADDRESS: Final = "/catalog"
MAX_NAMESPACES: Final = 200

_MAX_TEXT: Final = 300
_NO_LEVELS: Final = "``"
"""How an address names a namespace without levels."""
_KINDS: Final = ("table", "view")
STATUSES: Final = ("STALE", *(status.value for status in Status))


@dataclass(frozen=True, slots=True)
class Filters:
    """The filters as a reader states them; a filter that is "" leaves no relation out.

    Attributes:
        catalog: the catalog's shown name.
        namespace: the namespace's levels, without the catalog.
        owner: the owner's whole name.
    """

    catalog: str = ""
    namespace: str = ""
    kind: str = ""
    status: str = ""
    q: str = ""
    owner: str = ""

    @property
    def stated(self) -> Mapping[str, str]:
        every = {
            "catalog": self.catalog,
            "namespace": self.namespace,
            "kind": self.kind,
            "status": self.status,
            "q": self.q,
            "owner": self.owner,
        }
        return {key: value for key, value in every.items() if value}

    @property
    def lists_relations(self) -> bool:
        """Whether the page lists relations: a filter other than the catalog is stated."""
        return bool({*self.stated} - {"catalog"})

    def address(self, **more: str) -> str:
        stated = {**self.stated, **more}
        return f"{CATALOGUE_ADDRESS}?{urlencode(stated)}" if stated else CATALOGUE_ADDRESS


@dataclass(frozen=True, slots=True)
class NamespaceLine:
    namespace: Link
    figures: NamespaceFigures


@dataclass(frozen=True, slots=True)
class CatalogSection:
    """A catalog with the figures of all its namespaces, and a line for each namespace of this page."""

    catalog: Link
    relations: int
    namespaces: int
    troubled: int
    lines: tuple[NamespaceLine, ...]


@dataclass(frozen=True, slots=True)
class RelationLine:
    row: RelationRow
    relation: Link
    package: Link
    owner: Link


@dataclass(frozen=True, slots=True)
class CatalogueView:
    """The data of the page.

    Attributes:
        sections: the catalogs with their namespaces; None on a page of relations.
        relations: the listed relations; None on a page of namespaces.
        first, previous, next: addresses of other pages; "" if there is no such page.
        now: the present time in seconds since the epoch; ages of packages are counted from it.
    """

    filters: Filters
    catalogs: tuple[str, ...]
    sections: tuple[CatalogSection, ...] | None
    relations: tuple[RelationLine, ...] | None
    first: str
    previous: str
    next: str
    now: float
    kinds: Sequence[str] = _KINDS
    statuses: Sequence[str] = STATUSES


class CataloguePages:
    def __init__(
        self,
        daemon: Daemon,
        access: Access,
        packages: PackageSite,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._daemon = daemon
        self._access = access
        self._packages = packages
        self._now = now

    def routes(self, pages: KeptPages) -> Sequence[Route]:
        return (Route(CATALOGUE_ADDRESS, pages.handler(self.page, version_of(self._daemon))),)

    def page(self, request: Request) -> Page | Response:
        if not self._access.permits(request):
            return unauthorized_page()
        filters = _filters(request)
        make = self._relations if filters.lists_relations else self._namespaces
        view = make(request, filters)
        accept = request.headers.get("accept")
        if request.query_params.get("format") == "json" or _prefers_json(accept):
            return JSONResponse(
                _json(view), headers={"Cache-Control": "no-cache", "Vary": "Accept"}
            )
        return Page.of(render("catalog.html", view))

    def _relations(self, request: Request, filters: Filters) -> CatalogueView:
        catalogs = self._daemon.catalogue().catalogs
        chosen = _chosen(filters, catalogs)
        before = _key(request, "before") or None
        asked = Asked(chosen or EVERY_RELATION, _key(request, "after"), before)
        found = ListedRelations() if chosen is None else self._daemon.relations(asked)
        rows = found.rows
        return CatalogueView(
            filters=filters,
            catalogs=_shown(catalogs),
            sections=None,
            relations=tuple(self._line(row) for row in rows),
            first=filters.address() if asked.after or before else "",
            previous=filters.address(before=rows[0].relation) if found.has_previous else "",
            next=filters.address(after=rows[-1].relation) if rows and found.has_next else "",
            now=self._now(),
        )

    def _line(self, row: RelationRow) -> RelationLine:
        package = self._packages.link(row.distribution)
        return RelationLine(row, relation_link(row.relation), package, owner_link(row.owner))

    def _namespaces(self, request: Request, filters: Filters) -> CatalogueView:
        figures = self._daemon.catalogue()
        names = figures.catalogs
        every = [
            each
            for each in figures.namespaces
            if filters.catalog in {"", names.get(each.namespace.catalog)}
        ]
        start = _position(every, _key(request, "after"))
        shown = every[start : start + MAX_NAMESPACES]
        earlier = every[max(0, start - MAX_NAMESPACES - 1)] if start > MAX_NAMESPACES else None
        has_next = start + MAX_NAMESPACES < len(every)
        return CatalogueView(
            filters=filters,
            catalogs=_shown(names),
            sections=_sections(figures, every, shown, filters),
            relations=None,
            first=filters.address() if start else "",
            previous=filters.address(after=str(earlier.namespace)) if earlier else "",
            next=filters.address(after=str(shown[-1].namespace)) if has_next else "",
            now=self._now(),
        )


def owner_link(owner: str) -> Link:
    """The link to all relations of an owner; empty without one."""
    # The filter would cut a longer name, and then match nothing.
    is_whole = 0 < len(owner) <= _MAX_TEXT and owner == owner.strip()
    return Link(owner, Filters(owner=owner).address() if is_whole else "")


def _prefers_json(accept: str | None) -> bool:
    return "application/json" in (accept or "") and not prefers_html(accept)


def _filters(request: Request) -> Filters:
    stated = request.query_params
    found = {
        name: stated.get(name, "")[:_MAX_TEXT].replace("\0", "").strip()
        for name in ("catalog", "kind", "status", "q", "owner")
    }
    return Filters(namespace=_key(request, "namespace").strip(), **found)


def _key(request: Request, name: str) -> str:
    return request.query_params.get(name, "").replace("\0", "")


def _chosen(filters: Filters, catalogs: Mapping[str, str]) -> Chosen | None:
    """The filters in the form of the state's query; None if no relation can match."""
    keys = {shown: key for key, shown in catalogs.items()}
    catalog = keys.get(filters.catalog) if filters.catalog else None
    if filters.catalog and catalog is None:
        return None
    try:
        namespace = _namespace(filters.namespace, catalog or "")
    except MalformedName:
        return None
    return Chosen(
        catalog,
        namespace,
        filters.kind or None,
        filters.status or None,
        filters.q or None,
        filters.owner or None,
    )


def _namespace(text: str, catalog: str) -> Namespace | None:
    if not text:
        return None
    levels = () if text == _NO_LEVELS else parts_of_text(text)
    return Namespace(levels, catalog)


def _position(every: Sequence[NamespaceFigures], after: str) -> int:
    """The index of the first namespace that sorts after the namespace with the key ``after``.

    That namespace need not exist any more.
    """
    if not after:
        return 0
    try:
        last = Namespace.from_key(after)
    except MalformedName:
        return 0
    order = (last.catalog, last.levels)
    return sum((each.namespace.catalog, each.namespace.levels) <= order for each in every)


def _shown(catalogs: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(catalogs.values())


def _sections(
    figures: CatalogueFigures,
    every: Sequence[NamespaceFigures],
    shown: Sequence[NamespaceFigures],
    filters: Filters,
) -> tuple[CatalogSection, ...]:
    sections = []
    for key, name in figures.catalogs.items():
        of_catalog = [each for each in every if each.namespace.catalog == key]
        lines = [each for each in shown if each.namespace.catalog == key]
        is_chosen = filters.catalog == name
        if not lines and (of_catalog or (filters.catalog and not is_chosen)):
            continue
        stated = name if len(figures.catalogs) > 1 else ""
        sections.append(
            CatalogSection(
                Link(name, Filters(catalog=stated).address()),
                sum(each.relations for each in of_catalog),
                len(of_catalog),
                sum(each.troubled for each in of_catalog),
                tuple(_namespace_line(each, stated) for each in lines),
            )
        )
    return tuple(sections)


def _namespace_line(figures: NamespaceFigures, catalog: str) -> NamespaceLine:
    text = ".".join(map(quoted_part, figures.namespace.levels)) or _NO_LEVELS
    filters = Filters(catalog, text)
    return NamespaceLine(Link(text, filters.address()), figures)


def _json(view: CatalogueView) -> Mapping[str, object]:
    pages = {key: getattr(view, key) or None for key in ("previous", "next")}
    if view.relations is not None:
        return {"relations": [_row_json(line) for line in view.relations], **pages}
    return {
        "namespaces": [
            {
                "catalog": section.catalog.text,
                "namespace": line.namespace.text,
                "relations": line.figures.relations,
                "tables": line.figures.tables,
                "views": line.figures.views,
                "troubled": line.figures.troubled,
                "address": line.namespace.address,
            }
            for section in view.sections or ()
            for line in section.lines
        ],
        **pages,
    }


def _row_json(line: RelationLine) -> Mapping[str, object]:
    row = line.row
    return {
        "relation": row.relation,
        "kind": row.kind or None,
        "status": row.status,
        "reason": row.reason or None,
        "owner": row.owner or None,
        "package": row.distribution or None,
        "version": row.version or None,
        "published_at": row.published_at,
        "wheel_sha256": row.wheel_sha256 or None,
        "readers": row.readers,
        "address": relation_address(row.relation),
        "package_address": line.package.address or None,
    }
