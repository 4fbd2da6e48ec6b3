"""A real Trino 476. It shows the rows that our SQL for Trino returns.

It keeps its tables in memory, in the catalog ``memory``, unless it gets other catalogs. It is ready in
10 s on an idle machine.
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
from deploy.refused import Refused
from deploy.server_process import Server, ServerProcess, start_server
from deploy.trino_files import MORE_PLUGINS, PLUGINS, trino_files

MIN_JAVA_VERSION = 24
Catalogs = Mapping[str, Mapping[str, str]]
"""The properties of each catalog, by the catalog's name; ``connector.name`` is one of them."""
JUDGES_CATALOGS: Catalogs = {name: {"connector.name": name} for name in ("memory", "tpch")}
_HEADERS = {
    "X-Trino-User": "judge",
    "X-Trino-Schema": "default",
    "X-Trino-Time-Zone": "UTC",
    # Where Trino looks up functions that are not built in.
    "X-Trino-Path": "memory.default",
    # Without it, Trino cuts timestamps to milliseconds.
    "X-Trino-Client-Capabilities": "PARAMETRIC_DATETIME",
}


@dataclass(frozen=True, slots=True)
class TrinoAnswer:
    """The result of one statement: names and types of columns, and rows as JSON values."""

    columns: Sequence[tuple[str, str]]
    rows: Sequence[Sequence[object]]


class Trino(Server):
    """A running server; as a context manager it is stopped at the end."""

    def __init__(self, port: int, process: ServerProcess) -> None:
        self.port = port
        self.process = process

    @staticmethod
    def start(
        directory: Path,
        *,
        heap_megabytes: int = 1024,
        timeout_seconds: float = 240,
        catalogs: Catalogs | None = None,
    ) -> Trino:
        """Starts a server that keeps its files in ``directory``; returns when it accepts statements.

        The server has ``catalogs`` in addition to ``memory``.

        Raises:
            MissingPrerequisite: no JDK is new enough.
            ServerFailed: the server ended before it accepted statements.
        """
        root = directory.resolve()
        held = {**JUDGES_CATALOGS, **(catalogs or {})}

        def start_on(free: tuple[int, ...]) -> Trino:
            process = _start_process(root, free[0], heap_megabytes, timeout_seconds, held)
            return Trino(free[0], process)

        return on_free_ports(1, start_on)

    def answer(self, sql: str, catalog: str = "memory") -> TrinoAnswer:
        """Runs one statement; names without a catalog are looked up in ``catalog``.

        Raises:
            Refused: Trino could not run it.
        """
        return _answer(self.port, sql, catalog)


def _answer(port: int, sql: str, catalog: str = "memory") -> TrinoAnswer:
    page = _post(f"http://{LOOPBACK}:{port}/v1/statement", sql, catalog)
    columns: list[tuple[str, str]] = []
    rows: list[Sequence[object]] = []
    while True:
        if "error" in page:
            error = page["error"]
            name, kind, message = (
                error.get(key, "") for key in ("errorName", "errorType", "message")
            )
            raise Refused(message, sql, name, kind)
        columns = [(c["name"], c["type"]) for c in page.get("columns", ())] or columns
        rows.extend(page.get("data", ()))
        if "nextUri" not in page:
            return TrinoAnswer(columns, rows)
        page = _get(page["nextUri"])


def _post(url: str, sql: str, catalog: str) -> Mapping[str, Any]:
    headers = {**_HEADERS, "X-Trino-Catalog": catalog}
    request = urllib.request.Request(url, sql.encode(), headers, method="POST")  # noqa: S310 (an address of ours)
    with urllib.request.urlopen(request, timeout=120) as response:  # noqa: S310 (an address of ours)
        found: Mapping[str, Any] = json.load(response)
        return found


def _get(url: str) -> Mapping[str, Any]:
    request = urllib.request.Request(url, headers=_HEADERS)  # noqa: S310 (an address of ours)
    with urllib.request.urlopen(request, timeout=120) as response:  # noqa: S310 (an address of ours)
        found: Mapping[str, Any] = json.load(response)
        return found


def server_properties(port: int, heap_megabytes: int = 1024) -> dict[str, str]:
    """The server's settings: one small node, reachable only on the loopback address."""
    memory = f"{heap_megabytes // 5}MB"
    return {
        "coordinator": "true",
        "node-scheduler.include-coordinator": "true",
        "http-server.http.port": str(port),
        "node.bind-ip": LOOPBACK,
        "node.internal-address": LOOPBACK,
        "discovery.uri": f"http://{LOOPBACK}:{port}",
        "web-ui.enabled": "false",
        # By default Trino keeps facts of each query for 15 minutes: many queries would fill its memory.
        "query.min-expire-age": "1s",
        "query.max-history": "10",
        "query.max-memory": memory,
        "query.max-memory-per-node": memory,
        "task.concurrency": "2",
    }


def _start_process(
    root: Path, port: int, heap_megabytes: int, timeout_seconds: float, catalogs: Catalogs
) -> ServerProcess:
    jdk = find_newer_jdk(MIN_JAVA_VERSION)
    needed = {properties["connector.name"] for properties in catalogs.values()}
    files = trino_files(jdk, PLUGINS if needed <= {*PLUGINS} else MORE_PLUGINS)
    launcher = launcher_jar(jdk, ("Leash", "OnLeash"), ())
    _write_settings(root / "etc", port, heap_megabytes, catalogs)
    command = (
        *(str(jdk.java), "-server", *QUICK_START, f"-Xmx{heap_megabytes}m"),
        *("-Djdk.attach.allowAttachSelf=true", "--add-modules=jdk.incubator.vector"),
        *("-Dfile.encoding=UTF-8", "-Duser.timezone=UTC", "-Dnode.environment=judge"),
        *(f"-Dnode.id=judge-{port}", f"-Dnode.data-dir={root / 'data'}"),
        *(f"-Dconfig={root / 'etc' / 'config.properties'}", f"-Dplugin.dir={files / 'plugin'}"),
        f"-Dcatalog.config-dir={root / 'etc' / 'catalog'}",
        *("-cp", os.pathsep.join((str(launcher), f"{files / 'lib'}/*")), "OnLeash"),
        "io.trino.server.TrinoServer",
    )
    return start_server(
        "trino",
        command,
        root / "trino.log",
        (port,),
        lambda _: _is_ready(port),
        timeout_seconds,
    )


def _write_settings(folder: Path, port: int, heap_megabytes: int, catalogs: Catalogs) -> None:
    (folder / "catalog").mkdir(parents=True, exist_ok=True)
    properties = server_properties(port, heap_megabytes)
    (folder / "config.properties").write_text(_properties_text(properties))
    for name, held in catalogs.items():
        (folder / "catalog" / f"{name}.properties").write_text(_properties_text(held))


def _properties_text(properties: Mapping[str, str]) -> str:
    return "".join(f"{name}={value}\n" for name, value in properties.items())


def _is_ready(port: int) -> bool:
    """Whether Trino runs statements. After its start it has, for some time, no node that runs them."""
    try:
        if _get(f"http://{LOOPBACK}:{port}/v1/info").get("starting") is not False:
            return False
        _answer(port, "SELECT count(*) FROM tpch.tiny.region")
    except (Refused, urllib.error.URLError, OSError, ValueError):
        return False
    return True
