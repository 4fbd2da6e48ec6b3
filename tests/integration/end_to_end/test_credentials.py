"""An index's password comes from the environment, a file, the keyring or the address, and is never shown."""

from __future__ import annotations

import base64
import json
import logging
import os
import secrets
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest

from deploy.local_stack import PyPiServer
from publisher.index.twine_index import TwineIndex
from tests.integration.end_to_end.published import COLUMNS, configured, distribution, publish
from tests.integration.index.devpi_server import DevpiServer
from tests.publisher.settings.test_loading import MemoryKeyring, keyring_of_the_machine
from tests.waiting import PATIENCE_SECONDS, eventually

Server = PyPiServer | DevpiServer


@pytest.fixture(params=["package_server", "devpi"])
def server(request: pytest.FixtureRequest) -> Server:
    found = request.getfixturevalue(request.param)
    assert isinstance(found, PyPiServer | DevpiServer)
    return found


@pytest.fixture
def database() -> str:
    return f"shop{secrets.token_hex(4)}"


@pytest.fixture(params=["environment", "password file", "keyring", "address"])
def index_section(
    request: pytest.FixtureRequest,
    server: Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[str]:
    """The settings of an index whose password stands in one of the places."""
    upload_url, rest = server.upload_url, f'username = "{server.username}"'
    with keyring_of_the_machine(MemoryKeyring()):
        match request.param:
            case "environment":
                monkeypatch.setenv("SCHEMA_PUBLISHER__INDEX__PASSWORD", server.password)
            case "password file":
                (tmp_path / "password").write_text(server.password + "\n")
                rest += f'\npassword_file = "{tmp_path}/password"'
            case "keyring":
                keyring.set_password(upload_url, server.username, server.password)
            case _:
                account = f"//{server.username}:{server.password}@"
                upload_url, rest = upload_url.replace("//", account, 1), ""
        yield (
            f'kind = "twine"\nrepository_url = "{upload_url}"\n'
            f'simple_url = "{server.simple_url}"\n{rest}'
        )


def test_the_password_lets_a_package_in_and_is_seen_nowhere(
    server: Server,
    index_section: str,
    database: str,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    settings = configured(tmp_path, index_section)

    publish(settings, database, COLUMNS["1.0.0"])

    index = TwineIndex(server.upload_url, server.simple_url)
    assert [file.version for file in index.files(distribution(database))] == ["1.0.0"]
    index.close()
    printed = "".join(capfd.readouterr())
    state = (tmp_path / "state.db").read_bytes().decode("latin-1")
    assert hidden(server.password, caplog.text, printed, repr(settings), state)


def test_a_password_that_is_refused_is_seen_nowhere(
    server: Server, database: str, tmp_path: Path
) -> None:
    wrong = secrets.token_urlsafe(16)
    section = (
        f'kind = "twine"\nrepository_url = "{server.upload_url}"\n'
        f'simple_url = "{server.simple_url}"\nusername = "{server.username}"'
    )
    rest = '[[events]]\nkind = "ddl-folder"\n[snapshot]\nrunner = "local"\n[http]\nport = 0\n'
    configured(tmp_path, section, rest)
    (tmp_path / "ddl" / "company.sql").write_text(f"CREATE TABLE {database}.company (id BIGINT);")

    log, shown = refused_daemon(tmp_path, wrong)

    assert "HTTP 401" in log or "HTTP 403" in log
    assert "check the username" in log
    assert hidden(wrong, log, shown)


def hidden(password: str, *texts: str) -> bool:
    """Whether neither the password nor its form in a header stands in any of the texts."""
    encoded = base64.b64encode(f"publisher:{password}".encode()).decode()
    return not any(secret in text for text in texts for secret in (password, encoded))


def refused_daemon(folder: Path, password: str) -> tuple[str, str]:
    """What a daemon with a wrong password writes into its log, and what it shows of itself."""
    log = folder / "daemon.log"
    config = ["--config", str(folder / "schema-publisher.toml")]
    command = [sys.executable, "-m", "publisher"]
    environment = {**os.environ, "SCHEMA_PUBLISHER__INDEX__PASSWORD": password}
    with (
        log.open("wb") as stderr,
        subprocess.Popen(
            [*command, "run", *config], stdout=subprocess.PIPE, stderr=stderr, env=environment
        ) as daemon,
    ):
        try:
            assert daemon.stdout is not None
            url = json.loads(daemon.stdout.readline())["http"]
            wait_for("HTTP 40", log)
            shown = [fetched(url + path) for path in ("/", "/health/ready", "/metrics")]
            shown.append(answer([*command, "status", *config], environment))
        finally:
            daemon.send_signal(signal.SIGTERM)
    return log.read_text(), "".join(shown)


def wait_for(text: str, log: Path) -> None:
    assert eventually(lambda: text in log.read_text()), log.read_text()


def answer(command: list[str], environment: dict[str, str]) -> str:
    ended = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    return ended.stdout + ended.stderr


def fetched(url: str) -> str:
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE_SECONDS) as answered:
            return str(answered.read().decode())
    except urllib.error.HTTPError as error:
        with error:
            return error.read().decode()
