"""Event appended → package installable, p50 and p99: ``make bench-latency``.

A real metastore, the daemon in a separate process with debounce 0, and two indexes: the static
one that it serves, and a real pypiserver. The clock starts when the metastore has answered the DDL
(its event is then in the log) and stops when the index's page lists the wheel; a page is requested
every 5 ms. Two cases: an ALTER of a table that nothing reads, and an ALTER of a table with ten
dependent views, until all eleven are there.
"""

from __future__ import annotations

import argparse
import http.client
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from codegen.naming import distribution_name
from deploy.local_stack import Metastore, PyPiServer
from deploy.metastore_ddl import MetastoreDdl
from lakeschema.catalog.identifiers import RelationName

PREFIX = "bench-schema"
DATABASE = "bench"
VIEWS = 10
TIMEOUT_SECONDS = 60.0
POLL_SECONDS = 0.005


@dataclass(frozen=True, slots=True)
class Case:
    """Seconds of each round; a round alters a table of its own once, so that versions stay few."""

    index: str
    name: str
    seconds: Sequence[float]


class Page:
    """An index's pages of distributions, requested over one connection."""

    def __init__(self, simple_url: str) -> None:
        address = urlsplit(simple_url)
        self._path = address.path.rstrip("/")
        self._connection = http.client.HTTPConnection(address.hostname or "", address.port)

    def lists(self, distribution: str, version: str) -> bool:
        self._connection.request("GET", f"{self._path}/{distribution}/")
        answer = self._connection.getresponse()
        body = answer.read().decode()
        return answer.status == 200 and f"-{version}-py3-none-any.whl" in body


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100, help="ALTERs of a table alone")
    parser.add_argument("--view-rounds", type=int, default=30, help="ALTERs with ten views")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Metastore.start(Path(folder, "hms")) as metastore:
        cases: list[Case] = []
        for kind in ("static", "pypiserver"):
            with _index(kind, Path(folder)) as (settings, simple_url):
                database = f"{DATABASE}_{kind}"
                config = _config(Path(folder), kind, metastore.uri, settings)
                with _daemon(config) as url:
                    page = Page(simple_url or f"{url}/simple/")
                    cases += _measure(kind, database, metastore, page, chosen)
    _print(cases)


@contextmanager
def _daemon(config: Path) -> Iterator[str]:
    """Where the running daemon answers over HTTP."""
    command = [sys.executable, "-m", "publisher", "run", "--config", str(config)]
    with config.with_suffix(".log").open("wb") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log)
    try:
        assert process.stdout is not None
        ready = process.stdout.readline()
        if not ready:
            sys.exit(f"the daemon did not start:\n{config.with_suffix('.log').read_text()}")
        yield json.loads(ready)["http"]
    finally:
        process.terminate()
        process.wait()


@contextmanager
def _index(kind: str, folder: Path) -> Iterator[tuple[str, str | None]]:
    if kind == "static":
        yield f'kind = "static"\npath = "{folder}/index"', None
        return
    with PyPiServer.start(folder / "pypiserver") as server:
        text = (
            f'kind = "twine"\nrepository_url = "{server.upload_url}"\n'
            f'simple_url = "{server.simple_url}"\nusername = "{server.username}"\n'
            f'password = "{server.password}"'
        )
        yield text, server.simple_url


def _config(folder: Path, kind: str, uri: str, index: str) -> Path:
    config = folder / f"{kind}.toml"
    config.write_text(
        f"""\
[artifacts]
prefix = "{PREFIX}"
[catalog]
kind = "hive"
uri = "{uri}"
[[events]]
kind = "notification-log"
[state]
url = "sqlite:///{folder}/{kind}.db"
[index]
{index}
[snapshot]
runner = "local"
[engine]
debounce_seconds = 0
[http]
port = 0
"""
    )
    config.chmod(0o600)
    return config


def _measure(
    kind: str, database: str, metastore: Metastore, page: Page, chosen: argparse.Namespace
) -> Sequence[Case]:
    with MetastoreDdl(metastore.uri) as ddl:
        ddl.create_database(database)
        alone = [_round(ddl, page, database, f"alone_{i}", views=0) for i in range(chosen.rounds)]
        cone = [
            _round(ddl, page, database, f"cone_{i}", views=VIEWS) for i in range(chosen.view_rounds)
        ]
        ddl.drop_database(database)
    return [Case(kind, "table alone", alone), Case(kind, f"with {VIEWS} views", cone)]


def _round(ddl: MetastoreDdl, page: Page, database: str, table: str, *, views: int) -> float:
    columns = [("id", "bigint"), ("place", "struct<street:string>"), ("name", "string")]
    ddl.create_table(database, table, columns)
    names = [table]
    for number in range(views):
        view = f"{table}_view_{number}"
        ddl.create_view(
            database,
            view,
            columns[:2],
            f"SELECT `{table}`.`id`, `{table}`.`place` FROM `{database}`.`{table}` "
            f"WHERE `{table}`.`id` > {number}",
        )
        names.append(view)
    distributions = [distribution_name(RelationName.of(database, name), PREFIX) for name in names]
    _until(lambda: all(page.lists(d, "1.0.0") for d in distributions))
    changed = [("id", "bigint"), ("place", "struct<street:string,unit:string>"), columns[2]]
    ddl.replace_columns(database, table, changed)
    began = time.perf_counter()
    waiting = list(distributions)

    def arrived() -> bool:
        while waiting and page.lists(waiting[0], "1.1.0"):
            waiting.pop(0)
        return not waiting

    _until(arrived)
    return time.perf_counter() - began


def _until(condition: Callable[[], bool]) -> None:
    deadline = time.perf_counter() + TIMEOUT_SECONDS
    while not condition():
        if time.perf_counter() > deadline:
            sys.exit("the packages did not arrive: is the machine overloaded?")
        time.sleep(POLL_SECONDS)


def _print(cases: Sequence[Case]) -> None:
    print(f"{'index':<12}{'case':<16}{'rounds':>7}{'p50 ms':>9}{'p99 ms':>9}{'max ms':>9}")
    for case in cases:
        ordered = sorted(case.seconds)
        p50 = statistics.median(ordered) * 1000
        p99 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))] * 1000
        print(
            f"{case.index:<12}{case.name:<16}{len(ordered):>7}{p50:>9.0f}{p99:>9.0f}"
            f"{ordered[-1] * 1000:>9.0f}"
        )
    figures = {f"{c.index} {c.name}": [round(s, 4) for s in c.seconds] for c in cases}
    print(json.dumps({"latency_seconds": figures}), file=sys.stderr)


if __name__ == "__main__":
    main()
