"""The whole daemon over a folder of DDL, a local index and HTTP: no other server."""

from __future__ import annotations

import json
import resource
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from lakeschema.catalog.identifiers import RelationName
from publisher.daemon.service import Service
from publisher.daemon.web_servers import max_connections
from publisher.settings import load_settings
from publisher.web.server import AddressTaken
from publisher.web.status import Neighbour
from tests.waiting import eventually

ORDERS = RelationName.of("shop", "orders")
IDS = RelationName.of("shop", "ids")
TABLE = "CREATE DATABASE shop; USE shop; CREATE TABLE orders (id BIGINT, price DOUBLE);"
VIEW = "CREATE VIEW ids AS SELECT id FROM orders;"
BROKEN = "CREATE VIEW lost AS SELECT gone FROM orders;"


@pytest.fixture
def ddl(tmp_path: Path) -> Path:
    folder = tmp_path / "ddl"
    folder.mkdir()
    return folder / "all.sql"


def configured(tmp_path: Path, more: str = "", http: str = "port = 0") -> Path:
    config = tmp_path / "schema-publisher.toml"
    config.write_text(
        '[artifacts]\nprefix = "acme-schema"\n'
        f'[catalog]\nkind = "ddl"\npath = "{tmp_path}/ddl"\n'
        f'[state]\nurl = "sqlite:///{tmp_path}/state.db"\n'
        f'[index]\nkind = "static"\npath = "{tmp_path}/index"\n'
        '[snapshot]\nrunner = "local"\n'
        "[engine]\ndebounce_seconds = 0\nstaleness_seconds = 0\n"
        f"[http]\n{http}\n{more}"
    )
    return config


@pytest.fixture
def service(tmp_path: Path, ddl: Path) -> Iterator[Service]:
    ddl.write_text(TABLE + VIEW + BROKEN)
    config = configured(tmp_path, '[[events]]\nkind = "ddl-folder"\n')
    with Service(load_settings(config), config) as service:
        yield service


def text_of(service: Service, path: str) -> str:
    with urllib.request.urlopen(f"{service.url}{path}") as response:
        body: bytes = response.read()
    return body.decode()


@pytest.mark.thorough
def test_what_is_there_at_the_start_is_published_and_served(service: Service) -> None:
    assert eventually(lambda: service.status().figures["versions"] == 2)

    assert "acme_schema_shop_orders-1.0.0" in text_of(service, "/simple/acme-schema-shop-orders/")
    assert "acme_schema_shop_ids-1.0.0" in text_of(service, "/simple/acme-schema-shop-ids/")


@pytest.mark.thorough
def test_a_changed_file_is_noticed_and_published(service: Service, ddl: Path) -> None:
    assert eventually(lambda: service.status().figures["versions"] == 2)

    ddl.write_text(TABLE.replace("price DOUBLE", "price DOUBLE, unit STRING") + VIEW)

    assert eventually(lambda: service.status().figures["versions"] == 3)
    assert "acme_schema_shop_orders-1.1.0" in text_of(service, "/simple/acme-schema-shop-orders/")


@pytest.mark.thorough
def test_a_change_is_measured_until_it_can_be_installed(service: Service, ddl: Path) -> None:
    assert eventually(lambda: service.status().figures["versions"] == 2)
    measured = 'schema_publisher_event_to_installable_seconds_count{since="receipt"}'
    before = value_of(service, measured)

    ddl.write_text(TABLE.replace("price DOUBLE", "price DOUBLE, unit STRING") + VIEW)

    assert eventually(lambda: value_of(service, measured) == before + 1)
    assert (
        value_of(service, 'schema_publisher_event_source_events_behind{source="ddl-folder"}') == 0
    )
    assert value_of(service, 'schema_publisher_event_source_lag_seconds{source="ddl-folder"}') >= 0
    assert value_of(service, "schema_publisher_last_snapshot_duration_seconds") > 0
    assert value_of(service, "schema_publisher_ready") == 1


def value_of(service: Service, sample: str) -> float:
    (line,) = [
        li for li in text_of(service, "/metrics").splitlines() if li.startswith(f"{sample} ")
    ]
    return float(line.rpartition(" ")[2])


