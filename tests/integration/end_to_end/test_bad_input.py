"""Untrusted input and outages: the running daemon answers each, and none of them blocks others."""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from kafka import KafkaProducer

from codegen.naming import distribution_name, import_name
from deploy.local_stack import Kafka, Metastore, PyPiServer
from deploy.metastore_ddl import MetastoreDdl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.outcome import Status
from publisher.daemon.service import Service
from publisher.index.static import StaticIndex
from publisher.index.twine_index import TwineIndex
from publisher.settings import load_settings
from tests.waiting import PATIENCE_SECONDS, eventually

PREFIX = "acme-schema"
OUTAGE_SECONDS = 30.0


@contextmanager
def daemon(folder: Path, catalog: str, events: str, index: str) -> Iterator[Service]:
    config = folder / "schema-publisher.toml"
    config.write_text(
        f"""\
[artifacts]
prefix = "{PREFIX}"
[catalog]
{catalog}
[[events]]
{events}
[state]
url = "sqlite:///{folder}/state.db"
[index]
{index}
[snapshot]
runner = "local"
on_start = false
[engine]
debounce_seconds = 0
staleness_seconds = 0
[http]
enabled = false
"""
    )
    with Service(load_settings(config), config) as service:
        yield service


def hive(metastore: Metastore) -> str:
    return f'kind = "hive"\nuri = "{metastore.uri}"'


def wait(condition: Callable[[], object], service: Service) -> None:
    assert eventually(lambda: bool(condition())), service.engine.status()


@pytest.fixture
def static(tmp_path: Path, metastore: Metastore) -> Iterator[tuple[Service, StaticIndex]]:
    index = f'kind = "static"\npath = "{tmp_path}/index"'
    with daemon(tmp_path, hive(metastore), 'kind = "notification-log"', index) as service:
        wait(lambda: service.engine.position("notification-log"), service)
        yield service, StaticIndex(tmp_path / "index")


def record(service: Service, *name: str) -> Any:
    relation = RelationName.of(*name)
    return service.engine.runtime.state.read(lambda tx: tx.graph.records([relation])).get(relation)


def has_status(service: Service, status: Status, *name: str) -> Callable[[], bool]:
    def holds() -> bool:
        found = record(service, *name)
        return found is not None and found.status is status and not found.stale

    return holds


def test_a_view_with_a_syntax_error_says_where_blocks_its_cone_and_recovers(
    static: tuple[Service, StaticIndex], database: str, metastore: Metastore
) -> None:
    service, index = static
    columns = [("id", "bigint")]
    with MetastoreDdl(metastore.uri) as ddl:
        ddl.create_table(database, "t", columns)
        ddl.create_view(database, "broken", columns, f"SELECT id FROM `{database}`.`t` WHERE (")
        ddl.create_view(database, "above", columns, f"SELECT id FROM `{database}`.`broken`")
        ddl.create_view(database, "beside", columns, f"SELECT id FROM `{database}`.`t`")

        wait(has_status(service, Status.BROKEN, database, "broken"), service)
        wait(has_status(service, Status.BROKEN, database, "above"), service)
        wait(lambda: index.files(distributed(database, "beside")), service)
        assert "line 1" in record(service, database, "broken").reason
        assert f"{database}.broken" in record(service, database, "above").reason
        assert not index.files(distributed(database, "broken"))

        mended = ddl.table(database, "broken")
        mended.viewExpandedText = f"SELECT id FROM `{database}`.`t`"
        mended.viewOriginalText = mended.viewExpandedText
        ddl.alter(database, "broken", mended)
        wait(lambda: index.files(distributed(database, "above")), service)


def test_the_longest_name_a_metastore_takes_and_a_column_called_class_are_packaged(
    static: tuple[Service, StaticIndex], database: str, metastore: Metastore, tmp_path: Path
) -> None:
    service, index = static
    name = "t" * 128
    with MetastoreDdl(metastore.uri) as ddl:
        ddl.create_table(database, name, [("class", "string"), ("None", "int")])

        wait(lambda: index.files(distributed(database, name)), service)

    install(tmp_path, index, (database, name))
    package = import_name(RelationName.of(database, name), PREFIX)
    program = f"import {package} as p; print(p.RECORD(class_='a', none=1).to_dict())"
    assert run(tmp_path, program) == "{'class': 'a', 'none': 1}"


def test_names_longer_than_any_metastore_takes_are_packaged_altered_and_renamed(
    tmp_path: Path,
) -> None:
    """Hive's schema keeps 128 characters of a table's name; a folder of DDL files has no limit."""
    one, other, renamed = ("t" * 299 + end for end in "123")
    folder = tmp_path / "ddl"
    folder.mkdir()
    script = folder / "tables.sql"
    script.write_text(
        f"CREATE DATABASE lake; CREATE TABLE lake.{one} (id bigint);"
        f"CREATE TABLE lake.{other} (name string);"
    )
    index = StaticIndex(tmp_path / "index")
    with daemon(
        tmp_path,
        f'kind = "ddl"\npath = "{folder}"',
        'kind = "ddl-folder"',
        f'kind = "static"\npath = "{tmp_path}/index"',
    ) as service:
        for table in (one, other):
            wait(partial(index.files, distributed("lake", table)), service)
        append(script, f"ALTER TABLE lake.{one} ADD COLUMNS (name string);")
        wait(lambda: len(index.files(distributed("lake", one))) == 2, service)
        append(script, f"ALTER TABLE lake.{other} RENAME TO lake.{renamed};")
        wait(lambda: index.files(distributed("lake", renamed)), service)

    assert {f.version for f in index.files(distributed("lake", one))} == {"1.0.0", "1.1.0"}
    install(tmp_path, index, ("lake", one), ("lake", renamed))
    imports = [import_name(RelationName.of("lake", table), PREFIX) for table in (one, renamed)]
    program = "; ".join(f"import {name} as p; print(p.RELATION)" for name in imports)
    assert run(tmp_path, program).split() == [f"lake.{one}", f"lake.{renamed}"]


