"""A project's views, read by Hive itself."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.hive import HiveQueries
from lakeschema.catalog.metastore_client import MetastoreClient
from lakeschema.catalog.metastore_views import MetastoreViews
from tests.integration.projects.member_company import (
    CLASS,
    MEMBERS,
    ProjectFolder,
    member_company,
)
from tests.publisher.commands.projects.store_behaviour import ViewStoreBehaviour


@pytest.fixture
def project(hive: HiveQueries, hive_port: int, tmp_path: Path) -> ProjectFolder:
    database = f"projects_{secrets.token_hex(4)}"
    for statement in (
        f"CREATE DATABASE {database}",
        f"CREATE TABLE {database}.member (Id BIGINT, Name STRING, CompanyID BIGINT, Position STRING)",
        f"CREATE TABLE {database}.company (Id BIGINT, Name STRING)",
        *(each.format(database) for each in MEMBERS),
    ):
        hive.answer(statement)
    return member_company(tmp_path, database, f"thrift://127.0.0.1:{hive_port}")


class TestMetastoreViewsOfHive4(ViewStoreBehaviour):
    @pytest.fixture
    def store(self, hive: HiveQueries, hive_port: int) -> Iterator[MetastoreViews]:
        client = MetastoreClient([f"thrift://127.0.0.1:{hive_port}"])
        yield MetastoreViews(client)
        client.close()

    @pytest.fixture
    def database(self, hive: HiveQueries) -> str:
        name = f"views_{secrets.token_hex(4)}"
        hive.answer(f"CREATE DATABASE {name}")
        return name


def test_hive_reads_the_views_with_the_function_under_the_views_name(
    hive: HiveQueries, project: ProjectFolder
) -> None:
    assert project.endings() == {"companyenglevels": "created", "seniors": "created"}

    (jar,) = project.path.rglob("*.jar")
    function = f"{project.database}_companyenglevels_STANDARDIZE"
    hive.answer(f"CREATE FUNCTION {function} AS '{CLASS}' USING JAR '{jar.as_uri()}'")
    levels = hive.answer(f"SELECT * FROM {project.database}.companyenglevels ORDER BY name")
    assert [name.rpartition(".")[2] for name, _ in levels.columns] == ["name", "stdposition", "cnt"]
    assert levels.rows == ["Acme\tSenior Engineer\t2", "Beta\tSenior Engineer\t1"]
    assert hive.answer(f"SELECT sum(cnt) FROM {project.database}.seniors").rows == ["3"]
    properties = hive.answer(f"SHOW TBLPROPERTIES {project.database}.companyenglevels").rows
    assert f"functions\tSTANDARDIZE:{CLASS}" in properties


def test_a_star_keeps_its_columns_when_the_table_gets_another(
    hive: HiveQueries, project: ProjectFolder
) -> None:
    project.write({"views/everybody.sql": "SELECT * FROM member"})
    project.endings()

    hive.answer(f"ALTER TABLE {project.database}.member ADD COLUMNS (since DATE)")

    found = hive.answer(f"SELECT * FROM {project.database}.everybody WHERE id = 1")
    assert found.rows == ["1\tAda\t1\tSr Engineer"]


def test_hive_reads_an_altered_view(hive: HiveQueries, project: ProjectFolder) -> None:
    project.write({"views/names.sql": "SELECT name FROM member WHERE id = 1; -- the first\n"})
    project.endings()

    project.write({"views/names.sql": "SELECT upper(name) AS name, id FROM member WHERE id = 2"})

    assert project.endings() == {"names": "altered"}
    found = hive.answer(f"SELECT * FROM {project.database}.names")
    assert found.rows == ["BOB\t2"]


def test_what_hive_alters_is_drift(hive: HiveQueries, project: ProjectFolder) -> None:
    project.endings()
    assert project.drifted() == {}

    hive.answer(
        f"ALTER VIEW {project.database}.seniors AS SELECT name FROM {project.database}.company"
    )

    assert project.drifted() == {"seniors": "was changed by hand: text, columns"}
