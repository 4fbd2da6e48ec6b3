import keyword
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from packaging.utils import canonicalize_name

from codegen.errors import IllegalPrefix
from codegen.naming import (
    KEYWORDS,
    MAX_NAME,
    TypeNamer,
    attribute_name,
    distribution_name,
    import_name,
    member_name,
)
from lakeschema.avro.model import Record
from lakeschema.catalog.identifiers import RelationName

PREFIX = "acme-schema"

parts = st.one_of(
    st.text("ab_", min_size=1, max_size=6),
    st.text("aB1.-_ `", min_size=1, max_size=6),
    st.text(min_size=1, max_size=20),
    st.sampled_from(["class", "None", "con", "2", "a", "x" + "a" * 16, "a" * 90]),
)
relations = st.builds(
    lambda namespace, name: RelationName.of(*namespace, name),
    st.lists(parts, min_size=0, max_size=3),
    parts,
)

catalogs = st.sampled_from(
    ["", "", "prod", "Prod", "p", "a_b", "a-b", "con", "class", "x" * 64, "p0", "P0"]
)
kept = st.one_of(
    st.sampled_from(["orders", "Orders", "a_b", "a", "b", "0", "00", "2", "prod", "p", "*", ".."]),
    st.sampled_from(["prod:sales", "../x", "con", "class", "a__b", "_", "a.b", "a-b", "A-B", "`"]),
    st.sampled_from(["\u202etxt", "a\tb", "\x1b[31m", "😀", "é", "e\u0301", "İ", "ß", " ", "a b"]),
    st.sampled_from(["x" * 1_024, "X" * 1_024, "x" * 1_023, "acme", "x_" + "a" * 16]),
    parts,
)
anywhere = st.builds(
    lambda namespace, name, catalog: RelationName(tuple(namespace), name, catalog),
    st.lists(kept, max_size=4),
    kept,
    catalogs,
)


