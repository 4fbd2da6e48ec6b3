"""Three versions of one package, published by the service itself from a folder of DDL files."""

from __future__ import annotations

from pathlib import Path

from codegen.naming import distribution_name
from lakeschema.catalog.identifiers import RelationName
from publisher.commands.snapshot import run_snapshot
from publisher.settings import Settings, load_settings

PREFIX = "acme-schema"
COLUMNS = {
    "1.0.0": "id BIGINT, name STRING",
    "1.1.0": "id BIGINT, name STRING, unit STRING",
    "2.0.0": "id STRING, name STRING, unit STRING",
}


def distribution(database: str) -> str:
    return distribution_name(RelationName.of(database, "company"), PREFIX)


def configured(folder: Path, index: str, rest: str = "", *, artifacts: str = "") -> Settings:
    """``index`` is the section's text, ``artifacts`` the end of its; the rest lies in ``folder``."""
    (folder / "ddl").mkdir(parents=True, exist_ok=True)
    config = folder / "schema-publisher.toml"
    config.write_text(
        f"""\
[artifacts]
prefix = "{PREFIX}"
{artifacts}
[catalog]
kind = "ddl"
path = "{folder}/ddl"
[state]
url = "sqlite:///{folder}/state.db"
[index]
{index}
[engine]
debounce_seconds = 0
staleness_seconds = 0
{rest}
"""
    )
    return load_settings(config)


def publish(settings: Settings, database: str, columns: str) -> None:
    """One pass over a catalog whose one table has these columns."""
    (catalog,) = settings.catalog
    assert catalog.kind == "ddl"
    statement = f"CREATE TABLE {database}.company ({columns});\n"
    (catalog.path / "company.sql").write_text(statement)
    report = run_snapshot(settings, "local")
    assert report.counters.get("published"), report


def publish_all(settings: Settings, database: str) -> None:
    for columns in COLUMNS.values():
        publish(settings, database, columns)
