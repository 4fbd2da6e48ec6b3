from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lakeschema.catalog.errors import CatalogRefused, CatalogUnavailable
from lakeschema.catalog.iceberg import IcebergCatalog, Look, metadata_pointer
from lakeschema.catalog.iceberg_http import RestLogin
from lakeschema.catalog.iceberg_http import RestServer as Address
from lakeschema.catalog.iceberg_nessie import NessieSource
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.listing import list_relations
from lakeschema.catalog.own_schemas import UnreadSchema
from lakeschema.table_files.access import ReadingLimits
from lakeschema.table_files.limited import LimitedOwnSchemas
from tests.lakeschema.catalog.iceberg_documents import field_of, table_of, view_of
from tests.lakeschema.catalog.nessie_server import (
    NessieServer,
    nessie_table,
    nessie_view,
    serving_nessie,
)

DEEP = ("p", "q.x", "r")
UPPER, LOWER = RelationName(DEEP, "T"), RelationName(DEEP, "t")
ROOT = RelationName((), "root")


@pytest.fixture
def server() -> Iterator[NessieServer]:
    with serving_nessie(NessieServer()) as server:
        server.commit(
            {
                ("empty",): {"type": "NAMESPACE", "id": "n", "elements": ["empty"]},
                (*DEEP, "T"): nessie_table(1, "s3://lake/T/1.metadata.json"),
                (*DEEP, "t"): nessie_table(2, "s3://lake/t/1.metadata.json"),
                (*DEEP, "d"): {"type": "DELTA_LAKE_TABLE", "id": "d"},
                (*DEEP, "f"): {"type": "UDF", "id": "f"},
            }
        )
        yield server


def source_of(
    server: NessieServer,
    login: RestLogin | None = None,
    *,
    reference: str | None = None,
    timeout_seconds: float = 5,
    max_bytes: int = 10_000_000,
) -> NessieSource:
    address = Address(server.uri, "lake", timeout_seconds=timeout_seconds, max_bytes=max_bytes)
    return NessieSource(address, lambda: login or RestLogin(), reference=reference)


@pytest.fixture
def source(server: NessieServer) -> Iterator[NessieSource]:
    source = source_of(server)
    yield source
    source.close()


def moved(number: int, place: str, **more: Any) -> dict[str, Any]:
    return nessie_table(number, f"s3://lake/{place}.metadata.json", **more)


def start(server: NessieServer, source: NessieSource) -> Look:
    look = source.look({})
    server.reset()
    return look


def test_namespaces_have_any_depth_and_may_be_empty(source: NessieSource) -> None:
    assert sorted(source.namespaces()) == [("empty",), ("p",), DEEP[:2], DEEP]
    assert source.namespaces_in(("p",)) == [("p", "q.x")]
    assert source.namespaces_in(("absent",)) == []


def test_contents_of_other_formats_are_left_out(source: NessieSource) -> None:
    assert list_relations(IcebergCatalog(source)).names == [UPPER, LOWER]


def test_a_table_in_no_namespace_is_listed(server: NessieServer, source: NessieSource) -> None:
    server.commit({("root",): moved(3, "root")})

    assert ROOT in list_relations(IcebergCatalog(source)).names
    assert source.load([ROOT]) == {ROOT: metadata_pointer("s3://lake/root.metadata.json")}


def test_each_page_of_a_list_is_read(server: NessieServer, source: NessieSource) -> None:
    server.page_size = 2
    server.commit({(*DEEP, f"t{n}"): moved(10 + n, f"t{n}") for n in range(5)})

    assert len(source.relations(DEEP)) == 7
    assert len(source.look({}).marks) == 7


def test_a_list_that_does_not_end_is_refused(server: NessieServer, source: NessieSource) -> None:
    server.repeats = True

    with pytest.raises(CatalogRefused, match="the list does not end"):
        source.relations(DEEP)


