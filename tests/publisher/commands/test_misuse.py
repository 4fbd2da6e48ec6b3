"""Any input, and any answer of a deployment's parts: a line for people, and the right status."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest

from publisher.commands.cli import app
from publisher.commands.failures import failure_of
from publisher.settings import RunnerChoice
from publisher.state.participation import FileParticipation
from publisher.state.sqlite import SqliteState
from tests.publisher.commands.folder import TABLES, Ended, Folder, run

USAGE_ERROR, OUTSIDE_FAILED = 2, 3


def is_told(ended: Ended) -> bool:
    """Whether the error is a line of ours and a hint, and no traceback."""
    return "Traceback" not in ended.err and ended.err.startswith("schema-publisher: ")


@pytest.mark.parametrize(
    ("arguments", "status", "expected"),
    [
        (["explain", "garbage"], 2, "invalid relation name 'garbage': expected database.table"),
        (["explain", "a..b"], 2, "invalid relation name 'a..b'"),
        (["explain", ""], 2, "invalid relation name ''"),
        (["explain", "shop.`x"], 2, "invalid relation name"),
        (["explain", "\x1b[2J"], 2, "invalid relation name"),
        (["explain", "shop.nope"], 1, "relation shop.nope is not known here"),
        (["lineage", "garbage"], 2, "invalid name 'garbage': expected database.table or"),
        (["lineage", "a..b"], 2, "invalid name 'a..b'"),
        (["lineage", "shop.nope"], 1, "relation shop.nope is not known here"),
        (["lineage", "shop.nope.\x1b[2J"], 1, r"shop.nope.`\x1b[2j` is not known here"),
        (["usage", "nope.jsonl"], 3, "nope.jsonl: No such file or directory"),
        (
            ["usage", "ddl", "--show", "x"],
            2,
            "--show: unknown table 'x'; expected one of table_usage, ",
        ),
        (["usage", "ddl", "--dialect", "cobol"], 2, "--dialect: "),
        (["usage", "ddl", "--today", "x"], 2, "--today: expected a date such as 2026-01-31"),
        (["usage", "ddl", "--about", "a..b"], 2, "--about: invalid name 'a..b'"),
        (["usage", "ddl", "--sizes", "nope.json"], 3, "--sizes: nope.json: No such file"),
        (["resync", "garbage"], 2, "invalid relation name 'garbage': expected database.table"),
        (["resync", "a..b"], 2, "invalid relation name 'a..b'"),
        (["resync", "`"], 2, "invalid relation name"),
        (["resync", "shop.nope"], 1, "shop.nope is neither in the catalog nor known here"),
        (["republish", "garbage"], 2, "invalid relation name 'garbage'"),
        (["republish", "shop.nope"], 1, "not known here: shop.nope"),
        (["confirm-deletions"], 1, "no deletions are held"),
        (["confirm-deletions", "shop"], 1, "no deletions of namespace 'shop' are held"),
        (["dead-letters", "--discard", "77"], 1, "there is no dead letter 77"),
        (["dead-letters", "--discard", "9" * 30], 1, "there is no dead letter 999"),
        (["retire"], 2, "index.retention is not set"),
        (["plan", "nope.sql"], 3, "nope.sql: No such file or directory"),
    ],
)
def test_a_wrong_argument_is_told(
    folder: Folder, arguments: list[str], status: int, expected: str
) -> None:
    make_state(folder.path)

    ended = folder.run(*arguments)

    assert is_told(ended)
    assert ended.status == status
    assert expected in ended.err
    assert ended.out == ""


@pytest.mark.parametrize(
    "command",
    [("explain",), ("lineage",), ("resync",), ("republish",), ("republish", "shop.orders")],
    ids=" ".join,
)
def test_a_misspelt_relation_is_told_with_the_name_that_may_be_meant(
    published: Folder, command: tuple[str, ...]
) -> None:
    ended = published.run(*command, "shop.ordrs")

    assert is_told(ended)
    assert ended.status == 1
    assert ended.err.splitlines()[1:] == ["  did you mean shop.orders?"]


def test_a_misspelt_namespace_is_told_with_what_the_catalog_has(folder: Folder) -> None:
    make_state(folder.path)

    ended = folder.run("resync", "shpo.orders")

    assert "did you mean shop.orders?" in ended.err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["snapshot", "--runner", "sparx"], "'sparx' is not one of 'auto', 'spark', 'local'"),
        (["dead-letters", "--discard", "x"], "'--discard': expected a valid integer"),
        (["status", "--jason"], "--jason"),
        (["stats"], "stats"),
        (["explain"], "relation"),
    ],
)
def test_a_wrong_option_is_told_with_what_is_allowed(arguments: list[str], expected: str) -> None:
    ended = run(*arguments, env={"COLUMNS": "200"})

    assert ended.status == USAGE_ERROR
    assert expected in ended.err
    assert "Traceback" not in ended.err
    assert "Value error" not in ended.err


def write(name: str, content: bytes) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes(content)


def make_state(folder: Path) -> None:
    SqliteState(folder / "state.db").close()


def newer_state(folder: Path) -> None:
    make_state(folder)
    with sqlite3.connect(folder / "state.db") as database:
        database.execute("UPDATE alembic_version SET version_num = 'of the future'")
    database.close()


def broken_state(folder: Path) -> None:
    make_state(folder)
    with sqlite3.connect(folder / "state.db") as database:
        database.execute("DROP TABLE alembic_version")
    database.close()


@pytest.mark.parametrize(
    ("damage", "command", "status", "expected"),
    [
        (write("state.db", b"garbage" * 100), "status", 3, "state database: file is not a database"),
        (write("state.db", b"garbage" * 100), "snapshot", 3, "state database: file is not a database"),
        (write("state.db", b"garbage" * 100), "dead-letters", 3, "state database: file is not"),
        (lambda folder: (folder / "state.db").mkdir(), "status", 3, "state database: unable to open"),
        (newer_state, "status", 3, "Can't locate revision"),
        (broken_state, "status", 3, "state database: table"),
        (write("index", b""), "verify", 3, "package index"),
        (write("schema-publisher.toml", b"\xff"), "status", 2, "cannot be read"),
        (write("schema-publisher.toml", b"["), "status", 2, "is not TOML"),
        (lambda folder: (folder / "ddl/tables.sql").unlink() or (folder / "ddl").rmdir(), "plan", 3, "there is no such folder"),
    ],
)  # fmt: skip
def test_a_damaged_part_is_named(
    folder: Folder, damage: Callable[[Path], object], command: str, status: int, expected: str
) -> None:
    damage(folder.path)

    ended = folder.run(command)

    assert is_told(ended)
    assert ended.status == status
    assert expected in ended.err


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"\xff\xfe", "DDL must be UTF-8"),
        (b"CREATE NONSENSE (", "expected TABLE, VIEW or DATABASE"),
    ],
)
def test_ddl_that_cannot_be_read_is_used_wrongly(
    folder: Folder, content: bytes, expected: str
) -> None:
    change = folder.path / "change.sql"
    change.write_bytes(content)

    ended = folder.run("plan", str(change))

    assert is_told(ended)
    assert ended.status == USAGE_ERROR
    assert expected in ended.err


@pytest.mark.parametrize("command", ["snapshot", "resync"])
def test_a_command_beside_a_snapshot_says_what_to_do(folder: Folder, command: str) -> None:
    with folder.state() as state, FileParticipation(folder.path / "state.db") as other:
        other.share()
        assert state.write(lambda tx: tx.journal.lease("@snapshot/ddl", 4e9, 600.0)) is not None
        ended = folder.run(command)

    assert is_told(ended)
    assert ended.status == OUTSIDE_FAILED
    assert "another snapshot is running" in ended.err
    assert "wait until it ends, and repeat the command" in ended.err


def explode(*_: object) -> None:
    raise ZeroDivisionError("of \x1b[2J\nmany lines")


def test_an_unexpected_error_is_one_line_that_says_how_to_see_more(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("publisher.settings.load_settings", explode)

    ended = folder.run("status")

    assert ended.status == OUTSIDE_FAILED
    assert ended.err.splitlines() == [
        r"schema-publisher: internal error: ZeroDivisionError: of \x1b[2J",
        "  rerun with --traceback: schema-publisher --traceback COMMAND …",
    ]


def test_a_traceback_is_shown_on_request(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("publisher.settings.load_settings", explode)

    ended = run("--traceback", "status", "--config", str(folder.config))

    assert ended.status == OUTSIDE_FAILED
    assert "in explode" in ended.err
    assert "internal error: ZeroDivisionError" in ended.err


def test_the_version_is_told() -> None:
    ended = run("--version")

    assert ended.status == 0
    assert ended.out.startswith("schema-publisher 0.")


def test_the_runners_of_the_command_are_those_of_the_settings() -> None:
    ended = run("snapshot", "--runner", "sparx", env={"COLUMNS": "200"})

    assert f"not one of {', '.join(map(repr, get_args(RunnerChoice)))}." in ended.err


def test_an_installed_package_says_where_the_demo_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "publisher" / "commands" / "standalone.py"
    monkeypatch.setattr("publisher.commands.standalone.__file__", str(installed))

    ended = run("demo")

    assert is_told(ended)
    assert ended.status == USAGE_ERROR
    assert "this is an installed package" in ended.err
    assert "make demo" in ended.err


@pytest.mark.thorough
def test_a_reader_that_goes_away_ends_it_quietly(published: Folder) -> None:
    command = [sys.executable, "-m", "publisher", "status", "--config", str(published.config)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


@pytest.mark.thorough
def test_a_warning_names_what_it_is_about(folder: Folder) -> None:
    folder.write_ddl(TABLES + "ALTER TABLE shop.nope ADD COLUMNS (x \x1b[2J int);")
    command = [sys.executable, "-m", "publisher", "plan", "--config", str(folder.config)]

    ended = subprocess.run(command, check=False, capture_output=True, text=True)

    (line,) = [line for line in ended.stderr.splitlines() if "skipped" in line]
    assert line.startswith("schema-publisher: ddl statement skipped: ")
    assert f"tables.sql:{TABLES.count(chr(10)) + 1}" in line
    assert "\x1b" not in line


def test_every_command_has_help() -> None:
    for command in app.registered_commands:
        assert command.callback is not None
        assert command.callback.__doc__, command.callback
    assert len(app.registered_commands) == 27


def test_a_failure_never_lets_a_terminal_obey_what_it_names() -> None:
    failure = failure_of(OSError("\x1b]0;owned\x07\u202e"))

    assert str(failure) == r"schema-publisher: \x1b]0;owned\x07\u202e"


def test_json_lines_of_a_failed_command_are_empty(folder: Folder) -> None:
    ended = folder.run("explain", "shop.nope", "--json")

    assert [json.loads(line) for line in ended.out.splitlines()] == []
