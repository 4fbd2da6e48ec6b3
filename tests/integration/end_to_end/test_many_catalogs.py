"""One running daemon over four real catalogs: views across them, an outage, packages of all in one environment."""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from codegen.naming import distribution_name, import_name
from codegen.wheel import read_wheel
from deploy.local_stack import IcebergRest, Metastore
from lakeschema.catalog.identifiers import RelationName
from publisher.daemon.service import Service
from publisher.index.releases import newest_release
from publisher.index.static import StaticIndex
from publisher.settings import load_settings
from tests.integration.end_to_end.consumers import Command, Offered, succeeded
from tests.integration.end_to_end.four_catalogs import (
    EVENTS,
    FILES,
    LAKE,
    MAIN,
    PREFIX,
    SECOND,
    Lake,
    Servers,
    field_names,
    settings_text,
)
from tests.waiting import PATIENCE_SECONDS, eventually

WRITE_AND_READ = """\
import importlib, pathlib, sys
for name in sys.argv[2:]:
    package = importlib.import_module(name)
    file = pathlib.Path(sys.argv[1]) / f"{name}.avro"
    package.write_file(file, [package.RECORD.example()])
    (record,) = package.read_file(file)
    assert record == package.RECORD.example(), name
    print(package.RELATION, *record.to_dict())
"""
HTTP = "[http]\nport = 0\n"


@dataclass(frozen=True, slots=True)
class Deployment:
    lake: Lake
    second: Metastore
    service: Service
    index: StaticIndex
    config: Path

    def name(self, catalog: str, relation: str) -> RelationName:
        return self.lake.writers[catalog].relation(relation)

    def wait_for(self, catalog: str, relation: str, columns: Sequence[str]) -> None:
        """Returns when the newest package of the relation has these columns."""
        name = self.name(catalog, relation)
        assert eventually(lambda: self.columns(name) == columns), (
            name,
            self.columns(name),
            self.service.engine.status(),
            self.service.troubles(),
        )

    def columns(self, name: RelationName) -> Sequence[str]:
        """The columns of its newest package; none without a package."""
        files = self.index.files(distribution_name(name, PREFIX))
        if not files:
            return ()
        wheel = read_wheel(self.index.fetch(newest_release(files)[0]))
        return field_names(json.loads(wheel.schema_text))

    def page(self, path: str) -> str:
        try:
            with urllib.request.urlopen(
                f"{self.service.url}{path}", timeout=PATIENCE_SECONDS
            ) as answer:
                return str(answer.read().decode())
        except urllib.error.HTTPError as error:
            return error.read().decode()

    def status_with(self, trouble: str) -> Mapping[str, Any]:
        """What the command prints once it knows of the trouble."""
        shown: list[Mapping[str, Any]] = []

        def is_shown() -> bool:
            shown.append(self._status())
            return any(trouble in service["troubles"] for service in shown[-1]["services"])

        assert eventually(is_shown), shown[-1]
        return shown[-1]

    def _status(self) -> Mapping[str, Any]:
        command = [sys.executable, "-m", "publisher", "status", "--config", str(self.config)]
        printed = subprocess.run(command, capture_output=True, text=True, check=True)
        answer: Mapping[str, Any] = json.loads(printed.stdout)
        return answer


@pytest.fixture(scope="module")
def deployment(
    metastore: Metastore,
    second_metastore: Metastore,
    iceberg_rest: IcebergRest,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Deployment]:
    """Each catalog has a table ``t``; the daemon has their packages."""
    servers = Servers(metastore, second_metastore, iceberg_rest)
    folder = tmp_path_factory.mktemp("many-catalogs")
    database = f"many_{secrets.token_hex(4)}"
    config = folder / "schema-publisher.toml"
    config.write_text(settings_text(servers, folder, f"*{database}*.*", EVENTS + HTTP))
    with Lake(servers, folder, database) as lake, Service(load_settings(config), config) as service:
        running = Deployment(lake, second_metastore, service, StaticIndex(folder / "index"), config)
        for catalog in (MAIN, SECOND, FILES, LAKE):
            lake.writers[catalog].create_table("t")
        for catalog in (MAIN, SECOND, FILES, LAKE):
            running.wait_for(catalog, "t", ["id"])
        yield running


