"""Repositories over HTTP, which are asked before a jar is fetched, and whose faults are told."""

from __future__ import annotations

import io
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from lakeschema.translation.functions.artifacts import Artifact
from publisher.commands.failures import Refused
from publisher.commands.projects.artifacts import Repositories
from publisher.commands.projects.reading import read_project
from tests.publisher.commands.projects.folder import PROJECT, Folder

ARTIFACT = Artifact("com.example.clean", "clean-udfs", "1.0.0")
PATH = "/maven2/com/example/clean/clean-udfs/1.0.0/clean-udfs-1.0.0.jar"


@dataclass
class Server:
    """Answers with ``files``, or with ``status``."""

    address: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    status: int = 200
    asked: list[str] = field(default_factory=list)


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer()

        def do_HEAD(self) -> None:
            self._answer()

        def _answer(self) -> None:
            state.asked.append(f"{self.command} {self.path}")
            content = state.files.get(self.path)
            status = state.status if content is not None or state.status != 200 else 404
            self.send_response(status)
            self.send_header("Content-Length", str(len(content or b"")))
            self.end_headers()
            if self.command == "GET" and content is not None:
                self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.address = f"http://127.0.0.1:{http.server_port}"
    thread = threading.Thread(target=http.serve_forever)
    thread.start()
    yield state
    http.shutdown()
    http.server_close()
    thread.join()


def problem(server: Server, *classes: str) -> str | None:
    return Repositories([f"{server.address}/maven2"]).problem(ARTIFACT, classes)


def test_a_missing_artifact_is_not_fetched(server: Server) -> None:
    assert problem(server) == f"it is not in {server.address}/maven2"
    assert server.asked == [f"HEAD {PATH}"]


def test_a_class_is_looked_up_in_the_jar_of_a_server(server: Server) -> None:
    jar = io.BytesIO()
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("com/example/Clean.class", "")
        archive.writestr("com/example/Outer$Inner.class", "")
    server.files[PATH] = jar.getvalue()

    assert problem(server, "com.example.Clean", "com.example.Outer$Inner") is None
    assert problem(server, "com.example.Dirty") == (
        f"its jar in {server.address}/maven2 has no class com.example.Dirty"
    )


def test_a_server_that_fails_is_not_a_missing_artifact(server: Server) -> None:
    server.status = 503

    found = problem(server)

    assert found is not None
    assert "503" in found
    assert "it is not in" not in found


def test_the_next_repository_is_asked_after_one_that_fails(server: Server, tmp_path: Path) -> None:
    server.status = 503
    jar = tmp_path / PATH.removeprefix("/maven2/")
    jar.parent.mkdir(parents=True)
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("com/example/Clean.class", "")

    repositories = Repositories([f"{server.address}/maven2", tmp_path])

    assert repositories.problem(ARTIFACT, ["com.example.Clean"]) is None


def test_without_repositories_an_artifact_is_a_problem() -> None:
    assert Repositories([]).problem(ARTIFACT, []) == "project.toml names no repositories"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ftp://repo.example/maven2", "expected https://, file:// or a folder"),
        ("https://user:secret@repo.example", "without a name and password"),
    ],
)
def test_an_address_of_another_kind_is_refused(tmp_path: Path, text: str, words: str) -> None:
    folder = Folder.at(tmp_path, ids="SELECT id FROM orders")
    folder.write({"project.toml": f'{PROJECT}repositories = ["{text}"]\n'})

    with pytest.raises(Refused, match=words) as refused:
        Repositories.of(read_project(tmp_path))

    assert "secret" not in str(refused.value)


def test_folders_are_found_from_the_projects_and_as_addresses(tmp_path: Path) -> None:
    folder = Folder.at(tmp_path, ids="SELECT id FROM orders")
    places = f'["jars", "{(tmp_path / "a b").as_uri()}", "https://repo.example/maven2/"]'
    folder.write({"project.toml": f"{PROJECT}repositories = {places}\n"})

    found = Repositories.of(read_project(tmp_path))

    assert found.places == [tmp_path / "jars", tmp_path / "a b", "https://repo.example/maven2"]
