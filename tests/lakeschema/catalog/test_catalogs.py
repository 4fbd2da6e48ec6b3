"""Several catalogs as one: ``Catalogs``, and the listing of all its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from lakeschema.catalog.catalogs import (
    Catalogs,
    NamedCatalog,
    adapter_of,
    current_event_ids,
    map_parts,
    names_by_part,
    part_of,
    parts_of,
)
from lakeschema.catalog.column_types import BIGINT
from lakeschema.catalog.errors import CatalogRefused, CatalogUnavailable
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.listing import Listing, list_relations
from lakeschema.catalog.relations import Catalog, Column, Relation

ORDERS = RelationName(("sales",), "orders")
IN_B = RelationName(("sales",), "orders", "b")


class Lake:
    """An adapter: it does not know its name."""

    def __init__(self, *tables: str, event_id: int | None = None) -> None:
        self.tables = [RelationName.from_key(table) for table in tables]
        self.event_id = event_id
        self.down: CatalogUnavailable | CatalogRefused | None = None
        self.refused: frozenset[str] = frozenset()
        self.asked: list[RelationName] = []

    def namespaces(self) -> Sequence[Namespace]:
        self._answer()
        return sorted({name.place for name in self.tables})

    def relations(self, namespace: Namespace) -> Sequence[RelationName]:
        self._answer()
        if str(namespace) in self.refused:
            raise CatalogRefused("lake", str(namespace), "no permission")
        return [name for name in self.tables if name.place == namespace]

    def read(self, names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        self._answer()
        self.asked += names
        columns = (Column("id", BIGINT),)
        return {name: Relation(name, columns) for name in names if name in self.tables}

    def current_event_id(self) -> int | None:
        self._answer()
        return self.event_id

    def _answer(self) -> None:
        if self.down is not None:
            raise self.down


DOWN = CatalogUnavailable("lake", "connection refused")


def test_equal_names_in_two_catalogs_are_two_relations() -> None:
    catalog = Catalogs.of(Lake("sales.orders"), {"b": Lake("sales.orders")})

    found = catalog.read([ORDERS, IN_B])

    assert {name: relation.name for name, relation in found.items()} == {ORDERS: ORDERS, IN_B: IN_B}
    assert catalog.namespaces() == [Namespace(("sales",)), Namespace(("sales",), "b")]
    assert catalog.relations(Namespace(("sales",), "b")) == [IN_B]


def test_a_catalog_is_asked_only_for_its_own_names() -> None:
    default, b = Lake("sales.orders"), Lake()
    catalog = Catalogs.of(default, {"b": b})

    assert catalog.read([IN_B]) == {}

    assert default.asked == []
    assert b.asked == [ORDERS]


def test_a_name_in_an_unknown_catalog_is_refused_with_the_known_ones() -> None:
    catalog = Catalogs.of(Lake(), {"b": Lake(), "c": Lake()})

    with pytest.raises(CatalogRefused, match=r"gone.*no \[\[catalog\]\].*known: b, c"):
        catalog.read([RelationName(("sales",), "orders", "gone")])
    with pytest.raises(CatalogRefused, match="none but the default one"):
        part_of(Lake(), "b")


def test_one_catalog_down_holds_back_only_its_own_names() -> None:
    b = Lake("sales.orders")
    catalog = Catalogs.of(Lake("sales.orders"), {"b": b})
    b.down = DOWN

    assert set(catalog.read([ORDERS])) == {ORDERS}
    with pytest.raises(CatalogUnavailable):
        catalog.read([ORDERS, IN_B])


def test_names_are_grouped_by_catalog_in_their_order() -> None:
    other = RelationName(("a",), "t", "b")

    assert names_by_part([IN_B, ORDERS, other]) == {"b": [IN_B, other], "": [ORDERS]}
    assert names_by_part([ORDERS]) == {"": [ORDERS]}
    assert names_by_part([ORDERS, IN_B]) == {"": [ORDERS], "b": [IN_B]}
    assert names_by_part([]) == {}


def test_the_parts_and_their_adapters_are_found_by_name() -> None:
    default, b = Lake(event_id=7), Lake(event_id=9)
    catalog = Catalogs.of(default, {"b": b})

    assert set(parts_of(catalog)) == {"", "b"}
    assert parts_of(default) == {"": default}
    assert adapter_of(catalog, "") is default
    assert adapter_of(catalog, "b") is b
    assert isinstance(part_of(catalog, "b"), NamedCatalog)


def test_each_catalog_counts_its_own_events() -> None:
    default, b, c = Lake(event_id=7), Lake(event_id=9), Lake()
    catalog = Catalogs.of(default, {"b": b, "c": c})

    assert current_event_ids(catalog) == ({"": 7, "b": 9}, {})
    assert catalog.current_event_id() is None

    b.down = DOWN

    assert current_event_ids(catalog) == ({"": 7}, {"b": str(DOWN)})


def test_every_part_can_be_changed() -> None:
    catalog = Catalogs.of(Lake(), {"b": Lake()})
    seen: list[str] = []

    def change(name: str, part: Catalog) -> Catalog:
        seen.append(name)
        return part

    assert set(parts_of(map_parts(catalog, change))) == {"", "b"}
    map_parts(Lake(), change)

    assert seen == ["", "b", ""]


def test_all_catalogs_are_listed() -> None:
    catalog = Catalogs.of(Lake("sales.orders"), {"b": Lake("sales.orders", "`Sales`.`Orders`")})

    listing = list_relations(catalog)

    assert listing.names == [RelationName(("Sales",), "Orders", "b"), ORDERS, IN_B]
    assert listing.refused == {}
    assert listing.catalogs == {"", "b"}


@pytest.mark.parametrize("error", [DOWN, CatalogRefused("lake", "namespaces", "no permission")])
@pytest.mark.parametrize("which", ["", "b"])
def test_a_catalog_that_cannot_be_listed_hides_no_other(
    error: CatalogUnavailable | CatalogRefused, which: str
) -> None:
    lakes = {"": Lake("sales.orders"), "b": Lake("sales.orders")}
    lakes[which].down = error

    listing = list_relations(Catalogs.of(lakes[""], {"b": lakes["b"]}))

    lost, kept = (ORDERS, IN_B) if which == "" else (IN_B, ORDERS)
    assert listing.names == [kept]
    assert listing.refused == {Namespace((), which): str(error)}
    assert not listing.covers(lost.place)
    assert listing.covers(kept.place)


def test_a_namespace_that_is_refused_does_not_cover_its_namesake_in_another_catalog() -> None:
    b = Lake("sales.orders", "hr.staff")
    b.refused = frozenset(["sales"])

    listing = list_relations(Catalogs.of(Lake("sales.orders"), {"b": b}))

    assert listing.names == [RelationName(("hr",), "staff", "b"), ORDERS]
    assert set(listing.refused) == {Namespace(("sales",), "b")}
    assert listing.covers(Namespace(("sales",)))
    assert not listing.covers(Namespace(("sales",), "b"))
    assert listing.covers(Namespace(("hr",), "b"))


def test_no_relation_of_a_catalog_that_was_not_asked_counts_as_dropped() -> None:
    listing = list_relations(Lake("sales.orders"))

    assert listing.covers(ORDERS.place)
    assert not listing.covers(IN_B.place)
    assert not Listing(
        [], {Namespace((), "b"): "down"}, frozenset(["", "b"]), frozenset(["b"])
    ).covers(IN_B.place)


def test_the_listing_fails_if_no_catalog_answers() -> None:
    one, other = Lake(), Lake()
    one.down = other.down = DOWN

    with pytest.raises(CatalogUnavailable):
        list_relations(Catalogs.of(one, {"b": other}))
    with pytest.raises(CatalogUnavailable):
        list_relations(one)


def test_the_listing_of_one_catalog_fails_if_it_refuses() -> None:
    lake = Lake()
    lake.down = CatalogRefused("lake", "namespaces", "no permission")

    with pytest.raises(CatalogRefused):
        list_relations(lake)


def test_catalogs_that_are_down_or_refuse_are_told_apart() -> None:
    one, other = Lake(), Lake()
    one.down, other.down = DOWN, CatalogRefused("lake", "namespaces", "no permission")

    listing = list_relations(Catalogs.of(one, {"b": other}))

    assert set(listing.refused) == {Namespace(()), Namespace((), "b")}


@pytest.mark.parametrize("part", ["a\0b", "\ud800", "x" * 1_025])
def test_a_relation_whose_name_cannot_be_stored_is_left_out(
    part: str, caplog: pytest.LogCaptureFixture
) -> None:
    b = Lake("sales.orders")
    b.tables += [RelationName(("sales",), part), RelationName((part,), "orders")]

    listing = list_relations(Catalogs.of(Lake("sales.orders"), {"b": b}))

    assert listing.names == [ORDERS, IN_B]
    assert [record.message for record in caplog.records] == ["relation left out"] * 2
