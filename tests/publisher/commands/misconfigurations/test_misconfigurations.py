"""In every command, each misconfiguration is one clear line, with the right exit status."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.publisher.commands.folder import TABLES, run
from tests.publisher.commands.misconfigurations.places import ports
from tests.publisher.commands.misconfigurations.table import (
    UNREADABLE,
    UNUSABLE,
    Misconfiguration,
)


@pytest.fixture(scope="module")
def servers() -> Iterator[Mapping[str, str]]:
    with ports() as found:
        yield found


def filled_in(text: str, places: Mapping[str, str]) -> str:
    for name, place in places.items():
        text = text.replace(f"{{{name}}}", place)
    return text


def deployed(wrong: Misconfiguration, folder: Path, servers: Mapping[str, str]) -> Path:
    (folder / "ddl").mkdir()
    (folder / "ddl" / "tables.sql").write_text(TABLES)
    wrong.prepare(folder)
    file = folder / "schema-publisher.toml"
    file.write_text(filled_in(wrong.settings, servers))
    return file


@pytest.mark.parametrize("command", ["config check", "status", "plan"])
@pytest.mark.parametrize("wrong", UNREADABLE, ids=str)
def test_settings_that_cannot_be_read_are_one_line_in_every_command(
    wrong: Misconfiguration, command: str, tmp_path: Path
) -> None:
    file = deployed(wrong, tmp_path, {})

    ended = run(*command.split(), "--config", str(file), env=wrong.environment)

    assert ended.status == wrong.status, ended
    assert ended.out == ""
    (line,) = ended.err.splitlines()
    assert line.startswith(f"schema-publisher: {wrong.line.replace('{file}', str(file))}")
    assert "tell-nobody" not in line
    assert not (tmp_path / "state.db").exists()


@pytest.mark.thorough
@pytest.mark.parametrize("wrong", UNUSABLE, ids=str)
def test_a_part_that_cannot_be_used_is_one_line_of_the_check(
    wrong: Misconfiguration, tmp_path: Path, servers: Mapping[str, str]
) -> None:
    file = deployed(wrong, tmp_path, servers)

    ended = run("config", "check", "--config", str(file), env=wrong.environment)

    assert ended.status == wrong.status, ended
    assert ended.err == ""
    failing = {line["part"]: line["found"] for line in ended.lines if not line["usable"]}
    assert list(failing) == [wrong.part], failing
    found = failing[wrong.part]
    assert found.startswith(filled_in(wrong.line, {**servers, "folder": str(tmp_path)})), found
    assert "\n" not in found
    assert "Traceback" not in found
    assert not (tmp_path / "state.db").exists()


def test_no_misconfiguration_stands_twice_in_the_table() -> None:
    named = [str(wrong) for wrong in (*UNREADABLE, *UNUSABLE)]

    assert len(named) == len(set(named))
