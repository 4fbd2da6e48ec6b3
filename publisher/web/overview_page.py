"""The parts of the start page of operators that show the service's work, and a chart of publications."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from publisher.outages import PastOutage
from publisher.state.records import PublishedVersion
from publisher.web.addresses import Link, relation_link
from publisher.web.catalogue import Filters
from publisher.web.listing import CatalogueFigures
from publisher.web.overview import Overview
from publisher.web.package_sites import PackageSite

_HOUR_SECONDS: Final = 3600
_BAR_WIDTH: Final = 12
_CHART_HEIGHT: Final = 80


@dataclass(frozen=True, slots=True)
class Bar:
    """The bar of one hour; its position and height are in the chart's units."""

    x: int
    y: int
    height: int
    count: int
    begins_at: float


@dataclass(frozen=True, slots=True)
class Chart:
    """Publications by hour, the oldest first; ``summary`` says what the bars show."""

    bars: tuple[Bar, ...]
    width: int
    height: int
    bar_width: int
    total: int
    most: int
    summary: str


@dataclass(frozen=True, slots=True)
class CatalogLine:
    catalog: Link
    namespaces: int
    tables: int
    views: int
    troubled: int


@dataclass(frozen=True, slots=True)
class LatestLine:
    relation: Link
    package: Link
    version: PublishedVersion


@dataclass(frozen=True, slots=True)
class OutageLine:
    """An outage. Times are seconds since the epoch. An outage that lasts has no ``ended_at``."""

    outage: PastOutage
    began_at: float
    ended_at: float | None


@dataclass(frozen=True, slots=True)
class OverviewView:
    shown: Overview
    catalogs: tuple[CatalogLine, ...]
    chart: Chart
    latest: tuple[LatestLine, ...]
    outages: tuple[OutageLine, ...]


def overview_view(overview: Overview, packages: PackageSite) -> OverviewView:
    return OverviewView(
        overview,
        tuple(_catalog_lines(overview.catalogue)),
        chart_of(overview.hours, overview.now),
        tuple(
            LatestLine(relation_link(str(each.relation)), packages.link(each.distribution), each)
            for each in overview.latest
        ),
        tuple(_outage_line(each, overview.now) for each in overview.outages),
    )


def chart_of(hours: Sequence[int], now: float) -> Chart:
    """The chart of the last hours. An hour with any publication has a visible bar."""
    most = max(hours, default=0)
    first = now - len(hours) * _HOUR_SECONDS
    bars = []
    for number, count in enumerate(hours):
        height = max(2, round(_CHART_HEIGHT * count / most)) if count else 0
        begins_at = first + number * _HOUR_SECONDS
        bars.append(Bar(number * _BAR_WIDTH, _CHART_HEIGHT - height, height, count, begins_at))
    total = sum(hours)
    summary = (
        f"{total} versions in the last {len(hours)} hours, at most {most} in one hour"
        if total
        else f"No version in the last {len(hours)} hours"
    )
    width = _BAR_WIDTH * len(hours)
    return Chart(tuple(bars), width, _CHART_HEIGHT, _BAR_WIDTH - 2, total, most, summary)


def _catalog_lines(figures: CatalogueFigures) -> Sequence[CatalogLine]:
    lines = []
    for key, name in figures.catalogs.items():
        own = [each for each in figures.namespaces if each.namespace.catalog == key]
        stated = Filters(catalog=name if len(figures.catalogs) > 1 else "")
        lines.append(
            CatalogLine(
                Link(name, stated.address()),
                len(own),
                sum(each.tables for each in own),
                sum(each.views for each in own),
                sum(each.troubled for each in own),
            )
        )
    return lines


def _outage_line(outage: PastOutage, now: float) -> OutageLine:
    ended_at = None if outage.ended_ago is None else now - outage.ended_ago
    return OutageLine(outage, now - outage.began_ago, ended_at)
