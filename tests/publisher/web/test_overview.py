"""The start page of operators: catalogs, sources, snapshots, publications, held changes, outages."""

from __future__ import annotations

from dataclasses import replace

import pytest
from prometheus_client import CollectorRegistry

from lakeschema.catalog.identifiers import Namespace, RelationName
from publisher.outages import PastOutage
from publisher.state.records import NamespaceFigures, PublishedVersion
from publisher.web.app import create_app
from publisher.web.listing import CatalogueFigures
from publisher.web.overview import Held, Overview, SnapshotLine, SourceLine
from publisher.web.overview_page import chart_of
from tests.publisher.web.asgi_client import AsgiClient
from tests.publisher.web.daemon_double import IdleDaemon
from tests.publisher.web.html_outline import Outline
from tests.publisher.web.packages import HOSTILE

NOW = 1_000_000.0
FIGURES = CatalogueFigures(
    (
        NamespaceFigures(Namespace(("shop",)), 3, 2, 0, 1),
        NamespaceFigures(Namespace(("shop",), "b"), 4, 0, 0, 0),
    ),
    {"": "hive", "b": "b"},
)
WORK = Overview(
    now=NOW,
    catalogue=FIGURES,
    sources=(
        SourceLine("hive", 7_300.0, 12.0),
        SourceLine("kafka", trouble="10.0.0.7 is silent"),
        SourceLine("new"),
    ),
    snapshot=SnapshotLine(ended_ago=600.0, took=65.0, next_in=3_000.0),
    hours=(*[0] * 46, 1, 200),
    latest=(
        PublishedVersion(
            "acme-shop-a", "2.0.0", RelationName.of("shop", "a"), "5", "major", NOW - 60, 9
        ),
    ),
    held=(
        Held("deletions in shop", "30 of 40 missing", "schema-publisher confirm-deletions shop"),
        Held("new versions", "", ""),
    ),
    outages=(
        PastOutage("index", 30.0, None, 4, "it is away"),
        PastOutage("catalog", 900.0, 600.0, 2, "connection refused"),
    ),
)


def page_of(work: Overview) -> Outline:
    app = create_app(None, IdleDaemon(work=work), registry=CollectorRegistry())
    return Outline(AsgiClient(app).get("/").text)


def test_it_shows_the_work_of_the_service() -> None:
    page = page_of(WORK)

    assert page.faults == []
    for shown in (
        "hive read 2 h12",
        "kafka fails 10.0.0.7 is silent",
        "new not read yet",
        "Last whole snapshot1970-01-12 13:36 UTC, took 1 min",
        "Next snapshot1970-01-12 14:36 UTC",
        "48 hours ago now",
        "201 versions in the last 48 hours, at most 200 in one hour",
        "acme-shop-a 2.0.0 major 1 min ago",
        "deletions in shop: 30 of 40 missing",
        "schema-publisher confirm-deletions shop",
        "confirmed: the next snapshot carries them out",
        "lasts 4it is away",
        "1970-01-12 13:31 UTC 1970-01-12 13:36 UTC 2connection refused",
    ):
        assert shown in page.text
    assert {"/catalog?catalog=hive", "/catalog?catalog=b", "/relations/shop.a"} <= {*page.links}
    assert ("svg", "role", "img") in page.attributes
    # It is as wide as its box.
    assert not [each for each in page.attributes if each[:2] == ("svg", "width")]
    assert len(set(page.ids)) == len(page.ids)


def test_a_service_that_has_done_nothing_yet_has_a_page() -> None:
    page = page_of(Overview(NOW, CatalogueFigures(), hours=(0,) * 48))

    assert page.faults == []
    for shown in ("No event source", "none yet", "No version in the last 48 hours", "None since"):
        assert shown in page.text
    assert "rect" not in page.tags


def test_hostile_texts_are_escaped() -> None:
    relation = RelationName((HOSTILE,), "\u202e" + "x" * 10_000)
    version = replace(WORK.latest[0], relation=relation, number=HOSTILE, change=HOSTILE)
    work = replace(
        WORK,
        sources=(SourceLine(HOSTILE, trouble=HOSTILE),),
        latest=(version,),
        held=(Held(HOSTILE, HOSTILE, HOSTILE),),
        outages=(PastOutage(HOSTILE, 1.0, None, 1, HOSTILE),),
    )
    app = create_app(None, IdleDaemon(work=work), registry=CollectorRegistry())

    answer = AsgiClient(app).get("/")

    assert answer.status_code == 200
    assert "<script" not in answer.text
    assert "<b>" not in answer.text
    assert Outline(answer.text).faults == []


@pytest.mark.parametrize(
    ("hours", "heights"),
    [((), []), ((0, 0), [0, 0]), ((5, 10), [40, 80]), ((1, 100_000), [2, 80]), ((7,), [80])],
)
def test_bars_fill_the_chart_and_none_with_a_publication_is_invisible(
    hours: tuple[int, ...], heights: list[int]
) -> None:
    chart = chart_of(hours, NOW)

    assert [bar.height for bar in chart.bars] == heights
    assert all(bar.y + bar.height == chart.height for bar in chart.bars)
