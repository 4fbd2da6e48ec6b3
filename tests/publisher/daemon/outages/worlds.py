"""Small deployments of two tables, each with one part that a test can break and repair."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hive_metastore.ttypes import FieldSchema, NotificationEvent

from tests.lakeschema.catalog.iceberg_documents import field_of, table_of
from tests.lakeschema.catalog.iceberg_rest_server import RestServer
from tests.lakeschema.catalog.iceberg_rest_server import serving as serving_rest
from tests.lakeschema.catalog.thrift_metastore import Handler, serving, thrift_table
from tests.publisher.daemon.outages.front import Front, front
from tests.publisher.index.index_doubles import SERVER_KINDS, Faults, index_double

TABLES = ("items", "orders")

_CONFIG = """\
[artifacts]
prefix = "acme-schema"
second_opinion = "off"
[state]
url = "sqlite:///{folder}/state.db"
[snapshot]
runner = "local"
[engine]
debounce_seconds = 0
staleness_seconds = 0
max_backoff_seconds = 0.2
[http]
port = 0
"""
_NAME = "metastore.test"
_STATIC = '[index]\nkind = "static"\npath = "{folder}/index"\n'
_DDL = '[catalog]\nkind = "ddl"\npath = "{folder}/ddl"\n[[events]]\nkind = "ddl-folder"\n'


@dataclass(frozen=True)
class World:
    """``begin`` and ``end`` break and mend it; ``change`` adds a column to both tables at once."""

    config: Path
    change: Callable[[], None]
    versions: Callable[[], list[str]]
    begin: Callable[[], None]
    end: Callable[[], None]

    @property
    def first(self) -> list[str]:
        return wheels("1.0.0")

    @property
    def changed(self) -> list[str]:
        return wheels("1.0.0", "1.1.0")


def wheels(*versions: str) -> list[str]:
    return [
        f"acme_schema_shop_{table}-{version}-py3-none-any.whl"
        for table in TABLES
        for version in versions
    ]


# A catalog that is a folder, and an index that is one


def write_ddl(folder: Path, columns: str) -> None:
    """In one step: a reader sees both tables as they were, or as they are."""
    ddl = folder / "ddl"
    ddl.mkdir(exist_ok=True)
    statements = ["CREATE DATABASE shop;", *(f"CREATE TABLE shop.{t} ({columns});" for t in TABLES)]
    (folder / "new").write_text("\n".join(statements))
    (folder / "new").replace(ddl / "shop.sql")


def _configured(folder: Path, *sections: str) -> Path:
    path = folder / "schema-publisher.toml"
    path.write_text("".join([_CONFIG, *sections]).replace("{folder}", str(folder)))
    return path


def folder_config(folder: Path, catalog: str) -> Path:
    """Of a deployment whose index is a folder."""
    return _configured(folder, _STATIC, catalog)


def static_wheels(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "index").rglob("*.whl"))


@contextmanager
def folder_world(folder: Path, break_it: Callable[[Path], Callable[[], None]]) -> Iterator[World]:
    """``break_it`` is given the folder of the deployment, and returns how to mend that."""
    write_ddl(folder, "id BIGINT")
    yield World(
        _configured(folder, _STATIC, _DDL),
        lambda: write_ddl(folder, "id BIGINT, note STRING"),
        lambda: static_wheels(folder),
        *_undoable(lambda: break_it(folder)),
    )


_EVENTS = """[catalog]
kind = "ddl"
path = "{folder}/ddl"
[[events]]
kind = "event-folder"
path = "{folder}/events"
mapping = { full_name = "$.table" }
[[events]]
kind = "http"
name = "events"
secret_file = "{folder}/secret"
spool = "{folder}/spool/events.db"
mapping = { full_name = "$.table" }
"""


@contextmanager
def named_events_world(
    folder: Path, break_it: Callable[[Path], Callable[[], None]]
) -> Iterator[World]:
    """Only files of events tell of a change; ``break_it`` as in ``folder_world``."""
    write_ddl(folder, "id BIGINT")
    (folder / "secret").write_text("k7Jq2vX9bT4wLm8RzY3h")
    (folder / "events").mkdir()
    (folder / "spool").mkdir()
    (folder / "spool" / "events.db").touch()

    def change() -> None:
        write_ddl(folder, "id BIGINT, note STRING")
        names = [f'{{"table": "shop.{table}"}}' for table in TABLES]
        (folder / "events" / "1.json").write_text(f"[{', '.join(names)}]")

    yield World(
        _configured(folder, _STATIC, _EVENTS),
        change,
        lambda: static_wheels(folder),
        *_undoable(lambda: break_it(folder)),
    )


def _undoable(
    act: Callable[[], Callable[[], None]],
) -> tuple[Callable[[], None], Callable[[], None]]:
    undo: list[Callable[[], None]] = []

    def undo_it() -> None:
        undo.pop()()

    return lambda: undo.append(act()), undo_it


def take_away(name: str) -> Callable[[Path], Callable[[], None]]:
    """Moves a file or folder of the deployment out of its place."""

    def move(folder: Path) -> Callable[[], None]:
        aside = folder / f"{name.replace('/', '-')}-aside"
        (folder / name).rename(aside)

        def put_back() -> None:
            aside.rename(folder / name)

        return put_back

    return move


def put_in_its_place(
    name: str, thing: Callable[[Path], object]
) -> Callable[[Path], Callable[[], None]]:
    """Something else where a file or folder of the deployment was."""

    def put(folder: Path) -> Callable[[], None]:
        move_back = take_away(name)(folder)
        place = folder / name
        thing(place)

        def undo() -> None:
            shutil.rmtree(place) if place.is_dir() else place.unlink()
            move_back()

        return undo

    return put


# An index that is a server


@contextmanager
def server_world(
    folder: Path,
    break_it: Callable[[Faults, Front], Callable[[], None]],
    timeout_seconds: float = 30.0,
) -> Iterator[World]:
    write_ddl(folder, "id BIGINT")
    faults = Faults()
    with index_double(SERVER_KINDS["pypi"], faults) as double:
        port = int(double.url.rpartition(":")[2])
        with front(port) as door:
            url = f"http://127.0.0.1:{door.port}"
            index = (
                f'[index]\nkind = "twine"\nrepository_url = "{url}/legacy/"\n'
                f'simple_url = "{url}/simple/"\ntimeout_seconds = {timeout_seconds}\n'
            )
            yield World(
                _configured(folder, index, _DDL),
                lambda: write_ddl(folder, "id BIGINT, note STRING"),
                lambda: sorted(double.files),
                *_undoable(lambda: break_it(faults, door)),
            )


# A catalog that is a metastore


@contextmanager
def metastore_world(
    folder: Path,
    break_it: Callable[[Handler, Front], Callable[[], None]],
    *,
    timeout_seconds: float = 30.0,
    host: str = "127.0.0.1",
) -> Iterator[World]:
    handler = Handler()
    _alter_all(handler, FieldSchema("id", "bigint", None))
    with serving(handler) as uri, front(int(uri.rpartition(":")[2])) as door:
        catalog = (
            f'[catalog]\nkind = "hive"\nuri = "thrift://{host}:{door.port}"\n'
            f'timeout_seconds = {timeout_seconds}\n[[events]]\nkind = "notification-log"\n'
        )
        yield World(
            _configured(folder, _STATIC, catalog),
            lambda: _alter_all(
                handler, FieldSchema("id", "bigint", None), FieldSchema("note", "string", None)
            ),
            lambda: static_wheels(folder),
            *_undoable(lambda: break_it(handler, door)),
        )


@contextmanager
def named_metastore_world(
    folder: Path, break_it: Callable[[set[str], Front], Callable[[], None]]
) -> Iterator[World]:
    """A metastore that is found by its name; ``break_it`` is given the names that are known."""
    known = {_NAME}
    resolve = socket.getaddrinfo

    def resolve_here(host: Any, *more: Any, **named: Any) -> Any:
        if host == _NAME and host not in known:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return resolve("127.0.0.1" if host == _NAME else host, *more, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", resolve_here)
        with metastore_world(folder, lambda _, front: break_it(known, front), host=_NAME) as world:
            yield world


def _alter_all(handler: Handler, *columns: Any) -> None:
    handler.tables["shop"] = {name: thrift_table(name, columns, database="shop") for name in TABLES}
    first = handler.event_id + 1
    handler.events += [
        NotificationEvent(
            eventId=first + number,
            eventTime=1,
            eventType="CREATE_TABLE",
            dbName="shop",
            tableName=name,
            message="{}",
        )
        for number, name in enumerate(TABLES)
    ]
    # Last: whoever knows of the events finds all of them.
    handler.event_id += len(TABLES)


# A catalog that is Iceberg's REST server


@contextmanager
def iceberg_world(folder: Path, break_it: Callable[[Front], Callable[[], None]]) -> Iterator[World]:
    server = RestServer()

    def write(*columns: dict[str, Any]) -> None:
        server.tables = {("shop",): {name: table_of(*columns) for name in TABLES}}

    write(field_of(1, "id"))
    with serving_rest(server), front(int(server.uri.rpartition(":")[2])) as door:
        catalog = (
            f'[catalog]\nkind = "iceberg"\ntype = "rest"\nuri = "http://127.0.0.1:{door.port}"\n'
            '[[events]]\nkind = "iceberg"\npoll_seconds = 0.05\n'
        )
        yield World(
            _configured(folder, _STATIC, catalog),
            lambda: write(field_of(1, "id"), field_of(2, "note", "string")),
            lambda: static_wheels(folder),
            *_undoable(lambda: break_it(door)),
        )