@pytest.mark.thorough
def test_its_status_names_the_relations_in_trouble_and_why(service: Service) -> None:
    assert eventually(lambda: len(service.status().relations) == 1)

    status = service.status()
    assert (status.live, status.ready, status.reason) == (True, True, "")
    (broken,) = status.relations
    assert (broken.relation, broken.status) == ("shop.lost", "BROKEN")
    assert "gone" in broken.reason


@pytest.mark.thorough
def test_a_summary_links_a_relations_neighbours(service: Service) -> None:
    assert eventually(lambda: service.status().figures["versions"] == 2)

    orders, ids = service.summarize(ORDERS), service.summarize(IDS)

    assert orders is not None
    assert ids is not None
    assert ids.upstreams == (Neighbour("shop.orders", "acme-schema-shop-orders"),)
    assert Neighbour("shop.ids", "acme-schema-shop-ids") in orders.downstreams
    assert service.summarize(RelationName.of("shop", "unheard_of")) is None


@pytest.mark.thorough
def test_its_metrics_count_relations_and_versions(service: Service) -> None:
    assert eventually(lambda: service.status().figures["versions"] == 2)

    metrics = text_of(service, "/metrics")

    assert "schema_publisher_versions 2.0" in metrics
    assert 'schema_publisher_relations{status="BROKEN"} 1.0' in metrics


@pytest.mark.thorough
def test_without_http_it_has_no_address(tmp_path: Path, ddl: Path) -> None:
    ddl.write_text(TABLE)
    config = configured(tmp_path, http="enabled = false")

    with Service(load_settings(config), config) as service:
        assert service.url is None
        assert eventually(lambda: service.status().figures["versions"] == 1)


@pytest.mark.thorough
def test_operators_may_have_a_port_of_their_own(tmp_path: Path, ddl: Path) -> None:
    ddl.write_text(TABLE + BROKEN)
    token = tmp_path / "token"
    token.write_text("a token of the operators\n")
    http = f'port = 0\noperations_port = 0\noperations_token_file = "{token}"'
    config = configured(tmp_path, http=http)

    with Service(load_settings(config), config) as service:
        assert eventually(lambda: len(service.status().relations) == 1)
        assert eventually(lambda: "acme-schema-shop-orders" in text_of(service, "/"))
        public = text_of(service, "/")
        assert service.operations_url is not None
        request = urllib.request.Request(
            service.operations_url, headers={"Authorization": "Bearer a token of the operators"}
        )
        with urllib.request.urlopen(request) as response:
            operations = response.read().decode()

    assert "shop.lost" not in public
    assert "shop.lost" in operations


@pytest.mark.parametrize(
    ("descriptors", "connections"), [(1024, 100), (140, 35), (2, 1), (resource.RLIM_INFINITY, 100)]
)
def test_connections_leave_file_descriptors_for_the_rest(
    monkeypatch: pytest.MonkeyPatch, descriptors: int, connections: int
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (descriptors, descriptors))

    assert max_connections(100) == connections


def test_an_address_that_is_taken_stops_it_from_starting_and_leaves_nothing_running(
    service: Service, tmp_path: Path
) -> None:
    assert service.url is not None
    port = service.url.rpartition(":")[2]
    config = configured(tmp_path, http=f"port = {port}")

    with pytest.raises(AddressTaken):
        Service(load_settings(config), config)


@pytest.mark.thorough
def test_old_versions_are_retired_after_a_snapshot(tmp_path: Path, ddl: Path) -> None:
    ddl.write_text(TABLE)
    retention = "[index.retention]\nkeep_latest_per_major = 1\nyank_after_days = 0\n"
    config = configured(tmp_path, retention, http="enabled = false")
    with Service(load_settings(config), config) as service:
        assert eventually(lambda: service.status().figures["versions"] == 1)

    ddl.write_text(TABLE.replace("price DOUBLE", "price DOUBLE, unit STRING"))
    with Service(load_settings(config), config) as service:
        assert eventually(lambda: service.status().figures["versions"] == 2)
    page = tmp_path / "index" / "simple" / "acme-schema-shop-orders" / "index.json"
    with Service(load_settings(config), config):
        assert eventually(lambda: len(yanked_files(page)) == 1)

    assert yanked_files(page) == ["acme_schema_shop_orders-1.0.0-py3-none-any.whl"]


def yanked_files(page: Path) -> list[str]:
    files = json.loads(page.read_text())["files"]
    return [file["filename"] for file in files if file.get("yanked")]
