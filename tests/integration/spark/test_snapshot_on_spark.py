"""A snapshot on Spark finds, derives and publishes exactly what one in this process does."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark import cloudpickle
from pyspark.sql import SparkSession

from deploy.local_stack import Metastore
from deploy.metastore_ddl import MetastoreDdl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.spark.values import PartitionTask
from lakeschema.translation.model.interface import Nullability
from lakeschema.translation.model.outcome import Status
from publisher.commands.snapshot import SparkComparison, run_snapshot
from publisher.daemon.adapters import (
    build_index,
    build_options,
    build_processes,
    open_catalog,
)
from publisher.daemon.assembly import build_engine, build_state
from publisher.settings import Settings
from tests.integration.spark.snapshot_parts import (
    COLUMNS,
    comparable,
    fill,
    records,
    settings_for,
    wheels,
)


@pytest.fixture(autouse=True)
def _session(spark: SparkSession) -> SparkSession:
    """The process has one session, so that a snapshot's is this one."""
    return spark


def test_everything_is_published_once_as_a_snapshot_in_this_process_publishes_it(
    metastore: Metastore, database: str, tmp_path: Path
) -> None:
    relations = fill(metastore, database)
    here, there = (
        settings_for(tmp_path / "here", metastore),
        settings_for(tmp_path / "there", metastore),
    )

    run_snapshot(here, "local")
    report = run_snapshot(there, "spark")

    found = records(tmp_path / "there", database)
    assert len(found) - 1 == relations, "and the missing relation that a view names"
    assert {n: comparable(r) for n, r in found.items()} == {
        n: comparable(r) for n, r in records(tmp_path / "here", database).items()
    }
    assert wheels(tmp_path / "there", database) == wheels(tmp_path / "here", database)
    assert len(wheels(tmp_path / "there", database)) == relations - 6
    assert report.on_executors is not None
    assert report.on_executors.waves >= 4

    again = run_snapshot(there, "spark")

    assert again.differing == 0
    assert again.on_executors is not None
    assert again.on_executors.derived == 0
    assert "published" not in again.counters


def test_what_cannot_be_derived_says_why_and_holds_up_only_its_cone(
    metastore: Metastore, database: str, tmp_path: Path
) -> None:
    fill(metastore, database, tables=1)

    run_snapshot(settings_for(tmp_path / "home", metastore), "spark")

    found = {n.name: r for n, r in records(tmp_path / "home", database).items()}
    assert {name: r.status for name, r in found.items() if r.status is not Status.OK} == {
        "round_a": Status.CYCLE,
        "round_b": Status.CYCLE,
        "above_nothing": Status.BROKEN,
        "above_broken": Status.BROKEN,
        "broken": Status.BROKEN,
        "strange": Status.UNSUPPORTED,
        "nowhere": Status.MISSING,
    }
    assert "line 1" in found["broken"].reason
    assert "no_such_function" in found["strange"].reason
    assert found["class"].output, "without the column that Avro has no type for"
    assert found["x0"].published_hash == found["x0"].content_hash


def test_a_changed_table_takes_its_cone_along_and_nothing_else(
    metastore: Metastore, database: str, tmp_path: Path
) -> None:
    fill(metastore, database)
    settings = settings_for(tmp_path / "home", metastore)
    run_snapshot(settings, "spark")
    with MetastoreDdl(metastore.uri) as ddl:
        wider = ("place", "struct<street:string,zip:int,unit:string>")
        ddl.replace_columns(database, "t0", [COLUMNS[0], wider, COLUMNS[2]])

    report = run_snapshot(settings, "spark")

    assert report.differing == 1
    assert report.counters["published"] == len(("t0", "v0", "w0", "x0"))
    assert report.counters.get("derived", 0) == 0, "executors derived them all"
    assert sorted(w for w in wheels(tmp_path / "home", database) if "1.1.0" in w) == sorted(
        w.replace("1.0.0", "1.1.0")
        for w in wheels(tmp_path / "home", database)
        if "1.0.0" in w
        and any(f"_{name}_" in w.replace("-", "_") for name in ("t0", "v0", "w0", "x0"))
    )


