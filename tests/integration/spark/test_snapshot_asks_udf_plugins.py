"""A plugin's answer is an input of a view: on executors, in this process and in a child."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from deploy.local_stack import Metastore
from deploy.metastore_ddl import MetastoreDdl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.outcome import Status
from publisher.commands.snapshot import SnapshotOutcome, run_snapshot
from publisher.settings import Settings
from publisher.state.records import RelationRecord
from tests.integration.spark import udf_plugin
from tests.integration.spark.snapshot_parts import comparable, records, settings_for, wheels


@pytest.fixture(autouse=True)
def _session(spark: SparkSession) -> SparkSession:
    """The process has one session, so that a snapshot's is this one."""
    return spark


@pytest.fixture
def view(metastore: Metastore, database: str) -> RelationName:
    properties = {"functions": "up:com.acme.Up", "dependencies": "ivy://com.acme:up:1.0"}
    with MetastoreDdl(metastore.uri) as ddl:
        ddl.create_table(database, "t", [("name", "string")])
        ddl.create_view(
            database,
            "v",
            [("a", "string")],
            f"SELECT `up`(`t`.`name`) AS `a` FROM `{database}`.`t`",
            properties=properties,
        )
    return RelationName.of(database, "v")


def asking(settings: Settings, plugin: str) -> Settings:
    references = (f"{udf_plugin.__name__}:{plugin}",)
    translation = settings.translation.model_copy(update={"udf_plugins": references})
    return settings.model_copy(update={"translation": translation})


def test_a_plugins_new_answer_derives_the_view_anew_and_nothing_else(
    metastore: Metastore, view: RelationName, tmp_path: Path
) -> None:
    settings = settings_for(tmp_path / "home", metastore)

    def snapshot(plugin: str) -> tuple[SnapshotOutcome, RelationRecord]:
        report = run_snapshot(asking(settings, plugin), "spark")
        return report, records(tmp_path / "home", view.namespace[0])[view]

    _, failed = snapshot("failing")
    _, derived = snapshot("text")
    again, same = snapshot("text")
    changed, other = snapshot("number")

    assert failed.status is Status.UNSUPPORTED
    assert "com.acme.Up" in failed.reason
    assert "ConnectionError: the registry is down" in failed.reason
    assert derived.status is Status.OK
    assert again.differing == 0
    assert comparable(same) == comparable(derived)
    assert changed.differing == 1
    assert other.visible_hash != derived.visible_hash
    versions = [w.split("-")[1] for w in wheels(tmp_path / "home", view.namespace[0]) if "_v-" in w]
    assert versions == ["1.0.0", "2.0.0"]


def test_executors_and_this_process_take_the_same_answers(
    metastore: Metastore, view: RelationName, tmp_path: Path
) -> None:
    here = asking(settings_for(tmp_path / "here", metastore), "text")
    there = asking(settings_for(tmp_path / "there", metastore), "text")

    run_snapshot(here, "local")
    run_snapshot(there, "spark")

    found = records(tmp_path / "there", view.namespace[0])
    assert found[view].status is Status.OK
    assert comparable(found[view]) == comparable(
        records(tmp_path / "here", view.namespace[0])[view]
    )
