"""The meanings of the arguments of ``plan``."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest

from lakeschema.catalog.ddl_change import Script
from publisher.commands.ddl_input import read_scripts
from publisher.commands.failures import Refused

ALTER = "ALTER TABLE t ADD COLUMNS (a int)"


def test_a_folder_is_its_sql_files_in_order(tmp_path: Path) -> None:
    for name, text in (("b.sql", "B"), ("a/z.sql", "Z"), ("note.txt", "no")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)

    scripts = read_scripts([str(tmp_path)], BytesIO())

    assert scripts == [
        Script(str(tmp_path / "a/z.sql"), "Z"),
        Script(str(tmp_path / "b.sql"), "B"),
    ]


def test_arguments_of_every_kind_are_read_in_order(tmp_path: Path) -> None:
    file = tmp_path / "my change.sql"
    file.write_text("FILE", encoding="utf-8-sig")

    scripts = read_scripts([ALTER, "-", str(file)], BytesIO(b"PIPED"))

    assert scripts == [
        Script("inline DDL", ALTER),
        Script("standard input", "PIPED"),
        Script(str(file), "FILE"),
    ]


def test_a_long_statement_is_no_path() -> None:
    statement = f"CREATE TABLE t ({', '.join(f'column_{n} int' for n in range(1000))})"

    assert read_scripts([statement], BytesIO()) == [Script("inline DDL", statement)]


@pytest.mark.parametrize(
    ("argument", "piped", "status", "expected"),
    [
        ("nope.sql", b"", 3, "nope.sql: No such file or directory"),
        ("-", b"\xff", 2, "standard input: DDL must be UTF-8"),
    ],
)
def test_what_cannot_be_read_is_named(
    argument: str, piped: bytes, status: int, expected: str
) -> None:
    with pytest.raises(Refused) as raised:
        read_scripts([argument], BytesIO(piped))

    assert (raised.value.failure.exit_status, str(raised.value)) == (status, expected)


def test_a_folder_without_ddl_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"has no \.sql files"):
        read_scripts([str(tmp_path)], BytesIO())
