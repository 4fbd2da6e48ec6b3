"""A project's models in Spark SQL → models for Trino that dbt reads: names, order, escapes, skipped models."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment

from publisher.commands.dbt.manifest import NotAManifest, read_manifest
from publisher.daemon.service import Service
from publisher.settings import load_settings
from tests.publisher.commands.folder import run
from tests.publisher.daemon.test_service import configured
from tests.waiting import eventually

PROPERTIES = "version: 2\nsources: []\n"


def source(schema: str, name: str, **columns: str | None) -> dict[str, Any]:
    return {
        "unique_id": f"source.shop.{schema}.{name}",
        "resource_type": "source",
        "package_name": "shop",
        "source_name": schema,
        "name": name,
        "relation_name": f"{schema}.{name}",
        "columns": {n: {"name": n, "data_type": type_} for n, type_ in columns.items()},
    }


def model(name: str, sql: str | None, *reads: str, **changes: Any) -> dict[str, Any]:
    path = changes.pop("path", f"{name}.sql")
    config: dict[str, Any] = {"materialized": "view", "schema": None, "alias": None, "tags": []}
    return {
        "unique_id": f"model.shop.{name}",
        "resource_type": "model",
        "package_name": "shop",
        "name": name,
        "relation_name": f"analytics.{name}",
        "compiled_code": sql,
        "depends_on": {"nodes": list(reads)},
        "path": path,
        "original_file_path": f"models/{path}",
        "config": {**config, **changes.pop("config", {})},
        "language": "sql",
        "version": None,
        "columns": {},
        **changes,
    }


ORDERS = source("raw", "orders", id="bigint", total="decimal(10,2)")
PAID = model(
    "paid", "SELECT id, total FROM raw.orders WHERE total > 0 -- paid", ORDERS["unique_id"]
)
SUMS = model(
    "sums", "SELECT sum(total) AS total FROM analytics.paid", PAID["unique_id"], path="a/sums.sql"
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "target").mkdir()
    (tmp_path / "models/a").mkdir(parents=True)
    (tmp_path / "models/a/schema.yml").write_text(PROPERTIES)
    return tmp_path


def manifest_of(*nodes: Mapping[str, Any]) -> bytes:
    def by_id(is_source: bool) -> dict[str, Any]:
        return {
            each["unique_id"]: each
            for each in nodes
            if (each["resource_type"] == "source") == is_source
        }

    return json.dumps(
        {
            "metadata": {"project_name": "shop"},
            "nodes": by_id(is_source=False),
            "sources": by_id(is_source=True),
        }
    ).encode()


def write(project: Path, *nodes: Mapping[str, Any], more: tuple[str, ...] = ()) -> Any:
    (project / "target/manifest.json").write_bytes(manifest_of(*nodes))
    return run("dbt", str(project / "trino"), "--project", str(project), *more)


def rendered(path: Path) -> str:
    """As dbt on Trino names relations."""
    settings: dict[str, Any] = {}

    def config(**chosen: Any) -> str:
        settings.update(chosen)
        return ""

    template = Environment().from_string(path.read_text())
    shown = template.render(
        ref=lambda *names, v=None: f"REF({','.join(names)}{'' if v is None else f',{v}'})",
        source=lambda *names: f"SOURCE({','.join(names)})",
        config=config,
    ).strip()
    assert settings["materialized"] in {"view", "table"}
    return shown


def test_models_are_written_with_the_projects_names_of_what_they_read(project: Path) -> None:
    ended = write(project, ORDERS, SUMS, PAID)

    assert (ended.status, ended.err) == (0, "")
    assert " FROM SOURCE(raw,orders) AS t1 WHERE " in rendered(project / "trino/paid.sql")
    assert " FROM REF(paid) AS t1" in rendered(project / "trino/a/sums.sql")
    assert (project / "trino/a/schema.yml").read_text().endswith(PROPERTIES)
    assert len(ended.out.splitlines()) == 3


def test_what_engines_do_differently_is_written_out(project: Path) -> None:
    half = model("half", "SELECT id / 2 AS half FROM raw.orders ORDER BY id", ORDERS["unique_id"])

    write(project, ORDERS, half)

    text = rendered(project / "trino/half.sql")
    assert "AS double" in text
    assert "NULLS FIRST" in text


def test_jinja_reads_nothing_in_a_models_text(project: Path) -> None:
    literal = "{{ ref('x') }} {% raw %} {# c #} {{{ }}} %} #} {"
    hostile = model(
        "hostile", f'SELECT "{literal}" AS `{{{{ x }}}}` FROM raw.orders', ORDERS["unique_id"]
    )

    ended = write(project, ORDERS, hostile)

    assert ended.status == 0
    text = rendered(project / "trino/hostile.sql")
    assert literal.replace("'", "''") in text
    assert '"{{ x }}"' in text


def test_settings_of_a_model_are_kept(project: Path) -> None:
    chosen = {"materialized": "table", "schema": 'a"b', "alias": "{{ x }}", "tags": ["daily"]}

    write(project, ORDERS, {**PAID, "config": {**PAID["config"], **chosen}})

    (line,) = [
        line
        for line in (project / "trino/paid.sql").read_text().splitlines()
        if line.startswith("{{ config(")
    ]
    found: dict[str, Any] = {}
    Environment().from_string(line).render(config=found.update)
    assert found == chosen


def test_odd_names_are_read_and_those_that_nobody_states_are_told(project: Path) -> None:
    sql = "SELECT id FROM raw.orders WHERE id IN (SELECT id FROM `odd one`.`da``te`)"
    stated = source("odd", "t", id="bigint") | {"relation_name": "`odd one`.`da``te`"}
    unaware = model("m", sql, ORDERS["unique_id"])
    aware = model("m", sql, ORDERS["unique_id"], stated["unique_id"])

    untold = write(project, ORDERS, unaware)
    told = write(project, ORDERS, stated, aware)

    assert untold.status == 1
    assert "relation `odd one`.`da``te` does not exist" in untold.err
    assert told.status == 0
    assert "SOURCE(odd,t)" in rendered(project / "trino/m.sql")


def test_names_with_a_database_are_read(project: Path) -> None:
    orders = ORDERS | {"relation_name": "`lake`.`raw`.`orders`"}
    others = source("raw", "others", id="bigint") | {"relation_name": "raw.orders"}
    sql = "SELECT o.id FROM lake.raw.orders o JOIN raw.orders p ON o.id = p.id"

    write(project, orders, others, model("both", sql, orders["unique_id"], others["unique_id"]))

    text = rendered(project / "trino/both.sql")
    assert "SOURCE(raw,orders)" in text
    assert "SOURCE(raw,others)" in text
    assert "relation_" not in text


@pytest.mark.parametrize(
    ("node", "reason"),
    [
        (model("m", "x", config={"materialized": "incremental"}), "materialized as 'incremental'"),
        (model("m", "x", language="python"), "written in python"),
        (model("m", None), "run dbt compile"),
        (model("m", "SELECT frob(1) AS x"), "frob"),
        (model("m", "SELECT 1 AS x; DROP TABLE raw.orders"), "more than one statement"),
    ],
)
def test_a_model_without_a_translation_is_told_and_what_reads_it(
    project: Path, node: dict[str, Any], reason: str
) -> None:
    reader = model("reader", "SELECT x FROM analytics.m", "model.shop.m")

    ended = write(project, ORDERS, PAID, node, reader)

    assert ended.status == 1
    told = ended.err.splitlines()
    assert told[0].startswith("skipped m: ")
    assert reason in told[0]
    assert told[1] == "skipped reader: it reads analytics.m, which is skipped"
    assert {path.name for path in (project / "trino").rglob("*.sql")} == {"paid.sql"}


def test_models_of_packages_are_read_and_not_written(project: Path) -> None:
    foreign = PAID | {"package_name": "other"}

    ended = write(project, ORDERS, foreign, SUMS)

    assert ended.status == 0
    assert "REF(other,paid)" in rendered(project / "trino/a/sums.sql")
    assert not (project / "trino/paid.sql").exists()


def test_it_replaces_what_it_wrote_and_nothing_else(project: Path) -> None:
    write(project, ORDERS, PAID, SUMS)
    (project / "trino/own.sql").write_text("SELECT 1")
    write(project, ORDERS, PAID)
    (project / "trino/a/sums.sql").write_text("SELECT 2")

    ended = write(project, ORDERS, PAID, SUMS)

    assert ended.status == 2
    assert "was not written by this command" in ended.err
    assert (project / "trino/own.sql").read_text() == "SELECT 1"
    assert (project / "trino/a/sums.sql").read_text() == "SELECT 2"


def test_ten_models_deep_and_a_thousand_wide_are_written(project: Path) -> None:
    chain = [
        model(f"m{n}", f"SELECT id FROM analytics.m{n - 1}", f"model.shop.m{n - 1}")
        for n in range(1, 10)
    ]
    first = model("m0", "SELECT id FROM raw.orders", ORDERS["unique_id"])
    wide = [model(f"w{n}", "SELECT id FROM analytics.m0", "model.shop.m0") for n in range(100)]

    ended = write(project, ORDERS, *reversed(chain), *wide, first)

    assert ended.status == 0
    assert len(list((project / "trino").rglob("*.sql"))) == 110


@pytest.mark.parametrize(
    "manifest",
    [
        b"",
        b"[]",
        b"{}",
        b'{"metadata": {"project_name": "x"}, "nodes": [], "sources": {}}',
        manifest_of(model("m", "x", path="../../escaped.sql")),
        manifest_of(model("m", "x", path="/escaped.sql")),
        manifest_of(model("m", "x", relation_name=None)),
        manifest_of(model("m", "x", relation_name="a..b")),
        b"[" * 100_000,
    ],
)
def test_what_is_no_manifest_is_refused(manifest: bytes) -> None:
    with pytest.raises(NotAManifest):
        read_manifest(manifest)


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ((), "run dbt compile first"),
        (("--token-file", "x"), "run dbt compile first"),
    ],
)
def test_a_project_that_was_not_compiled_is_told(
    project: Path, more: tuple[str, ...], expected: str
) -> None:
    ended = run("dbt", str(project / "trino"), "--project", str(project), *more)

    assert ended.status == 2
    assert expected in ended.err


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("settings", "expected"),
    [("", "turn on translate.enabled"), ("[translate]\nenabled = true\n", None)],
)
def test_a_service_knows_the_tables(
    tmp_path: Path, project: Path, settings: str, expected: str | None
) -> None:
    (tmp_path / "ddl").mkdir()
    tables = 'CREATE TABLE raw.orders (id INT); CREATE TABLE raw.`ex""tra` (id INT);'
    (tmp_path / "ddl/all.sql").write_text(f"CREATE DATABASE raw; {tables}")
    config = configured(tmp_path, settings)
    sql = 'SELECT o.id FROM raw.orders o JOIN raw.`ex""tra` e ON o.id = e.id'
    nodes = (source("raw", "orders"), model("ids", sql, "source.shop.raw.orders"))

    with Service(load_settings(config), config) as service:
        more = ("--service", str(service.url))
        if expected is not None:
            ended = write(project, *nodes, more=more)
            assert (ended.status, expected in ended.err) == (3, True)
        else:
            assert eventually(lambda: service.search("ex", 9).total == 1)
            ended = write(project, *nodes, more=more)
            assert (ended.status, ended.err) == (0, "")
            text = rendered(project / "trino/ids.sql")
            assert "FROM SOURCE(raw,orders)" in text
            assert '"raw"."ex""""tra"' in text
