"""A real Nessie server 0.99.0, whose references and commits are in memory.

Nessie stores the places of metadata files and never opens the files. The client that commits writes them.
"""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from deploy.jars import downloaded_jars
from deploy.jdk import QUICK_START, find_newer_jdk, launcher_jar
from deploy.ports import LOOPBACK, on_free_ports
from deploy.server_process import Server, ServerProcess, start_server

MIN_JAVA_VERSION = 21
Json = Mapping[str, Any]


class Nessie(Server):
    """A running server; as a context manager it is stopped at the end."""

    def __init__(self, port: int, process: ServerProcess) -> None:
        self.port = port
        self.process = process

    @staticmethod
    def start(
        directory: Path, *, heap_megabytes: int = 300, timeout_seconds: float = 240
    ) -> Nessie:
        """Starts a server that logs into ``directory``; returns when it answers.

        Raises:
            MissingPrerequisite: no JDK is new enough.
            PreparationFailed: the server's jar cannot be downloaded.
            ServerFailed: the server ended before that.
        """
        root = directory.resolve()

        def start_on(ports: tuple[int, ...]) -> Nessie:
            process = _start_process(root, ports[0], heap_megabytes, timeout_seconds)
            return Nessie(ports[0], process)

        return on_free_ports(1, start_on)

    @property
    def uri(self) -> str:
        return f"http://{self.host}:{self.port}/api/v2"

    def hash_of(self, reference: str) -> str:
        """The newest commit of a branch."""
        found: str = self.ask("GET", f"trees/{quote(reference, safe='')}")["reference"]["hash"]
        return found

    def create_branch(self, name: str, source: str) -> None:
        """Makes a branch at the newest commit of the branch ``source``."""
        origin = {"type": "BRANCH", "name": source, "hash": self.hash_of(source)}
        self.ask("POST", f"trees?name={quote(name, safe='')}&type=BRANCH", origin)

    def assign_branch(self, name: str, target: str) -> None:
        """Makes the branch ``name`` point to the newest commit of the branch ``target``."""
        place = f"{quote(name, safe='')}@{self.hash_of(name)}"
        to = {"type": "BRANCH", "name": target, "hash": self.hash_of(target)}
        self.ask("PUT", f"trees/{place}", to)

    def commit(self, operations: Sequence[Json], branch: str = "main") -> Json:
        """Commits operations of Nessie's API in one commit."""
        place = f"{quote(branch, safe='')}@{self.hash_of(branch)}"
        body = {"commitMeta": {"message": "a commit"}, "operations": [*operations]}
        return self.ask("POST", f"trees/{place}/history/commit", body)

    def ask(self, method: str, path: str, body: Json | None = None) -> Json:
        """The JSON of an answer; raises ``HTTPError`` if the server refuses."""
        content = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        request = urllib.request.Request(f"{self.uri}/{path}", content, headers, method=method)  # noqa: S310 (an address of ours)
        with urllib.request.urlopen(request, timeout=120) as response:  # noqa: S310 (an address of ours)
            answer = response.read()
        found: Json = json.loads(answer) if answer else {}
        return found


def _start_process(
    root: Path, port: int, heap_megabytes: int, timeout_seconds: float
) -> ServerProcess:
    jdk = find_newer_jdk(MIN_JAVA_VERSION)
    libraries = downloaded_jars(jdk, "nessie")
    launcher = launcher_jar(jdk, ("Leash", "OnLeash"), ())
    scratch = root / "tmp"
    scratch.mkdir(parents=True, exist_ok=True)
    settings = {
        "quarkus.http.host": LOOPBACK,
        "quarkus.http.port": str(port),
        "quarkus.management.host": LOOPBACK,
        # Any free port: nobody asks there.
        "quarkus.management.port": "0",
        "quarkus.otel.sdk.disabled": "true",
        "nessie.version.store.type": "IN_MEMORY",
        "java.io.tmpdir": str(scratch),
    }
    command = (
        *(str(jdk.java), *QUICK_START, f"-Xmx{heap_megabytes}m"),
        *(f"-D{name}={value}" for name, value in settings.items()),
        *("-cp", os.pathsep.join(map(str, (launcher, *libraries))), "OnLeash"),
        "io.quarkus.runner.GeneratedMain",
    )
    return start_server(
        "nessie", command, root / "nessie.log", (port,), lambda _: _is_ready(port), timeout_seconds
    )


def _is_ready(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://{LOOPBACK}:{port}/api/v2/config", timeout=5):
            return True
    except urllib.error.HTTPError as refused:
        refused.close()
    except OSError:
        pass
    return False
