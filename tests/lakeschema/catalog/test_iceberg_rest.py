from __future__ import annotations

import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.errors import CatalogRefused, CatalogUnavailable, NamespaceMissing
from lakeschema.catalog.iceberg import IcebergCatalog
from lakeschema.catalog.iceberg_http import RestLogin
from lakeschema.catalog.iceberg_http import RestServer as Address
from lakeschema.catalog.iceberg_rest import RestSource
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.listing import list_relations
from lakeschema.catalog.relations import Dialect, Relation
from tests.lakeschema.catalog.certificates import Authority
from tests.lakeschema.catalog.iceberg_documents import field_of, table_of, view_of
from tests.lakeschema.catalog.iceberg_rest_server import RestServer, serving

DEEP = ("p", "q", "r")


@pytest.fixture
def server() -> Iterator[RestServer]:
    with serving(RestServer()) as server:
        server.tables[DEEP] = {"T": table_of(field_of(1, "Id")), "t": table_of(field_of(1, "x"))}
        yield server


def source_of(
    server: RestServer, login: RestLogin | None = None, *, max_bytes: int = 10_000_000
) -> RestSource:
    address = Address(server.uri, "lake", timeout_seconds=5, max_bytes=max_bytes)
    return RestSource(address, lambda: login or RestLogin())


@pytest.fixture
def source(server: RestServer) -> Iterator[RestSource]:
    source = source_of(server)
    yield source
    source.close()


def name(*parts: str) -> RelationName:
    return RelationName(parts[:-1], parts[-1])


def read_one(source: RestSource, asked: RelationName) -> Relation:
    return IcebergCatalog(source).read([asked])[asked]


def test_namespaces_have_any_depth(source: RestSource) -> None:
    assert sorted(source.namespaces()) == [("p",), ("p", "q"), DEEP]


def test_one_level_of_namespaces_costs_one_request(server: RestServer, source: RestSource) -> None:
    catalog = IcebergCatalog(source)
    source.client.config()
    server.reset()

    assert list(catalog.list_namespaces(("p",))) == [("p", "q")]
    assert catalog.load_namespace(DEEP) == {}
    with pytest.raises(NamespaceMissing, match=r"refused namespace p\.q\.absent"):
        catalog.load_namespace(("p", "q", "absent"))
    assert len(server.asked) == 3


def test_names_that_differ_in_case_alone_are_two_relations(source: RestSource) -> None:
    found = IcebergCatalog(source).read([name(*DEEP, "T"), name(*DEEP, "t"), name("p", "Q", "t")])

    assert {key.name: [c.name for c in each.columns] for key, each in found.items()} == {
        "T": ["Id"],
        "t": ["x"],
    }


def test_each_page_of_a_list_is_read(server: RestServer, source: RestSource) -> None:
    server.page_size = 2
    server.tables = {("n",): {f"t{number}": table_of() for number in range(5)}, ("m",): {}}

    assert [each.name for each in source.relations(("n",))] == ["t0", "t1", "t2", "t3", "t4"]
    assert sorted(source.namespaces()) == [("m",), ("n",)]


def test_pages_that_repeat_end(server: RestServer, source: RestSource) -> None:
    server.page_size = 1
    server.repeats = True
    server.tables = {("n",): {}, ("m",): {}}

    assert sorted(source.namespaces()) == [("m",), ("n",)]


def test_tables_and_views_are_listed_together(server: RestServer, source: RestSource) -> None:
    server.views[DEEP] = {"v": view_of({"spark": "SELECT 1 AS x"}, field_of(1, "x"))}

    assert sorted(each.name for each in source.relations(DEEP)) == ["T", "t", "v"]


def test_a_server_without_views_is_not_asked_for_them(server: RestServer) -> None:
    server.endpoints = ["GET /v1/{prefix}/namespaces/{namespace}/tables"]
    source = source_of(server)

    source.relations(DEEP)
    IcebergCatalog(source).read([name(*DEEP, "absent")])
    source.close()

    assert not [path for path in server.asked if "/views" in path]


@pytest.mark.parametrize("status", [405, 406, 501])
def test_a_server_that_refuses_all_views_has_none(
    server: RestServer, source: RestSource, status: int
) -> None:
    server.statuses = {"/views": status, "/views/absent": status}

    assert len(source.relations(DEEP)) == 2
    assert IcebergCatalog(source).read([name(*DEEP, "absent")]) == {}


