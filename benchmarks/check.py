"""``POST /check`` at a steady rate, to a daemon that works: ``python -m benchmarks.check``.

The daemon runs in a separate process over a folder of DDL: TPC-H's tables and ``--tables`` others. Every
second one of these changes, and is derived, built and published while statements are checked. The
statements are TPC-H's queries, and short ones that break rules. Requests begin at fixed times, whether or
not earlier requests were answered; each is measured from its planned begin.
"""

from __future__ import annotations

import argparse
import http.client
import json
import queue
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

_TPCH = Path(__file__).parents[1] / "tests/data/tpch"
_CONNECTIONS = 8
_START_SECONDS = 300.0
_BROKEN = (
    "SELECT id FROM bench.t1, bench.t2",
    "INSERT INTO bench.t1 SELECT * FROM bench.t2 WHERE amount = NULL",
    "SELECT id, nothing FROM bench.t3 WHERE id NOT IN (SELECT id FROM bench.t4)",
    "DELETE FROM bench.t5",
)


@dataclass(slots=True)
class Measured:
    seconds: list[float] = field(default_factory=list)
    answers: Counter[str] = field(default_factory=Counter)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=float, default=50.0, help="requests a second")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--tables", type=int, default=500, help="beside those of TPC-H")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        ddl = Path(folder) / "ddl"
        _write_tables(ddl, chosen.tables)
        with _daemon(_config(Path(folder))) as url:
            _wait(url, chosen.tables)
            ends = threading.Event()
            changes = threading.Thread(target=_change, args=(ddl, ends))
            changes.start()
            try:
                measured = _ask(url, chosen.rate, chosen.seconds)
            finally:
                ends.set()
                changes.join()
    _print(measured, chosen.rate)


def _write_tables(folder: Path, count: int) -> None:
    folder.mkdir()
    (folder / "tpch.sql").write_text((_TPCH / "tables.sql").read_text())
    tables = [
        f"CREATE TABLE t{n} (id BIGINT, name STRING, amount DOUBLE);" for n in range(1, count + 1)
    ]
    text = "".join(["CREATE DATABASE bench; USE bench;", *tables])
    (folder / "bench.sql").write_text(text)
    _write_change(folder, 0)


def _write_change(folder: Path, number: int) -> None:
    columns = "".join(f", c{n} INT" for n in range(number % 50))
    text = f"CREATE DATABASE moving; USE moving; CREATE TABLE t (id BIGINT{columns});"
    (folder / "moving.sql").write_text(text)


def _change(folder: Path, ends: threading.Event) -> None:
    number = 0
    while not ends.wait(1.0):
        number += 1
        _write_change(folder, number)


def _config(folder: Path) -> Path:
    config = folder / "publisher.toml"
    config.write_text(
        f"""\
[artifacts]
prefix = "bench-schema"
[catalog]
kind = "ddl"
path = "{folder}/ddl"
[[events]]
kind = "ddl-folder"
[state]
url = "sqlite:///{folder}/state.db"
[index]
kind = "static"
path = "{folder}/index"
[snapshot]
runner = "local"
[engine]
debounce_seconds = 0
max_versions_per_hour = 1000000
[http]
port = 0
[check]
enabled = true
"""
    )
    return config


@contextmanager
def _daemon(config: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "publisher", "run", "--config", str(config)]
    with config.with_suffix(".log").open("wb") as log:
        # Outside of the checkout, as in a deployment.
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, cwd=config.parent)
    try:
        assert process.stdout is not None
        ready = process.stdout.readline()
        if not ready:
            sys.exit(f"the daemon did not start:\n{config.with_suffix('.log').read_text()}")
        yield json.loads(ready)["http"]
    finally:
        process.terminate()
        process.wait()


class _Client:
    """A client with one persistent connection."""

    def __init__(self, url: str) -> None:
        address = urlsplit(url)
        self._connection = http.client.HTTPConnection(address.hostname or "", address.port)

    def check(self, body: bytes) -> str:
        """The broken rules, or the status."""
        headers = {"Content-Type": "application/json"}
        self._connection.request("POST", "/check", body, headers)
        answer = self._connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            return f"status {answer.status}"
        return "ok" if json.loads(text)["ok"] else "violations"


def _wait(url: str, tables: int) -> None:
    """Waits until the daemon has published all tables, and checks know them."""
    client, end = _Client(url), time.monotonic() + _START_SECONDS
    body = json.dumps({"sql": "SELECT nothing FROM moving.t"}).encode()
    while _versions(url) < tables or client.check(body) != "violations":
        if time.monotonic() > end:
            sys.exit("the daemon did not come to know its tables")
        time.sleep(0.5)


def _versions(url: str) -> float:
    with urllib.request.urlopen(f"{url}/metrics") as response:
        found = re.search(rb"(?m)^schema_publisher_versions (\S+)$", response.read())
    return float(found[1]) if found else 0.0


def _bodies() -> Sequence[bytes]:
    queries = [path.read_text() for path in sorted(_TPCH.glob("q*.sql"))]
    return [json.dumps({"sql": sql}).encode() for sql in (*queries, *_BROKEN)]


def _ask(url: str, rate: float, seconds: float) -> Measured:
    bodies, measured = _bodies(), Measured()
    waiting: queue.SimpleQueue[tuple[float, bytes] | None] = queue.SimpleQueue()
    clients = [
        threading.Thread(target=_answer, args=(url, waiting, measured)) for _ in range(_CONNECTIONS)
    ]
    for client in clients:
        client.start()
    begin = time.perf_counter()
    for number in range(int(rate * seconds)):
        due = begin + number / rate
        time.sleep(max(0.0, due - time.perf_counter()))
        waiting.put((due, bodies[number % len(bodies)]))
    for _ in clients:
        waiting.put(None)
    for client in clients:
        client.join()
    return measured


def _answer(
    url: str, waiting: queue.SimpleQueue[tuple[float, bytes] | None], measured: Measured
) -> None:
    client = _Client(url)
    while (each := waiting.get()) is not None:
        due, body = each
        answer = client.check(body)
        measured.seconds.append(time.perf_counter() - due)
        measured.answers[answer] += 1


def _print(measured: Measured, rate: float) -> None:
    ordered = sorted(measured.seconds)
    shares = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99.9": 0.999}
    figures = [
        f"{name} {ordered[int(len(ordered) * share)] * 1000:.1f} ms"
        for name, share in shares.items()
    ]
    print(
        f"{len(ordered)} requests at {rate:g} a second: {', '.join(figures)}, max {ordered[-1] * 1000:.1f} ms"
    )
    print(", ".join(f"{answer}: {count}" for answer, count in sorted(measured.answers.items())))


if __name__ == "__main__":
    main()
