"""The list of changes and its feeds: valid, paged, safe, and the same from the real state."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from prometheus_client import CollectorRegistry

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.outcome import Status
from publisher.daemon.shown import ShownState
from publisher.index.static import StaticIndex
from publisher.state.records import Publication, RelationRecord, VersionRecord, VersionStatus
from publisher.state.sqlite import SqliteState
from publisher.web.access import Access
from publisher.web.app import create_app, create_operations_app, create_public_app
from publisher.web.packages import Site
from tests.publisher.web.asgi_client import AsgiClient
from tests.publisher.web.daemon_double import IdleDaemon
from tests.publisher.web.html_outline import Outline
from tests.publisher.web.packages import HOSTILE

ATOM = "{http://www.w3.org/2005/Atom}"
HOSTILE_TEXT = f"{HOSTILE} ]]> \x00\x08\x1b\ufffe \u202e &amp; <![CDATA[ \ud800"


def version(sequence: int, name: str = "acme-orders", **more: object) -> Publication:
    values: dict[str, object] = {
        "relation": RelationName.of("shop", "orders"),
        "change": "minor",
        "reasons": ("field `unit` added", "field `x` removed"),
        "created_at": 1_750_000_000.0 + sequence,
        "wheel_sha256": f"{sequence:064x}",
    }
    return Publication(sequence, name, f"1.{sequence}.0", **{**values, **more})  # type: ignore[arg-type]


def client_of(
    published: Sequence[Publication], index: StaticIndex | None = None, **site: object
) -> AsgiClient:
    daemon = IdleDaemon(published=published)
    shown = Site(**site)  # type: ignore[arg-type]
    return AsgiClient(create_app(index, daemon, site=shown, registry=CollectorRegistry()))


@pytest.fixture
def index(tmp_path: Path) -> StaticIndex:
    return StaticIndex(tmp_path / "index")


def entries(feed: bytes) -> list[ET.Element]:
    """The entries of a feed that has everything that RFC 4287 requires."""
    root = ET.fromstring(feed)
    assert root.tag == f"{ATOM}feed"
    found = root.findall(f"{ATOM}entry")
    for each in (root, *found):
        for required in ("id", "title", "updated"):
            (element,) = each.findall(f"{ATOM}{required}")
            assert element.text
    assert root.findtext(f"{ATOM}author/{ATOM}name")
    assert [link.get("rel") for link in root.findall(f"{ATOM}link")][:2] == ["self", "alternate"]
    identities = [entry.findtext(f"{ATOM}id") for entry in found]
    assert len(set(identities)) == len(identities)
    for entry in found:
        assert (entry.findtext(f"{ATOM}id") or "").startswith("urn:uuid:")
        assert entry.find(f"{ATOM}content") is not None
    return found


def test_the_page_lists_what_was_published_newest_first(index: StaticIndex) -> None:
    text = Outline(
        client_of([version(1), version(2, "acme-cars")], index).get("/changes").text
    ).text

    assert text.index("acme-cars") < text.index("acme-orders")
    assert "field unit added; and 1 more" in text
    assert "2025-06-15" in text


def test_pages_follow_each_other_without_gap_or_repetition(index: StaticIndex) -> None:
    client = client_of([version(n) for n in range(1, 121)], index)
    address, seen = "/changes.json", []

    while address:
        page = client.get(address).json()
        seen += [item["title"] for item in page["items"]]
        address = page.get("next_url", "").removeprefix("http://testserver")

    assert seen == [f"acme-orders 1.{n}.0 (minor)" for n in range(120, 0, -1)]


def test_the_pages_for_people_have_the_same_order(index: StaticIndex) -> None:
    client = client_of([version(n) for n in range(1, 61)], index)

    first = client.get("/changes").text
    second = client.get("/changes?before=11").text

    assert 'href="/changes?before=11" rel="next"' in first
    assert '<a href="/packages/acme-orders/1.10.0">1.10.0</a>' in second
    assert 'rel="next"' not in second


def test_a_change_leads_to_the_difference_with_the_version_before(index: StaticIndex) -> None:
    client = client_of([version(2, previous="1.1.0"), version(1)], index)
    address = "/packages/acme-orders/diff/1.1.0...1.2.0"

    page = Outline(client.get("/changes").text)
    items = json.loads(client.get("/changes.json").text)["items"]

    assert address in page.links
    assert items[0]["url"].endswith(address)
    assert items[1]["url"].endswith("/packages/acme-orders/1.1.0")


def test_versions_of_a_dropped_relation_are_marked_and_updated(index: StaticIndex) -> None:
    client = client_of([version(1, dropped_at=1_767_225_600.0)], index)

    note = "yanked: the relation is missing since 2026-01-01 00:00:00 UTC"
    assert note in Outline(client.get("/changes").text).text
    (item,) = json.loads(client.get("/changes.json").text)["items"]
    assert item["title"] == "acme-orders 1.1.0 (minor, yanked)"
    assert item["summary"].startswith(note)
    assert item["date_modified"] == "2026-01-01T00:00:00Z"
    (entry,) = entries(client.get("/changes.atom").content)
    assert entry.findtext(f"{ATOM}updated") == "2026-01-01T00:00:00Z"
    assert entry.findtext(f"{ATOM}published") != "2026-01-01T00:00:00Z"


def test_the_atom_feed_is_valid(index: StaticIndex) -> None:
    answer = client_of([version(1), version(2)], index).get("/changes.atom")

    found = entries(answer.content)

    assert answer.headers["content-type"].startswith("application/atom+xml")
    assert [each.findtext(f"{ATOM}title") for each in found] == [
        "acme-orders 1.2.0 (minor)", "acme-orders 1.1.0 (minor)",
    ]  # fmt: skip
    link = found[0].find(f"{ATOM}link")
    assert link is not None
    assert link.get("href") == "http://testserver/packages/acme-orders/1.2.0"


def test_an_empty_feed_is_valid(index: StaticIndex) -> None:
    assert entries(client_of([], index).get("/changes.atom").content) == []
    assert client_of([], index).get("/changes.json").json()["items"] == []


def test_the_json_feed_has_what_its_version_requires(index: StaticIndex) -> None:
    answer = client_of([version(1)], index).get("/changes.json")

    feed = answer.json()
    assert answer.headers["content-type"].startswith("application/feed+json")
    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    assert feed["feed_url"] == "http://testserver/changes.json"
    (item,) = feed["items"]
    assert item["url"] == "http://testserver/packages/acme-orders/1.1.0"
    assert item["date_published"] == "2025-06-15T15:06:41Z"
    assert item["tags"] == ["minor"]
    assert item["content_text"].splitlines()[1:] == ["field `unit` added", "field `x` removed"]


def test_an_entrys_identity_stays_whatever_the_address_is(index: StaticIndex) -> None:
    here = client_of([version(1)], index).get("/changes.json").json()
    there = (
        client_of([version(1)], index, public_url="https://p.example/").get("/changes.json").json()
    )

    assert here["items"][0]["id"] == there["items"][0]["id"]
    assert there["items"][0]["url"] == "https://p.example/packages/acme-orders/1.1.0"


@pytest.mark.parametrize("kind", ["atom", "json"])
def test_a_packages_feed_has_only_its_versions(index: StaticIndex, kind: str) -> None:
    client = client_of([version(1), version(2, "acme-cars")], index)

    answer = client.get(f"/packages/Acme_Cars/changes.{kind}")

    assert "acme-cars 1.2.0" in answer.text
    assert "acme-orders" not in answer.text
    assert client.get(f"/packages/unknown/changes.{kind}").status_code == 404


@pytest.mark.parametrize("address", ["/changes", "/changes.atom", "/changes.json"])
def test_an_unchanged_list_is_not_sent_again(index: StaticIndex, address: str) -> None:
    known = client_of([version(1)], index).get(address).headers["etag"]

    same = client_of([version(1)], index).get(address, headers={"If-None-Match": known})
    newer = client_of([version(1), version(2)], index)

    assert same.status_code == 304
    assert newer.get(address, headers={"If-None-Match": known}).status_code == 200


def test_hostile_texts_stay_text(index: StaticIndex) -> None:
    hostile = version(
        1, reasons=(HOSTILE_TEXT,), relation=RelationName.of("shop", HOSTILE_TEXT), change=""
    )
    client = client_of([hostile], index)

    (entry,) = entries(client.get("/changes.atom").content)
    item = client.get("/changes.json").json()["items"][0]
    page = client.get("/changes").text

    for text in (entry.findtext(f"{ATOM}content") or "", item["content_text"], page):
        assert "\u202e" not in text
        assert "\x1b" not in text
    assert "]]>" in (entry.findtext(f"{ATOM}content") or "")
    assert "script" not in Outline(page).tags


@pytest.mark.parametrize("before", ["x", "-1", "1e9", "٣", "9" * 30])
def test_a_malformed_place_is_refused(index: StaticIndex, before: str) -> None:
    client = client_of([version(1)], index)

    assert client.get("/changes", params={"before": before}).status_code == 400
    assert client.get("/changes.atom", params={"before": "9" * 19}).status_code == 200


def test_a_time_out_of_range_or_unknown_is_still_a_valid_feed(index: StaticIndex) -> None:
    odd = [version(1, created_at=0.0), version(2, created_at=1e300)]
    client = client_of(odd, index)

    assert len(entries(client.get("/changes.atom").content)) == 2
    assert "unknown" in client.get("/changes").text


def test_without_an_own_index_the_list_is_for_operators_and_links_nowhere() -> None:
    daemon = IdleDaemon(published=[version(1)])
    access = Access("secret")
    client = AsgiClient(create_app(None, daemon, registry=CollectorRegistry(), access=access))

    mine = client.get("/changes", headers={"Authorization": "Bearer secret"})

    assert client.get("/changes").status_code == 401
    assert client.get("/packages/acme-orders/changes.json").status_code == 401
    assert "acme-orders" in mine.text
    assert 'href="/packages/acme-orders"' not in mine.text


def test_both_ports_have_the_list(index: StaticIndex) -> None:
    daemon = IdleDaemon(published=[version(1)])
    public = AsgiClient(create_public_app(index, daemon))
    operations = AsgiClient(
        create_operations_app(daemon, registry=CollectorRegistry(), access=Access(None))
    )

    assert "acme-orders 1.1.0" in public.get("/changes.atom").text
    assert "acme-orders 1.1.0" in operations.get("/changes.atom").text


def test_the_page_of_a_package_names_its_feeds(index: StaticIndex) -> None:
    page = client_of([version(1)], index).get("/changes?package=acme-orders").text

    assert (
        '<link rel="alternate" type="application/atom+xml" title="Atom" '
        'href="/packages/acme-orders/changes.atom">' in page
    )


def record(number: str, name: str = "d") -> VersionRecord:
    return VersionRecord(
        name, number, RelationName.of("a", "t"), VersionStatus.RESERVED, "c", "{}", "s", "f.whl",
        "minor", ("field `x` added",), 1_750_000_000.0,
    )  # fmt: skip


def test_the_state_gives_published_versions_alone_and_in_order(tmp_path: Path) -> None:
    state = SqliteState(tmp_path / "state.db", "OFF")
    try:
        for number in ("1.0.0", "1.1.0"):
            for name in ("d", "e"):
                newest = state.read(lambda tx, name=name: tx.versions.history([name]))[name]  # type: ignore[misc]
                after = newest[-1].sequence if newest else None
                state.write(
                    lambda tx, n=number, d=name, a=after: (  # type: ignore[misc]
                        tx.versions.reserve(record(n, d), b"w", a), tx.versions.confirm(d, n),
                    )
                )  # fmt: skip
        state.write(lambda tx: tx.versions.reserve(record("9.0.0", "open"), b"w", None))
        state.write(lambda tx: tx.versions.revise("e", "1.0.0", VersionStatus.LOST))
        shown = ShownState(state, "acme")

        every = shown.publications(10, None, None)
        first, *_ = every

        assert [(v.distribution, v.number) for v in every] == [
            ("e", "1.1.0"), ("d", "1.1.0"), ("d", "1.0.0"),
        ]  # fmt: skip
        assert [v.number for v in shown.publications(10, None, "d")] == ["1.1.0", "1.0.0"]
        assert shown.publications(1, first.sequence, None)[0] == every[1]
        assert first.reasons == ("field `x` added",)
        assert [v.previous for v in every] == ["", "1.0.0", ""]
        assert {v.dropped_at for v in every} == {None}
        dropped = RelationRecord(
            record("1.0.0", "d").relation, missing_since=5.0, status=Status.MISSING, yanked=True
        )
        state.write(lambda tx: tx.graph.write(dropped))
        assert {v.dropped_at for v in shown.publications(10, None, "d")} == {5.0}
        state.write(lambda tx: tx.graph.write(replace(dropped, yanked=False)))
        with ThreadPoolExecutor(16) as pool:
            found = list(pool.map(lambda _: shown.publications(10, None, None), range(64)))
        assert all(each == every for each in found)
    finally:
        state.close()


def test_feeds_are_json_and_xml_whatever_the_texts_are(index: StaticIndex) -> None:
    texts = ["".join(map(chr, range(start, start + 64))) for start in (0, 64, 0x202A, 0xFFC0)]
    client = client_of([version(n + 1, reasons=(text,)) for n, text in enumerate(texts)], index)

    assert len(entries(client.get("/changes.atom").content)) == 4
    assert len(json.loads(client.get("/changes.json").content)["items"]) == 4
