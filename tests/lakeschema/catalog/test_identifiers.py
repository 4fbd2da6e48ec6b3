import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lakeschema.catalog.errors import MalformedName
from lakeschema.catalog.identifiers import Namespace, RelationName, check_parts, is_catalog_name

parts = st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=4)
catalogs = st.one_of(
    st.just(""),
    st.sampled_from(["prod", "Prod", "b", "a-b", "a_b", "x" * 64]),
    st.builds(
        str.__add__,
        st.sampled_from(string.ascii_letters),
        st.text(string.ascii_letters + string.digits + "_-", max_size=63),
    ),
)
levels = st.lists(
    st.one_of(
        st.text(min_size=1, max_size=8),
        st.text("aA.:`-* \n\0", min_size=1, max_size=4),
        st.sampled_from(["prod", "prod:", "b:", "0", "..", "../x", "con", "*", "\u202e", "😀"]),
    ),
    max_size=3,
).map(tuple)
names = st.builds(
    lambda namespace, name, catalog: RelationName(namespace, name[0], catalog),
    levels,
    levels.filter(bool),
    catalogs,
)
namespaces = st.builds(Namespace, levels, catalogs)


@given(parts)
def test_a_printed_name_reads_back_as_itself(name_parts: list[str]) -> None:
    name = RelationName.of(*name_parts)

    assert RelationName.parse(str(name)) == name


@given(names)
@example(RelationName(("prod:sales",), "orders"))
@example(RelationName((), "prod:sales"))
@example(RelationName((), "t", "prod"))
def test_a_key_reads_back_as_the_name(name: RelationName) -> None:
    assert RelationName.from_key(str(name)) == name
    assert RelationName.from_json(name.to_json()) == name


@given(namespaces)
@example(Namespace((), "prod"))
@example(Namespace(()))
def test_a_key_reads_back_as_the_namespace(namespace: Namespace) -> None:
    assert Namespace.from_key(str(namespace)) == namespace


@given(names, names)
@example(RelationName(("a",), "b", "c"), RelationName(("c:a",), "b"))
@example(RelationName(("a",), "b", "c"), RelationName(("c", "a"), "b"))
@example(RelationName(("a",), "T", "c"), RelationName(("a",), "t", "c"))
@example(RelationName(("a",), "t", "C"), RelationName(("a",), "t", "c"))
def test_two_names_never_share_a_key(one: RelationName, other: RelationName) -> None:
    if one != other:
        assert str(one) != str(other)
        assert one.to_json() != other.to_json()


@given(parts)
def test_keys_of_the_default_catalog_name_no_catalog(name_parts: list[str]) -> None:
    name = RelationName(tuple(name_parts[:-1]), name_parts[-1])

    assert RelationName.from_key(str(name)).catalog == ""
    assert name.to_json() == name_parts


@pytest.mark.parametrize(
    ("name", "key"),
    [
        (RelationName(("sales",), "orders"), "sales.orders"),
        (RelationName(("sales",), "Orders"), "sales.`Orders`"),
        (RelationName(("sales", "eu"), "orders", "prod"), "prod:sales.eu.orders"),
        (RelationName((), "orders", "prod"), "prod:orders"),
        (RelationName(("a:b",), "c"), "`a:b`.c"),
    ],
)
def test_keys_have_this_form(name: RelationName, key: str) -> None:
    assert str(name) == key


@pytest.mark.parametrize("text", ["", ":", "prod:", "prod:.t", "prod:a..t", "1:a.t", "prod:a.b:"])
def test_a_text_that_is_no_key_is_refused_or_names_no_catalog(text: str) -> None:
    try:
        name = RelationName.from_key(text)
    except MalformedName:
        return
    assert name.catalog == "" or RelationName.from_key(str(name)) == name


def test_people_write_a_catalog_before_the_colon() -> None:
    assert RelationName.parse("prod:Sales.orders") == RelationName(("Sales",), "orders", "prod")
    assert RelationName.parse("prod:t", ("x",)) == RelationName((), "t", "prod")
    assert RelationName.parse("`prod:Sales`.orders") == RelationName(("prod:sales",), "orders")


@pytest.mark.parametrize("part", ["", "a\0b", "\ud800", "x" * 1025])
def test_parts_that_cannot_be_stored_are_refused(part: str) -> None:
    with pytest.raises(MalformedName):
        check_parts(["a", part])


@pytest.mark.parametrize(
    "text", ["", "1a", "_a", "-a", "a.b", "a:b", "a b", "é", "a\n", "a`", "../x", "x" * 65]
)
def test_a_catalog_has_a_plain_name(text: str) -> None:
    assert not is_catalog_name(text)
