"""A real Hive Metastore: Hive's code from pyspark's jars, with its catalog in an embedded Derby."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from xml.sax.saxutils import escape

from hive_metastore import ThriftHiveMetastore
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport

from deploy.class_archive import archive_options
from deploy.jars import downloaded_jars, hive_jars
from deploy.jdk import (
    LOG_TO_STANDARD_OUTPUT,
    QUICK_START,
    Jdk,
    find_jdk,
    launcher_jar,
)
from deploy.kafka import Kafka
from deploy.ports import free_ports, on_free_ports
from deploy.server_process import Server, ServerProcess, start_server

EVENTS_TOPIC = "hms-events"
_READY = "metastore ready on port"
_NOTIFICATION_LOG = "org.apache.hive.hcatalog.listener.DbNotificationListener"
_APIARY = "com.expediagroup.apiary.extensions.events.metastore.kafka"
# Hive 2.3 and Hadoop use internal classes of the JDK by reflection.
_OPENED = ("lang", "net", "nio", "util", "util.concurrent")

Storage = Literal["memory", "disk"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetastoreOptions:
    """The options of a metastore.

    Attributes:
        storage: Derby in memory is fastest; on disk the catalog outlives the process.
        kafka: the broker to which every table event is also sent, on ``topic``; None for no Kafka.
        serialise_ddl: makes event ids unique, as with MySQL or PostgreSQL: Derby may assign one id
            twice under concurrent DDL.
        settings: further properties of hive-site.xml, which override the defaults.
    """

    storage: Storage = "memory"
    heap_megabytes: int = 256
    kafka: Kafka | None = None
    topic: str = EVENTS_TOPIC
    serialise_ddl: bool = True
    settings: Mapping[str, str] = field(default_factory=dict)


class Metastore(Server):
    """A running metastore; as a context manager it is stopped at the end."""

    def __init__(
        self, directory: Path, port: int, options: MetastoreOptions, process: ServerProcess
    ) -> None:
        self.directory = directory
        self.port = port
        self.options = options
        self.process = process

    @staticmethod
    def start(
        directory: Path,
        options: MetastoreOptions | None = None,
        *,
        port: int | None = None,
        timeout_seconds: float = 120,
    ) -> Metastore:
        """Starts a metastore that keeps all its files in ``directory``; returns when it answers."""
        root = directory.resolve()
        chosen = options or MetastoreOptions()

        def start_on(ports: tuple[int, ...]) -> Metastore:
            process = _start_process(root, ports[0], chosen, timeout_seconds)
            return Metastore(root, ports[0], chosen, process)

        return on_free_ports(1, start_on) if port is None else start_on((port,))

    @property
    def uri(self) -> str:
        return f"thrift://{self.host}:{self.port}"

    @property
    def warehouse(self) -> Path:
        return self.directory / "warehouse"

    @contextmanager
    def client(self) -> Iterator[ThriftHiveMetastore.Client]:
        """A connection with Hive's own Thrift bindings; no two threads may share it."""
        transport = TBufferedTransport(TSocket(self.host, self.port))
        transport.open()
        try:
            yield ThriftHiveMetastore.Client(TBinaryProtocol(transport))
        finally:
            transport.close()

    def addresses(self) -> dict[str, str]:
        """A client's connection settings, by name."""
        found = {"uri": self.uri, "warehouse": self.warehouse.as_uri()}
        return found if self.options.kafka is None else found | {"topic": self.options.topic}

    def restart(self, timeout_seconds: float = 120) -> None:
        """Stops the metastore if it runs, and starts it again on the same port.

        Only a catalog with ``storage="disk"`` survives a restart.
        """
        self.process.stop()
        self.process = _start_process(self.directory, self.port, self.options, timeout_seconds)