def test_tables_and_views_are_read_from_their_files(
    server: NessieServer, source: NessieSource, tmp_path: Path
) -> None:
    table, view = tmp_path / "1.metadata.json", tmp_path / "2.metadata.json"
    table.write_text(json.dumps(table_of(field_of(1, "Id", "long"))))
    view.write_text(json.dumps(view_of({"spark": "SELECT Id FROM T"}, field_of(1, "Id", "long"))))
    name = RelationName(DEEP, "v")
    server.commit(
        {
            (*DEEP, "T"): nessie_table(1, table.as_uri()),
            (*DEEP, "v"): nessie_view(4, view.as_uri()),
        }
    )
    catalog = IcebergCatalog(source, LimitedOwnSchemas(ReadingLimits(at_once=1)))

    found = catalog.read([UPPER, name])

    assert [column.name for column in found[UPPER].columns] == ["Id"]
    stored = found[name].view
    assert stored is not None
    assert stored.text == "SELECT Id FROM T"
    catalog.close()


def test_many_names_are_asked_for_in_requests_of_a_length_that_servers_take(
    server: NessieServer, source: NessieSource
) -> None:
    names = [RelationName(DEEP, f"ü{n:04}") for n in range(300)]
    server.commit({each.parts: moved(100, each.name) for each in names})
    server.reset()

    assert len(source.load(names)) == 300
    assert len(server.asked) < 10


@pytest.mark.parametrize(
    "text", ["", "\x1d", "\n", "\0", "\ud800", "n" * 600, "ü" * 600, "😀" * 251]
)
def test_a_name_that_nessie_cannot_have_hides_no_other(
    server: NessieServer, source: NessieSource, text: str
) -> None:
    asked = RelationName(DEEP, text)

    assert list(source.load([UPPER, asked, LOWER])) == [UPPER, LOWER]


def test_a_namespace_that_nessie_cannot_have_is_not_asked_for(
    server: NessieServer, source: NessieSource
) -> None:
    for level in ("", "\n", "\ud800", "n" * 600):
        assert source.relations((*DEEP, level)) == []
    assert source.load([RelationName(("n",) * 20, "t")]) == {}
    assert server.asked == []


@pytest.mark.parametrize(
    "level", ["with.dot", "with blank", "a/b", "ü😀", "%2F", "?x=1#y", "..", "*"]
)
def test_levels_and_names_of_any_text_are_kept(
    server: NessieServer, source: NessieSource, level: str
) -> None:
    name = RelationName(("n", level), level)
    server.commit({name.parts: moved(3, "x")})

    assert source.relations(name.namespace) == [name]
    assert list(source.load([name])) == [name]


def test_a_content_without_a_place_is_unread_with_the_reason(
    server: NessieServer, source: NessieSource
) -> None:
    server.commit({UPPER.parts: nessie_table(1, "") | {"metadataLocation": None}})

    found = source.load([UPPER])[UPPER]

    assert isinstance(found, UnreadSchema)
    assert "no metadataLocation" in found.reason


def test_a_look_without_commits_is_one_request(server: NessieServer, source: NessieSource) -> None:
    first = start(server, source)

    again = source.look(first.marks, first.head)

    assert (again.marks, again.changed, again.head) == (first.marks, (), first.head)
    assert server.asked == ["/api/v2/trees/-"]


def test_a_commit_of_data_is_no_change_and_moves_the_head(
    server: NessieServer, source: NessieSource
) -> None:
    first = start(server, source)
    server.commit({UPPER.parts: moved(1, "T/2", snapshotId=7)})

    again = source.look(first.marks, first.head)

    assert again.changed == []
    assert again.head == server.references["main"]
    assert len(server.asked) == 3
    assert source.look(again.marks, again.head).changed == ()


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param(moved(1, "T/2", schemaId=1), id="schema"),
        pytest.param(moved(1, "T/2", snapshotId=7, schemaId=1), id="schema and data"),
        pytest.param(moved(1, "T/2", specId=1), id="partition spec"),
        pytest.param(moved(1, "T/2", sortOrderId=1), id="sort order"),
        pytest.param(moved(1, "T/2"), id="properties"),
        pytest.param(moved(9, "T/2", snapshotId=7), id="another table of the name"),
        pytest.param(nessie_view(1, "s3://lake/T/1.metadata.json"), id="a view of the name"),
    ],
)
def test_a_commit_of_anything_else_is_a_change(
    server: NessieServer, source: NessieSource, changed: dict[str, Any]
) -> None:
    first = start(server, source)
    server.commit({UPPER.parts: changed})

    again = source.look(first.marks, first.head)

    assert again.changed == [UPPER]
    assert source.look(again.marks, again.head).changed == ()


