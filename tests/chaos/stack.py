"""The whole stack: servers, their proxies, and two deployments of the program on two metastores.

The metastores have databases and tables of the same names. The second is a catalog that is not the
default one; its events come from its notification log.

``uploaded``: two daemons on one state, events from Kafka, pypiserver behind a recording proxy.
``folder``: one daemon, events from the notification log, a static index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from kafka import KafkaAdminClient

from deploy.kafka import Kafka
from deploy.metastore import EVENTS_TOPIC, Metastore, MetastoreOptions
from deploy.package_server import PyPiServer
from deploy.ports import free_ports
from tests.chaos.daemon import Daemon, settings_text
from tests.chaos.evidence import IndexFile, Sighting, read_index_file, sightings_in
from tests.chaos.folder_watch import FolderWatch, static_files
from tests.chaos.hostile_events import PARTITIONS
from tests.chaos.index_proxy import IndexProxy
from tests.chaos.journal import Clock, Journal, read_journal
from tests.chaos.lake import DEFAULT_CATALOG
from tests.chaos.tcp_proxy import TcpProxy

INNOCENT = "lake"
"""The database that no hostile input names."""
EXPOSED = "exposed"
SECOND = "second"
"""The name of the second metastore's catalog."""

# By default a statement that the catalog's database cannot store blocks all others for 20 s.
_REFUSE_AT_ONCE = {"hive.hmshandler.retry.attempts": "1", "hive.hmshandler.retry.interval": "10ms"}


@dataclass(frozen=True, slots=True)
class Deployment:
    """``yanks``: whether its index can withdraw files."""

    name: str
    daemons: Sequence[Daemon]
    log: Path
    yanks: bool
    files: Callable[[], Sequence[IndexFile]]

    def sent(self) -> Sequence[Sighting]:
        # Uploads into a folder cannot be observed.
        log = read_journal(self.log)
        return sightings_in(log, "sent") or sightings_in(log, "arrived")

    def removed(self) -> frozenset[str]:
        log = read_journal(self.log)
        return frozenset(line["filename"] for line in log if line["event"] == "removed")

    def arrived(self) -> Sequence[Sighting]:
        return sightings_in(read_journal(self.log), "arrived")


@dataclass(frozen=True, slots=True)
class Stack:
    kafka: Kafka
    metastore: Metastore
    second_metastore: Metastore
    pypiserver: PyPiServer
    index_proxy: IndexProxy
    metastore_proxy: TcpProxy
    folder_watch: FolderWatch
    deployments: Sequence[Deployment]

    @property
    def metastores(self) -> Mapping[str, Metastore]:
        """By the name of the catalog."""
        return {"": self.metastore, SECOND: self.second_metastore}

    @property
    def daemons(self) -> Sequence[Daemon]:
        return [daemon for deployment in self.deployments for daemon in deployment.daemons]


@contextmanager
def running_stack(folder: Path, journals: Path, clock: Clock) -> Iterator[Stack]:
    """The stack, with its daemons not started yet. At the end all stops in reverse order."""
    with ExitStack() as parts:
        kafka = parts.enter_context(Kafka.start(folder / "kafka"))
        _create_topic(kafka)
        options = MetastoreOptions(storage="disk", kafka=kafka, settings=_REFUSE_AT_ONCE)
        metastore = parts.enter_context(Metastore.start(folder / "metastore", options))
        second = parts.enter_context(
            Metastore.start(
                folder / "second",
                MetastoreOptions(storage="disk", settings=_REFUSE_AT_ONCE),
            )
        )
        metastore_proxy = TcpProxy(metastore.port)
        parts.enter_context(metastore_proxy.running())
        pypiserver = parts.enter_context(PyPiServer.start(folder / "pypiserver", overwrites=True))
        uploads = Journal(journals / "uploads.jsonl", clock)
        index_proxy = IndexProxy(pypiserver.port, uploads)
        parts.enter_context(index_proxy.running())
        shown = Journal(journals / "shown.jsonl", clock)
        index = folder / "folder" / "index"
        watch = FolderWatch(index, shown)
        parts.enter_context(watch.running())
        uris = {
            DEFAULT_CATALOG: f"thrift://{metastore.host}:{metastore_proxy.port}",
            SECOND: second.uri,
        }
        deployments = (
            _uploaded(folder / "uploaded", uris, kafka, pypiserver, index_proxy, uploads),
            _folder(folder / "folder", uris, index, shown),
        )
        stack = Stack(
            kafka,
            metastore,
            second,
            pypiserver,
            index_proxy,
            metastore_proxy,
            watch,
            deployments,
        )
        for daemon in stack.daemons:
            parts.enter_context(daemon)
        yield stack


def _create_topic(kafka: Kafka) -> None:
    admin = KafkaAdminClient(bootstrap_servers=kafka.bootstrap_servers)
    admin.create_topics({EVENTS_TOPIC: {"num_partitions": PARTITIONS, "replication_factor": 1}})
    admin.close()


def _uploaded(
    folder: Path,
    metastores: Mapping[str, str],
    kafka: Kafka,
    server: PyPiServer,
    proxy: IndexProxy,
    log: Journal,
) -> Deployment:
    url = f"http://{server.host}:{proxy.port}/"
    sections = {
        "[[events]]": 'kind = "kafka"\n'
        f'bootstrap_servers = "{kafka.bootstrap_servers}"\ntopic = "{EVENTS_TOPIC}"',
        "[index]": f'kind = "twine"\nrepository_url = "{url}"\nsimple_url = "{url}simple/"\n'
        f'username = "{server.username}"\npassword = "{server.password}"',
    }

    def files() -> Sequence[IndexFile]:
        return [read_index_file(each, offered=True) for each in server.packages.rglob("*.whl")]

    config = _write_settings(folder, metastores, sections)
    ports = free_ports(2)
    daemons = [Daemon(f"daemon-{n}", config, port) for n, port in enumerate(ports, start=1)]
    return Deployment("uploaded", daemons, log.path, yanks=False, files=files)


def _folder(folder: Path, metastores: Mapping[str, str], index: Path, log: Journal) -> Deployment:
    sections = {
        "[[events]]": 'kind = "notification-log"',
        "[index]": f'kind = "static"\npath = "{index}"',
    }
    config = _write_settings(folder, metastores, sections)
    daemon = Daemon("daemon-folder", config, free_ports(1)[0])
    return Deployment("folder", (daemon,), log.path, yanks=True, files=lambda: static_files(index))


def _write_settings(
    folder: Path, metastores: Mapping[str, str], sections: Mapping[str, str]
) -> Path:
    folder.mkdir(parents=True)
    config = folder / "schema-publisher.toml"
    config.write_text(settings_text(metastores, folder, sections))
    return config
