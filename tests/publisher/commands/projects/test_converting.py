"""``project init --from``: a project from files with CREATE VIEW."""

from __future__ import annotations

import tomllib
from pathlib import Path

from typer.testing import CliRunner, Result

from publisher.commands.cli import app
from publisher.commands.projects.reading import read_project
from tests.publisher.commands.projects.folder import SETTINGS, TABLES, Folder

VIEWS = """\
-- About all
SET hive.exec.parallel = true;
USE shop;
/* The ids,
   each once. */
CREATE OR REPLACE VIEW reports.ids (id COMMENT 'the "id"\\n', N) COMMENT 'é' TBLPROPERTIES ('a b' = 'c\\\\')
AS SELECT o.id, count(*) FROM orders o
GROUP BY o.id; -- the end
CREATE VIEW IF NOT EXISTS notes AS SELECT note FROM orders;
"""


def _begun(tmp_path: Path, text: str, *options: str) -> Result:
    (tmp_path / "old/deep").mkdir(parents=True, exist_ok=True)
    content = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()
    (tmp_path / "old/deep/views.sql").write_bytes(content)
    arguments = [
        "project",
        "init",
        str(tmp_path / "new"),
        "--from",
        str(tmp_path / "old"),
        *options,
    ]
    return CliRunner().invoke(app, arguments)


def _query(tmp_path: Path, place: str) -> str:
    return (tmp_path / "new/views" / place).read_bytes().decode()


def test_statements_become_files_that_pass_check(tmp_path: Path) -> None:
    more = "CREATE VIEW shop.more AS SELECT 1 AS one;\n"

    begun = _begun(tmp_path, VIEWS + more)

    assert begun.exit_code == 0, begun.output
    assert _query(tmp_path, "notes.sql") == "SELECT note FROM orders\n"
    assert _query(tmp_path, "reports/ids.sql") == (
        "/* The ids,\n   each once. */\nSELECT `v`.`id`, `v`.`_c1` AS `N` FROM (\n"
        "SELECT o.id, count(*) FROM `shop`.orders o\nGROUP BY o.id\n) `v`\n"
    )
    assert tomllib.loads(_query(tmp_path, "reports/ids.toml")) == {
        "database": "reports",
        "comment": "é",
        "comments": {"id": 'the "id"\n'},
        "properties": {"a b": "c\\"},
    }
    project = read_project(tmp_path / "new")
    assert (project.database, project.dialect.value) == ("shop", "hive")
    assert len(project.views) == 3
    folder = Folder(tmp_path / "new")
    tables = f"{TABLES}CREATE DATABASE reports;"
    folder.write({"schema-publisher.toml": SETTINGS, "ddl/tables.sql": tables})
    assert folder.checked() == []


def test_names_of_columns_that_the_query_has_add_nothing(tmp_path: Path) -> None:
    _begun(
        tmp_path, "CREATE VIEW a.v (ID, b) AS WITH t AS (SELECT 1 AS x) SELECT t.id, x AS b FROM t"
    )

    assert _query(tmp_path, "v.sql") == "WITH t AS (SELECT 1 AS x) SELECT t.id, x AS b FROM t\n"


def test_a_with_stays_outside_of_the_new_names(tmp_path: Path) -> None:
    _begun(tmp_path, "CREATE VIEW a.v (one) AS WITH t AS (SELECT 1 AS x) SELECT x FROM t")

    assert _query(tmp_path, "v.sql") == (
        "WITH t AS (SELECT 1 AS x), `v` AS (\nSELECT x FROM t\n) SELECT `v`.`x` AS `one` FROM `v`\n"
    )


def test_spark_renames_the_columns_of_any_query(tmp_path: Path) -> None:
    _begun(
        tmp_path,
        "CREATE VIEW a.v (x) AS WITH t AS (SELECT 1) SELECT * FROM t",
        "--dialect",
        "spark",
    )

    assert _query(tmp_path, "v.sql") == (
        "SELECT * FROM (\nWITH t AS (SELECT 1) SELECT * FROM t\n) AS v(`x`)\n"
    )
    assert read_project(tmp_path / "new").dialect.value == "spark"


def test_views_that_a_project_cannot_have_are_named(tmp_path: Path) -> None:
    begun = _begun(
        tmp_path,
        """\
CREATE VIEW a.v AS SELECT 1 AS one;
CREATE VIEW a.parted (x, y) PARTITIONED ON (y) AS SELECT 1 AS x, 2 AS y;
CREATE MATERIALIZED VIEW a.stored AS SELECT 1 AS one;
CREATE VIEW a.`x/../y` AS SELECT 1 AS one;
CREATE VIEW a.star (x) AS SELECT * FROM a.v;
CREATE VIEW a.called TBLPROPERTIES ('functions' = 'F:com.example.F') AS SELECT F(1) AS one;
""",
    )

    assert begun.exit_code == 1
    reasons = [line.partition("views.sql:")[2] or line for line in begun.stderr.splitlines()]
    assert sorted(reasons) == [
        "2: a.parted is left out: it is partitioned",
        "3: a.stored is left out: it is materialized",
        "4: a.`x/../y` is left out: its name must have lower-case letters, digits and _ only",
        (
            "5: a.star is left out: Hive cannot give other names to the columns of *:"
            " write x into the query"
        ),
        "schema-publisher: views/called.toml: describe the view's functions under [[udfs]]",
    ]
    written = sorted(path.name for path in (tmp_path / "new/views").rglob("*"))
    assert written == ["called.sql", "v.sql"]


def test_files_that_a_folder_does_not_give_are_named(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old/more.hql").write_text("CREATE VIEW a.w AS SELECT 1 AS one")

    begun = _begun(tmp_path, "CREATE VIEW a.v AS SELECT 1 AS one")
    whole = tmp_path / "whole"
    named = ["--from", str(tmp_path / "old/deep"), "--from", str(tmp_path / "old/more.hql")]
    both = CliRunner().invoke(app, ["project", "init", str(whole), *named])

    assert begun.exit_code == 1
    assert "more.hql is not read, for its name does not end in .sql" in begun.stderr
    assert both.exit_code == 0, both.output
    assert [view.name.name for view in read_project(whole).views] == ["v", "w"]


def test_files_without_views_make_no_project(tmp_path: Path) -> None:
    begun = _begun(tmp_path, "CREATE TABLE a.t (x INT); CREATE VIEW ${db}.v AS SELECT 1")
    empty = _begun(tmp_path, "CREATE TABLE a.t (x INT)")

    assert (begun.exit_code, empty.exit_code) == (1, 1)
    assert "views.sql:1: " in begun.stderr
    assert "these files create no view" in empty.stderr
    assert not (tmp_path / "new").exists()
