"""The catalogue: namespaces with figures, then relations by filters, over a real state."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

import pytest
from prometheus_client import CollectorRegistry

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.outcome import Status
from publisher.daemon.listed import PAGE_SIZE, RelationLister
from publisher.index.static import StaticIndex
from publisher.state.protocol import Transaction
from publisher.state.records import Edge, RelationRecord, VersionRecord, VersionStatus
from publisher.state.sqlite import SqliteState
from publisher.web.access import UNPROTECTED, Access
from publisher.web.app import create_app, create_operations_app, create_public_app
from publisher.web.catalogue import MAX_NAMESPACES
from publisher.web.listing import Asked, CatalogueFigures, ListedRelations
from publisher.web.package_sites import without_credentials
from publisher.web.packages import Site
from tests.publisher.web.asgi_client import AsgiClient
from tests.publisher.web.daemon_double import IdleDaemon
from tests.publisher.web.html_outline import Outline
from tests.publisher.web.packages import HOSTILE

PREFIX = "acme-schema"
JSON = {"Accept": "application/json"}
ODD_NAMES = (
    HOSTILE.lower(),
    "\u202egnp.exe",
    "x" * 1_000,
    "a\nb",
    'it\'s "quoted"',
    "..",
    "%2e%2e%2f",
    "?q=1#y&a=b",
)


@dataclass(frozen=True)
class Listing(IdleDaemon):
    """A daemon that has a state."""

    state: SqliteState | None = None
    catalogs: tuple[str, ...] = ("hive",)

    def catalogue(self) -> CatalogueFigures:
        assert self.state is not None
        names = {"" if number == 0 else name: name for number, name in enumerate(self.catalogs)}
        found = self.state.read(lambda tx: tx.catalogue.namespaces())
        return CatalogueFigures(found, names)

    def relations(self, asked: Asked) -> ListedRelations:
        assert self.state is not None
        return RelationLister(self.state, PREFIX).list(asked)


@pytest.fixture
def state(tmp_path: Path) -> Iterator[SqliteState]:
    with closing(SqliteState(tmp_path / "state.db", synchronous="OFF")) as state:
        yield state


def relation(key: str, *, kind: str = "table", status: Status = Status.OK) -> RelationRecord:
    published = "p" if status is Status.OK else None
    reason = "" if status is Status.OK else f"reason {HOSTILE}"
    name = RelationName.from_key(key)
    return RelationRecord(
        name,
        status=status,
        stale=False,
        reason=reason,
        published_hash=published,
        kind=kind,
        owner=f"owner {HOSTILE}",
    )


def write(state: SqliteState, *records: RelationRecord) -> None:
    def act(tx: Transaction) -> None:
        for record in records:
            tx.graph.write(record)

    state.write(act)


def version(relation_key: str, distribution: str, number: str) -> VersionRecord:
    name = RelationName.from_key(relation_key)
    return VersionRecord(
        distribution,
        number,
        name,
        VersionStatus.PUBLISHED,
        "c",
        None,
        "5ha",
        "f.whl",
        created_at=1_000.0,
    )


def client_of(
    state: SqliteState,
    index: StaticIndex | None = None,
    site: Site = Site(),  # noqa: B008  immutable
    access: Access = UNPROTECTED,
    catalogs: tuple[str, ...] = ("hive",),
) -> AsgiClient:
    daemon = Listing(state=state, catalogs=catalogs)
    app = create_app(index, daemon, site=site, registry=CollectorRegistry(), access=access)
    return AsgiClient(app)


def rows(client: AsgiClient, address: str) -> list[str]:
    return [row["relation"] for row in client.get(address, headers=JSON).json()["relations"]]


def test_the_first_page_has_each_namespace_with_its_figures_and_leads_to_its_relations(
    state: SqliteState,
) -> None:
    write(
        state,
        relation("shop.orders"),
        relation("shop.daily", kind="view", status=Status.BROKEN),
        relation("hr.people"),
    )
    client = client_of(state)

    page = Outline(client.get("/catalog").text)
    answer = client.get("/catalog", headers=JSON).json()

    assert page.faults == []
    assert "3 relations, 1 with problems" in page.text
    assert [each["namespace"] for each in answer["namespaces"]] == ["hr", "shop"]
    assert (answer["namespaces"][1]["tables"], answer["namespaces"][1]["views"]) == (1, 1)
    (address,) = [link for link in page.links if "shop" in link]
    assert rows(client, address) == ["shop.daily", "shop.orders"]


def test_a_row_shows_kind_status_package_age_owner_and_readers(state: SqliteState) -> None:
    write(state, relation("shop.orders"), relation("shop.daily", kind="view"))
    orders, daily = (RelationName.of("shop", name) for name in ("orders", "daily"))
    state.write(lambda tx: tx.graph.replace_edges(daily, [Edge(daily, orders)]))
    distribution = "acme-schema-shop-orders"
    versions = [version("shop.orders", distribution, n) for n in ("1.0.0", "1.1.0")]
    state.write(lambda tx: tx.versions.adopt(versions))
    client = client_of(state, site=Site(index_url="https://index.example/simple/"))

    (_, row) = client.get("/catalog?namespace=shop", headers=JSON).json()["relations"]
    page = client.get("/catalog?namespace=shop")

    assert row == {
        "relation": "shop.orders",
        "kind": "table",
        "status": "OK",
        "reason": None,
        "owner": f"owner {HOSTILE}",
        "package": distribution,
        "version": "1.1.0",
        "published_at": 1_000.0,
        "wheel_sha256": "5ha",
        "readers": 1,
        "address": "/relations/shop.orders",
        "package_address": f"https://index.example/simple/{distribution}/",
    }
    assert '<span class="tag good">OK</span>' in page.text
    assert "1970-01-01 00:16 UTC" in page.text
    assert row["package_address"] in Outline(page.text).links


def test_an_owner_leads_to_all_relations_that_they_own(state: SqliteState) -> None:
    owned = [relation(key) for key in ("shop.orders", "hr.people")]
    write(state, *owned, replace(relation("hr.pay"), owner="another"))
    client = client_of(state)

    links = Outline(client.get("/catalog?namespace=shop").text).links

    (address,) = [link for link in links if link.startswith("/catalog?owner=")]
    assert rows(client, address) == ["hr.people", "shop.orders"]


def test_on_an_own_index_packages_lead_to_their_pages(state: SqliteState, tmp_path: Path) -> None:
    write(state, relation("shop.orders"))
    state.write(
        lambda tx: tx.versions.adopt([version("shop.orders", "acme-schema-shop-orders", "1")])
    )

    page = client_of(state, StaticIndex(tmp_path / "index")).get("/catalog?q=orders")

    assert "/packages/acme-schema-shop-orders" in Outline(page.text).links


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ("status=BROKEN", ["shop.daily"]),
        ("kind=view", ["shop.daily"]),
        ("kind=table&namespace=shop", ["shop.orders"]),
        ("q=PEOPLE", ["hr.people"]),
        ("owner=the+owner+of+people", ["hr.people"]),
        ("owner=people", []),
        ("q=%25", []),
        ("namespace=shop%60", []),
        ("namespace=nowhere", []),
        ("status=no+such", []),
        ("catalog=hive&q=shop", ["shop.daily", "shop.orders"]),
        ("catalog=other&q=shop", []),
        ("q=a%00b", []),
        ("q=%ED%A0%80", []),
    ],
)
def test_filters_choose_relations(state: SqliteState, filters: str, found: list[str]) -> None:
    write(
        state,
        relation("shop.orders"),
        relation("shop.daily", kind="view", status=Status.BROKEN),
        replace(relation("hr.people"), owner="the owner of people"),
    )
    client = client_of(state)

    assert rows(client, f"/catalog?{filters}") == found
    assert client.get(f"/catalog?{filters}").status_code == 200


def test_pages_lead_forth_and_back_by_key_and_keep_the_filters(state: SqliteState) -> None:
    keys = [f"shop.t{number:04}" for number in range(2 * PAGE_SIZE + 5)]
    write(state, *map(relation, keys), relation("shop.view", kind="view"))
    client = client_of(state)

    def follow(rel: str) -> list[list[str]]:
        address: str | None = start
        found = []
        while address:
            answer = client.get(address, headers=JSON).json()
            found.append([row["relation"] for row in answer["relations"]])
            address = answer[rel]
        return found

    start = "/catalog?kind=table&q=t0"
    forth = follow("next")
    start = f"/catalog?kind=table&q=t0&after={keys[2 * PAGE_SIZE - 1]}"
    back = follow("previous")

    assert [len(page) for page in forth] == [PAGE_SIZE, PAGE_SIZE, 5]
    assert [name for page in forth for name in page] == keys
    assert [name for page in back[::-1] for name in page] == keys
    assert client.get("/catalog?q=t0&after=zzz", headers=JSON).json()["relations"] == []


def test_a_page_of_a_large_catalogue_is_small(state: SqliteState) -> None:
    write(state, *(relation(f"db{n}.t{m}") for n in range(MAX_NAMESPACES + 3) for m in range(2)))
    client = client_of(state)

    first = client.get("/catalog")
    listed = client.get("/catalog?q=t")

    assert len(gzip.compress(first.content)) < 30_000
    assert len(gzip.compress(listed.content)) < 30_000
    (following,) = [link for link in Outline(first.text).links if "after=" in link]
    assert len(client.get(following, headers=JSON).json()["namespaces"]) == 3


def test_three_catalogs_of_equal_names_stay_apart(state: SqliteState) -> None:
    keys = ["shop.orders", "b:shop.orders", "c:shop.orders"]
    write(state, *map(relation, keys))
    client = client_of(state, catalogs=("hive", "b", "c"))

    page = Outline(client.get("/catalog").text)
    answer = client.get("/catalog", headers=JSON).json()

    assert [(each["catalog"], each["relations"]) for each in answer["namespaces"]] == [
        ("hive", 1),
        ("b", 1),
        ("c", 1),
    ]
    assert [rows(client, each["address"]) for each in answer["namespaces"]] == [[k] for k in keys]
    assert rows(client, "/catalog?q=orders") == sorted(keys)
    assert rows(client, "/catalog?catalog=b&q=orders") == ["b:shop.orders"]
    assert client.get("/catalog?catalog=b", headers=JSON).json()["namespaces"][0]["catalog"] == "b"
    assert page.faults == []
    assert len(set(page.ids)) == len(page.ids)


def test_an_empty_deployment_says_what_to_do(state: SqliteState) -> None:
    client = client_of(state)

    assert "schema-publisher snapshot" in Outline(client.get("/catalog").text).text
    assert client.get("/catalog", headers=JSON).json() == {
        "namespaces": [],
        "previous": None,
        "next": None,
    }
    assert "No relation matches" in client.get("/catalog?q=x").text


def test_hostile_names_are_shown_as_text_and_lead_back_to_themselves(state: SqliteState) -> None:
    names = [RelationName((odd,), odd) for odd in ODD_NAMES]
    write(state, *(replace(relation("a.b", status=Status.BROKEN), name=name) for name in names))
    client = client_of(state)

    first = client.get("/catalog")
    pages = [first, client.get("/catalog?status=BROKEN"), client.get("/catalog", headers=JSON)]
    namespaces = pages.pop().json()["namespaces"]

    for page in pages:
        assert "<script" not in page.text
        assert "<b>" not in page.text
        assert Outline(page.text).faults == []
    assert sorted(key for each in namespaces for key in rows(client, each["address"])) == sorted(
        map(str, names)
    )
    for each in namespaces:
        assert client.get(each["address"]).status_code == 200


@pytest.mark.parametrize("name", ["catalog", "namespace", "kind", "status", "q", "after", "before"])
def test_hostile_questions_are_answered_and_escaped(state: SqliteState, name: str) -> None:
    write(state, relation("shop.orders"))
    client = client_of(state)

    for text in (*ODD_NAMES, "x" * 3_000, "`", "a..b", ":", "b:", "\0"):
        answer = client.get(f"/catalog?{name}={quote(text)}")
        assert answer.status_code == 200
        assert "<script" not in answer.text


def test_many_readers_at_once_see_whole_pages_while_relations_change(state: SqliteState) -> None:
    write(state, *(relation(f"shop.t{n:03}") for n in range(150)))
    client = client_of(state)

    def change(number: int) -> None:
        write(state, relation(f"shop.t{number:03}", status=Status.BROKEN))

    def read(number: int) -> list[str]:
        change(number)
        return rows(client, "/catalog?namespace=shop")

    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(read, range(64)))

    assert {tuple(answer) for answer in answers} == {tuple(f"shop.t{n:03}" for n in range(100))}


def test_only_operators_see_relations(state: SqliteState, tmp_path: Path) -> None:
    write(state, relation("shop.secret"))
    daemon = Listing(state=state)
    token = "a token of the operators"
    protected = client_of(state, access=Access(token))
    public = AsgiClient(create_public_app(StaticIndex(tmp_path / "index"), daemon))
    own_port = AsgiClient(
        create_operations_app(
            daemon, registry=CollectorRegistry(), access=Access(has_own_port=True)
        )
    )

    assert protected.get("/catalog?q=s").status_code == 401
    answer = protected.get("/catalog?q=s", headers={"Authorization": f"Bearer {token}"})
    assert "shop.secret" in answer.text
    assert public.get("/catalog?q=s").status_code == 404
    assert "shop.secret" in own_port.get("/catalog?q=s").text


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (
            "https://me:secret@index.example:8443/simple/?token=x",
            "https://index.example:8443/simple/",
        ),
        ("http://[::1]:80/simple", "http://[::1]:80/simple"),
    ],
)
def test_an_index_is_shown_without_credentials(url: str, shown: str) -> None:
    assert without_credentials(url) == shown
