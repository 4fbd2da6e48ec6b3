"""What a consumer learns about pins: on the deployment's own index, and over HTTP without settings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from publisher.index.static import StaticIndex
from publisher.web.app import create_app
from publisher.web.server import WebServer
from tests.publisher.commands.folder import Ended, Folder, run
from tests.publisher.index.wheels import sample_wheel
from tests.publisher.web.daemon_double import IdleDaemon

ORDERS = "acme-schema-shop-orders"


@pytest.fixture
def evolved(folder: Folder) -> Folder:
    """Versions 1.0.0, 1.1.0 and 2.0.0 of shop.orders."""
    for columns in ("id bigint", "id bigint, note string", "note string"):
        folder.write_ddl(f"CREATE TABLE shop.orders ({columns});")
        assert folder.run("snapshot").status == 0
    return folder


def check(folder: Folder, *requirements: str) -> Ended:
    file = folder.path / "requirements.txt"
    file.write_text("\n".join(requirements))
    return folder.run("check", str(file), "--json")


def statuses(ended: Ended) -> list[tuple[str, str | None, str]]:
    return [(line["pinned"], line["newest"], line["status"]) for line in ended.lines]


def index_of(folder: Folder) -> StaticIndex:
    return StaticIndex(folder.path / "index")


def yank(folder: Folder, number: str, reason: str) -> None:
    index = index_of(folder)
    (file,) = [file for file in index.files(ORDERS) if file.version == number]
    assert index.yank(file, reason)


@pytest.mark.thorough
def test_a_pin_before_a_major_version_breaks_and_says_what_each_version_changes(
    evolved: Folder,
) -> None:
    ended = check(evolved, f"{ORDERS}==1.0.0", "requests==2.0")

    (line,) = ended.lines
    assert ended.status == 1
    assert (line["distribution"], line["status"]) == (ORDERS, "breaks")
    changes: list[dict[str, Any]] = line["newer"]
    assert [(c["version"], c["change"]) for c in changes] == [
        ("2.0.0", "major"),
        ("1.1.0", "minor"),
    ]
    assert "id" in " ".join(changes[0]["lines"])
    assert "note" in " ".join(changes[1]["lines"])


@pytest.mark.thorough
def test_a_pin_before_a_minor_version_is_behind_and_nothing_is_wrong(evolved: Folder) -> None:
    yank(evolved, "2.0.0", "dropped by mistake")

    ended = check(evolved, f"{ORDERS}==1.0.0")

    assert (ended.status, statuses(ended)) == (0, [("1.0.0", "1.1.0", "behind")])


@pytest.mark.thorough
def test_a_pin_of_the_newest_version_is_current(evolved: Folder) -> None:
    ended = check(evolved, f"{ORDERS}==2.0.0")

    assert (ended.status, statuses(ended)) == (0, [("2.0.0", "2.0.0", "current")])


@pytest.mark.thorough
def test_a_range_is_checked_as_the_version_that_it_brings(evolved: Folder) -> None:
    ended = check(evolved, f"{ORDERS}>=1,<2")

    assert (ended.status, statuses(ended)) == (1, [("1.1.0", "2.0.0", "breaks")])


@pytest.mark.thorough
def test_a_yanked_pin_says_why(evolved: Folder) -> None:
    yank(evolved, "1.1.0", "wrong \x1b[31mtype")

    ended = check(evolved, f"{ORDERS}==1.1.0")
    shown = evolved.people("check", str(evolved.path / "requirements.txt"))

    assert (ended.status, statuses(ended)) == (1, [("1.1.0", "2.0.0", "yanked")])
    assert "wrong \\x1b[31mtype" in shown


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("requirement", "pinned"),
    [(f"{ORDERS}==9.0.0", "9.0.0"), ("acme-schema-shop-unknown", "any version")],
)
def test_a_pin_that_the_index_lacks_is_missing(
    evolved: Folder, requirement: str, pinned: str
) -> None:
    ended = check(evolved, requirement)

    assert ended.status == 1
    assert [(line["pinned"], line["status"]) for line in ended.lines] == [(pinned, "missing")]


@pytest.mark.thorough
def test_a_wheel_of_another_program_costs_its_words_and_no_more(evolved: Folder) -> None:
    index_of(evolved).upload(sample_wheel(ORDERS, "3.0.0"))

    (line,) = check(evolved, f"{ORDERS}==2.0.0").lines

    assert (line["newest"], line["status"]) == ("3.0.0", "breaks")
    assert "cannot be read" in line["newer"][0]["lines"][0]


@pytest.mark.thorough
def test_an_index_is_asked_at_an_address_without_settings(evolved: Folder, tmp_path: Path) -> None:
    file = tmp_path / "pylock.toml"
    file.write_text(
        f'lock-version = "1.0"\ncreated-by = "x"\n[[packages]]\nname = "{ORDERS}"\nversion = "1.0.0"\n'
    )
    with WebServer(create_app(index_of(evolved), IdleDaemon())) as web:
        against = ("--against", f"{web.url}/simple/", "--prefix", "acme-schema")
        ended = run("check", str(file), *against, "--json")

    (line,) = ended.lines
    assert (ended.status, line["status"]) == (1, "breaks")
    assert json.dumps(line) == ended.out.strip()


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("ftp://x/", "acme-schema"), 2, "expected the address of a package index"),
        (("http://127.0.0.1:9/", "acme-schema"), 3, "no response"),
    ],
)
def test_an_index_that_cannot_be_asked_is_told(
    tmp_path: Path, arguments: tuple[str, str], status: int, message: str
) -> None:
    file = tmp_path / "requirements.txt"
    file.write_text("acme-schema-a-b==1.0.0")

    ended = run("check", str(file), "--against", arguments[0], "--prefix", arguments[1])

    assert ended.status == status
    assert message in ended.err


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("simpel/", "check the address: --against https://"),
        ("", "check the address: --against https://"),
        (f"simple/{ORDERS}/", "this server is not the simple API of an index"),
    ],
)
def test_a_wrong_path_of_the_index_is_an_outside_failure(
    tmp_path: Path, path: str, hint: str
) -> None:
    index = StaticIndex(tmp_path / "index")
    index.upload(sample_wheel(ORDERS))
    file = tmp_path / "requirements.txt"
    file.write_text(f"{ORDERS}==1.0.0")

    with WebServer(create_app(index, IdleDaemon())) as web:
        against = ("--against", f"{web.url}/{path}", "--prefix", "acme-schema")
        ended = run("check", str(file), *against)

    assert ended.status == 3
    assert ended.out == ""
    assert hint in ended.err


def test_an_unknown_package_is_told_with_the_name_that_may_be_meant(folder: Folder) -> None:
    index_of(folder).upload(sample_wheel(ORDERS))

    (line,) = check(folder, "acme-schema-shop-order==1.0.0").lines

    assert (line["status"], line["why"]) == ("missing", f"did you mean {ORDERS}?")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("--against", "https://packages.example/simple/"), "add --prefix, such as"),
        (("--prefix", "acme-schema"), "add --against https://"),
        ((), "add --against https://"),
    ],
)
def test_without_settings_the_flag_that_is_missing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: tuple[str, ...], expected: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "requirements.txt").write_text(f"{ORDERS}==1.0.0")

    ended = run("check", "requirements.txt", *given)

    assert ended.status == 2
    assert expected in ended.err
    assert "catalog" not in ended.err


def test_a_file_of_another_kind_is_a_wrong_use(folder: Folder) -> None:
    ended = folder.run("check", str(folder.config))

    assert ended.status == 2
    assert "expected requirements.txt, uv.lock, poetry.lock or pylock.toml" in ended.err


def test_a_project_without_a_package_of_ours_is_told_so(folder: Folder) -> None:
    file = folder.path / "requirements.txt"
    file.write_text("requests==2.0\n")

    assert folder.run("check", str(file), "--json").status == 0
    assert "no package with the prefix" in folder.people("check", str(file))