def test_a_view_has_its_text_and_its_own_columns(server: RestServer, source: RestSource) -> None:
    server.views[DEEP] = {
        "v": view_of({"spark": "SELECT x FROM t"}, field_of(1, "x", "decimal(10, 2)", doc="sum"))
    }

    found = read_one(source, name(*DEEP, "v"))

    assert found.view is not None
    assert (found.view.dialect, found.view.text) == (Dialect.SPARK, "SELECT x FROM t")
    assert [(c.name, print_type(c.type), c.comment) for c in found.columns] == [
        ("x", "decimal(10,2)", "sum")
    ]


@pytest.mark.parametrize("separator", ["%1F", "%2E", "."])
def test_the_server_names_its_separator_of_levels(server: RestServer, separator: str) -> None:
    server.separator = separator
    source = source_of(server)

    assert sorted(source.namespaces()) == [("p",), ("p", "q"), DEEP]
    assert len(source.relations(DEEP)) == 2
    source.close()


def test_the_server_names_its_prefix(server: RestServer) -> None:
    server.prefix = "main/x"
    source = source_of(server)

    assert len(source.relations(DEEP)) == 2
    source.close()


def test_unity_states_its_prefix_for_the_catalog_that_the_warehouse_names(
    server: RestServer,
) -> None:
    """Unity's server states these endpoints: it loads views and lists none. It sends no ETags."""
    within = "/v1/{prefix}/namespaces/{namespace}"
    server.prefix, server.token, server.has_etags = "catalogs/main", "one", False
    server.endpoints = [
        "GET /v1/{prefix}/namespaces",
        f"GET {within}/tables",
        f"GET {within}/tables/{{table}}",
        f"GET {within}/views/{{view}}",
    ]
    server.tables = {("sales",): {"orders": table_of(field_of(1, "id"))}}
    address = Address(server.uri, "lake", warehouse="main")
    source = RestSource(address, lambda: RestLogin(token="one"))
    orders = name("sales", "orders")

    marks = source.look({}).marks
    server.tables["sales",]["orders"] |= {"last-updated-ms": 5}
    after_data = source.look(marks)
    server.tables["sales",]["orders"] = table_of(field_of(1, "key"))

    assert (list(marks), after_data.changed) == ([orders], [])
    assert source.look(after_data.marks).changed == [orders]
    source.close()
    config, *others = server.asked
    assert config == "/v1/config?warehouse=main"
    assert all(path.startswith("/v1/catalogs/main/namespaces") for path in others)
    assert not [path for path in others if path.endswith("/views?pageToken=")]


def test_the_servers_prefix_is_not_encoded_again(server: RestServer) -> None:
    server.prefix = "main%7Clake"
    source = source_of(server)

    source.relations(DEEP)
    source.close()

    assert any(path.startswith("/v1/main%7Clake/namespaces/") for path in server.asked)


@pytest.mark.parametrize(
    "level", ["with.dot", "with blank", "a/b", "ü😀", "%2F", "?x=1#y", "n" * 1024, "`", "\n"]
)
def test_levels_and_names_of_any_text_are_kept(
    server: RestServer, source: RestSource, level: str
) -> None:
    server.tables = {("n", level): {level: table_of(field_of(1, "x"))}}

    listing = list_relations(IcebergCatalog(source))

    assert listing.names == [name("n", level, level)]
    assert read_one(source, listing.names[0]).unreadable is None


@pytest.mark.parametrize("level", [".", ".."])
def test_names_that_are_steps_in_a_path_are_refused_with_the_reason(
    server: RestServer, source: RestSource, level: str
) -> None:
    server.tables = {("n",): {level: table_of()}, (level,): {"t": table_of()}}

    listing = list_relations(IcebergCatalog(source))

    assert listing.names == [name("n", level)]
    assert "cannot be sent to a REST catalog" in listing.refused[Namespace((level,))]
    assert "its name is a step in a path" in str(read_one(source, name("n", level)).unreadable)
    assert all("/.." not in path for path in server.asked)


def test_an_unknown_type_hides_neither_table_nor_column(
    server: RestServer, source: RestSource
) -> None:
    server.tables[DEEP] = {"t": table_of(field_of(1, "v", "variant"), field_of(2, "w", "shape"))}

    found = read_one(source, name(*DEEP, "t"))

    assert [print_type(column.type) for column in found.columns] == ["variant", "shape"]


