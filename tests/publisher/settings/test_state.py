"""The state's place in the settings: a file, or a database whose password nobody sees."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from publisher.daemon.event_sources import group_of_this_process
from publisher.redaction import SECRETS
from publisher.settings import Settings, load_settings
from publisher.settings.effective import effective_settings
from publisher.settings.running import State
from publisher.state.places import Database, place_of

SECRET = "p@ss:wörd-of-the-state"
QUOTED = "p%40ss%3Aw%C3%B6rd-of-the-state"
LAKE = """\
[artifacts]
prefix = "acme"
[catalog]
kind = "ddl"
path = "ddl"
[[events]]
kind = "ddl-folder"
[index]
kind = "static"
"""


def settings_of(folder: Path, state: str) -> Settings:
    file = folder / "schema-publisher.toml"
    file.write_text(f"{LAKE}[state]\n{state}")
    return load_settings(file)


def test_a_file_is_still_a_file(tmp_path: Path) -> None:
    state = settings_of(tmp_path, 'url = "sqlite:///state.db"').state

    assert place_of(state) == state.file == tmp_path / "state.db"


@pytest.mark.parametrize("scheme", ["postgresql+psycopg", "postgresql"])
def test_a_password_in_the_url_is_moved_out_of_it(scheme: str, tmp_path: Path) -> None:
    url = f"{scheme}://me:{QUOTED}@db.example:5433/lake?sslmode=require"
    settings = settings_of(tmp_path, f'url = "{url}"')

    place = place_of(settings.state)

    assert isinstance(place, Database)
    assert place.url == "postgresql://me@db.example:5433/lake?sslmode=require"
    assert place.password() == SECRET
    assert str(place) == "postgresql://me@db.example:5433/lake"
    shown = f"{settings!r} {settings.state!r} {place!r} {effective_settings(settings, {}, {})}"
    assert "wörd" not in shown
    assert QUOTED not in shown
    assert "wörd" not in SECRETS.redact(f"refused: {SECRET}")


def test_a_password_file_is_read_at_each_use(tmp_path: Path) -> None:
    file = tmp_path / "password"
    url = "postgresql+psycopg://me@db.example/lake"
    place = place_of(settings_of(tmp_path, f'url = "{url}"\npassword_file = "password"').state)
    assert isinstance(place, Database)

    file.write_text("the first one\n")
    assert place.password() == "the first one"
    file.write_text("the second one")
    assert place.password() == "the second one"


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"url": "mysql://me:secret@db/x"}, "expected sqlite:///FILE"),
        ({"url": "postgresql://me:secret@db"}, "expected sqlite:///FILE"),
        ({"url": "postgresql://me:sec/ret@db/x"}, "expected sqlite:///FILE"),
        ({"url": "postgresql://me@db/x?a=b&password=secret"}, "without password="),
        ({"url": "postgresql://me@db/x?password=secret"}, "without password="),
        ({"url": "postgresql://me:secret@db/x", "password": "y"}, "only one of password and the"),
        ({"url": "postgresql://me:secret@db/x", "password_file": "y"}, "only one of password and"),
        ({"url": "sqlite:///state.db", "password": "secret"}, "password does nothing for a file"),
        ({"password_file": "secret"}, "password_file does nothing for a file"),
    ],
)
def test_what_cannot_work_is_refused_without_the_password(
    given: dict[str, Any], reason: str
) -> None:
    with pytest.raises(ValidationError, match=re.escape(reason)) as refused:
        State.model_validate(given)

    assert all("secret" not in error["msg"] for error in refused.value.errors())


def test_processes_on_one_database_have_consumer_groups_of_their_own(tmp_path: Path) -> None:
    alone = settings_of(tmp_path, 'url = "sqlite:///state.db"')
    shared = settings_of(tmp_path, 'url = "postgresql://me@db.example/lake"')

    assert group_of_this_process("g", alone) == "g"
    assert group_of_this_process("g", shared).startswith("g-")
