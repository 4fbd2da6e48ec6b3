"""Event appended → package installable, p50 and p99: ``make bench-latency``.

A real metastore, the daemon in a separate process with debounce 0, and two indexes: the static
one that it serves, and a real pypiserver. The clock starts when the metastore has answered the DDL
(its event is then in the log) and stops when the index's page lists the wheel; a page is requested
every 5 ms. Two cases: an ALTER of a table that nothing reads, and an ALTER of a table with ten
dependent views, until all eleven are there.

``--beside CHECKOUT`` compares with another version in one run. Each version has its own metastore, daemon
and index, and rounds alternate between them, so that the machine's load affects both.
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
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from codegen.naming import distribution_name
from deploy.local_stack import Metastore, PyPiServer
from deploy.metastore_ddl import MetastoreDdl
from lakeschema.catalog.identifiers import RelationName

PREFIX = "bench-schema"
DATABASE = "bench"
INDEXES = ("static", "pypiserver")
VIEWS = 10
TIMEOUT_SECONDS = 60.0
POLL_SECONDS = 0.005


@dataclass(frozen=True, slots=True)
class Case:
    """Seconds of each round; each round alters another table once, so that versions stay few."""

    index: str
    name: str
    version: str
    seconds: Sequence[float]


@dataclass(frozen=True, slots=True)
class Side:
    """One version's daemon, with the metastore that it listens to and the index that it publishes to."""

    version: str
    ddl: MetastoreDdl
    page: Page


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
    parser.add_argument("--beside", type=Path, help="a checkout of another version, with its .venv")
    parser.add_argument("--index", choices=INDEXES, action="append", help="by default both")
    chosen = parser.parse_args()
    pythons = {"this": sys.executable}
    if chosen.beside is not None:
        pythons["beside"] = str(chosen.beside.resolve() / ".venv/bin/python")
    with tempfile.TemporaryDirectory() as folder:
        cases: list[Case] = []
        for kind in chosen.index or INDEXES:
            with ExitStack() as stack:
                sides = [
                    stack.enter_context(_side(kind, version, python, Path(folder)))
                    for version, python in pythons.items()
                ]
                cases += _measure(kind, sides, chosen)
    _print(cases)


@contextmanager
def _side(kind: str, version: str, python: str, folder: Path) -> Iterator[Side]:
    own = folder / f"{kind}_{version}"
    own.mkdir()
    with Metastore.start(own / "hms") as metastore, _index(kind, own) as (settings, simple_url):
        config = _config(own, metastore.uri, settings)
        with _daemon(python, config) as url, MetastoreDdl(metastore.uri) as ddl:
            ddl.create_database(DATABASE)
            yield Side(version, ddl, Page(simple_url or f"{url}/simple/"))


@contextmanager
def _daemon(python: str, config: Path) -> Iterator[str]:
    """The HTTP address of the running daemon."""
    command = [python, "-m", "publisher", "run", "--config", str(config)]
    with config.with_suffix(".log").open("wb") as log:
        # Outside of a checkout, so that each Python imports its installed version.
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


def _config(folder: Path, uri: str, index: str) -> Path:
    config = folder / "publisher.toml"
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
url = "sqlite:///{folder}/state.db"
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


def _measure(kind: str, sides: Sequence[Side], chosen: argparse.Namespace) -> Sequence[Case]:
    cases = []
    for name, rounds, views in (
        ("table alone", chosen.rounds, 0),
        (f"with {VIEWS} views", chosen.view_rounds, VIEWS),
    ):
        seconds: dict[str, list[float]] = {side.version: [] for side in sides}
        for number in range(rounds):
            # The first side competes with the other side's last work.
            for side in sides if number % 2 else reversed(sides):
                table = f"{'cone' if views else 'alone'}_{number}"
                seconds[side.version].append(_round(side, table, views=views))
        cases += [Case(kind, name, version, times) for version, times in seconds.items()]
    return cases


def _round(side: Side, table: str, *, views: int) -> float:
    database, ddl, page = DATABASE, side.ddl, side.page
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
    print(
        f"{'index':<12}{'case':<16}{'version':<8}{'rounds':>7}{'p50 ms':>9}{'p99 ms':>9}{'max ms':>9}"
    )
    for case in cases:
        ordered = sorted(case.seconds)
        p50 = statistics.median(ordered) * 1000
        p99 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))] * 1000
        print(
            f"{case.index:<12}{case.name:<16}{case.version:<8}{len(ordered):>7}{p50:>9.1f}"
            f"{p99:>9.0f}{ordered[-1] * 1000:>9.0f}"
        )
    figures = {f"{c.index} {c.name} {c.version}": [round(s, 4) for s in c.seconds] for c in cases}
    print(json.dumps({"latency_seconds": figures}), file=sys.stderr)


if __name__ == "__main__":
    main()
