"""The real servers, each started when the first test asks for it and shared by all.

A test in this folder is marked ``integration``, and ``spark`` if it uses that fixture.
"""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hive_metastore import ThriftHiveMetastore
from hive_metastore.ttypes import Database
from pyspark import SparkConf
from pyspark.sql import SparkSession

from deploy.avro import AvroJudge
from deploy.errors import MissingPrerequisite, PreparationFailed
from deploy.hive import HiveQueries
from deploy.iceberg_rest import IcebergRest
from deploy.jars import downloaded_jars
from deploy.jdk import find_jdk
from deploy.local_stack import Kafka, Metastore, MetastoreOptions, PyPiServer, spark_session_conf
from deploy.nessie import Nessie
from deploy.ports import free_ports
from deploy.recording_catalog import recording_catalog_jar
from deploy.spark_with_iceberg import (
    SparkWithIceberg,
    hadoop_catalog,
    jdbc_catalog,
    rest_catalog,
)
from deploy.trino import Trino
from lakeschema.catalog.hive_metastore import HiveMetastoreCatalog
from tests.integration.index.devpi_server import DevpiServer, running_devpi
from tests.opened_sockets import name_openers

_NEEDS_KAFKA = pytest.StashKey[bool]()

name_openers()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker("integration")
            if "spark" in getattr(item, "fixturenames", ()):
                item.add_marker("spark")


def pytest_collection_finish(session: pytest.Session) -> None:
    session.stash[_NEEDS_KAFKA] = any(
        "kafka" in getattr(item, "fixturenames", ()) for item in session.items
    )


@pytest.fixture(scope="session")
def trino(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trino]:
    """A server whose tables are in memory; skipped where no JDK is new enough for it."""
    try:
        running = Trino.start(tmp_path_factory.mktemp("trino"))
    except MissingPrerequisite as missing:
        pytest.skip(f"{missing}: Trino needs a newer Java than the other servers")
    with running:
        yield running


@pytest.fixture(scope="session")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kafka]:
    """A broker; with it, ``metastore`` repeats its events on the topic ``EVENTS_TOPIC``."""
    with Kafka.start(tmp_path_factory.mktemp("kafka")) as broker:
        yield broker


@pytest.fixture(scope="session")
def metastore(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Metastore]:
    """The one metastore of the whole run, its listener on if any selected test uses ``kafka``."""
    broker = request.getfixturevalue("kafka") if request.session.stash[_NEEDS_KAFKA] else None
    options = MetastoreOptions(kafka=broker)
    with Metastore.start(tmp_path_factory.mktemp("metastore"), options) as running:
        yield running


@pytest.fixture(scope="session")
def second_metastore(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Metastore]:
    """Another metastore, which keeps its databases when a test restarts it."""
    options = MetastoreOptions(storage="disk")
    with Metastore.start(tmp_path_factory.mktemp("second-metastore"), options) as running:
        yield running


@pytest.fixture
def metastore_client(metastore: Metastore) -> Iterator[ThriftHiveMetastore.Client]:
    """An open connection of Hive's own Thrift bindings."""
    with metastore.client() as client:
        yield client


@pytest.fixture
def database(metastore: Metastore) -> Iterator[str]:
    """The name of an empty database, dropped afterwards with all that is in it."""
    name = f"test_{secrets.token_hex(5)}"
    location = (metastore.warehouse / f"{name}.db").as_uri()
    with metastore.client() as client:
        client.create_database(Database(name=name, locationUri=location, parameters={}))
    yield name
    with metastore.client() as client:
        client.drop_database(name, True, True)


@pytest.fixture(scope="session")
def package_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PyPiServer]:
    with PyPiServer.start(tmp_path_factory.mktemp("pypiserver")) as running:
        yield running


@pytest.fixture(scope="session")
def devpi(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DevpiServer]:
    with running_devpi(tmp_path_factory.mktemp("devpi")) as running:
        yield running


@pytest.fixture(scope="session")
def iceberg_rest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IcebergRest]:
    """Iceberg's REST catalog; tests keep apart by namespaces with a random name."""
    with IcebergRest.start(tmp_path_factory.mktemp("iceberg-rest")) as running:
        yield running


@pytest.fixture(scope="session")
def nessie(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nessie]:
    """A Nessie server; it is skipped where no JDK is new enough, or its jar cannot be had.

    Tests keep apart by branches with a random name.
    """
    try:
        running = Nessie.start(tmp_path_factory.mktemp("nessie"))
    except (MissingPrerequisite, PreparationFailed) as failure:
        pytest.skip(f"Nessie cannot run: {failure}")
    with running:
        yield running


@pytest.fixture(scope="session")
def spark_with_iceberg(
    iceberg_rest: IcebergRest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SparkWithIceberg]:
    """Spark 4.1 with the catalogs ``lake``, which is ``iceberg_rest``, ``sqlite`` and ``folder``.

    It is skipped where that Spark cannot be installed.
    """
    home = tmp_path_factory.mktemp("spark-with-iceberg")
    catalogs = {
        "lake": rest_catalog(iceberg_rest),
        "sqlite": jdbc_catalog(home / "catalog.sqlite", home / "sqlite"),
        "folder": hadoop_catalog(home / "folder"),
    }
    try:
        running = SparkWithIceberg.start(home, catalogs)
    except (MissingPrerequisite, PreparationFailed) as failure:
        pytest.skip(f"Spark 4.1 with Iceberg's plugin cannot be installed: {failure}")
    with running:
        yield running


@pytest.fixture(scope="session")
def avro(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AvroJudge]:
    """Java's Avro, the judge of what bytes mean."""
    with AvroJudge.start(tmp_path_factory.mktemp("avro")) as running:
        yield running


@pytest.fixture(scope="session")
def hive_port() -> int:
    (port,) = free_ports(1)
    return port


@pytest.fixture(scope="session")
def hive(tmp_path_factory: pytest.TempPathFactory, hive_port: int) -> Iterator[HiveQueries]:
    """Hive's own compiler and executor, with a catalog of its own."""
    folder = tmp_path_factory.mktemp("hive")
    with HiveQueries.start(folder, metastore_port=hive_port) as running:
        yield running


@pytest.fixture
def hive_catalog(hive: HiveQueries, hive_port: int) -> Iterator[HiveMetastoreCatalog]:
    """What ``hive`` has, as a metastore tells it."""
    catalog = HiveMetastoreCatalog(f"thrift://127.0.0.1:{hive_port}")
    yield catalog
    catalog.close()


@pytest.fixture(scope="session")
def spark(metastore: Metastore) -> Iterator[SparkSession]:
    """A session whose catalog is ``metastore``, with functions of Avro and ``RecordingCatalog``."""
    avro = downloaded_jars(find_jdk(), "spark-avro")
    jars = ",".join((*map(str, avro), recording_catalog_jar()))
    # A session takes its workers' Python from the environment alone.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    settings = {**spark_session_conf(metastore), "spark.jars": jars}
    conf = SparkConf(loadDefaults=False).setAll(list(settings.items()))
    session = SparkSession.builder.config(conf=conf).getOrCreate()
    yield session
    session.stop()
