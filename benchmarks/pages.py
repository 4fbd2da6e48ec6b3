"""The pages of a large deployment, p50 and p99, with many clients at once: ``make bench-pages``.

Next to the time that a client waits stands the processor time of the service, which a busy machine
lengthens less. The state has 100,000 relations in 200 namespaces, ten versions of each, one table with 33,000 readers, and one in a
hundred in trouble. Packages of 20, 200 and 2,000 fields are in its index. SQL writes the state, since only its size counts. Another process serves; the clients share this one.

The service keeps a page for a second. So a first measurement, with one client, asks for each page again
only after that time, and its figures include the making of the page.
"""

from __future__ import annotations

import argparse
import gzip
import http.client
import json
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.operations import idle_settings
from codegen.package import PackageRequest, Provenance
from codegen.wheel import build_wheel
from lakeschema.avro.model import Record
from lakeschema.avro.parsing import parse_schema
from lakeschema.catalog.identifiers import RelationName
from publisher.index.static import StaticIndex
from publisher.state.sqlite import SqliteState

_HEADERS = {"Accept": "text/html", "Accept-Encoding": "identity"}
_KEPT_SECONDS = 1.1
ADDRESSES = (
    "/",
    "/catalog",
    "/catalog?namespace=db150",
    "/catalog?namespace=db150&after=db150.t5",
    "/catalog?status=BROKEN",
    "/catalog?kind=view",
    "/catalog?q=t999",
    "/catalog?q=nothing",
    "/relations/db7.t7",
    "/relations/db0.t0",
    "/relations/db0.unknown",
    "/nowhere",
    "/lineage",
    "/lineage/db0.t0",
    "/packages/bench-db0-t0",
    "/packages/bench-db7-t207",
    "/packages/bench-db7-t207/diff/1.0.0...1.1.0",
    "/packages/bench-db7-t7",
    "/packages/bench-db7-t7/diff/1.0.0...1.1.0",
    "/changes",
)
_FIELDS = {"db0.t0": 20, "db7.t207": 200, "db7.t7": 2_000}
"""How many fields the relations of packages have."""

_RELATIONS = """
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)
INSERT INTO relation (name, namespace, incarnation, facts_hash, yanked, kind, owner)
SELECT 'db' || (i % 200) || '.t' || i, 'db' || (i % 200), 1, 'f', 0,
       CASE WHEN i % 3 = 0 THEN 'view' ELSE 'table' END, 'team ' || (i % 7)
FROM n
"""
_SCHEMAS = """
INSERT INTO schema (name, derivation, interface_hash, status, stale, reason, published_hash)
SELECT name, NULL, 'i', 'OK', 0, '', 'p' FROM relation
"""
_TROUBLED = "UPDATE schema SET status = 'BROKEN', reason = 'column gone does not exist' WHERE rowid % 100 = 0"
_VERSIONS = """
WITH RECURSIVE v(number) AS (SELECT 0 UNION ALL SELECT number + 1 FROM v WHERE number + 1 < 10)
INSERT INTO version (distribution, number, relation, status, schema_text, filename, change, reasons,
                     created_at)
SELECT 'bench-' || replace(name, '.', '-'), '1.' || v.number || '.0', name, 'PUBLISHED',
       printf('%.*c', 500, 's'), 'w', 'minor', '[]', ? - relation.rowid * 17 - (9 - v.number) * 1000000
FROM relation, v
"""
_EDGES = """
INSERT INTO edge (dependent, upstream, position)
SELECT name, 'db0.t0', 0 FROM relation WHERE kind = 'view' AND name != 'db0.t0'
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--relations", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--passes", type=int, default=100, help="over the pages that are made anew")
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 16])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        began = time.perf_counter()
        fill(folder / "state.db", options.relations)
        publish(folder / "index")
        print(f"state written in {time.perf_counter() - began:.0f} s")
        command = [sys.executable, "-m", "publisher", "run", "--config", str(idle_settings(folder))]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as service:
            assert service.stdout is not None
            url = json.loads(service.stdout.readline())["http"]
            try:
                for address, seconds in made_anew(url, options.passes).items():
                    print(f"made anew  {address:40} {_percentiles(seconds)}", flush=True)
                for clients in options.clients:
                    for address in ADDRESSES:
                        show(
                            address,
                            clients,
                            measure(url, service.pid, address, clients, options.rounds),
                        )
            finally:
                service.terminate()


def fill(path: Path, relations: int) -> None:
    SqliteState(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute(_RELATIONS, [relations])
        connection.execute(_SCHEMAS)
        connection.execute(_TROUBLED)
        connection.execute(_VERSIONS, [time.time()])
        connection.execute(_EDGES)
        connection.commit()


def publish(folder: Path) -> None:
    index = StaticIndex(folder)
    for relation, count in _FIELDS.items():
        fields = [
            {"name": f"f{number}", "type": ["null", "string"], "doc": f"Field {number}."}
            for number in range(count)
        ]
        for number, version in enumerate(("1.0.0", "1.1.0")):
            document = {"type": "record", "name": "Row", "fields": fields[: count - 1 + number]}
            schema = parse_schema(json.dumps(document))
            assert isinstance(schema, Record)
            request = PackageRequest(
                RelationName.parse(relation),
                "bench",
                version,
                schema,
                Provenance(kind="view", view_text="SELECT * FROM db0.t0"),
            )
            index.upload(build_wheel(request))


@dataclass(frozen=True, slots=True)
class Measured:
    """The seconds of each request; the service's mean processor time; the bytes of the compressed page."""

    seconds: Sequence[float]
    processor_seconds: float
    size: int