def test_a_change_of_options_derives_everything_anew(
    metastore: Metastore, database: str, tmp_path: Path
) -> None:
    fill(metastore, database, tables=2)
    settings = settings_for(tmp_path / "home", metastore)
    run_snapshot(settings, "spark")
    lower = settings.translation.model_copy(update={"nullability": Nullability.ALL_NULLABLE})

    report = run_snapshot(settings.model_copy(update={"translation": lower}), "spark")

    derivable = len(wheels(tmp_path / "home", database))
    assert report.on_executors is not None
    assert report.on_executors.derived >= derivable
    assert report.counters.get("derived", 0) * 100 < report.on_executors.derived


def test_executors_touch_no_state_no_index_and_none_of_the_publisher(
    metastore: Metastore, database: str, tmp_path: Path
) -> None:
    fill(metastore, database, tables=3)
    settings = settings_for(tmp_path / "home", metastore)
    forbidden = (str(tmp_path / "home" / "state.db"), str(tmp_path / "home" / "index"))

    result = _snapshot_with(settings, forbidden)

    assert {name.name for name in result.listing.names if name.namespace == (database,)} >= {
        "t0",
        "x0",
    }
    assert result.derived >= 8
    with pytest.raises(Exception, match="an executor opened"):
        _snapshot_with(settings, ("facts_json",), provoke=True)


def _snapshot_with(settings: Settings, forbidden: tuple[str, ...], *, provoke: bool = False) -> Any:
    """A comparison on Spark whose tasks fail as soon as they open or import what they must not."""
    cloudpickle.register_pickle_by_value(sys.modules[__name__])  # type: ignore[no-untyped-call]  # cloudpickle has no types

    def decorate(task: PartitionTask) -> PartitionTask:
        def watched(batches: Any) -> Iterator[Any]:
            def refuse(event: str, arguments: tuple[Any, ...]) -> None:
                if event == "sqlite3.connect" or (
                    event in {"open", "os.mkdir", "os.rename", "os.listdir"}
                    and any(word in str(arguments[0]) for word in forbidden)
                ):
                    raise AssertionError(f"an executor opened {arguments[0]} in {os.getpid()}")

            sys.addaudithook(refuse)
            if provoke:
                Path("facts_json").open().close()
            yield from task(batches)
            ours = [name for name in sys.modules if name.split(".")[0] in {"publisher", "codegen"}]
            assert not ours, ours

        return watched

    state, options = build_state(settings), build_options(settings)
    try:
        with open_catalog(settings) as catalog, build_processes(settings) as processes:
            engine = build_engine(settings, state, catalog, build_index(settings), processes)
            comparison = SparkComparison(settings, state, catalog, options, decorate)
            engine.snapshot(comparer=comparison)
        return comparison.result
    finally:
        state.close()


def test_a_relation_dropped_while_the_snapshot_runs_does_no_harm(
    metastore: Metastore, database: str, tmp_path: Path
) -> None:
    fill(metastore, database, tables=2)
    settings = settings_for(tmp_path / "home", metastore)

    def drop_after_listing(task: PartitionTask) -> PartitionTask:
        with MetastoreDdl(metastore.uri) as ddl:
            if not dropped:
                ddl.drop(database, "t1")
                dropped.append("t1")
        return task

    dropped: list[str] = []
    state, options = build_state(settings), build_options(settings)
    try:
        with open_catalog(settings) as catalog, build_processes(settings) as processes:
            engine = build_engine(settings, state, catalog, build_index(settings), processes)
            engine.snapshot(
                comparer=SparkComparison(settings, state, catalog, options, drop_after_listing)
            )
            engine.drain()
    finally:
        state.close()

    found = records(tmp_path / "home", database)
    assert dropped
    assert found[RelationName.of(database, "v1")].status is Status.BROKEN
    assert found[RelationName.of(database, "v0")].status is Status.OK
