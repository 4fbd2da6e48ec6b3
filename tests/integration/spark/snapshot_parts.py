"""Common parts of the tests of snapshots: settings, relations in a metastore, and results."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from deploy.local_stack import Metastore
from deploy.metastore_ddl import MetastoreDdl
from lakeschema.catalog.identifiers import RelationName
from publisher.settings import Settings, load_settings
from publisher.state.records import RelationRecord
from publisher.state.sqlite import SqliteState

COLUMNS = [("id", "bigint"), ("place", "struct<street:string,zip:int>"), ("name", "string")]


def settings_for(
    folder: Path, metastore: Metastore, conf: Mapping[str, str] | None = None
) -> Settings:
    folder.mkdir(exist_ok=True)
    config = folder / "schema-publisher.toml"
    config.write_text(
        f"""\
[artifacts]
prefix = "acme-schema"
[catalog]
kind = "hive"
uri = "{metastore.uri}"
[state]
url = "sqlite:///{folder}/state.db"
[index]
kind = "static"
path = "{folder}/index"
[snapshot]
tasks = 2
conf = {{{", ".join(f'"{key}" = {json.dumps(value)}' for key, value in (conf or {}).items())}}}
"""
    )
    return load_settings(config)


def fill(metastore: Metastore, database: str, tables: int = 12) -> int:
    """Tables, three levels of views above them, and what goes wrong; how many relations."""
    with MetastoreDdl(metastore.uri) as ddl:
        for number in range(tables):
            ddl.create_table(database, f"t{number}", COLUMNS)
            _view(ddl, database, f"v{number}", f"t{number}")
        for number in range(0, tables, 2):
            _view(ddl, database, f"w{number}", f"v{number}")
        _view(ddl, database, "x0", "w0")
        _view(ddl, database, "round_a", "round_b")
        _view(ddl, database, "round_b", "round_a")
        _view(ddl, database, "above_nothing", "nowhere")
        _view(ddl, database, "above_broken", "broken")
        ddl.create_view(database, "broken", COLUMNS, f"SELECT id FROM `{database}`.`t0` WHERE (")
        ddl.create_view(
            database,
            "strange",
            COLUMNS[:1],
            f"SELECT no_such_function(`t0`.`id`) FROM `{database}`.`t0`",
        )
        ddl.create_table(database, "class", [("None", "int"), ("id", "uniontype<int,smallint>")])
    return tables * 2 + tables // 2 + 1 + 7


def _view(ddl: MetastoreDdl, database: str, name: str, upstream: str) -> None:
    text = ", ".join(f"`{upstream}`.`{column}`" for column, _ in COLUMNS)
    ddl.create_view(database, name, COLUMNS, f"SELECT {text} FROM `{database}`.`{upstream}`")


def records(folder: Path, database: str) -> Mapping[RelationName, RelationRecord]:
    state = SqliteState(folder / "state.db")
    try:
        every = state.read(lambda tx: tx.graph.every_record())
    finally:
        state.close()
    return {name: record for name, record in every.items() if name.namespace == (database,)}


def comparable(record: RelationRecord) -> tuple[Any, ...]:
    """All that a snapshot decides; not the moments at which it did."""
    return (
        record.status,
        record.reason,
        record.stale,
        record.facts_hash,
        record.inputs_hash,
        record.visible_hash,
        record.content_hash,
        record.published_hash,
    )


def wheels(folder: Path, database: str) -> Mapping[str, str]:
    """SHA-256 by file name."""
    marker = database.replace("_", "-")
    return {
        path.name: sha256(path.read_bytes()).hexdigest()
        for path in sorted((folder / "index").rglob("*.whl"))
        if marker in path.name.replace("_", "-")
    }