def test_views_read_tables_of_other_catalogs(deployment: Deployment) -> None:
    lake = deployment.lake
    far = {f"far_{each}": lake.sql_name(each, "t") for each in (SECOND, LAKE, FILES)}
    selected = ", ".join(f"{name}.id AS {name}" for name in far)
    joins = "".join(f" JOIN {table} {name}" for name, table in far.items())
    lake.main.spark_view(
        "across",
        [(name, "bigint") for name in ("near", *far)],
        f"SELECT t.id AS near, {selected} FROM t{joins}",
    )
    # ``spark_catalog`` is the metastore that has the view, and not the default catalog.
    lake.second.ddl.create_table(lake.database, "here_alone", [("a", "int")])
    lake.second.spark_view(
        "own", [("a", "int")], f"SELECT a FROM spark_catalog.{lake.database}.here_alone"
    )
    lake.files.create_view(
        "across",
        f"SELECT m.id AS main_id, t.id AS own_id FROM {lake.sql_name(MAIN, 't')} m JOIN {lake.database}.t t",
    )
    # Names without a catalog are in the default catalog and namespace of the view's metadata.
    other = lake.sql_name(SECOND, "here_alone")
    lake.lake.create_view("across", f"SELECT t.id, o.a AS other FROM t JOIN {other} o")

    deployment.wait_for(MAIN, "across", ["near", *far])
    deployment.wait_for(SECOND, "own", ["a"])
    deployment.wait_for(FILES, "across", ["main_id", "own_id"])
    deployment.wait_for(LAKE, "across", ["id", "other"])


@pytest.mark.parametrize("installer", ["pip", "uv pip"])
def test_packages_of_all_catalogs_are_installed_side_by_side(
    deployment: Deployment, installer: str, tmp_path: Path
) -> None:
    names = [deployment.name(catalog, "t") for catalog in (MAIN, SECOND, FILES, LAKE)]
    distributions = [distribution_name(name, PREFIX) for name in names]
    simple_url = f"{deployment.service.url}/simple/"
    consumer = Command(installer, tmp_path / "venv", Offered(distributions[0], simple_url))

    succeeded(consumer.install(*distributions))

    packages = [import_name(name, PREFIX) for name in names]
    printed = consumer.environment.ran(WRITE_AND_READ, str(tmp_path), *packages)
    assert [line.split()[:2] for line in printed.splitlines()] == [[str(n), "id"] for n in names]


def test_a_stopped_catalog_holds_back_only_what_reads_it(deployment: Deployment) -> None:
    lake, service = deployment.lake, deployment.service
    here, there = lake.sql_name(MAIN, "before"), lake.sql_name(SECOND, "t")
    lake.main.create_table("before")
    deployment.wait_for(MAIN, "before", ["id"])
    deployment.second.stop()
    try:
        lake.main.add_unit("before")
        lake.files.create_view("reads_there", f"SELECT id AS far FROM {there}")
        lake.files.create_view("reads_here", f"SELECT id, unit FROM {here}")
        lake.lake.create_table("meanwhile")

        deployment.wait_for(MAIN, "before", ["id", "unit"])
        deployment.wait_for(FILES, "reads_here", ["id", "unit"])
        deployment.wait_for(LAKE, "meanwhile", ["id"])
        held = deployment.name(FILES, "reads_there")
        assert eventually(lambda: f"catalog {SECOND}" in service.troubles())
        assert deployment.columns(held) == ()
        assert f"catalog {SECOND}" in deployment.page("/health/ready")
        metrics = deployment.page("/metrics")
        assert f'schema_publisher_up{{service="catalog {SECOND}"}} 0.0' in metrics
        assert 'schema_publisher_up{service="catalog"} 1.0' in metrics
        shown = deployment.status_with(f"catalog {SECOND}")
        assert [work["relation"] for work in shown["work"]] == [str(held)]
    finally:
        deployment.second.restart()

    deployment.wait_for(FILES, "reads_there", ["far"])
    assert eventually(lambda: not service.troubles()), service.troubles()


def test_a_snapshot_from_the_command_line_finds_nothing_to_do(deployment: Deployment) -> None:
    command = [sys.executable, "-m", "publisher", "snapshot", "--config", str(deployment.config)]
    status = deployment.service.engine.status
    assert eventually(lambda: not status().work), status()
    published = sorted(deployment.index.projects())

    printed = subprocess.run(command, capture_output=True, text=True, check=True)

    report = json.loads(printed.stdout.splitlines()[-1])
    assert report["missing"] == 0
    assert report["counters"].get("published", 0) == 0
    assert sorted(deployment.index.projects()) == published
