"""Notifications of a running service, and of one that is killed while it sends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from publisher.commands.cli import app
from publisher.daemon.service import Service
from publisher.settings import load_settings
from tests.publisher.daemon.test_service import TABLE, configured
from tests.publisher.notifications.receiver_double import ReceiverDouble, receiver_double, status
from tests.waiting import eventually

CHANGED = TABLE.replace("price DOUBLE", "price STRING")
EVENTS = '[[events]]\nkind = "ddl-folder"\n'


@pytest.fixture
def receiver() -> Iterator[ReceiverDouble]:
    with receiver_double() as double:
        yield double


def section(receiver: ReceiverDouble, name: str = "bus", more: str = "") -> str:
    return (
        f'[[notification]]\nname = "{name}"\nkind = "cloudevents"\n'
        f'url = "{receiver.url}/{name}"\n{more}\n'
    )


@pytest.fixture
def ddl(tmp_path: Path) -> Path:
    file = tmp_path / "ddl" / "all.sql"
    file.parent.mkdir()
    file.write_text(TABLE)
    return file


def test_a_receiver_that_hangs_delays_neither_publishing_nor_another_receiver(
    tmp_path: Path, ddl: Path, receiver: ReceiverDouble
) -> None:
    with receiver_double() as hanging:
        hanging.answers = [hanging.hang] * 9
        more = EVENTS + section(hanging, "slow", "timeout_seconds = 60") + section(receiver)
        config = configured(tmp_path, more)
        with Service(load_settings(config), config) as service:
            counted = service.engine.counters.values
            assert eventually(lambda: counted().get("published") == 1)
            ddl.write_text(CHANGED)
            assert eventually(lambda: bool(hanging.got and receiver.got))
            ddl.write_text(CHANGED + "CREATE TABLE other (id BIGINT);")

            assert eventually(lambda: counted().get("published") == 3)
            assert service.troubles() == {}
        (got,) = receiver.got
        assert got.json["type"] == "schema-publisher.version.major"
        assert got.json["data"]["version"] == "2.0.0"


@pytest.mark.thorough
def test_a_service_killed_while_it_sends_sends_the_same_id_again(
    tmp_path: Path, ddl: Path, receiver: ReceiverDouble
) -> None:
    config = configured(tmp_path, EVENTS + section(receiver))
    command = [sys.executable, "-m", "publisher", "run", "-c", str(config)]
    receiver.answers = [receiver.hang]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as running:
        assert running.stdout is not None
        running.stdout.readline()
        assert eventually((tmp_path / "index" / "simple" / "acme-schema-shop-orders").exists)
        ddl.write_text(CHANGED)
        assert eventually(lambda: len(receiver.got) == 1)
        os.kill(running.pid, signal.SIGKILL)
    with Service(load_settings(config), config):
        assert eventually(lambda: len(receiver.got) == 2)

    assert receiver.got[0].id == receiver.got[1].id == receiver.got[0].json["id"]
    assert receiver.got[0].body == receiver.got[1].body


def test_a_test_message_is_sent_to_the_named_receiver(
    tmp_path: Path, receiver: ReceiverDouble
) -> None:
    (tmp_path / "secret").write_text("0123456789abcdef")
    more = section(receiver, "one", 'secret_file = "secret"') + section(receiver, "two")
    config = configured(tmp_path, more)

    ended = CliRunner().invoke(app, ["notify-test", "one", "-c", str(config), "--json"])

    assert ended.exit_code == 0, ended.output
    (got,) = receiver.got
    assert got.path == "/one"
    assert got.headers["webhook-signature"].startswith("v1,")
    assert got.json["type"] == "schema-publisher.test"


def test_a_test_message_that_is_not_accepted_fails_with_the_reason(
    tmp_path: Path, receiver: ReceiverDouble
) -> None:
    receiver.answers = [status(403)]
    config = configured(tmp_path, section(receiver))

    ended = CliRunner().invoke(app, ["notify-test", "-c", str(config), "--json"])

    assert ended.exit_code == 1
    assert "it answers 403" in ended.output


def test_an_unknown_receiver_is_refused_with_the_known_ones(
    tmp_path: Path, receiver: ReceiverDouble
) -> None:
    config = configured(tmp_path, section(receiver))

    ended = CliRunner().invoke(app, ["notify-test", "nobody", "-c", str(config)])

    assert ended.exit_code == 2
    assert "known: bus" in ended.output
