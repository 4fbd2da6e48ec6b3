"""A snapshot of a plugin publishes its tables and views, and lists each namespace once."""

from __future__ import annotations

import json
import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from pyspark.sql import SparkSession

from deploy.recording_catalog import recording_catalog_conf, take_calls
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.outcome import Status
from publisher.commands.snapshot import run_snapshot
from publisher.settings import Settings, load_settings
from publisher.state.records import RelationRecord
from publisher.state.sqlite import SqliteState

CONTENT: Mapping[str, Sequence[object]] = {
    "tables": [
        {"name": ["a", "b", "other"], "columns": "x STRING"},
        {"name": ["a", "b", "plain"], "columns": "Id INT NOT NULL"},
        {"name": ["a", "b", "T"], "columns": "upper INT"},
        {"name": ["a", "b", "t"], "columns": "lower INT"},
        {"name": ["a", "broken"], "columns": "x INT"},
    ],
    "views": [
        {"name": ["a", "b", "v"], "columns": "Id INT", "query": "SELECT Id FROM plain"},
        {"name": ["a", "b", "of_upper"], "columns": "upper INT", "query": "SELECT upper FROM T"},
    ],
    "failures": [{"name": ["a", "broken"], "message": "its file is gone"}],
}

LISTINGS = ("listNamespaces", "listTables", "listViews")


def settings_for(folder: Path, catalog: str) -> Settings:
    config = folder / "schema-publisher.toml"
    conf = recording_catalog_conf(catalog, CONTENT)
    config.write_text(
        f"""\
[artifacts]
prefix = "acme-schema"
[catalog]
kind = "spark"
name = "{catalog}"
conf = {{{", ".join(f'"{key}" = {json.dumps(value)}' for key, value in conf.items())}}}
[state]
url = "sqlite:///{folder}/state.db"
[index]
kind = "static"
path = "{folder}/index"
"""
    )
    return load_settings(config)


def records(folder: Path) -> dict[RelationName, RelationRecord]:
    state = SqliteState(folder / "state.db")
    try:
        return dict(state.read(lambda tx: tx.graph.every_record()))
    finally:
        state.close()


def test_tables_and_views_of_a_plugin_are_published(spark: SparkSession, tmp_path: Path) -> None:
    lake = f"lake_{secrets.token_hex(4)}"
    settings = settings_for(tmp_path, lake)
    take_calls(spark)

    report = run_snapshot(settings, "spark")

    calls = [
        (method, *arguments) for catalog, method, *arguments in take_calls(spark) if catalog == lake
    ]
    found = {str(name): record for name, record in records(tmp_path).items()}
    assert report.listed == 7
    assert {name: record.status for name, record in found.items()} == {
        "a.b.plain": Status.OK,
        "a.b.other": Status.OK,
        "a.b.v": Status.OK,
        "a.b.`T`": Status.OK,
        "a.b.t": Status.OK,
        "a.b.of_upper": Status.OK,
        "a.broken": Status.BROKEN,
    }
    assert "its file is gone" in found["a.broken"].reason
    assert len(list((tmp_path / "index").rglob("*.whl"))) == 6
    asked = Counter((method, *map(tuple, of)) for method, *of in calls if method.startswith("list"))
    below = {(method, levels): 1 for method in LISTINGS for levels in ((), ("a",), ("a", "b"))}
    # A load that fails asks whether the relation is still listed.
    failed = sum(call == ("loadRelation", ["a", "broken"]) for call in calls)
    again = {(method, ("a",)): 1 + failed for method in ("listTables", "listViews")}
    assert asked == below | again