def test_a_missing_relation_is_left_out(source: RestSource) -> None:
    asked = [name("p", "none"), name("t"), name("none", "none")]

    assert IcebergCatalog(source).read(asked) == {}
    assert source.relations(("none",)) == []
    assert source.relations(()) == ()


@pytest.mark.parametrize("status", [400, 403, 500])
def test_a_refusal_costs_only_its_relation(
    server: RestServer, source: RestSource, status: int
) -> None:
    server.statuses["/T"] = status

    found = IcebergCatalog(source).read([name(*DEEP, "T"), name(*DEEP, "t")])

    assert found[name(*DEEP, "T")].unreadable == (
        f"the catalog refuses to return it: status {status}, TestException"
    )
    # So earlier derivations stay.
    assert found[name(*DEEP, "T")].schema_pointer is not None
    assert found[name(*DEEP, "t")].unreadable is None


def test_metadata_that_is_malformed_costs_only_its_relation(
    server: RestServer, source: RestSource
) -> None:
    server.tables[DEEP]["T"] = ["secret"]

    found = read_one(source, name(*DEEP, "T"))

    assert "is not the metadata of an Iceberg table" in str(found.unreadable)
    assert "secret" not in str(found.unreadable)


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_server_is_unavailable(server: RestServer, source: RestSource, status: int) -> None:
    server.statuses["/T"] = status

    with pytest.raises(CatalogUnavailable, match=f"status {status}"):
        read_one(source, name(*DEEP, "T"))


def test_a_server_that_fails_for_all_is_unavailable(server: RestServer, source: RestSource) -> None:
    source.relations(DEEP)
    server.statuses.update({"/T": 500, "/config": 500})

    with pytest.raises(CatalogUnavailable, match="status 500"):
        read_one(source, name(*DEEP, "T"))


def test_a_server_that_is_busy_for_a_moment_is_asked_again(
    server: RestServer, source: RestSource
) -> None:
    server.busy = 3

    assert len(source.relations(DEEP)) == 2


def test_nothing_is_missing_while_a_proxy_answers_instead(
    server: RestServer, source: RestSource
) -> None:
    marks = source.look({}).marks
    server.is_replaced = True

    for ask in (source.namespaces, lambda: source.look(marks), lambda: source.load([*marks])):
        with pytest.raises(CatalogUnavailable, match="another server answers at its address"):
            ask()


def test_an_answer_that_does_not_end_is_cut(server: RestServer) -> None:
    source = RestSource(Address(server.uri, "lake", timeout_seconds=0.2))
    server.drips = True

    with pytest.raises(CatalogUnavailable, match="does not answer"):
        source.namespaces()
    server.drips = False
    source.close()


def test_an_answer_without_a_body_that_nobody_asked_for_is_no_drop(
    server: RestServer, source: RestSource
) -> None:
    server.statuses = {"/T": 304}

    assert read_one(source, name(*DEEP, "T")).unreadable is not None


def test_a_server_that_is_down_is_unavailable(server: RestServer) -> None:
    source = RestSource(Address("http://127.0.0.1:9", "lake", timeout_seconds=1))

    with pytest.raises(CatalogUnavailable, match=r"lake does not answer: 127\.0\.0\.1"):
        source.namespaces()


def test_a_namespace_that_is_refused_hides_no_other(server: RestServer, source: RestSource) -> None:
    server.tables["n",] = {"t": table_of()}
    server.statuses["/n/tables"] = 403

    listing = list_relations(IcebergCatalog(source))

    assert [each.namespace for each in listing.names] == [DEEP, DEEP]
    assert listing.refused[Namespace(("n",))].endswith(
        "status 403, TestException: as the test says"
    )


def test_an_answer_larger_than_the_limit_is_refused(server: RestServer) -> None:
    source = source_of(server, max_bytes=100)

    with pytest.raises(CatalogRefused, match="larger than 100 bytes"):
        read_one(source, name(*DEEP, "T"))
    source.close()


def test_a_token_is_sent(server: RestServer) -> None:
    server.token = "one"
    source = source_of(server, RestLogin(token="one"))

    assert len(source.relations(DEEP)) == 2
    source.close()