def test_each_new_place_of_a_view_is_a_change(server: NessieServer, source: NessieSource) -> None:
    name = RelationName(DEEP, "v")
    server.commit({name.parts: nessie_view(4, "s3://lake/v/1")})
    first = start(server, source)
    server.commit({name.parts: nessie_view(4, "s3://lake/v/2")})

    assert source.look(first.marks, first.head).changed == [name]


def test_new_renamed_and_dropped_relations_are_changed(
    server: NessieServer, source: NessieSource
) -> None:
    server.page_size = 1
    first = start(server, source)
    renamed, new = RelationName(("elsewhere",), "T2"), RelationName(DEEP, "new")
    server.commit(
        {
            UPPER.parts: None,
            renamed.parts: nessie_table(1, "s3://lake/T/1.metadata.json"),
            new.parts: moved(5, "new"),
        }
    )
    server.commit({LOWER.parts: None, (*DEEP, "d"): None})

    again = source.look(first.marks, first.head)

    assert again.changed == sorted([UPPER, LOWER, renamed, new])
    assert set(again.marks) == {renamed, new}


def test_a_table_that_becomes_one_of_another_format_is_dropped(
    server: NessieServer, source: NessieSource
) -> None:
    first = start(server, source)
    server.commit({UPPER.parts: {"type": "DELTA_LAKE_TABLE", "id": "d2"}})

    again = source.look(first.marks, first.head)

    assert (again.changed, list(again.marks)) == ([UPPER], [LOWER])


def test_after_a_reassignment_each_new_place_is_a_change(
    server: NessieServer, source: NessieSource
) -> None:
    """The other branch may have another schema under the same number."""
    server.references["other"] = server.references["main"]
    server.commit({UPPER.parts: moved(1, "T/2", snapshotId=7)})
    first = start(server, source)
    server.commit({UPPER.parts: moved(1, "T/3", snapshotId=8)}, "other")
    server.references["main"] = server.references["other"]

    again = source.look(first.marks, first.head)

    assert again.changed == [UPPER]
    assert source.look(again.marks, again.head).changed == ()


@pytest.mark.parametrize("head", ["ab" * 32, "", "x' || true || '"])
def test_an_unknown_head_costs_a_listing_and_loses_no_change(
    server: NessieServer, source: NessieSource, head: str
) -> None:
    first = start(server, source)
    server.commit({UPPER.parts: moved(1, "T/2", snapshotId=7), LOWER.parts: None})

    again = source.look(first.marks, head)

    assert again.changed == [UPPER, LOWER]
    assert again.head == server.references["main"]


def test_history_that_was_cleaned_up_costs_a_listing(
    server: NessieServer, source: NessieSource
) -> None:
    first = start(server, source)
    server.commit({LOWER.parts: None})
    del server.commits[first.head]

    assert source.look(first.marks, first.head).changed == [LOWER]


def test_only_the_chosen_reference_is_read(server: NessieServer) -> None:
    server.references["etl/x"] = server.references["main"]
    server.commit({UPPER.parts: None}, "etl/x")
    source = source_of(server, reference="etl/x")

    assert source.relations(DEEP) == [LOWER]
    first = start(server, source)
    server.commit({LOWER.parts: None}, "main")
    assert source.look(first.marks, first.head).head == first.head
    source.close()


def test_a_missing_reference_is_named(server: NessieServer) -> None:
    source = source_of(server, reference="absent")

    with pytest.raises(
        CatalogRefused, match="refused the reference 'absent': status 404, REFERENCE_NOT_FOUND"
    ):
        source.look({})
    source.close()


