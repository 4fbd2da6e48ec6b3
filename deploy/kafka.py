"""A real Kafka broker of one node in KRaft mode."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from deploy.class_archive import archive_options
from deploy.jars import downloaded_jars
from deploy.jdk import (
    LOG_TO_STANDARD_OUTPUT,
    QUICK_START,
    find_jdk,
    launcher_jar,
)
from deploy.ports import LOOPBACK, free_ports, on_free_ports
from deploy.server_process import Server, ServerProcess, start_server

_READY = "Kafka Server started"
_CLUSTER_ID = "c2NoZW1hLXB1Ymxpc2hlcg"  # base64 of 16 bytes, as Kafka requires
_LOG_WHEN_STARTED = """\
logger.started.name = kafka.server.KafkaRaftServer
logger.started.level = info
"""


class Kafka(Server):
    """A running broker; as a context manager it is stopped at the end."""

    def __init__(
        self,
        directory: Path,
        ports: tuple[int, int],
        heap_megabytes: int,
        process: ServerProcess,
        options: Mapping[str, str],
    ) -> None:
        self.options = options
        self.directory = directory
        self.port, self._controller_port = ports
        self.heap_megabytes = heap_megabytes
        self.process = process

    @staticmethod
    def start(
        directory: Path,
        *,
        port: int | None = None,
        heap_megabytes: int = 256,
        timeout_seconds: float = 120,
        options: Mapping[str, str] = MappingProxyType({}),
    ) -> Kafka:
        """Starts a broker that keeps all its files in ``directory``; returns when it answers.

        ``options`` are further properties, which override the defaults.
        """
        root = directory.resolve()

        def start_on(free: tuple[int, ...]) -> Kafka:
            ports = (port or free[0], free[1])
            process = _start_process(root, ports, heap_megabytes, timeout_seconds, options)
            return Kafka(root, ports, heap_megabytes, process, options)

        return on_free_ports(2, start_on) if port is None else start_on(free_ports(2))

    @property
    def bootstrap_servers(self) -> str:
        return f"{self.host}:{self.port}"

    def addresses(self) -> dict[str, str]:
        """A client's connection settings, by name."""
        return {"bootstrap_servers": self.bootstrap_servers}

    def restart(self, timeout_seconds: float = 120) -> None:
        """Stops the broker if it runs, and starts it again; port and topics stay."""
        self.process.stop()
        ports = (self.port, self._controller_port)
        self.process = _start_process(
            self.directory, ports, self.heap_megabytes, timeout_seconds, self.options
        )


def server_properties(directory: Path, port: int, controller_port: int) -> dict[str, str]:
    """The broker's settings: one small node, reachable only on the loopback address."""
    return {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.quorum.voters": f"1@{LOOPBACK}:{controller_port}",
        "controller.listener.names": "CONTROLLER",
        "listeners": f"PLAINTEXT://{LOOPBACK}:{port},CONTROLLER://{LOOPBACK}:{controller_port}",
        "advertised.listeners": f"PLAINTEXT://{LOOPBACK}:{port}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "inter.broker.listener.name": "PLAINTEXT",
        "log.dirs": str(directory / "data"),
        "num.partitions": "3",
        "auto.create.topics.enable": "true",
        "group.initial.rebalance.delay.ms": "0",
        "offsets.topic.replication.factor": "1",
        "offsets.topic.num.partitions": "4",
        "transaction.state.log.replication.factor": "1",
        "transaction.state.log.min.isr": "1",
        "transaction.state.log.num.partitions": "4",
        "share.coordinator.state.topic.replication.factor": "1",
        "share.coordinator.state.topic.min.isr": "1",
        # The default buffer alone takes 128 MB of the heap.
        "log.cleaner.dedupe.buffer.size": str(2 * 1024 * 1024),
        "num.network.threads": "2",
        "num.io.threads": "2",
        "background.threads": "2",
    }


def to_properties(properties: dict[str, str]) -> str:
    return "".join(f"{name}={value}\n" for name, value in properties.items())


def _start_process(
    directory: Path,
    ports: tuple[int, int],
    heap_megabytes: int,
    timeout_seconds: float,
    options: Mapping[str, str],
) -> ServerProcess:
    jdk = find_jdk()
    libraries = downloaded_jars(jdk, "kafka")
    classpath = (launcher_jar(jdk, ("Leash", "LoopbackBroker"), libraries), *libraries)
    java = (str(jdk.java), *QUICK_START, "-cp", os.pathsep.join(map(str, classpath)))

    def launch(
        directory: Path, ports: tuple[int, ...], jvm_options: Sequence[str]
    ) -> ServerProcess:
        directory.mkdir(parents=True, exist_ok=True)
        properties = to_properties({**server_properties(directory, *ports), **options})
        (directory / "server.properties").write_text(properties)
        log4j = directory / "log4j2.properties"
        log4j.write_text(LOG_TO_STANDARD_OUTPUT + _LOG_WHEN_STARTED)
        command = (
            *(*java, *jvm_options, f"-Xmx{heap_megabytes}m", f"-Dlog4j2.configurationFile={log4j}"),
            *("LoopbackBroker", str(directory / "server.properties"), _CLUSTER_ID),
        )
        return start_server(
            "kafka",
            command,
            directory / "kafka.log",
            ports,
            lambda process: _READY in process.printed(),
            timeout_seconds,
        )

    def trial_run(trial: Path, jvm_options: Sequence[str]) -> None:
        launch(trial, free_ports(2), jvm_options).stop(timeout_seconds)

    return launch(directory, ports, archive_options("kafka", jdk, classpath, trial_run))
