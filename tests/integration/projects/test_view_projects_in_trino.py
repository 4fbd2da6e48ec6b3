"""A project's views, created in Trino after they are applied."""

from __future__ import annotations

from pathlib import Path

from deploy.local_stack import Metastore
from deploy.metastore_ddl import MetastoreDdl
from deploy.ports import LOOPBACK
from deploy.trino import Trino
from tests.integration.projects.member_company import ProjectFolder, member_company


def test_applied_views_are_created_and_replaced_in_trino(
    metastore: Metastore, database: str, trino: Trino, tmp_path: Path
) -> None:
    project = project_for_trino(metastore, database, trino, tmp_path)

    first = project.answer("apply")["trino"]
    assert [(each["place"], each["change"]) for each in first] == [
        (f"memory.trino_{database}.names", "created"),
        (f"memory.trino_{database}.short", "created"),
    ]
    assert trino.answer(f"SELECT * FROM memory.trino_{database}.short").rows == [["Ad"]]

    project.write({"views/short.sql": "SELECT substr(name, 1, 1) AS name FROM names"})
    second = project.answer("apply")["trino"]
    assert [each["change"] for each in second] == ["unchanged", "replaced"]
    assert trino.answer(f"SELECT * FROM memory.trino_{database}.short").rows == [["A"]]

    trino.answer(f"DROP VIEW memory.trino_{database}.short")
    third = project.answer("apply")
    assert third["views"] == []
    assert [each["change"] for each in third["trino"]] == ["unchanged", "created"]


def project_for_trino(
    metastore: Metastore, database: str, trino: Trino, path: Path
) -> ProjectFolder:
    """Both engines have the table; only Trino's has rows."""
    with MetastoreDdl(metastore.uri) as ddl:
        ddl.create_table(database, "member", [("id", "bigint"), ("name", "string")])
    trino.answer(f"CREATE SCHEMA memory.{database}")
    trino.answer(f"CREATE TABLE memory.{database}.member (id bigint, name varchar)")
    trino.answer(f"INSERT INTO memory.{database}.member VALUES (1, 'Ada')")
    project = member_company(path, database, metastore.uri)
    for each in (path / "views").iterdir():
        each.unlink()
    settings = (path / "schema-publisher.toml").read_text()
    project.write(
        {
            "schema-publisher.toml": f"""{settings}
[trino]
url = "http://{LOOPBACK}:{trino.port}"
views = "memory.trino_{{database}}"
catalogs = {{ "" = "memory" }}
""",
            "views/names.sql": "SELECT name FROM member",
            "views/short.sql": "SELECT substr(name, 1, 2) AS name FROM names",
        }
    )
    return project
