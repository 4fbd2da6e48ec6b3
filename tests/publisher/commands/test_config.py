"""``config``: its initial file works, it shows settings without secrets, and it names failures."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shlex
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from publisher.commands.cli import app
from publisher.commands.examples import EXAMPLES
from publisher.commands.projects import command as projects
from publisher.settings import load_settings
from publisher.settings.json_schema import settings_schema
from publisher.settings.starting_file import CatalogKind
from tests.publisher.commands.folder import Folder, run


@pytest.mark.parametrize("kind", ["hive", "ddl", "spark"])
def test_the_file_to_start_from_can_be_used_as_it_is(kind: CatalogKind, tmp_path: Path) -> None:
    file = tmp_path / "s.toml"

    ended = run("config", "init", "--catalog", kind, "--config", str(file), "--prefix", "shop-data")

    assert ended.status == 0, ended
    settings = load_settings(file)
    assert settings.artifacts.prefix == "shop-data"
    assert settings.catalog[0].kind == kind


def test_a_file_that_exists_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text("mine")

    ended = run("config", "init", "--config", str(file))

    assert ended.status == 1
    assert f"{file} exists already" in ended.err
    assert file.read_text() == "mine"


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--prefix", 'x"\n[http]'), "artifacts.prefix"),
        (("--uri", "http://metastore"), "invalid metastore address"),
    ],
)
def test_what_cannot_be_used_is_not_written(
    arguments: tuple[str, ...], named: str, tmp_path: Path
) -> None:
    file = tmp_path / "s.toml"

    ended = run("config", "init", "--config", str(file), *arguments)

    assert ended.status == 2
    assert named in ended.err
    assert not file.exists()


def test_each_setting_is_shown_with_its_origin(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHEMA_PUBLISHER__HTTP__PORT", "99")

    shown = {line["key"]: line for line in folder.run("config", "show").lines}

    assert shown["artifacts.prefix"] == {
        "key": "artifacts.prefix",
        "value": "acme-schema",
        "origin": "file",
    }
    assert (shown["http.port"]["value"], shown["http.port"]["origin"]) == (99, "environment")
    assert (shown["http.host"]["value"], shown["http.host"]["origin"]) == ("127.0.0.1", "default")
    assert shown["catalog.path"]["origin"] == "file"
    # Not shown where it was given, since it is half of what a login needs.
    assert shown["trino.username"]["value"] == "schema-publisher"


def test_each_setting_says_what_it_means_if_asked(folder: Folder) -> None:
    of_one = "The number of threads. Each has a process for derivations."

    shown = {line["key"]: line for line in folder.run("config", "show", "--describe").lines}
    for_people = folder.run("config", "show", "--describe", "--no-json").out

    assert shown["engine.workers"]["meaning"] == of_one
    assert [key for key, line in shown.items() if not line["meaning"]] == []
    assert f"engine.workers = 2 (default)\n    {of_one}\n" in for_people


def test_the_schema_of_the_file_is_printed_for_editors() -> None:
    ended = run("config", "schema")

    assert ended.status == 0, ended
    assert json.loads(ended.out) == settings_schema()


def test_no_secret_is_shown(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text(
        """\
