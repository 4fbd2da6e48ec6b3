"""Files that list the users of packages and relations, whatever they contain."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from publisher.commands.audience.downloads import read_downloads
from publisher.commands.audience.lock_files import read_registered
from publisher.commands.audience.query_log import query_in, read_query_log, require_query_log
from publisher.commands.failures import Refused

ACCESS_LOG = """\
10.0.0.1 - - [01/Nov/2026:10:00:00 +0000] "GET /packages/acme_shop-1.0.0-py3-none-any.whl HTTP/1.1" 200 512 "-" "pip/26"
10.0.0.2 - ann [01/Nov/2026:10:00:01 +0000] "GET /packages/acme_shop-1.1.0-py3-none-any.whl?x=1 HTTP/2.0" 206 512 "-" "uv"
10.0.0.2 - - [01/Nov/2026:10:00:02 +0000] "GET /packages/acme_shop-9.9.9-py3-none-any.whl HTTP/1.1" 404 0 "-" "-"
10.0.0.2 - - [01/Nov/2026:10:00:02 +0000] "GET /simple/acme-shop/ HTTP/1.1" 200 100 "-" "-"
10.0.0.2 - - [01/Nov/2026:10:00:02 +0000] "GET /packages/..%2f..%2fx.whl HTTP/1.1" 200 100 "-" "-"
\xff not a line of a log
"""


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_bytes(text.encode("latin-1"))
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("counts.csv", "Project,version,Downloads\nacme_shop,1.0.0,1\nAcme.Shop,1.1.0, 1 \n"),
        ("counts.json", '{"acme-shop": 2}'),
        ("counts.json", '{"downloads": {"acme_shop": 1, "acme-shop": 1}, "since": "2026"}'),
        ("access.log", ACCESS_LOG),
    ],
)
def test_downloads_are_added_by_package(tmp_path: Path, name: str, text: str) -> None:
    assert read_downloads(write(tmp_path, name, text)) == {"acme-shop": 2}


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("counts.csv", "a,b\n1,2\n", "expected a column project or"),
        ("counts.csv", "project,downloads\nx,many\n", "line 2: expected a number"),
        ("counts.csv", "project,downloads\nx\n", "line 2: expected a number"),
        ("counts.csv", "", "expected a column project or"),
        ("counts.json", '{"acme-shop": "many"}', "expected a number of downloads for 'acme-shop'"),
        ("counts.json", "[1]", "expected an object of downloads by package"),
        ("counts.json", "[" * 100_000, "counts.json: "),
        ("counts.json", "{", "counts.json: "),
    ],
)
def test_a_damaged_count_of_downloads_is_refused_with_its_name(
    tmp_path: Path, name: str, text: str, why: str
) -> None:
    with pytest.raises(Refused, match=r"plan\.downloads") as refused:
        read_downloads(write(tmp_path, name, text))

    assert why in str(refused.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "missing"

    with pytest.raises(Refused, match="missing: No such file"):
        read_downloads(missing)
    with pytest.raises(Refused, match="missing: No such file"):
        read_registered([missing], "acme")
    with pytest.raises(Refused, match="missing: No such file"):
        require_query_log(missing)


def test_a_folder_stands_for_all_lock_files_below_it(tmp_path: Path) -> None:
    team = tmp_path / "teams" / "a"
    team.mkdir(parents=True)
    write(team, "requirements-dev.txt", "acme-shop==1.0.0\nother==2\n")
    write(team, "notes.txt", "not requirements")
    named = write(tmp_path, "named.txt", "acme-shop~=1.0\n")

    found = read_registered([named, tmp_path / "teams", named], "acme")

    assert [(Path(each.file).name, str(each.pin.versions)) for each in found] == [
        ("named.txt", "~=1.0"),
        ("requirements-dev.txt", "==1.0.0"),
    ]


def test_a_damaged_lock_file_is_refused_with_its_name(tmp_path: Path) -> None:
    damaged = write(tmp_path, "uv.lock", "not [ toml")

    with pytest.raises(Refused, match=r"plan.lock_files: .*uv.lock is not TOML"):
        read_registered([tmp_path], "acme")
    assert damaged.exists()


@pytest.mark.parametrize(
    ("statement", "query"),
    [
        (" SELECT 1", "SELECT 1"),
        ("with a as (select 1) select * from a", "with a as (select 1) select * from a"),
        ("FROM t SELECT a", "FROM t SELECT a"),
        ("INSERT INTO x PARTITION (d='1') SELECT a FROM t", "SELECT a FROM t"),
        (
            "CREATE TABLE x STORED AS ORC AS WITH q AS (SELECT 1) SELECT 2",
            "WITH q AS (SELECT 1) SELECT 2",
        ),
        ("DROP TABLE t", None),
        ("INSERT INTO x VALUES (1)", None),
        ("", None),
    ],
)
def test_the_query_of_a_statement_is_found(statement: str, query: str | None) -> None:
    assert query_in(statement) == query


def test_equal_queries_are_one_with_all_their_runs(tmp_path: Path) -> None:
    entries = [
        {"query": "SELECT a FROM t", "user": "ann", "database": "Shop"},
        {"sql": "SELECT a FROM t", "user": "ben", "database": "shop", "count": 5},
        {"statement": "SELECT a FROM t", "count": -1, "user": 7},
        {"query_text": "DROP TABLE t"},
    ]
    write(tmp_path, "log.jsonl", "\n\n".join(json.dumps(entry) for entry in entries))
    write(tmp_path, "more.sql", "SELECT b FROM t;\n\nSELECT ';' FROM t; SET x = 1")

    found = read_query_log(tmp_path, lambda _: True)

    assert [(q.text, q.database, q.times, q.users) for q in found] == [
        ("SELECT a FROM t", "shop", 6, ["ann", "ben"]),
        ("SELECT a FROM t", "default", 1, []),
        ("SELECT b FROM t", "default", 1, []),
        ("SELECT ';' FROM t", "default", 1, []),
    ]
    assert [Path(q.where).name for q in found] == [
        "log.jsonl:1",
        "log.jsonl:5",
        "more.sql:1",
        "more.sql:3",
    ]


def test_queries_that_are_not_wanted_are_left_out(tmp_path: Path) -> None:
    log = write(tmp_path, "log.sql", "SELECT a FROM t; SELECT b FROM u")

    assert [q.text for q in read_query_log(log, lambda text: "u" in text)] == ["SELECT b FROM u"]


@pytest.mark.parametrize("text", ["{", "[1]", '{"query": 7}', "{}", "[" * 100_000])
def test_a_line_that_is_no_entry_of_a_query_log_is_refused(tmp_path: Path, text: str) -> None:
    log = write(tmp_path, "log.jsonl", f'{{"query": "SELECT 1"}}\n{text}\n')

    with pytest.raises(Refused, match=r"plan.query_log: .*log.jsonl:2"):
        read_query_log(log, lambda _: True)
