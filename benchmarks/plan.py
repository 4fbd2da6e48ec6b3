"""How long ``plan`` takes over a large catalog: ``make bench-plan``.

Tables and views over them in a folder of DDL, published once; then several changes are planned, by the
command as a process of its own, and in this process with a state that has heard of every event, as
that of a running service beside a metastore. Nothing is written after the publication.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from lakeschema.catalog.ddl_change import Script
from lakeschema.catalog.ddl_files import DdlFilesCatalog
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Catalog, Relation
from publisher.commands.planned_deployment import Question, plan_opened
from publisher.daemon.adapters import build_index, build_processes
from publisher.daemon.assembly import build_engine, build_state
from publisher.events.log_position import LogPosition
from publisher.settings import Settings, load_settings

CHANGES = (
    "ALTER TABLE bench.t7 ADD COLUMNS (added int)",
    "ALTER TABLE bench.t7 CHANGE COLUMN name title string",
    "ALTER TABLE bench.t0 ADD COLUMNS (added int)",
    "DROP TABLE bench.t9",
    "ALTER TABLE bench.t11 RENAME TO bench.other",
    "CREATE OR REPLACE VIEW bench.v12 AS SELECT id FROM bench.t12",
)
_EVENT = 7


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--relations", type=int, default=5_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = prepare(folder, options.relations)
        measure_command(folder)
        measure_heard(settings, folder)


def prepare(folder: Path, relations: int) -> Settings:
    """Publishes everything; every tenth view reads the same table, the others their own."""
    (folder / "ddl").mkdir()
    half = relations // 2
    tables = "".join(
        f"CREATE TABLE bench.t{n} (id bigint, name string, total decimal(10,2));\n"
        for n in range(half)
    )
    views = "".join(
        f"CREATE VIEW bench.v{n} AS SELECT id, name FROM bench.t{0 if n % 10 == 0 else n};\n"
        for n in range(half)
    )
    (folder / "ddl" / "lake.sql").write_text(f"CREATE DATABASE bench;\n{tables}{views}")
    settings = load_settings(_config(folder))
    catalog = DdlFilesCatalog(folder / "ddl")
    began = time.perf_counter()
    with closing(build_state(settings)) as state, build_processes(settings) as processes:
        engine = build_engine(settings, state, catalog, build_index(settings), processes)
        engine.snapshot()
        assert engine.drain(3600.0)
        position = LogPosition(_EVENT, 0).to_text()
        state.write(lambda tx: tx.journal.save_position("notification-log", position))
    print(f"{relations} relations published in {time.perf_counter() - began:.0f} s")
    return settings


def _config(folder: Path) -> Path:
    config = folder / "schema-publisher.toml"
    config.write_text(
        f"""\
[artifacts]
prefix = "bench"
second_opinion = "off"
[catalog]
kind = "ddl"
path = "{folder}/ddl"
[state]
url = "sqlite:///{folder}/state.db"
[index]
kind = "static"
path = "{folder}/index"
[engine]
debounce_seconds = 0
staleness_seconds = 0
"""
    )
    return config


def measure_command(folder: Path) -> None:
    print("the command, as a process; the folder of DDL is read each time")
    program = [sys.executable, "-m", "publisher.commands.cli", "plan"]
    for change in CHANGES:
        began = time.perf_counter()
        subprocess.run(
            [*program, change, "--config", str(folder / "schema-publisher.toml")],
            check=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        print(f"  {time.perf_counter() - began:6.2f} s  {change}")


@dataclass(frozen=True, slots=True)
class _WithEvents:
    """A folder's catalog that has event ids, as a metastore has."""

    folder: DdlFilesCatalog

    def namespaces(self) -> Sequence[tuple[str, ...]]:
        return self.folder.namespaces()

    def relations(self, namespace: tuple[str, ...]) -> Sequence[RelationName]:
        return self.folder.relations(namespace)

    def read(self, names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        return self.folder.read(names)

    def current_event_id(self) -> int | None:
        return _EVENT


def measure_heard(settings: Settings, folder: Path) -> None:
    print("in this process, beside a state that has heard of every event")
    catalog: Catalog = _WithEvents(DdlFilesCatalog(folder / "ddl"))
    catalog.namespaces()
    with build_processes(settings) as processes:
        processes.warm()
        for change in CHANGES:
            began = time.perf_counter()
            question = Question([Script("inline DDL", change)])
            plan = plan_opened(settings, catalog, processes, question, lambda _: None)
            seconds = time.perf_counter() - began
            print(f"  {seconds:6.2f} s  {len(plan.versions):4} versions  {change}")


if __name__ == "__main__":
    main()