def folded(distribution: str) -> str:
    """As an index and a file system that ignores case compare it."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


@pytest.mark.parametrize(
    ("relation", "distribution", "imported"),
    [
        ("prod:sales.orders", "acme-schema-0-prod-sales-orders", "prod__sales.orders"),
        ("prod:sales_eu.orders", "acme-schema-0-prod-2-sales-eu-orders", "prod__sales_eu.orders"),
        ("prod:sales.eu.orders", "acme-schema-00-prod-2-sales-eu-orders", "prod__sales__eu.orders"),
        ("prod:orders", "acme-schema-00-prod-0-orders", "prod__.orders"),
        ("prod:a.b.c.d_e", "acme-schema-00-prod-3-a-b-c-d-e", "prod__a__b__c.d_e"),
    ],
)
def test_names_of_other_catalogs_have_the_catalog_and_every_level(
    relation: str, distribution: str, imported: str
) -> None:
    name = RelationName.from_key(relation)

    assert distribution_name(name, PREFIX) == distribution
    assert import_name(name, PREFIX) == f"acme_schemas.{imported}"


@pytest.mark.thorough
@settings(max_examples=1_000)
@given(st.lists(anywhere, min_size=2, max_size=20, unique=True))
@example([RelationName((), "t"), RelationName(("*",), "t")])
@example([RelationName(("a",), "t", "p"), RelationName(("p", "a"), "t")])
@example([RelationName(("sales",), "orders", "prod"), RelationName(("0",), "prod_sales_orders")])
@example([RelationName(("a_b",), "c", "p"), RelationName(("a", "b"), "c", "p")])
@example([RelationName(("2",), "a_b_c", "p"), RelationName(("a_b",), "c", "p")])
@example([RelationName((), "t", "p"), RelationName(("",), "t", "p")])
@example([RelationName(("a",), "Orders", "p"), RelationName(("a",), "orders", "p")])
@example([RelationName(("a",), "t", "P"), RelationName(("a",), "t", "p")])
@example([RelationName(("p__a",), "t"), RelationName(("a",), "t", "p")])
def test_relations_of_all_catalogs_have_names_of_their_own(names: list[RelationName]) -> None:
    assert len({folded(distribution_name(name, PREFIX)) for name in names}) == len(names)
    assert len({import_name(name, PREFIX).lower() for name in names}) == len(names)


def test_no_two_short_relations_of_two_catalogs_share_a_name() -> None:
    words = ["a", "A", "b", "0", "00", "2", "a_b", "2_a", "a__b", "p", "q", "*"]
    spaces = [(), *((one,) for one in words), *((one, two) for one in words for two in words)]
    names = [
        RelationName(space, name, catalog)
        for catalog in ("", "p", "P", "q")
        for space in spaces
        for name in words
    ]

    assert len({folded(distribution_name(n, PREFIX)) for n in names}) == len(names)
    assert len({import_name(n, PREFIX).lower() for n in names}) == len(names)


@pytest.mark.parametrize(
    ("relation", "distribution", "imported"),
    [
        ("example.company", "acme-schema-example-company", "acme_schemas.example.company"),
        (
            "example.user_events",
            "acme-schema-example-user-events",
            "acme_schemas.example.user_events",
        ),
        (
            "prod_tracking.user_events",
            "acme-schema-2-prod-tracking-user-events",
            "acme_schemas.prod_tracking.user_events",
        ),
    ],
)
def test_ordinary_relations_keep_their_words(
    relation: str, distribution: str, imported: str
) -> None:
    name = RelationName.parse(relation)

    assert distribution_name(name, PREFIX) == distribution
    assert import_name(name, PREFIX) == imported


@given(relations, relations)
@example(RelationName.of("a_b", "c"), RelationName.of("a", "b_c"))
@example(RelationName.of("2", "a_b_c"), RelationName.of("a_b", "c"))
@example(RelationName.of("2_a", "b"), RelationName.of("a", "b"))
@example(RelationName.of("a", "b", "c"), RelationName.of("a.b", "c"))
@example(RelationName.of("a", "b"), RelationName.of("a_", "b"))
@example(RelationName.of("é", "b"), RelationName.of("e\u0301", "b"))
def test_two_relations_never_share_a_name(one: RelationName, other: RelationName) -> None:
    if one != other:
        assert distribution_name(one, PREFIX) != distribution_name(other, PREFIX)
        assert import_name(one, PREFIX).lower() != import_name(other, PREFIX).lower()


def test_no_two_short_relations_share_a_name() -> None:
    words = ["a", "b", "2", "a_b", "a_2", "2_a", "b_", "_a", "a__b", "ab", "a-b", "class"]
    names = [RelationName.of(one, two) for one in words for two in words]

    assert len({distribution_name(n, PREFIX) for n in names}) == len(names)
    assert len({import_name(n, PREFIX) for n in names}) == len(names)


@given(st.one_of(relations, anywhere))
@example(RelationName.of("d", "x" * 300))
@example(RelationName((), "t", "p"))
@example(RelationName(("class",), "con", "class"))
def test_every_relation_has_legal_names(relation: RelationName) -> None:
    distribution = distribution_name(relation, PREFIX)
    imported = import_name(relation, PREFIX)

    assert canonicalize_name(distribution) == distribution
    assert re.fullmatch(r"acme-schema-[a-z0-9-]*[a-z0-9]", distribution)
    assert len(distribution) <= MAX_NAME
    components = imported.split(".")
    assert len(components) == 3
    for component in components:
        assert component.isidentifier()
        assert component.isascii()
        assert component not in keyword.kwlist
        assert len(component) <= MAX_NAME


def test_name_that_looks_hashed_is_hashed_itself() -> None:
    honest = RelationName.of("sales", "orders-eu")
    end = distribution_name(honest, PREFIX).removeprefix(f"{PREFIX}-sales-orders-eu-")
    impostor = RelationName.of("sales", f"orders_eu_{end}")

    assert distribution_name(impostor, PREFIX) != distribution_name(honest, PREFIX)
    assert import_name(impostor, PREFIX) != import_name(honest, PREFIX)


@pytest.mark.parametrize("prefix", ["", "Acme", "acme_schema", "-acme", "acme--x", "1a", "a" * 41])
def test_prefix_that_is_no_distribution_name_is_refused(prefix: str) -> None:
    with pytest.raises(IllegalPrefix, match="prefix"):
        distribution_name(RelationName.of("a", "b"), prefix)


def test_keywords_are_those_of_this_interpreter() -> None:
    assert frozenset(keyword.kwlist) == KEYWORDS


fields = st.one_of(
    st.text("_af", min_size=1, max_size=6),
    st.text("_sf", min_size=1, max_size=6),
    st.from_regex(r"(f_|s_)*__?(class|to_avro|name|x)_{0,3}", fullmatch=True),
    st.from_regex(r"(class|self|to_avro|mro|value)_{0,3}", fullmatch=True),
    st.text(min_size=1, max_size=10),
)


@given(fields, fields)
def test_two_fields_or_symbols_never_share_a_name(one: str, other: str) -> None:
    if one != other:
        assert attribute_name(one) != attribute_name(other)
        assert member_name(one) != member_name(other)


@given(fields)
@example("__init__")
@example("_")
@example("self")
@example("None")
@example("é")
def test_fields_and_symbols_become_usable_identifiers(name: str) -> None:
    attribute, member = attribute_name(name), member_name(name)

    for generated in (attribute, member):
        assert generated.isidentifier()
        assert generated.isascii()
        assert generated not in KEYWORDS
    assert not attribute.startswith("__")
    assert attribute not in {"self", "to_avro", "from_avro", "to_dict", "from_dict"}
    assert not member.startswith("_")
    assert member not in {"mro", "name", "value"}


@pytest.mark.parametrize("name", ["id", "type", "_id", "NumberOfEmployees", "str", "f_x", "s_x"])
def test_ordinary_fields_keep_their_names(name: str) -> None:
    assert attribute_name(name) == name


NAMER = TypeNamer.of(Record("Company", "example", ()))
DERIVED = TypeNamer.of(Record("market_share", "db.market_share", ()))
WITHIN = TypeNamer.of(Record("Order", "Acme.Order", ()))
OF_COLUMNS = TypeNamer.of(Record("WebEvents", "shop.web_events", ()))


@pytest.mark.parametrize(
    ("namer", "full_name", "expected"),
    [
        (NAMER, "example.Company", "Company"),
        (NAMER, "example.Address", "Address"),
        (NAMER, "com.acme.Address", "com__acme__Address"),
        (NAMER, "example.Company.Address", "Company__Address"),
        (NAMER, "example.Company.Address.Country", "Company__Address__Country"),
        (NAMER, "Acme.Address", "Acme__Address"),
        (WITHIN, "Acme.Order.Order.Address.Country", "Address__Country"),
        (WITHIN, "Acme.Common.Money", "Acme__Common__Money"),
        (WITHIN, "Acme.Order.Order.Acme.Money", "Order__Acme__Money"),
        (NAMER, "example.RECORD", "RECORD_"),
        (NAMER, "example.None", "None_"),
        (NAMER, "example.Unit_Number", "Unit_Number"),
        (NAMER, "example.unitNumber", "unitNumber"),
        (DERIVED, "db.market_share.market_share.Address", "Address"),
        (DERIVED, "db.market_share.market_share.Address_2", "Address_2"),
    ],
)
def test_types_named_as_types_keep_their_names(
    namer: TypeNamer, full_name: str, expected: str
) -> None:
    assert namer.class_name(full_name) == expected


@pytest.mark.parametrize(
    ("namer", "full_name", "expected"),
    [
        (DERIVED, "db.market_share.market_share", "MarketShare"),
        (DERIVED, "db.market_share.market_share.device", "Device_"),
        (DERIVED, "db.market_share.market_share.device.screen_size", "Device_ScreenSize_"),
        (DERIVED, "db.market_share.market_share.Address.unit", "Address__Unit_"),
        (DERIVED, "db.market_share.market_share.Address.Unit", "Address__Unit"),
        (DERIVED, "db.market_share.market_share.Address.Unit.Kind", "Address__Unit__Kind"),
        (DERIVED, "db.market_share.market_share.unit.Kind", "MarketShare__unit__Kind"),
        (
            DERIVED,
            "db.market_share.market_share.MarketShare.Unit",
            "MarketShare__MarketShare__Unit",
        ),
        (DERIVED, "db.market_share.market_share.MarketShare", "MarketShare__MarketShare"),
        (DERIVED, "db.market_share.market_share.market_share", "MarketShare_"),
        (OF_COLUMNS, "shop.web_events.WebEvents", "WebEvents"),
        (OF_COLUMNS, "shop.web_events.WebEvents.device", "Device"),
        (OF_COLUMNS, "shop.web_events.WebEvents.Device", "WebEvents__Device"),
        (OF_COLUMNS, "shop.web_events.WebEvents.device.screen_size", "Device_ScreenSize"),
        (OF_COLUMNS, "shop.web_events.WebEvents.web_events", "WebEvents_"),
        (OF_COLUMNS, "shop.web_events.WebEvents.top_10", "Top_10"),
        (OF_COLUMNS, "shop.web_events.WebEvents.duration", "Duration_"),
        (NAMER, "example.unit", "Unit_"),
        (NAMER, "example.Company.device.screen", "Company_Device_Screen_"),
        (TypeNamer.of(Record("duration", "db.duration", ())), "db.duration.duration", "Duration_"),
    ],
)
def test_types_named_as_columns_become_camel_case(
    namer: TypeNamer, full_name: str, expected: str
) -> None:
    assert namer.class_name(full_name) == expected


NAMERS = [
    NAMER,
    DERIVED,
    WITHIN,
    OF_COLUMNS,
    TypeNamer("v", ""),
    TypeNamer.of(Record("A", "A", ())),
    TypeNamer.of(Record("a", "a", ())),
    TypeNamer.of(Record("duration", "db.duration", ())),
    TypeNamer.of(Record("Duration", "db.duration", ())),
    TypeNamer.of(Record("r_e_c_o_r_d", "db.r_e_c_o_r_d", ())),
]
type_parts = st.sampled_from([
    "v", "V", "db", "a", "a__b", "a_", "None", "none", "RECORD", "RECORD_", "r_e_c_o_r_d", "é", "1",
    "ab_c", "a_bc", "Ab_c", "AbC", "ABc", "a_b_c", "a1_b", "a1b", "a_1b", "a_1_b", "A_1b", "A1b",
    "market_share", "MarketShare", "MarketShare_", "Market_Share", "marketShare", "Duration",
    "duration", "Duration_", "WebEvents", "web_events", "WebEvents_A", "shop", "Company", "example",
    "Acme", "Order", "Address", "Unit", "A",
])  # fmt: skip
full_names = st.lists(type_parts, min_size=1, max_size=4).map(".".join)


def test_a_name_that_could_be_one_beneath_the_root_is_hashed() -> None:
    assert re.fullmatch("Country_x[a-z2-7]{16}", DERIVED.class_name("Address.Country"))
    assert re.fullmatch("unit_x[a-z2-7]{16}", DERIVED.class_name("Address.unit"))


def _near(namer: TypeNamer) -> list[str]:
    """Every short name at the places of a schema where types stand."""
    parts = [
        "a", "b", "A", "AB", "a_b", "ab", "Ab", "A_B", "a_1", "a1", "A_1", "A1", "Duration",
        "duration", "none", "None", "None_", "RECORD", "r_e_c_o_r_d", "Record", "record",
        "MarketShare", "market_share", "WebEvents", "web_events", "Company", "company",
    ]  # fmt: skip
    root = namer.root
    places = {"", root, root.rpartition(".")[0], namer.home, "x", "x.y"}
    # A namespace elsewhere may have the parts of one beneath the root.
    places |= {"Order", "Acme", "A", "A.B", "Acme.A", "MarketShare", "MarketShare.A", "a", "a.A"}
    one = {f"{place}.{part}".lstrip(".") for place in places for part in parts}
    two = {f"{place}.{part}" for place in one if place.startswith(root) for part in parts}
    three = {f"{root}.{a}.{b}.{c}" for a in parts[:11] for b in parts[:11] for c in parts[:11]}
    return sorted({root, *one, *two, *three})


@pytest.mark.parametrize("namer", NAMERS, ids=lambda namer: str(namer.root))
def test_no_two_of_the_short_types_share_a_class(namer: TypeNamer) -> None:
    classes: dict[str, str] = {}
    for full_name in _near(namer):
        other = classes.setdefault(namer.class_name(full_name), full_name)
        assert other == full_name


@given(full_names, full_names, st.sampled_from(NAMERS))
def test_two_types_never_share_a_class(one: str, other: str, namer: TypeNamer) -> None:
    if one != other:
        assert namer.class_name(one) != namer.class_name(other)


@given(full_names, st.sampled_from(NAMERS))
def test_every_type_has_a_legal_class_name(full_name: str, namer: TypeNamer) -> None:
    name = namer.class_name(full_name)

    assert name.isidentifier()
    assert name not in KEYWORDS
    assert not name.startswith("_")