def made_anew(url: str, passes: int) -> Mapping[str, Sequence[float]]:
    """The seconds of each request for a page that the service no longer keeps.

    The first pass is not counted: the service then reads its files for the first time.
    """
    server = urlsplit(url)
    seconds: dict[str, list[float]] = {address: [] for address in ADDRESSES}
    connection = http.client.HTTPConnection(server.hostname or "", server.port)
    for _ in range(passes + 1):
        ends = time.perf_counter() + _KEPT_SECONDS
        for address, each in seconds.items():
            began = time.perf_counter()
            connection.request("GET", address, headers=_HEADERS)
            connection.getresponse().read()
            each.append(time.perf_counter() - began)
        time.sleep(max(0.0, ends - time.perf_counter()))
    connection.close()
    return {address: each[1:] for address, each in seconds.items()}


def measure(url: str, process: int, address: str, clients: int, rounds: int) -> Measured:
    server = urlsplit(url)

    def ask(_: int) -> tuple[list[float], bytes]:
        connection = http.client.HTTPConnection(server.hostname or "", server.port)
        seconds, body = [], b""
        for _ in range(max(1, rounds // clients)):
            began = time.perf_counter()
            connection.request("GET", address, headers=_HEADERS)
            body = connection.getresponse().read()
            seconds.append(time.perf_counter() - began)
        connection.close()
        return seconds, body

    began = processor_seconds(process)
    with ThreadPoolExecutor(clients) as pool:
        answers = list(pool.map(ask, range(clients)))
    used = processor_seconds(process) - began
    every = [each for seconds, _ in answers for each in seconds]
    return Measured(every, used / len(every), len(gzip.compress(answers[0][1])))


def processor_seconds(process: int) -> float:
    """What Linux counts for all threads, without child processes, to the nanosecond."""
    tasks = Path(f"/proc/{process}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


def show(address: str, clients: int, measured: Measured) -> None:
    print(
        f"{clients:3} clients  {address:40} {_percentiles(measured.seconds)}"
        f"   CPU {measured.processor_seconds * 1e3:5.1f} ms   {measured.size / 1e3:5.1f} kB",
        flush=True,
    )


def _percentiles(seconds: Sequence[float]) -> str:
    found = statistics.quantiles(seconds, n=100)
    return f"p50 {found[49] * 1e3:6.1f} ms   p99 {found[98] * 1e3:6.1f} ms"


if __name__ == "__main__":
    main()
