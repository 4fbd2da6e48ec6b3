"""The DDL of a Hive catalog, compared with the relations that Hive made of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.hive import HiveQueries
from deploy.ports import free_ports
from lakeschema.catalog.ddl_change import Script
from publisher.commands.compared_deployment import compare_deployment
from publisher.commands.planned_deployment import Question
from publisher.commands.planning.against import OtherCatalog, read_against
from publisher.commands.planning.values import Fate, Plan
from publisher.daemon.adapters import build_processes
from publisher.settings import Settings, load_settings
from tests.integration.end_to_end.planned_changes import LAKE


@pytest.fixture(scope="module")
def hive_and_uri(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[HiveQueries, str]]:
    (port,) = free_ports(1)
    folder = tmp_path_factory.mktemp("hive")
    with HiveQueries.start(folder, metastore_port=port) as hive:
        hive.run(*LAKE, "CREATE DATABASE other", "CREATE TABLE other.left_alone (a int)")
        yield hive, f"thrift://127.0.0.1:{port}"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Of a catalog that is not asked."""
    config = tmp_path / "schema-publisher.toml"
    config.write_text(
        '[artifacts]\nprefix = "acme"\nsecond_opinion = "off"\n[catalog]\nkind = "ddl"\n'
    )
    return load_settings(config)


def compared(settings: Settings, uri: str, *statements: str) -> Plan:
    against = read_against(uri, settings)
    assert isinstance(against, OtherCatalog)
    question = Question([Script("lake.sql", ";\n".join(statements))])
    with build_processes(against.settings) as processes:
        return compare_deployment(settings, processes, against, question, lambda _: None)


@pytest.mark.slow
def test_what_hive_makes_of_ddl_is_no_difference_from_it(
    hive_and_uri: tuple[HiveQueries, str], settings: Settings
) -> None:
    plan = compared(settings, hive_and_uri[1], *LAKE)

    assert plan.relations == []


@pytest.mark.slow
def test_a_table_and_a_view_that_differ_are_found(
    hive_and_uri: tuple[HiveQueries, str], settings: Settings
) -> None:
    changes = {
        "CREATE TABLE shop.scratch (a int)": "CREATE TABLE shop.scratch (a bigint)",
        "CREATE VIEW shop.refunded AS SELECT order_id, amount FROM shop.refund": "",
    }
    desired = [changes.get(statement, statement) for statement in LAKE]

    plan = compared(settings, hive_and_uri[1], *filter(None, desired))

    assert {str(each.relation): each.fate for each in plan.relations} == {
        "shop.refunded": Fate.DROPPED,
        "shop.scratch": Fate.CHANGED,
    }
    assert [str(each.relation) for each in plan.broken] == ["shop.losses"]
