"""A real Trino 476: the judge of what the SQL that is emitted for it returns.

It keeps its tables in memory, in the catalog ``memory``. Ready in 10 s on an idle machine.
"""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deploy.jdk import QUICK_START, find_newer_jdk, launcher_jar
from deploy.ports import LOOPBACK, on_free_ports
from deploy.server_process import ServerProcess, start_server
from deploy.stopping import StopsOnExit
from deploy.trino_files import trino_files

MIN_JAVA_VERSION = 24
_HEADERS = {
    "X-Trino-User": "judge",
    "X-Trino-Catalog": "memory",
    "X-Trino-Schema": "default",
    "X-Trino-Time-Zone": "UTC",
    # Timestamps are cut to milliseconds without it.
    "X-Trino-Client-Capabilities": "PARAMETRIC_DATETIME",
}


@dataclass(frozen=True, slots=True)
class TrinoAnswer:
    """What one statement returned: columns' names and types, and rows as JSON values."""

    columns: Sequence[tuple[str, str]]
    rows: Sequence[Sequence[object]]


class TrinoRefused(Exception):
    """Trino could not analyse or run a statement.

    Attributes:
        name: of the error, such as DIVISION_BY_ZERO.
        kind: whose fault it is: USER_ERROR, INTERNAL_ERROR, INSUFFICIENT_RESOURCES or EXTERNAL.
    """

    def __init__(self, sql: str, name: str, kind: str, message: str) -> None:
        super().__init__(sql, name, kind, message)
        self.sql = sql
        self.name = name
        self.kind = kind
        self.message = message

    def __str__(self) -> str:
        return f"{self.name}: {self.message}"


class Trino(StopsOnExit):
    """A running server; as a context manager it is stopped at the end."""

    def __init__(self, port: int, process: ServerProcess) -> None:
        self.port = port
        self.process = process

    @staticmethod
    def start(
        directory: Path, *, heap_megabytes: int = 1024, timeout_seconds: float = 240
    ) -> Trino:
        """Starts a server that keeps its files in ``directory``; returns when it takes statements.

        Raises:
            MissingPrerequisite: there is no JDK that is new enough.
            ServerFailed: it ended before that.
        """
        root = directory.resolve()

        def start_on(free: tuple[int, ...]) -> Trino:
            process = _start_process(root, free[0], heap_megabytes, timeout_seconds)
            return Trino(free[0], process)

        return on_free_ports(1, start_on)

    def stop(self) -> None:
        self.process.stop()

    def answer(self, sql: str) -> TrinoAnswer:
        """Runs one statement.

        Raises:
            TrinoRefused: it could not be run.
        """
        return _answer(self.port, sql)


def _answer(port: int, sql: str) -> TrinoAnswer:
    page = _post(f"http://{LOOPBACK}:{port}/v1/statement", sql)
    columns: list[tuple[str, str]] = []
    rows: list[Sequence[object]] = []
    while True:
        if "error" in page:
            error = page["error"]
            parts = (error.get(part, "") for part in ("errorName", "errorType", "message"))
            raise TrinoRefused(sql, *parts)
        columns = [(c["name"], c["type"]) for c in page.get("columns", ())] or columns
        rows.extend(page.get("data", ()))
        if "nextUri" not in page:
            return TrinoAnswer(columns, rows)
        page = _get(page["nextUri"])


def _post(url: str, sql: str) -> Mapping[str, Any]:
    request = urllib.request.Request(url, sql.encode(), _HEADERS, method="POST")  # noqa: S310 (an address of ours)
    with urllib.request.urlopen(request, timeout=120) as response:  # noqa: S310 (an address of ours)
        found: Mapping[str, Any] = json.load(response)
        return found


def _get(url: str) -> Mapping[str, Any]:
    request = urllib.request.Request(url, headers=_HEADERS)  # noqa: S310 (an address of ours)
    with urllib.request.urlopen(request, timeout=120) as response:  # noqa: S310 (an address of ours)
        found: Mapping[str, Any] = json.load(response)
        return found


def server_properties(port: int) -> dict[str, str]:
    """The server's settings: loopback only, one node, and small."""
    return {
        "coordinator": "true",
        "node-scheduler.include-coordinator": "true",
        "http-server.http.port": str(port),
        "node.bind-ip": LOOPBACK,
        "node.internal-address": LOOPBACK,
        "discovery.uri": f"http://{LOOPBACK}:{port}",
        "web-ui.enabled": "false",
        "query.max-memory": "200MB",
        "query.max-memory-per-node": "200MB",
        "task.concurrency": "2",
    }


def _start_process(
    root: Path, port: int, heap_megabytes: int, timeout_seconds: float
) -> ServerProcess:
    jdk = find_newer_jdk(MIN_JAVA_VERSION)
    files = trino_files(jdk)
    launcher = launcher_jar(jdk, ("Leash", "LoopbackTrino"), ())
    _write_settings(root / "etc", port)
    command = (
        *(str(jdk.java), "-server", *QUICK_START, f"-Xmx{heap_megabytes}m"),
        *("-Djdk.attach.allowAttachSelf=true", "--add-modules=jdk.incubator.vector"),
        *("-Dfile.encoding=UTF-8", "-Duser.timezone=UTC", "-Dnode.environment=judge"),
        *(f"-Dnode.id=judge-{port}", f"-Dnode.data-dir={root / 'data'}"),
        *(f"-Dconfig={root / 'etc' / 'config.properties'}", f"-Dplugin.dir={files / 'plugin'}"),
        f"-Dcatalog.config-dir={root / 'etc' / 'catalog'}",
        *("-cp", os.pathsep.join((str(launcher), f"{files / 'lib'}/*")), "LoopbackTrino"),
    )
    return start_server(
        "trino",
        command,
        root / "trino.log",
        (port,),
        lambda _: _is_ready(port),
        timeout_seconds,
    )


def _write_settings(folder: Path, port: int) -> None:
    (folder / "catalog").mkdir(parents=True, exist_ok=True)
    lines = (f"{name}={value}\n" for name, value in server_properties(port).items())
    (folder / "config.properties").write_text("".join(lines))
    for name in ("memory", "tpch"):
        (folder / "catalog" / f"{name}.properties").write_text(f"connector.name={name}\n")


def _is_ready(port: int) -> bool:
    """Whether it runs statements: for some time after its start it has no node to run them on."""
    try:
        if _get(f"http://{LOOPBACK}:{port}/v1/info").get("starting") is not False:
            return False
        _answer(port, "SELECT count(*) FROM tpch.tiny.region")
    except (TrinoRefused, urllib.error.URLError, OSError, ValueError):
        return False
    return True
