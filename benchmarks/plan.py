"""The time of ``plan`` over a large catalog: ``make bench-plan``.

Tables and views over them are published once. Then the command plans several changes, each in a separate
process: over a folder of DDL, which it reads each time, and over a real metastore with a state that knows
every event, as in a running service. At last, changes are planned in this process, without the command's
start. Nothing is written after the publication.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median

from deploy.local_stack import Metastore, MetastoreOptions
from deploy.metastore_ddl import MetastoreDdl
from lakeschema.catalog.ddl_change import Script
from lakeschema.catalog.relations import Dialect
from publisher.commands.planned_deployment import Question, plan_opened
from publisher.daemon.adapters import build_index, build_processes, open_catalog
from publisher.daemon.assembly import build_engine, build_state
from publisher.events.log_position import LogPosition
from publisher.settings import Settings, load_settings

CHANGES = (
    ("hive", "ALTER TABLE bench.t7 ADD COLUMNS (added int)"),
    ("hive", "ALTER TABLE bench.t7 CHANGE COLUMN name title string"),
    ("hive", "ALTER TABLE bench.t8 REPLACE COLUMNS (id bigint)"),
    ("hive", "ALTER TABLE bench.t0 ADD COLUMNS (added int)"),
    ("hive", "DROP TABLE bench.t9"),
    ("hive", "ALTER TABLE bench.t11 RENAME TO bench.other"),
    ("hive", "CREATE OR REPLACE VIEW bench.v12 AS SELECT id FROM bench.t12"),
    ("hive", "ALTER VIEW bench.v13 AS SELECT id FROM bench.t13"),
    ("spark", "ALTER TABLE bench.t7 ADD COLUMN added INT"),
    ("spark", "ALTER TABLE bench.t7 RENAME COLUMN name TO title"),
    ("spark", "ALTER TABLE bench.t0 ADD COLUMN added INT"),
    ("spark", "DROP TABLE bench.t9"),
    ("spark", "ALTER TABLE bench.t11 RENAME TO bench.other"),
    ("spark", "CREATE OR REPLACE VIEW bench.v12 AS SELECT id FROM bench.t12"),
    ("spark", "ALTER VIEW bench.v13 AS SELECT id FROM bench.t13"),
)
"""Dialects and statements; 250 views read ``t0``."""
_COLUMNS = (("id", "bigint"), ("name", "string"), ("total", "decimal(10,2)"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--relations", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_folder(folder / "ddl", options.relations)
        config = configured(folder / "of-folder", f'kind = "ddl"\npath = "{folder}/ddl"')
        publish(load_settings(config), options.relations)
        measure_command("a folder of DDL", config, options.rounds)
        with metastore_of(folder / "metastore", options.relations) as metastore:
            config = configured(folder / "of-metastore", f'kind = "hive"\nuri = "{metastore.uri}"')
            settings = load_settings(config)
            publish(settings, options.relations)
            measure_command("a metastore, every event heard", config, options.rounds)
            measure_command("a metastore, --read-all", config, options.rounds, "--read-all")
            measure_here(settings)


def table_read_by(view: int) -> int:
    """The table that a view reads: the same for every tenth view, separate for the others."""
    return 0 if view % 10 == 0 else view


def write_folder(folder: Path, relations: int) -> None:
    folder.mkdir()
    columns = ", ".join(f"{name} {type_}" for name, type_ in _COLUMNS)
    numbers = range(relations // 2)
    tables = "".join(f"CREATE TABLE bench.t{n} ({columns});\n" for n in numbers)
    views = "".join(
        f"CREATE VIEW bench.v{n} AS SELECT id, name FROM bench.t{table_read_by(n)};\n"
        for n in numbers
    )
    (folder / "lake.sql").write_text(f"CREATE DATABASE bench;\n{tables}{views}")


@contextmanager
def metastore_of(folder: Path, relations: int) -> Iterator[Metastore]:
    with Metastore.start(folder, MetastoreOptions()) as metastore:
        with MetastoreDdl(metastore.uri) as ddl:
            ddl.create_database("bench")
            for n in range(relations // 2):
                ddl.create_table("bench", f"t{n}", _COLUMNS)
                read = f"`bench`.`t{table_read_by(n)}`"
                text = f"SELECT {read}.`id`, {read}.`name` FROM {read}"
                ddl.create_view("bench", f"v{n}", _COLUMNS[:2], text)
        yield metastore


def configured(folder: Path, catalog: str) -> Path:
    folder.mkdir()
    config = folder / "schema-publisher.toml"
    config.write_text(
        f"""\
[artifacts]
prefix = "bench"
second_opinion = "off"
[catalog]
{catalog}
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


def publish(settings: Settings, relations: int) -> None:
    began = time.perf_counter()
    with (
        closing(build_state(settings)) as state,
        build_processes(settings) as processes,
        open_catalog(settings) as catalog,
    ):
        engine = build_engine(settings, state, catalog, build_index(settings), processes)
        engine.snapshot()
        assert engine.drain(3600.0)
        newest = catalog.current_event_id()
        if newest is not None:
            position = LogPosition(newest, 0).to_text()
            state.write(lambda tx: tx.journal.save_position("notification-log", position))
    print(f"{relations} relations published in {time.perf_counter() - began:.0f} s")


def measure_command(what: str, config: Path, rounds: int, *options: str) -> None:
    """Measures whole commands, from the start of the process to its end; the changes take turns."""
    print(f"the command over {what}, {rounds} times each: seconds, and those of processors")
    print("  median    max  processors")
    program = [sys.executable, "-m", "publisher", "plan", "--config", str(config), *options]
    taken: dict[tuple[str, str], list[tuple[float, float]]] = {change: [] for change in CHANGES}
    for _ in range(rounds):
        for dialect, statement in CHANGES:
            taken[dialect, statement].append(_run([*program, "--dialect", dialect, statement]))
    for (dialect, statement), times in taken.items():
        seconds, of_processors = zip(*times, strict=True)
        print(
            f"  {median(seconds):6.2f} {max(seconds):6.2f}  {median(of_processors):10.2f}"
            f"  {dialect:5} {statement}"
        )


def _run(command: list[str]) -> tuple[float, float]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    ended = subprocess.run(command, check=False, capture_output=True)
    seconds = time.perf_counter() - began
    if ended.returncode not in {0, 1}:
        raise RuntimeError(ended.stderr.decode())
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure_here(settings: Settings) -> None:
    print("in this process, over the metastore, beside a state that has heard of every event")
    with build_processes(settings) as processes, open_catalog(settings) as catalog:
        processes.warm()
        for dialect, change in CHANGES:
            began = time.perf_counter()
            question = Question([Script("inline DDL", change)], Dialect(dialect))
            plan = plan_opened(settings, catalog, processes, question, lambda _: None)
            seconds = time.perf_counter() - began
            print(f"  {seconds:6.2f} s  {len(plan.versions):4} versions  {change}")


if __name__ == "__main__":
    main()