def hive_site(directory: Path, options: MetastoreOptions) -> dict[str, str]:
    """The properties of hive-site.xml, in the order in which they are written."""
    derby = f"directory:{directory}/derby" if options.storage == "disk" else "memory:metastore"
    properties = {
        "javax.jdo.option.ConnectionURL": f"jdbc:derby:{derby};create=true",
        "javax.jdo.option.ConnectionDriverName": "org.apache.derby.iapi.jdbc.AutoloadedDriver",
        "javax.jdo.option.ConnectionUserName": "APP",
        "javax.jdo.option.ConnectionPassword": "unused",
        "datanucleus.schema.autoCreateAll": "true",
        "datanucleus.connectionPoolingType": "NONE",
        "hive.metastore.schema.verification": "false",
        "hive.metastore.warehouse.dir": (directory / "warehouse").as_uri(),
        "hive.metastore.uris": "",
        "hive.metastore.execute.setugi": "false",
        "hive.async.log.enabled": "false",
        "hadoop.tmp.dir": str(directory / "tmp"),
        "fs.defaultFS": "file:///",
        "hive.metastore.transactional.event.listeners": _NOTIFICATION_LOG,
        "hive.metastore.event.message.factory": (
            "org.apache.hadoop.hive.metastore.messaging.json.JSONMessageFactory"
        ),
        "hcatalog.message.factory.impl.json": (
            "org.apache.hive.hcatalog.messaging.json.JSONMessageFactory"
        ),
        "hive.metastore.dml.events": "true",
        # By default the handler refuses changes such as string to int, which the tests need.
        "hive.metastore.disallow.incompatible.col.type.changes": "false",
    }
    if options.kafka is not None:
        listener = f"{_APIARY}.listener.KafkaMetaStoreEventListener"
        properties |= {
            "hive.metastore.event.listeners": listener,
            f"{_APIARY}.messaging.topic.name": options.topic,
            f"{_APIARY}.messaging.bootstrap.servers": options.kafka.bootstrap_servers,
            f"{_APIARY}.messaging.client.id": "metastore",
        }
    return properties | dict(options.settings)


def to_xml(properties: Mapping[str, str]) -> str:
    lines = (
        f"  <property><name>{escape(name)}</name><value>{escape(value)}</value></property>\n"
        for name, value in properties.items()
    )
    return f"<configuration>\n{''.join(lines)}</configuration>\n"


def _start_process(
    directory: Path, port: int, options: MetastoreOptions, timeout_seconds: float
) -> ServerProcess:
    jdk = find_jdk()
    hive = (*downloaded_jars(jdk, "metastore"), *hive_jars())
    classpath = (launcher_jar(jdk, ("Leash", "LoopbackMetastore"), hive), *hive)

    def trial_run(trial: Path, jvm_options: Sequence[str]) -> None:
        java = _java(jdk, classpath, jvm_options)
        launched = _launch(java, trial, free_ports(1)[0], MetastoreOptions(), timeout_seconds)
        launched.stop(timeout_seconds)

    archive = archive_options("metastore", jdk, classpath, trial_run)
    # The listener comes last: it brings its own copies of common libraries.
    listener = downloaded_jars(jdk, "listener") if options.kafka is not None else ()
    java = _java(jdk, (*classpath, *listener), archive)
    return _launch(java, directory, port, options, timeout_seconds)


def _java(jdk: Jdk, classpath: Sequence[Path], jvm_options: Sequence[str]) -> tuple[str, ...]:
    return (
        *(str(jdk.java), *jvm_options, *QUICK_START),
        *(f"--add-opens=java.base/java.{package}=ALL-UNNAMED" for package in _OPENED),
        *("-cp", os.pathsep.join(map(str, classpath))),
    )


def _launch(
    java: Sequence[str],
    directory: Path,
    port: int,
    options: MetastoreOptions,
    timeout_seconds: float,
) -> ServerProcess:
    for each in (directory, directory / "warehouse", directory / "tmp"):
        each.mkdir(parents=True, exist_ok=True)
    (directory / "hive-site.xml").write_text(to_xml(hive_site(directory, options)))
    (directory / "log4j2.properties").write_text(LOG_TO_STANDARD_OUTPUT)
    command = (
        *java,
        f"-Xmx{options.heap_megabytes}m",
        f"-Dlog4j2.configurationFile={directory / 'log4j2.properties'}",
        f"-Dderby.stream.error.file={directory / 'derby.log'}",
        # A catalog in memory needs no syncing.
        *(("-Dderby.system.durability=test",) if options.storage == "memory" else ()),
        "LoopbackMetastore",
        str(directory / "hive-site.xml"),
        str(port),
        "serialised" if options.serialise_ddl else "concurrent",
    )
    return start_server(
        "metastore",
        command,
        directory / "metastore.log",
        (port,),
        lambda process: _READY in process.printed(),
        timeout_seconds,
    )
