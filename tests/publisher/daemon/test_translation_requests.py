"""Translations by a running service: its own relations, the request's, limits, and a bounded queue."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from lakeschema.catalog.column_types import STRING
from lakeschema.catalog.ddl_files import DdlFilesCatalog
from lakeschema.catalog.errors import CatalogUnavailable
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.catalog.typed_names import NamingRules
from lakeschema.translation.deriving.derivation_json import derivation_to_json
from lakeschema.translation.deriving.with_upstreams import derive_with_upstreams
from lakeschema.translation.model.interface import Options, Returns, UdfAnswer
from lakeschema.translation.model.outcome import Status
from lakeschema.translation.requests.limited_answers import MAX_RELATIONS, Form, Told, Wanted
from publisher.daemon.definitions import Definitions
from publisher.daemon.service import Service
from publisher.daemon.surroundings import KnownSurroundings
from publisher.daemon.translation_requests import Translations
from publisher.outages import CATALOG, Outages
from publisher.settings import Translate, load_settings
from publisher.state.protocol import Transaction
from publisher.state.records import Edge, Output, RelationRecord
from publisher.state.sqlite import SqliteState
from publisher.web.limited_requests import Failed, Unavailable
from tests.publisher.daemon.test_service import configured
from tests.waiting import eventually

DDL = """
CREATE DATABASE shop; USE shop;
CREATE TABLE orders (id BIGINT, price DOUBLE, dt STRING);
CREATE VIEW ids AS SELECT id FROM orders WHERE dt > '2026';
CREATE VIEW twice AS SELECT id + id AS id FROM ids;
CREATE VIEW upper_names TBLPROPERTIES ('functions' = 'up:com.example.Up', 'dependencies' = 'a:b:1')
    AS SELECT up(dt) AS name FROM orders;