def test_another_server_at_the_address_is_no_empty_catalog(
    server: NessieServer, source: NessieSource
) -> None:
    first = start(server, source)
    server.is_replaced = True

    for ask in (
        source.namespaces,
        lambda: source.load([UPPER]),
        lambda: source.look(first.marks, first.head),
    ):
        with pytest.raises(CatalogUnavailable, match="another server answers"):
            ask()


ENDINGS = ("/trees/-", "/history", "diff/-", "/entries", "/contents")


def ask_everything(source: NessieSource, known: Look) -> None:
    source.namespaces()
    source.load([UPPER])
    source.look(known.marks, known.head)


def break_at(server: NessieServer, ending: str) -> str:
    """The end of the path; that of a difference is the newest commit."""
    server.commit({UPPER.parts: moved(1, "T/2", snapshotId=7)})
    return ending if ending != "diff/-" else f"/diff/-@{server.references['main']}"


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"<h1>hello</h1>", "its answer is not a JSON object"),
        (b"[" * 100_000, "its answer is not a JSON object"),
        (b"[]", "its answer is not a JSON object"),
        (b"{}", "its answer (has no list of|names no commit)"),
        (
            b'{"reference":{"hash":"../x"},"entries":1}',
            "its answer (has no list of|names no commit)",
        ),
    ],
)
def test_an_answer_of_another_shape_is_refused(
    server: NessieServer, source: NessieSource, ending: str, answer: bytes, reason: str
) -> None:
    first = start(server, source)
    server.answers = {break_at(server, ending): answer}

    with pytest.raises(CatalogRefused, match=reason):
        ask_everything(source, first)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("status", [500, 502, 503])
def test_a_failing_server_is_unavailable(
    server: NessieServer, source: NessieSource, ending: str, status: int
) -> None:
    first = start(server, source)
    server.statuses = {break_at(server, ending): status}

    with pytest.raises(CatalogUnavailable, match=f"status {status}, TEST: as the test says"):
        ask_everything(source, first)


@pytest.mark.parametrize(
    "key", [None, 1, {}, {"elements": []}, {"elements": [1]}, {"elements": ["a", None]}]
)
def test_an_entry_that_has_no_name_hides_no_other(
    server: NessieServer, source: NessieSource, key: Any
) -> None:
    entry = {"type": "ICEBERG_TABLE", "content": moved(1, "T")}
    named = {**entry, "name": {"elements": ["a", "t"]}}
    entries = [{**entry, "name": key}, 7, named, {"name": {"elements": ["x"]}}]
    server.answers = {"/entries": json.dumps({"entries": entries}).encode()}

    assert list(source.look({}).marks) == [RelationName(("a",), "t")]


def test_an_answer_that_does_not_end_is_cut(server: NessieServer) -> None:
    source = source_of(server, timeout_seconds=0.2)
    server.drips = True

    with pytest.raises(CatalogUnavailable, match="does not answer"):
        source.look({})
    server.drips = False
    source.close()


def test_an_answer_larger_than_the_limit_is_refused(server: NessieServer) -> None:
    source = source_of(server, max_bytes=100)

    with pytest.raises(CatalogRefused, match="larger than 100 bytes"):
        source.look({})
    source.close()


def test_a_token_is_sent_and_a_wrong_one_refused(server: NessieServer) -> None:
    server.token = "one"
    right, wrong = source_of(server, RestLogin("one")), source_of(server, RestLogin("two"))

    assert len(right.look({}).marks) == 2
    with pytest.raises(CatalogRefused, match="the login: status 401") as refused:
        wrong.look({})
    assert "two" not in str(refused.value)
    right.close()
    wrong.close()


def test_a_credential_gives_tokens(server: NessieServer) -> None:
    server.token = "one"
    oauth = f"{server.uri}/tokens"
    login = RestLogin(credential="me:secret", oauth_uri=oauth, scope="")
    source = source_of(server, login)

    assert len(source.look({}).marks) == 2
    server.token = "two"
    assert len(source.look({}).marks) == 2
    source.close()
