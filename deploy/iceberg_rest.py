"""A real Iceberg REST catalog: Iceberg's server with a catalog in SQLite and files in a folder.

Its JDBC catalog joins the levels of a namespace by dots, so it returns a level with a dot as two
levels.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from deploy.class_archive import archive_options
from deploy.jars import downloaded_jars, hadoop_jars
from deploy.jdk import LOG_TO_STANDARD_OUTPUT, QUICK_START, find_jdk, launcher_jar
from deploy.ports import free_ports, on_free_ports
from deploy.server_process import Server, ServerProcess, start_server

CATALOG_NAME = "rest"
"""The catalog's name in SQLite. A JDBC catalog with this name has the same tables."""
_READY = "rest catalog ready on port"


class IcebergRest(Server):
    """A running server; as a context manager it is stopped at the end."""

    def __init__(
        self, directory: Path, port: int, heap_megabytes: int, process: ServerProcess
    ) -> None:
        self.directory = directory
        self.port = port
        self.heap_megabytes = heap_megabytes
        self.process = process

    @staticmethod
    def start(
        directory: Path,
        *,
        port: int | None = None,
        heap_megabytes: int = 200,
        timeout_seconds: float = 120,
    ) -> IcebergRest:
        """Starts a server that keeps all its files in ``directory``; returns when it answers."""
        root = directory.resolve()

        def start_on(ports: tuple[int, ...]) -> IcebergRest:
            process = _start_process(root, ports[0], heap_megabytes, timeout_seconds)
            return IcebergRest(root, ports[0], heap_megabytes, process)

        return on_free_ports(1, start_on) if port is None else start_on((port,))

    @property
    def uri(self) -> str:
        return f"http://{self.host}:{self.port}"

    @property
    def warehouse(self) -> Path:
        """The folder of metadata and data files."""
        return self.directory / "warehouse"

    @property
    def catalog_file(self) -> Path:
        """The SQLite file."""
        return _catalog_file(self.directory)

    def addresses(self) -> dict[str, str]:
        """A client's connection settings, by name."""
        return {"uri": self.uri, "warehouse": self.warehouse.as_uri()}

    def restart(self, timeout_seconds: float = 120) -> None:
        """Stops the server if it runs, and starts it again; port and tables stay."""
        self.process.stop()
        self.process = _start_process(
            self.directory, self.port, self.heap_megabytes, timeout_seconds
        )


def sqlite_url(file: Path) -> str:
    """The address of a SQLite file for Iceberg's JDBC catalog."""
    return f"jdbc:sqlite:{file}"


def _catalog_file(directory: Path) -> Path:
    return directory / "catalog.sqlite"


def _start_process(
    directory: Path, port: int, heap_megabytes: int, timeout_seconds: float
) -> ServerProcess:
    jdk = find_jdk()
    libraries = (*downloaded_jars(jdk, "iceberg-rest"), *hadoop_jars())
    launcher = launcher_jar(jdk, ("Leash", "LoopbackIcebergRest"), libraries)
    classpath = (launcher, *libraries)

    def launch(directory: Path, port: int, jvm_options: Sequence[str]) -> ServerProcess:
        warehouse = directory / "warehouse"
        warehouse.mkdir(parents=True, exist_ok=True)
        # SQLite's driver unpacks a library there, and leaves it behind if the process is killed.
        scratch = directory / "tmp"
        scratch.mkdir(exist_ok=True)
        log4j = directory / "log4j2.properties"
        log4j.write_text(LOG_TO_STANDARD_OUTPUT)
        command = (
            *(str(jdk.java), *QUICK_START, *jvm_options, f"-Xmx{heap_megabytes}m"),
            *(f"-Djava.io.tmpdir={scratch}", f"-Dlog4j2.configurationFile={log4j}"),
            *("-cp", os.pathsep.join(map(str, classpath)), "LoopbackIcebergRest"),
            *(str(port), CATALOG_NAME, sqlite_url(_catalog_file(directory)), warehouse.as_uri()),
        )
        return start_server(
            "iceberg-rest",
            command,
            directory / "iceberg-rest.log",
            (port,),
            lambda process: _READY in process.printed(),
            timeout_seconds,
        )

    def trial_run(trial: Path, jvm_options: Sequence[str]) -> None:
        launch(trial, free_ports(1)[0], jvm_options).stop(timeout_seconds)

    return launch(directory, port, archive_options("iceberg-rest", jdk, classpath, trial_run))
