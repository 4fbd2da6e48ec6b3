"""Servers that are not those of the deployment's settings, and one that is, on ports of this machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager

from tests.lakeschema.catalog.thrift_metastore import Handler, serving
from tests.publisher.daemon.outages.front import Door, front
from tests.publisher.index.index_doubles import answer_with, running

_DOORS = {
    "refusing": Door.REFUSES,
    "hanging_up": Door.HANGS_UP,
    "other_protocol": Door.GARBAGE,
    "silent": Door.SILENT,
}
_WEB_SERVERS = {
    "unauthorised": answer_with(401),
    "failing": answer_with(500),
    "no_index": answer_with(404),
    "web_site": answer_with(200, b"GIF89a", {"Content-Type": "image/gif"}),
}


@contextmanager
def ports() -> Iterator[Mapping[str, str]]:
    """By the name that a row of the table has for it."""
    found: dict[str, str] = {}
    with ExitStack() as stack:
        for name, door in _DOORS.items():
            entrance = stack.enter_context(front(0))
            entrance.set(door)
            found[name] = str(entrance.port)
        metastore = stack.enter_context(serving(Handler()))
        found["metastore"] = metastore.rpartition(":")[2]
        for name, answer in _WEB_SERVERS.items():
            double = stack.enter_context(running(answer, answer))
            found[name] = double.url.rpartition(":")[2]
        yield found
