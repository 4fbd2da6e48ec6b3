"""Killed tasks, a killed executor and speculation on two executors do not change a byte."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from deploy.local_stack import Metastore
from publisher.commands.snapshot import run_snapshot
from tests.integration.spark.snapshot_parts import (
    comparable,
    fill,
    records,
    settings_for,
    wheels,
)
from tests.integration.spark.standalone_cluster import standalone_cluster

pytestmark = pytest.mark.spark

CLUSTER = {
    "spark.executor.memory": "1g",
    "spark.executor.cores": "1",
    "spark.driver.memory": "1g",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    # Both executors are there before the first task: one that is alone repeats nothing.
    "spark.scheduler.minRegisteredResourcesRatio": "1.0",
    "spark.cores.max": "2",
    "spark.speculation": "true",
    "spark.speculation.interval": "50ms",
    "spark.speculation.multiplier": "1.1",
    "spark.speculation.quantile": "0.1",
    "spark.speculation.minTaskRuntime": "100ms",
    "spark.pyspark.python": sys.executable,
    "spark.log.level": "OFF",
}


def test_tasks_and_an_executor_killed_on_a_local_cluster_change_nothing(
    metastore: Metastore, database: str, tmp_path: Path
) -> None:
    local = CLUSTER | {"spark.master": "local-cluster[2,1,1024]"}

    answer = _snapshots_on_both(metastore, database, tmp_path, local)

    assert answer["early"] > 0, answer
    assert answer["late"] > 0, answer
    assert answer["executor"] == 1, answer


def test_attempts_that_speculation_started_change_nothing(
    metastore: Metastore, database: str, tmp_path: Path
) -> None:
    with standalone_cluster(tmp_path / "cluster") as master:
        answer = _snapshots_on_both(
            metastore, database, tmp_path, CLUSTER | {"spark.master": master}
        )

    assert answer["slow"] > 0, answer
    assert answer["overtaken"] > 0, answer


def _snapshots_on_both(
    metastore: Metastore, database: str, folder: Path, conf: Mapping[str, str]
) -> Any:
    """Snapshots in this process and on a cluster that breaks; what broke, if both are equal."""
    fill(metastore, database, tables=20)
    whole, broken = folder / "whole", folder / "broken"
    run_snapshot(settings_for(whole, metastore), "local")
    settings_for(broken, metastore, conf)

    done = subprocess.run(
        [
            *(sys.executable, "-m", "tests.integration.spark.broken_cluster_snapshot"),
            str(broken / "schema-publisher.toml"),
        ],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )

    assert done.returncode == 0, done.stderr[-4000:]
    answer = json.loads(done.stdout.splitlines()[-1])
    assert answer["counters"].get("derived", 0) * 100 < answer["derived"], answer
    assert wheels(broken, database) == wheels(whole, database)
    assert {n: comparable(r) for n, r in records(broken, database).items()} == {
        n: comparable(r) for n, r in records(whole, database).items()
    }
    return answer
