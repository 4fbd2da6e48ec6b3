"""Small correct lakes, with the wheels of their indexes, for tests to spoil."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Sequence

from tests.chaos.catalog_reading import stored_lake
from tests.chaos.evidence import PREFIX, Evidence, IndexFile, Sighting, distribution_of
from tests.chaos.history import Executed, history_of
from tests.chaos.lake import Columns, Content, Name, Statement, Table, View
from tests.chaos.wheel_content import read_wheel_content

MEMBER = Name("lake", "t1")
VIEW = Name("lake", "v2")
ID: Columns = (("id", "bigint"),)
WITH_CITY: Columns = (("id", "bigint"), ("city", "string"))
OF_ID = Content((("id", "long"),), None)
OF_CITY = Content((("id", "long"), ("city", "string")), None)
SETTLED_SECONDS = 12.0


def executed(*statements: Statement) -> list[Executed]:
    """The statements, issued every ten seconds and each acknowledged a second later."""
    return [Executed(10.0 * n, 10.0 * n + 1, each) for n, each in enumerate(statements, start=1)]


def table(columns: Columns, name: Name = MEMBER, verb: str = "create") -> Statement:
    return Statement(verb, ((name, Table(columns)),))


def view(selected: tuple[str, ...], upstream: Name = MEMBER) -> Statement:
    return Statement("create", ((VIEW, View(upstream, selected)),))


def drop(name: Name = MEMBER) -> Statement:
    return Statement("drop", ((name, None),))


def wheel(
    version: str, content: Content, name: Name = MEMBER, *, offered: bool = True
) -> IndexFile:
    filename = f"{distribution_of(name).replace('-', '_')}-{version}-py3-none-any.whl"
    data = wheel_bytes(content)
    sha256 = hashlib.sha256(data + version.encode()).hexdigest()
    return IndexFile(filename, sha256, offered, read_wheel_content(data))


def wheel_bytes(content: Content) -> bytes:
    """A wheel with only the files that the judge reads."""
    fields = [
        {"name": name, "type": ["null", shape], "default": None} for name, shape in content.fields
    ]
    provenance: dict[str, object] = {
        "kind": "view" if content.view_text else "table",
        "view_text": content.view_text or "",
        "lineage": {},
        "upstreams": {},
    }
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr("a/b/provenance.json", json.dumps(provenance))
        archive.writestr("a/b/schema.avsc", json.dumps({"type": "record", "fields": fields}))
    return written.getvalue()


def evidence(
    statements: Sequence[Executed],
    files: Sequence[IndexFile],
    arrived: Sequence[Sighting] | None = None,
    sent: Sequence[Sighting] | None = None,
    *,
    yanks: bool = True,
    settled: float | None = SETTLED_SECONDS,
) -> Evidence:
    """By default the files arrive in the given order, every ten seconds from second 15 on."""
    history = history_of(statements)
    seen = sightings(files) if arrived is None else arrived
    return Evidence(
        deployment="folder",
        history=history,
        catalog=stored_lake(history.final),
        sent=seen if sent is None else sent,
        arrived=seen,
        files=files,
        yanks=yanks,
        settled_after_seconds=settled,
        hostile=f"{PREFIX}-exposed-hostile",
    )


def sightings(files: Sequence[IndexFile]) -> list[Sighting]:
    return [Sighting(15.0 + 10 * n, f.filename, f.sha256) for n, f in enumerate(files)]
