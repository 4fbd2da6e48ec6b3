"""The cost of monitoring in a large deployment, p50 and p99: ``make bench-operations``.

The state has 100,000 relations, all with work that is not due yet, 1,000,000 versions with their schema
texts, and 600 dead letters of 100 kB; the index has 1,000 projects. One client requests each address over
HTTP. SQL writes the state, since only its size counts.
"""

from __future__ import annotations

import argparse
import http.client
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from publisher.daemon.service import Service
from publisher.settings import load_settings
from publisher.state.sqlite import SqliteState

VERSIONS_PER_RELATION = 10
PROJECTS = 1_000
ADDRESSES = ("/health/live", "/health/ready", "/metrics", "/")

_RELATIONS = """
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)
INSERT INTO relation (name, namespace, incarnation, facts_hash, yanked)
SELECT 'bench.t' || i, 'bench', 1, 'f', 0 FROM n
"""
_SCHEMAS = """
INSERT INTO schema (name, derivation, interface_hash, status, stale, reason)
SELECT name, printf('%.*c', 2000, 'd'), 'i', 'OK', 0, '' FROM relation
"""
_TROUBLED = "UPDATE schema SET status = 'BROKEN', reason = 'r' WHERE rowid % 100 = 0"
_VERSIONS = """
WITH RECURSIVE v(number) AS (SELECT 0 UNION ALL SELECT number + 1 FROM v WHERE number + 1 < ?)
INSERT INTO version (distribution, number, relation, status, schema_text, filename, change, reasons,
                     created_at)
SELECT 'bench-' || name, '1.' || v.number || '.0', name, 'PUBLISHED', printf('%.*c', 500, 's'), 'w',
       'minor', '[]', 0
FROM relation, v
"""
_WORK = """
INSERT INTO work (key, generation, not_before, first_asked, attempts, retries, lease_until, fence, urgency, last_error)
SELECT name, 1, 1e12, 1e12 - rowid, 0, 0, 0, 0, 2, '' FROM relation
"""
_LETTERS = """
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < 600)
INSERT INTO dead_letter (source, payload, reason, received_at)
SELECT 'kafka', zeroblob(100000), 'r', 0 FROM n
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--relations", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=300)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        fill(Path(folder) / "state.db", options.relations)
        print(f"state written in {time.perf_counter() - began:.0f} s")
        with running(Path(folder)) as service:
            for address in ADDRESSES:
                show(address, measure(service, address, options.rounds))


def fill(path: Path, relations: int) -> None:
    SqliteState(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute(_RELATIONS, [relations])
        connection.execute(_SCHEMAS)
        connection.execute(_TROUBLED)
        connection.execute(_WORK)
        connection.execute(_VERSIONS, [VERSIONS_PER_RELATION])
        connection.execute(_LETTERS)
        connection.commit()


def idle_settings(folder: Path) -> Path:
    """The settings of an idle service with its own index, on an empty catalog."""
    (folder / "ddl").mkdir()
    config = folder / "schema-publisher.toml"
    config.write_text(
        '[artifacts]\nprefix = "bench"\n'
        f'[catalog]\nkind = "ddl"\npath = "{folder}/ddl"\n'
        f'[state]\nurl = "sqlite:///{folder}/state.db"\n'
        f'[index]\nkind = "static"\npath = "{folder}/index"\n'
        '[snapshot]\nrunner = "local"\non_start = false\n'
        "[http]\nport = 0\n"
    )
    return config


@contextmanager
def running(folder: Path) -> Iterator[Service]:
    """An idle daemon."""
    for number in range(PROJECTS):
        project = folder / "index" / "simple" / f"bench-bench-t{number}"
        project.mkdir(parents=True)
        (project / "index.json").write_text("{}")
    config = idle_settings(folder)
    with Service(load_settings(config), config) as service:
        yield service


def measure(service: Service, address: str, rounds: int) -> Sequence[float]:
    server = urlsplit(service.url or "")
    connection = http.client.HTTPConnection(server.hostname or "", server.port)
    seconds = []
    for _ in range(rounds):
        began = time.perf_counter()
        connection.request("GET", address)
        answer = connection.getresponse()
        answer.read()
        seconds.append(time.perf_counter() - began)
    connection.close()
    return seconds


def show(address: str, seconds: Sequence[float]) -> None:
    percentiles = statistics.quantiles(seconds, n=100)
    print(f"{address:16} p50 {percentiles[49] * 1e3:6.1f} ms   p99 {percentiles[98] * 1e3:6.1f} ms")


if __name__ == "__main__":
    main()