def test_two_tables_whose_names_fold_together_are_two_packages(
    static: tuple[Service, StaticIndex], metastore: Metastore, tmp_path: Path
) -> None:
    service, index = static
    word = f"w{secrets.token_hex(3)}"
    relations = ((f"{word}_b", "c"), (word, "b_c"))
    with MetastoreDdl(metastore.uri) as ddl:
        for database, table in relations:
            ddl.create_database(database)
            ddl.create_table(database, table, [(f"of_{database}", "int")])

        for database, table in relations:
            wait(partial(index.files, distributed(database, table)), service)
            ddl.drop_database(database)

    install(tmp_path, index, *relations)
    imports = [import_name(RelationName.of(*relation), PREFIX) for relation in relations]
    program = "; ".join(f"import {name} as p; print(p.RELATION)" for name in imports)
    assert run(tmp_path, program).split() == [f"{word}_b.c", f"{word}.b_c"]


def test_a_malformed_event_becomes_a_dead_letter_and_holds_up_nobody(
    tmp_path: Path, metastore: Metastore, kafka: Kafka, database: str
) -> None:
    topic = f"garbage-{secrets.token_hex(3)}"
    producer = KafkaProducer(bootstrap_servers=kafka.bootstrap_servers)
    producer.send(topic, b"{}").get(PATIENCE_SECONDS)
    events = (
        f'kind = "kafka"\nbootstrap_servers = "{kafka.bootstrap_servers}"\n'
        f'topic = "{topic}"\ngroup_id = "{topic}"'
    )
    index = f'kind = "static"\npath = "{tmp_path}/index"'
    with daemon(tmp_path, hive(metastore), events, index) as service:
        wait(lambda: service.engine.position(f"kafka:{topic}"), service)
        producer.send(topic, b"\xff\x00 not json").get(PATIENCE_SECONDS)
        wait(lambda: service.engine.status().dead_letters, service)
        with MetastoreDdl(metastore.uri) as ddl:
            ddl.create_table(database, "t", [("id", "bigint")])
        event = {"eventType": "ON_CREATE_TABLE", "databaseName": database, "tableName": "t"}
        producer.send(topic, json.dumps({"protocolVersion": "1.0", **event}).encode()).get(
            PATIENCE_SECONDS
        )
        wait(lambda: StaticIndex(tmp_path / "index").files(distributed(database, "t")), service)
        state = service.engine.runtime.state
        letters = state.read(lambda tx: tx.journal.dead_letters())
    producer.close()

    assert [letter.payload for letter in letters] == [b"\xff\x00 not json"]


def test_an_index_that_is_down_for_half_a_minute_misses_nothing(
    tmp_path: Path, metastore: Metastore, database: str
) -> None:
    with PyPiServer.start(tmp_path / "server") as server:
        index = (
            f'kind = "twine"\nrepository_url = "{server.upload_url}"\n'
            f'simple_url = "{server.simple_url}"\nusername = "{server.username}"\n'
            f'password = "{server.password}"'
        )
        with (
            daemon(tmp_path, hive(metastore), 'kind = "notification-log"', index) as service,
            MetastoreDdl(metastore.uri) as ddl,
        ):
            wait(lambda: service.engine.position("notification-log"), service)
            server.kill()
            ended = time.monotonic() + OUTAGE_SECONDS
            for number in range(5):
                ddl.create_table(database, f"t{number}", [("id", "bigint")])
                time.sleep(OUTAGE_SECONDS / 10)
            wait(has_status(service, Status.OK, database, "t4"), service)
            assert len(service.engine.status().work) == 5
            time.sleep(max(0.0, ended - time.monotonic()))
            server.restart()
            seen = TwineIndex(
                server.upload_url, server.simple_url, server.username, server.password
            )
            for number in range(5):
                wait(partial(seen.files, distributed(database, f"t{number}")), service)

            wait(lambda: not service.engine.status().work, service)
            versions = [len(seen.files(distributed(database, f"t{n}"))) for n in range(5)]
            assert versions == [1] * 5


def distributed(*name: str) -> str:
    return distribution_name(RelationName.of(*name), PREFIX)


def append(script: Path, statement: str) -> None:
    script.write_text(f"{script.read_text()}\n{statement}\n")


def install(folder: Path, index: StaticIndex, *relations: tuple[str, str]) -> None:
    wheels = []
    for relation in relations:
        file = max(index.files(distributed(*relation)), key=lambda file: file.version)
        wheel = folder / file.filename
        wheel.write_bytes(index.fetch(file))
        wheels.append(str(wheel))
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps",
         "--target", str(folder / "site"), *wheels],
        check=True,
    )  # fmt: skip


def run(folder: Path, program: str) -> str:
    printed = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(folder / "site")},
        capture_output=True,
        text=True,
        check=True,
    )
    return printed.stdout.strip()
