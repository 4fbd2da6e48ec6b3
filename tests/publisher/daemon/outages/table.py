"""The outages of a running daemon, one row each; ``docs/operations.md`` lists them, too."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from tests.lakeschema.catalog.thrift_metastore import Handler
from tests.publisher.daemon.outages import state_faults
from tests.publisher.daemon.outages.front import Door, Front
from tests.publisher.daemon.outages.worlds import (
    World,
    folder_world,
    iceberg_world,
    metastore_world,
    named_events_world,
    named_metastore_world,
    put_in_its_place,
    server_world,
    take_away,
)
from tests.publisher.index.index_doubles import (
    SERVER_KINDS,
    Answer,
    Double,
    Faults,
    answer_page,
    answer_with,
)

Deployed = Callable[[Path], AbstractContextManager[World]]
IMPATIENT_SECONDS = 2.0
_INDEX_IN_THE_WAY = "a file is in place of the index's folder"


@dataclass(frozen=True)
class Case:
    """An outage, and how it is told.

    Attributes:
        service: that the warning, readiness and ``schema_publisher_up`` name.
        why, remedy: patterns of what the warning says.
        changes_meanwhile: whether the tables change before it ends, or after.
    """

    outage: str
    service: str
    deployed: Deployed
    why: str
    remedy: str
    changes_meanwhile: bool = True

    @property
    def may_begin_before_the_start(self) -> bool:
        """Without its state a service does not start; and what is put aside must be there."""
        return self.service != "state" and self.outage != _INDEX_IN_THE_WAY

    def __str__(self) -> str:
        return self.outage


def _uploads(outage: str, answer: Answer, why: str, remedy: str) -> Case:
    def break_it(faults: Faults, _: Front) -> Callable[[], None]:
        faults.post = answer
        return lambda: setattr(faults, "post", None)

    return Case(outage, "index uploads", partial(server_world, break_it=break_it), why, remedy)


def _pages(outage: str, answer: Answer, why: str, remedy: str) -> Case:
    def break_it(faults: Faults, _: Front) -> Callable[[], None]:
        faults.get = answer
        return lambda: setattr(faults, "get", None)

    return Case(outage, "index", partial(server_world, break_it=break_it), why, remedy)


def _index_door(outage: str, door: Door, why: str, remedy: str, seconds: float = 30.0) -> Case:
    def break_it(_: Faults, front: Front) -> Callable[[], None]:
        front.set(door)
        return lambda: front.set(Door.OPEN)

    deployed = partial(server_world, break_it=break_it, timeout_seconds=seconds)
    return Case(outage, "index", deployed, why, remedy)


def _slow_index() -> Case:
    def break_it(faults: Faults, _: Front) -> Callable[[], None]:
        # Of this world alone: other tests of the same row break another one.
        mended = threading.Event()

        def answer(handler: BaseHTTPRequestHandler, double: Double) -> None:
            mended.wait()
            # Late, and true: who still waits would take a 404 for a package that is lost.
            answer_page(handler, double, SERVER_KINDS["pypi"])

        faults.get = answer

        def mend() -> None:
            faults.get = None
            mended.set()

        return mend

    deployed = partial(server_world, break_it=break_it, timeout_seconds=IMPATIENT_SECONDS)
    return Case("the index is slow", "index", deployed, "in time", "timeout_seconds")


def _metastore_door(outage: str, door: Door, why: str, seconds: float = 30.0) -> Case:
    def break_it(_: Handler, front: Front) -> Callable[[], None]:
        front.set(door)
        return lambda: front.set(Door.OPEN)

    deployed = partial(metastore_world, break_it=break_it, timeout_seconds=seconds)
    return Case(outage, _LOG, deployed, why, "check that it runs and that its address")


def _unknown_host() -> Case:
    def break_it(names: set[str], front: Front) -> Callable[[], None]:
        known = names.pop()
        front.set(Door.OPEN)
        return lambda: names.add(known)

    deployed = partial(named_metastore_world, break_it=break_it)
    why = "failed to resolve"
    return Case("the metastore's host is unknown", _LOG, deployed, why, "address is right")


def _iceberg_door(outage: str, door: Door, why: str) -> Case:
    def break_it(front: Front) -> Callable[[], None]:
        front.set(door)
        return lambda: front.set(Door.OPEN)

    deployed = partial(iceberg_world, break_it=break_it)
    return Case(outage, "events iceberg-changes", deployed, why, "check that it runs")


def _without_database() -> Case:
    def break_it(handler: Handler, _: Front) -> Callable[[], None]:
        handler.failure = "JDODataStoreException: connection refused by the database"
        return lambda: setattr(handler, "failure", "")

    deployed = partial(metastore_world, break_it=break_it)
    return Case(
        "the metastore's database is away", "catalog", deployed, "JDODataStore", "check that"
    )


def _folder(
    outage: str,
    service: str,
    break_it: Callable[[Path], Callable[[], None]],
    why: str,
    remedy: str,
    *,
    changes_meanwhile: bool = True,
) -> Case:
    deployed = partial(folder_world, break_it=break_it)
    return Case(outage, service, deployed, why, remedy, changes_meanwhile)


def _named_events(
    outage: str, service: str, break_it: Callable[[Path], Callable[[], None]], why: str, remedy: str
) -> Case:
    deployed = partial(named_events_world, break_it=break_it)
    return Case(outage, service, deployed, why, remedy, changes_meanwhile=False)


_LOG = "events notification-log"
_ADDRESSES = r"its addresses in \[index\]"
_HTML = {"Content-Type": "image/png"}
_JSON = {"Content-Type": "application/vnd.pypi.simple.v1+json"}

CASES = (
    _uploads("the index is read-only", answer_with(405), "HTTP 405", "read-only"),
    _uploads("the index is full", answer_with(507), "HTTP 507", "free some space"),
    _uploads("uploads get 401", answer_with(401), "HTTP 401", "username and password"),
    _uploads("uploads get 403", answer_with(403), "HTTP 403", "permissions"),
    _uploads("uploads get 500", answer_with(500), "HTTP 500", "log of the index"),
    _pages("pages get 401", answer_with(401), "HTTP 401", "username and password"),
    _pages("pages get 500", answer_with(500), "HTTP 500", "log of the index"),
    _pages("pages get 503", answer_with(503), "HTTP 503", "log of the index"),
    _pages(
        "pages are another server's", answer_with(200, b"x", _HTML), "expected HTML", "simple_url"
    ),
    _pages("pages are damaged", answer_with(200, b"{", _JSON), "expected JSON", "simple_url"),
    _slow_index(),
    _index_door("the index is down", Door.REFUSES, "refused", _ADDRESSES),
    _index_door("the index hangs up", Door.HANGS_UP, "no response", _ADDRESSES),
    _index_door("the index is no HTTP server", Door.GARBAGE, "no response", _ADDRESSES),
    _index_door("the index never answers", Door.SILENT, "in time", "timeout", IMPATIENT_SECONDS),
    _metastore_door("the metastore is down", Door.REFUSES, "connect"),
    _metastore_door("the metastore hangs up", Door.HANGS_UP, "closed|EOF|read 0|reset|broken pipe"),
    _metastore_door(
        "the metastore does not speak Thrift", Door.GARBAGE, "the answer is not Thrift"
    ),
    _metastore_door("the metastore never answers", Door.SILENT, "read timeout", IMPATIENT_SECONDS),
    _unknown_host(),
    _without_database(),
    _iceberg_door("the Iceberg server is down", Door.REFUSES, "does not answer"),
    _folder(
        "the DDL folder is away",
        "events ddl-folder",
        take_away("ddl"),
        "no such folder",
        ".",
        changes_meanwhile=False,
    ),
    _folder(
        "a DDL file cannot be read",
        "events ddl-folder",
        put_in_its_place("ddl/shop.sql", Path.mkdir),
        "director",
        ".",
        changes_meanwhile=False,
    ),
    _named_events(
        "the folder of events is away",
        "events event-folder:events",
        take_away("events"),
        "No such file",
        "folder of events",
    ),
    _named_events(
        "the spool cannot be written",
        "events http:events",
        put_in_its_place("spool/events.db", Path.mkdir),
        "unable to open",
        "disk of the spool",
    ),
    _folder(
        _INDEX_IN_THE_WAY,
        "index",
        put_in_its_place("index/simple", Path.touch),
        "Not a directory",
        "index.path",
    ),
    _folder("the state is locked", "state", state_faults.lock, "locked", "end the program"),
    _folder("the state is read-only", "state", state_faults.forbid, "readonly", "writable"),
    _folder("the state's disk is full", "state", state_faults.fill, "full", "free some space"),
    _folder("the state is removed", "state", take_away("state.db"), "removed", "put the file back"),
)

OF_KAFKA = (
    "the broker is down",
    "there is no such topic",
    "the user has no rights on the topic",
)
"""In ``tests/integration/end_to_end/test_kafka_outages.py``: these need a broker."""