def test_headers_reach_the_catalog_and_no_other_server_of_tokens(server: RestServer) -> None:
    server.token = "one"
    with serving(RestServer(token="one")) as tokens:
        oauth_uri = f"{tokens.uri}/oauth/tokens"
        login = RestLogin(credential="me:secret", oauth_uri=oauth_uri)
        address = Address(server.uri, "lake", headers={"Polaris-Realm": "sales"})
        source = RestSource(address, lambda: login)

        assert len(source.relations(DEEP)) == 2
        source.close()

        assert (server.realm, tokens.realm) == ("sales", None)


def test_headers_reach_the_catalogs_own_login(server: RestServer) -> None:
    address = Address(server.uri, "lake", headers={"Polaris-Realm": "sales"})
    source = RestSource(address, lambda: RestLogin(credential="me:wrong"))

    with pytest.raises(CatalogRefused, match="the login"):
        source.namespaces()
    source.close()

    assert server.realm == "sales"


def test_a_wrong_token_is_refused(server: RestServer) -> None:
    server.token = "one"
    source = source_of(server, RestLogin(token="two"))

    with pytest.raises(CatalogRefused, match="the login: status 401") as refused:
        source.namespaces()
    assert "two" not in str(refused.value)
    source.close()


def test_a_credential_gives_tokens_and_a_new_one_when_the_old_one_ends(server: RestServer) -> None:
    server.token = "one"
    source = source_of(server, RestLogin(credential="me:secret"))
    source.namespaces()
    server.token = "two"

    assert len(source.relations(DEEP)) == 2
    source.close()


def test_a_wrong_credential_is_refused_without_showing_it(server: RestServer) -> None:
    server.token = "one"
    source = source_of(server, RestLogin(credential="me:hidden"))

    with pytest.raises(CatalogRefused, match="the login") as refused:
        source.namespaces()
    assert "hidden" not in str(refused.value)
    source.close()


@pytest.mark.parametrize("is_mutual", [False, True])
def test_tls_checks_the_server_and_shows_the_client(tmp_path: Path, *, is_mutual: bool) -> None:
    authority = Authority(tmp_path)
    of_server, of_client = authority.certificate("server"), authority.certificate("client")
    security = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    security.load_cert_chain(of_server.cert_file, of_server.key_file)
    if is_mutual:
        security.verify_mode = ssl.CERT_REQUIRED
        security.load_verify_locations(authority.ca_file)
    files = {"ca_file": str(authority.ca_file)}
    if is_mutual:
        files |= {"cert_file": str(of_client.cert_file), "key_file": str(of_client.key_file)}
    with serving(RestServer({DEEP: {}}), security) as server:
        trusting = RestSource(Address(server.uri, "lake", **files))  # type: ignore[arg-type]
        doubting = RestSource(Address(server.uri, "lake"))

        assert DEEP in trusting.namespaces()
        with pytest.raises(CatalogUnavailable, match="SSLError"):
            doubting.namespaces()
        trusting.close()
        doubting.close()


def test_a_look_at_unchanged_tables_costs_answers_without_bodies(
    server: RestServer, source: RestSource
) -> None:
    marks = source.look({}).marks
    server.reset()

    again = source.look(marks)

    assert (again.marks, again.changed) == (marks, [])
    assert server.counts[304] == 2


def test_a_commit_of_data_changes_the_mark_and_not_the_facts(
    server: RestServer, source: RestSource
) -> None:
    marks = source.look({}).marks
    server.tables[DEEP]["t"] |= {"last-updated-ms": 5, "current-snapshot-id": 7}

    again = source.look(marks)

    assert again.changed == []
    assert again.marks != marks


def test_new_changed_and_dropped_relations_are_changed(
    server: RestServer, source: RestSource
) -> None:
    server.tables[DEEP]["same"] = table_of()
    marks = source.look({}).marks
    server.tables[DEEP] = {
        "t": table_of(field_of(1, "renamed")),
        "new": table_of(),
        "same": server.tables[DEEP]["same"],
    }

    assert [each.name for each in source.look(marks).changed] == ["T", "new", "t"]


def test_a_server_without_etags_is_compared_by_facts(
    server: RestServer, source: RestSource
) -> None:
    server.has_etags = False
    marks = source.look({}).marks

    assert source.look(marks).changed == []


def test_relations_of_a_namespace_that_is_refused_do_not_count_as_dropped(
    server: RestServer, source: RestSource
) -> None:
    marks = source.look({}).marks
    server.statuses["/tables"] = 403

    assert source.look(marks).changed == []