[artifacts]
prefix = "acme-schema"
[catalog]
kind = "spark"
[catalog.conf]
"spark.hadoop.fs.s3a.access" = "kept-to-itself-1"
[[events]]
kind = "kafka"
bootstrap_servers = "127.0.0.1:9092"
topic = "t"
username = "kept-to-itself-0"
password = "kept-to-itself-2"
[events.options]
ssl_password = "kept-to-itself-3"
[index]
kind = "twine"
repository_url = "https://user:kept-to-itself-4@packages.example/legacy/"
simple_url = "https://packages.example/simple/"
username = "kept-to-itself-5"
password = "kept-to-itself-6"
"""
    )

    ended = run("config", "show", "--config", str(file))

    assert ended.status == 0, ended
    hidden = {line["key"]: line["value"] for line in ended.lines}
    assert hidden["index.password"] == "***"
    assert [digit for digit in "123456" if f"kept-to-itself-{digit}" in ended.out] == []


def test_a_folder_that_can_be_used_passes_the_check(folder: Folder) -> None:
    ended = folder.run("config", "check")

    assert ended.status == 0, ended
    assert {line["part"]: line["usable"] for line in ended.lines} == dict.fromkeys(
        ("settings", "translation", "state", "index", "catalog", "snapshot"), True
    )
    assert not (folder.path / "state.db").exists()
    assert not (folder.path / "index").exists()


def test_the_check_names_the_catalog_that_does_not_answer(folder: Folder) -> None:
    text = folder.config.read_text()
    several = '[[catalog]]\nname = "files"\ndefault = true\n'
    absent = f'[[catalog]]\nkind = "ddl"\nname = "b"\npath = "{folder.path}/absent"\n'
    folder.config.write_text(text.replace("[catalog]\n", several) + absent)

    ended = folder.run("config", "check")

    assert ended.status == 1, ended
    usable = {line["part"]: line["usable"] for line in ended.lines}
    assert (usable["catalog"], usable["catalog b"], usable["snapshot"]) == (True, False, True)


def refused(number: int) -> Callable[..., NoReturn]:
    def refuse(*arguments: object) -> NoReturn:
        raise OSError(number, os.strerror(number))

    return refuse


def of_index(folder: Folder) -> tuple[bool, str]:
    ended = folder.run("config", "check")
    (line,) = [line for line in ended.lines if line["part"] == "index"]
    assert ended.status == (not line["usable"])
    return line["usable"], line["found"]


def test_a_folder_whose_file_system_has_no_locks_fails_the_check(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("flock", "fcntl"):
        monkeypatch.setattr(fcntl, name, refused(errno.ENOLCK))

    usable, found = of_index(folder)

    assert not usable
    assert found == f"{folder.path}: files cannot be locked: No locks available"


def test_a_folder_whose_file_system_syncs_no_folders_passes_the_check_with_a_word(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync = os.fsync

    def sync(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            refused(errno.EINVAL)()
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", sync)

    usable, found = of_index(folder)

    assert usable
    assert "its file system cannot sync folders" in found


@pytest.mark.thorough
def test_a_broker_that_is_away_is_named(tmp_path: Path) -> None:
    """In a process of its own: kafka-python leaves sockets unclosed."""
    file = tmp_path / "schema-publisher.toml"
    (tmp_path / "ddl").mkdir()
    file.write_text(
        """\
artifacts.prefix = "acme-schema"
catalog.kind = "ddl"
[[events]]
kind = "kafka"
bootstrap_servers = "127.0.0.1:1"
topic = "t"
"""
    )

    command = [sys.executable, "-m", "publisher", "config", "check", "--config", str(file)]
    ended = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)

    assert ended.returncode == 1, ended
    lines = [json.loads(line) for line in ended.stdout.splitlines()]
    failing = {line["part"]: line["found"] for line in lines if not line["usable"]}
    assert list(failing) == ["events.0"]
    assert "kafka:t does not answer" in failing["events.0"]


def test_servers_can_be_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text(
        'artifacts.prefix = "a"\n[catalog]\nkind = "hive"\nuri = "thrift://127.0.0.1:1"\n'
    )

    ended = run("config", "check", "--offline", "--config", str(file))

    assert ended.status == 0, ended


@pytest.mark.thorough
def test_every_command_has_an_example_that_it_understands() -> None:
    named = {command.name for command in app.registered_commands}
    made = [each.callback for each in projects.app.registered_commands]
    named |= {f"project {callback.__name__}" for callback in made if callback is not None}
    assert set(EXAMPLES) == named

    for command, examples in EXAMPLES.items():
        shown = " ".join(run(*command.split(), "--help").out.split())
        assert all(example in shown for example in examples), shown
        for example in examples:
            words = shlex.split(example.rpartition("schema-publisher ")[2].partition(" | ")[0])
            words = words[: words.index("<")] if "<" in words else words
            parsed = run(*words, "--no-such-option")
            assert "No such option: --no-such-option" in parsed.err, (example, parsed.err)


@pytest.mark.parametrize("command", ["status", "explain shop.orders", "dead-letters"])
def test_a_command_that_looks_makes_no_state(command: str, folder: Folder) -> None:
    ended = folder.run(*command.split())

    assert ended.status == 1
    assert f"there is no state at {folder.path}/state.db" in ended.err
    assert sorted(path.name for path in folder.path.iterdir()) == ["ddl", "schema-publisher.toml"]


@pytest.mark.thorough
def test_paths_belong_to_the_folder_of_the_settings(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever the command is typed, and whether the file or the environment says them."""
    folder.config.write_text(
        'artifacts.prefix = "acme-schema"\n[catalog]\nkind = "ddl"\n[snapshot]\nrunner = "local"\n'
        "[engine]\ndebounce_seconds = 0\n"
    )
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    monkeypatch.setenv("SCHEMA_PUBLISHER__INDEX__KIND", "static")
    monkeypatch.setenv("SCHEMA_PUBLISHER__INDEX__PATH", "wheels")

    ended = folder.run("snapshot")

    assert ended.status == 0, ended
    assert (folder.path / "state.db").exists()
    assert (folder.path / "wheels" / "simple").is_dir()
    assert list(elsewhere.iterdir()) == []
