"""Names read, resolved and printed in any state of a session."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeschema.catalog.catalog_identifiers import CatalogIdentifier
from lakeschema.catalog.errors import Refusal, SessionRefused
from lakeschema.catalog.name_resolution import (
    FileSource,
    NameForm,
    Resolved,
    WrittenName,
    print_identifier,
    read_name,
    resolve,
)
from lakeschema.catalog.sessions import CatalogTraits, Rules, Session

CATALOGS = ("spark_catalog", "cat", "Cat", "global_temp", "parquet", "s3://b/p", "a.b")
LIKELY = ("a", "b", "t", "v1", "spark_catalog", "SPARK_CATALOG", "cat", "Cat", "global_temp")
ODD = (
    "parquet",
    "s3://b/p",
    "s3://b/p/",
    "a.b",
    "x`y",
    "x'y",
    "x\\",
    "--",
    "/*",
    "IDENTIFIER",
    "🦆",
)

parts = st.one_of(st.sampled_from([*LIKELY, *ODD]), st.text(min_size=1, max_size=5))
levels = st.lists(parts, max_size=3).map(tuple)
paths = st.one_of(st.sampled_from(["s3://b/p/", "/tmp/x", "x", "a.b"]), st.text(min_size=1)).filter(
    lambda path: path.strip("/") != ""
)
identifiers = st.one_of(
    st.builds(CatalogIdentifier, levels, parts), paths.map(CatalogIdentifier.of_path)
)
traits = st.builds(
    CatalogTraits,
    has_namespaces=st.booleans(),
    takes_paths=st.booleans(),
    folds_case=st.booleans(),
    default_namespace=levels,
    not_loaded=st.sampled_from(["", "", "", "its class is missing"]),
)


@st.composite
def sessions(draw: st.DrawFn, rules: Rules) -> Session:
    names = set(draw(st.lists(st.sampled_from(CATALOGS), min_size=1)))
    registered = {name: draw(traits) for name in sorted(names)}
    current = draw(st.sampled_from(sorted(names)))
    chosen = draw(st.dictionaries(st.sampled_from(sorted(names)), levels))
    session_catalog = draw(st.sampled_from(sorted(names & {"spark_catalog"} or names)))
    return Session(registered, current, chosen, rules, session_catalog, frozenset({"v1", "t"}))


@given(sessions(Rules.PROPOSAL), identifiers, st.sampled_from(CATALOGS))
def test_by_the_proposal_every_identifier_that_a_catalog_can_have_is_printed(
    session: Session, identifier: CatalogIdentifier, catalog: str
) -> None:
    traits = session.catalogs.get(catalog)
    can_have = (
        traits is not None
        and not traits.not_loaded
        and (
            traits.takes_paths
            if identifier.is_path
            else traits.has_namespaces or not identifier.namespace
        )
    )

    check_printed(session, Resolved(catalog, identifier), is_expressible=can_have)


@given(sessions(Rules.SPARK), identifiers, st.sampled_from(CATALOGS))
def test_in_spark_an_identifier_is_printed_unless_spark_cannot_express_it(
    session: Session, identifier: CatalogIdentifier, catalog: str
) -> None:
    traits = session.catalogs.get(catalog)
    is_sparks = catalog == session.session_catalog
    can_have = (
        traits is not None
        and not traits.not_loaded
        and not identifier.is_path
        and (len(identifier.namespace) == 1 or not is_sparks)
    )
    # Spark always reads global_temp as its own namespace, so another catalog hides behind it.
    may_be_hidden = catalog == "global_temp" and not is_sparks

    check_printed(
        session,
        Resolved(catalog, identifier),
        is_expressible=None if can_have and may_be_hidden else can_have,
    )


def check_printed(session: Session, resolved: Resolved, *, is_expressible: bool | None) -> None:
    """None: it is printed, or refused, but never printed as a name of something else."""
    resolved = as_compared(session, resolved)
    try:
        text = print_identifier(resolved, session)
    except SessionRefused as error:
        outcome: object = error.kind
    else:
        assert resolve(read_name(text), session) == resolved
        outcome = "printed"

    allowed: dict[bool | None, list[object]] = {
        True: ["printed"],
        False: [Refusal.INEXPRESSIBLE],
        None: ["printed", Refusal.INEXPRESSIBLE],
    }
    assert outcome in allowed[is_expressible]


def as_compared(session: Session, resolved: Resolved) -> Resolved:
    identifier, traits = resolved.identifier, session.catalogs.get(resolved.catalog)
    if identifier.is_path or traits is None:
        return resolved
    namespace = tuple(map(traits.fold, identifier.namespace))
    return Resolved(resolved.catalog, CatalogIdentifier(namespace, traits.fold(identifier.name)))


@given(st.lists(parts, min_size=1, max_size=6).map(tuple), st.sampled_from(NameForm), st.data())
def test_a_written_name_reads_back_as_itself(
    names: tuple[str, ...], form: NameForm, data: st.DataObject
) -> None:
    if form is NameForm.PATH:
        names = (*data.draw(levels)[:1], data.draw(paths))
    written = WrittenName(names, form)

    assert read_name(str(written)) == written


PLAIN = Session({"hive": CatalogTraits(default_namespace=("default",))}, "hive")


def test_a_whole_name_begins_with_its_catalog() -> None:
    resolved = Resolved("hive", CatalogIdentifier(("shop",), "Order items"))

    assert print_identifier(resolved, PLAIN) == "hive.shop.`Order items`"


def test_a_name_like_a_path_is_printed_as_a_name() -> None:
    resolved = Resolved("hive", CatalogIdentifier((), "s3://b/p"))

    assert print_identifier(resolved, PLAIN) == "IDENTIFIER('hive.`s3://b/p`')"


def test_an_empty_part_cannot_be_written() -> None:
    with pytest.raises(SessionRefused, match=r"no name means \['', 't'\] of catalog hive"):
        print_identifier(Resolved("hive", CatalogIdentifier(("",), "t")), PLAIN)


def test_an_unknown_catalog_has_no_names() -> None:
    with pytest.raises(SessionRefused, match="no name means"):
        print_identifier(Resolved("nope", CatalogIdentifier((), "t")), PLAIN)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is not a name: expected a name, the statement ends"),
        ("a..b", "'a..b' is not a name: expected a name, found '.'"),
        ("a.`b", "'a.`b' is not a name: expected a name, found '`'"),
        ("a b", "'a b' is not a name: expected the end of the name, found 'b'"),
        ("IDENTIFIER('a b')", r"'a b' is not a name"),
        ("order-items", "expected the end of the name, found '-'"),
        ("x" * 300 + " y", "x… is not a name"),
    ],
)
def test_a_text_that_is_not_a_name_is_refused_with_the_place(text: str, message: str) -> None:
    with pytest.raises(SessionRefused) as refused:
        read_name(text)

    assert refused.value.kind is Refusal.SYNTAX
    assert message.replace("x… is", "x…' is") in str(refused.value)
    assert "back-ticks" in refused.value.hint


def test_letter_case_is_as_the_catalog_compares_names() -> None:
    for rules in Rules:
        catalogs = {"hive": CatalogTraits(folds_case=True), "cat": CatalogTraits()}
        session = Session(catalogs, "hive", {}, rules, "hive")

        assert resolve(read_name("Shop.Orders"), session) == Resolved(
            "hive", CatalogIdentifier(("shop",), "orders")
        )
        assert resolve(read_name("cat.Shop.Orders"), session) == Resolved(
            "cat", CatalogIdentifier(("Shop",), "Orders")
        )


def test_a_path_behind_an_unknown_catalog_is_refused() -> None:
    with pytest.raises(SessionRefused, match="'nope' is not a catalog"):
        resolve(read_name("nope.'s3://b/p'"), PLAIN)


def test_a_session_needs_its_current_catalog() -> None:
    with pytest.raises(SessionRefused, match="'prod' is not a catalog"):
        Session({"hive": CatalogTraits()}, "prod")


@pytest.mark.parametrize(
    ("text", "catalog"),
    [
        ("lake.t", "hive"),
        ("LAKE.t", "hive"),
        ("Ice.t", "cat"),
        ("ice.t", None),
        ("cat.t", "cat"),
        ("hive.t", "hive"),
    ],
)
def test_an_alias_names_its_catalog(text: str, catalog: str | None) -> None:
    aliases = {"lake": "hive", "Ice": "cat", "cat": "hive"}
    session = Session({"hive": CatalogTraits(), "cat": CatalogTraits()}, "hive", aliases=aliases)

    found = resolve(read_name(text), session)

    assert isinstance(found, Resolved)
    assert (found.catalog, found.identifier.namespace) == (
        catalog or "hive",
        () if catalog else ("ice",),
    )


def test_a_deployments_catalog_may_stand_for_sparks_own() -> None:
    session = Session({"hive": CatalogTraits()}, "hive", {}, Rules.SPARK, "hive")

    assert resolve(read_name("spark_catalog.shop.orders"), session) == Resolved(
        "hive", CatalogIdentifier(("shop",), "orders")
    )
    assert (
        print_identifier(Resolved("hive", CatalogIdentifier(("shop",), "orders")), session)
        == "spark_catalog.shop.orders"
    )


def test_sparks_name_for_its_catalog_cannot_mean_another_one() -> None:
    catalogs = {"hive": CatalogTraits(), "spark_catalog": CatalogTraits()}

    with pytest.raises(ValueError, match="must itself be Spark's session catalog"):
        Session(catalogs, "hive", {}, Rules.SPARK, "hive")


def test_a_plugin_of_spark_gets_names_like_file_formats() -> None:
    session = Session(
        {"spark_catalog": CatalogTraits(), "cat": CatalogTraits()}, "cat", {}, Rules.SPARK
    )
    name = read_name("parquet.`/tmp/x`")

    assert resolve(name, session) == Resolved("cat", CatalogIdentifier(("parquet",), "/tmp/x"))
    assert isinstance(resolve(name, session.in_catalog("spark_catalog")), FileSource)