"""

NAMES = NamingRules({"hive": True, "lake": False}, "hive", ("default",))
Ask = Callable[..., dict[str, Any]]


class AbsentCatalog(DdlFilesCatalog):
    def read(self, names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        raise CatalogUnavailable("ddl", f"it is away, and so are {len(names)} relations")


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> DdlFilesCatalog:
    folder = tmp_path_factory.mktemp("ddl")
    (folder / "all.sql").write_text(DDL)
    return DdlFilesCatalog(folder)


@pytest.fixture(scope="module")
def state(
    tmp_path_factory: pytest.TempPathFactory, catalog: DdlFilesCatalog
) -> Iterator[SqliteState]:
    """Knows what the catalog has, derived."""
    state = SqliteState(tmp_path_factory.mktemp("state") / "known.db")
    relations = catalog.read_all()
    for name in relations:
        derivations = derive_with_upstreams(name, relations, options_of(lambda *_: None))
        note(state, name, derivations[name])
    yield state
    state.close()


def options_of(resolver: Callable[..., None]) -> Options:
    def resolve(class_name: str, dependencies: tuple[str, ...], /) -> UdfAnswer | None:
        resolver(class_name, dependencies)
        return Returns(STRING)

    return Options(udf_resolver=resolve)


def note(state: SqliteState, name: RelationName, derivation: Any) -> None:
    record = RelationRecord(name, facts_hash="f", output=Output("i"), status=Status.OK, stale=False)

    def write(tx: Transaction) -> None:
        tx.graph.write(record)
        tx.graph.write_derivation(name, json.dumps(derivation_to_json(derivation)))
        tx.graph.replace_edges(name, [Edge(name, each, "i") for each in derivation.upstreams])

    state.write(write)


def surroundings(
    state: SqliteState, catalog: DdlFilesCatalog, resolver: Callable[..., None] = lambda *_: None
) -> KnownSurroundings:
    return KnownSurroundings(
        state, Definitions(catalog, Outages((CATALOG,), {})), options_of(resolver), NAMES
    )


@pytest.fixture(scope="module")
def asked_classes() -> list[str]:
    return []


@pytest.fixture(scope="module")
def translations(
    state: SqliteState, catalog: DdlFilesCatalog, asked_classes: list[str]
) -> Iterator[Translations]:
    known = surroundings(state, catalog, lambda name, _: asked_classes.append(name))
    found = Translations(Translate(timeout_seconds=60), Options(), known)
    yield found
    found.close()


@pytest.fixture(scope="module")
def ask(translations: Translations) -> Ask:
    def asked(**request: Any) -> dict[str, Any]:
        answer = translations.submit(json.dumps(request).encode(), Form.JSON, "ann").result()
        found: dict[str, Any] = json.loads(answer.text)
        return found

    return asked


class TestWhatIsKnown:
    @pytest.mark.thorough
    def test_a_query_reads_the_relations_of_the_service(self, ask: Ask) -> None:
        found = ask(id=7, query="SELECT id, price FROM shop.orders", to="trino")

        assert found["id"] == 7
        assert found["result"]["sql"].split("FROM")[1].strip() == '"shop"."orders" AS t1'
        assert [each["type"] for each in found["result"]["columns"]] == ["bigint", "double"]

    def test_a_view_of_the_service_needs_no_text(self, ask: Ask) -> None:
        found = ask(relation="shop.twice", to="lineage")["result"]

        (column,) = found["columns"]
        assert column["column"] == "id"
        assert column["expression"] == "(id + id)"
        assert column["direct"] == [{"relation": "shop.ids", "column": "id"}]

    def test_a_relation_is_named_as_in_every_command(self, ask: Ask) -> None:
        found = ask(relation="hive.shop.TWICE", to="trino")
        unknown = ask(relation="nowhere:a.b")["error"]

        assert '"shop"."ids"' in found["result"]["sql"]
        assert (unknown["type"], "nowhere:a.b" in unknown["message"]) == ("UnknownRelation", True)

    def test_a_catalog_that_keeps_the_case_of_names_gets_it(
        self, state: SqliteState, catalog: DdlFilesCatalog
    ) -> None:
        told = Told()

        surroundings(state, catalog).tell(Wanted(names=("lake.Sales.Orders", "orders")), told)

        assert told.names == {
            "lake.Sales.Orders": "lake:`Sales`.`Orders`",
            "orders": "default.orders",
        }

    def test_a_table_of_the_service_has_a_schema(self, ask: Ask) -> None:
        found = ask(relation="shop.orders")["result"]

        assert [each["name"] for each in found["fields"]] == ["id", "price", "dt"]

    def test_a_script_goes_down_to_tables(self, ask: Ask) -> None:
        found = ask(query="SELECT id FROM shop.twice", to="pig", relation="shop.mine")

        loads = [line for line in found["result"]["statements"] if "LOAD" in line]
        assert len(loads) == 1
        assert "'shop.orders'" in loads[0]

    def test_loads_of_views_in_a_script_are_replaced(self, ask: Ask) -> None:
        script = "a = LOAD 'shop.twice' USING org.apache.hive.hcatalog.pig.HCatLoader(); DUMP a;"

        found = ask(script=script, to="pig")["result"]["script"]

        assert "'shop.twice'" not in found
        assert "'shop.orders'" in found

    def test_relations_of_the_request_come_first(self, ask: Ask) -> None:
        ddl = ["CREATE DATABASE shop; CREATE TABLE shop.ids (other INT)"]

        found = ask(ddl=ddl, query="SELECT * FROM shop.ids", to="avro")["result"]

        assert [each["name"] for each in found["fields"]] == ["other"]

    def test_what_nobody_knows_is_named(self, ask: Ask) -> None:
        unread = ask(query="SELECT 1 AS x FROM shop.nope")["error"]
        unasked = ask(relation="shop.nope", to="trino")["error"]

        assert unread["type"] == unasked["type"] == "UnknownRelation"
        assert "shop.nope" in unread["message"]
        assert "shop.nope" in unasked["message"]

    def test_a_name_without_its_namespace_is_completed(self, ask: Ask) -> None:
        found = ask(query="SELECT 1 AS x FROM orders")["error"]

        assert "default.orders" in found["message"]
        assert "did you mean shop.orders" in found["hint"]

    def test_functions_are_asked_of_plugins_for_the_catalogs_relations_alone(
        self, ask: Ask, asked_classes: list[str]
    ) -> None:
        declared = "TBLPROPERTIES ('functions' = 'f:com.example.Other', 'dependencies' = 'a:b:1')"
        ddl = [f"CREATE VIEW v {declared} AS SELECT f(1) AS x"]

        known = ask(relation="shop.upper_names")
        brought = ask(relation="default.v", ddl=ddl)
        said = ask(relation="default.v", ddl=ddl, udfs={"com.example.Other": {"returns": "int"}})

        assert known["result"]["fields"][0]["type"] == ["null", "string"]
        assert brought["error"]["type"] == "UnsupportedFunction"
        assert said["result"]["fields"][0]["type"] == ["null", "int"]
        assert asked_classes == ["com.example.Up"]

    def test_more_than_is_told_of_is_refused(self, ask: Ask) -> None:
        groups = [range(n, n + 50) for n in range(0, MAX_RELATIONS + 1, 50)]
        ddl = [
            f"CREATE VIEW v{at} AS SELECT 1 AS x FROM {', '.join(f'shop.t{n}' for n in group)}"
            for at, group in enumerate(groups)
        ]
        views = ", ".join(f"default.v{at}" for at in range(len(groups)))

        error = ask(ddl=ddl, query=f"SELECT 1 AS x FROM {views}")["error"]

        assert error["type"] == "TooLarge"
        assert "split it" in error["hint"]

    @pytest.mark.thorough
    def test_without_the_catalog_queries_are_answered_and_relations_are_not(
        self, state: SqliteState, catalog: DdlFilesCatalog
    ) -> None:
        known = surroundings(state, AbsentCatalog(catalog.path))
        translations = Translations(Translate(timeout_seconds=60), Options(), known)

        query = translations.submit(
            b'{"query": "SELECT id FROM shop.ids"}', Form.JSON, "ann"
        ).result()
        with pytest.raises(Unavailable, match="it is away"):
            translations.submit(b'{"relation": "shop.ids"}', Form.JSON, "ann").result()

        assert json.loads(query.text)["result"]["type"] == "record"
        assert translations.endings()["refused"] == 1
        translations.close()


class TestCounts:
    @pytest.mark.thorough
    def test_requests_are_counted_by_how_they_ended(
        self, state: SqliteState, catalog: DdlFilesCatalog
    ) -> None:
        translations = Translations(
            Translate(timeout_seconds=60), Options(), surroundings(state, catalog)
        )

        for request in (
            b'{"query": "SELECT 1 AS x"}',
            b"{",
            b'{"query": "SELECT frob(1) AS x"}',
        ):
            translations.submit(request, Form.JSON, "ann").result()

        assert translations.endings() == {
            "ok": 1,
            "invalid": 1,
            "untranslatable": 1,
            "failed": 0,
            "refused": 0,
        }
        translations.close()


@dataclass
class Endless:
    """Surroundings that never tell what is wanted."""

    wanted: list[Wanted] = field(default_factory=list)

    def tell(self, wanted: Wanted, told: Told) -> None:
        told.relations.clear()
        self.wanted.append(wanted)


class TestLimits:
    @pytest.mark.thorough
    def test_a_translation_that_takes_too_long_is_killed(self) -> None:
        translations = Translations(Translate(timeout_seconds=1e-6), Options(), Endless())

        with pytest.raises(Failed, match="could not be answered"):
            translations.submit(b'{"query": "SELECT 1 AS x"}', Form.JSON, "ann").result()
        assert translations.endings()["failed"] == 1
        translations.close()

    @pytest.mark.thorough
    def test_a_killed_process_is_replaced(self) -> None:
        settings = Translate(max_bytes=16_000_000, memory_bytes=268_435_456, timeout_seconds=60)
        translations = Translations(settings, Options(), Endless())
        long = b'{"ddl": [' + b"[], " * 3_900_000 + b"[]]}"

        with pytest.raises(Failed, match="its process ended"):
            translations.submit(long, Form.JSON, "ann").result()
        found = translations.submit(b'{"query": "SELECT 1 AS x"}', Form.JSON, "ann").result()

        assert json.loads(found.text)["result"]["type"] == "record"
        translations.close()

    @pytest.mark.thorough
    def test_more_than_may_wait_are_refused_at_once(self) -> None:
        translations = Translations(
            Translate(max_waiting=5, timeout_seconds=60), Options(), Endless()
        )
        under_way, refused = [], 0

        for _ in range(10_000):
            try:
                under_way.append(
                    translations.submit(b'{"query": "SELECT 1 AS x"}', Form.JSON, "ann")
                )
            except Unavailable:
                refused += 1

        results = {json.loads(each.result().text)["result"]["type"] for each in under_way}
        assert results == {"record"}
        assert translations.endings()["ok"] == len(under_way)
        assert translations.endings()["refused"] == refused == 10_000 - len(under_way)
        assert refused > 0
        translations.close()

    @pytest.mark.thorough
    def test_a_request_whose_needs_never_end_fails(self) -> None:
        endless = Endless()
        translations = Translations(Translate(timeout_seconds=60), Options(), endless)

        with pytest.raises(Failed, match="changed meanwhile"):
            translations.submit(b'{"relation": "shop.ids"}', Form.JSON, "ann").result()

        assert len(endless.wanted) == 8
        translations.close()

    def test_after_the_end_it_refuses(self) -> None:
        translations = Translations(Translate(), Options(), Endless())
        translations.close()

        with pytest.raises(Unavailable, match="ends"):
            translations.submit(b"{}", Form.JSON, "ann")


@pytest.mark.thorough
def test_a_running_service_translates_what_it_knows(tmp_path: Path) -> None:
    (tmp_path / "ddl").mkdir()
    (tmp_path / "ddl/all.sql").write_text(DDL)
    config = configured(tmp_path, "[translate]\nenabled = true\n")

    def schema() -> Any:
        found = httpx.post(
            f"{service.url}/translate", json={"query": "SELECT * FROM shop.twice"}, timeout=60
        )
        return found.json().get("result")

    with Service(load_settings(config), config) as service:
        assert eventually(lambda: schema() is not None)
        assert [each["name"] for each in schema()["fields"]] == ["id"]
        form = {"text": "", "relation": "shop.ids", "dialect": "hive", "to": "trino"}
        page = httpx.post(f"{service.url}/translate", data=form, timeout=60)
        metrics = httpx.get(f"{service.url}/metrics", timeout=60).text

    assert page.status_code == 200
    assert "FROM &#34;shop&#34;.&#34;orders&#34;" in page.text
    assert 'schema_publisher_translations_total{ending="ok"}' in metrics
