"""Held deletions wait for a person, and for nobody else."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from publisher.daemon.noted import Noted
from publisher.settling.deletions import HeldDeletions
from tests.publisher.commands.folder import Folder

MANY = 30


def tables(namespace: str, count: int) -> str:
    return "".join(f"CREATE TABLE {namespace}.t{n} (a int);\n" for n in range(count))


def statuses(folder: Folder) -> Mapping[str, int]:
    found: Mapping[str, int] = folder.run("status").lines[0]["relations"]
    return found


@pytest.fixture
def braked(folder: Folder) -> Folder:
    """Of two namespaces, one lost all its tables at once."""
    folder.write_ddl(tables("shop", 100) + tables("old", MANY))
    folder.run("snapshot", "--enqueue-only")
    folder.run("snapshot")
    folder.write_ddl(tables("shop", 100))
    assert folder.run("snapshot").lines[0]["held"]
    return folder


@pytest.mark.thorough
def test_confirmed_deletions_are_carried_out_by_the_next_snapshot(braked: Folder) -> None:
    before = statuses(braked)

    ended = braked.run("confirm-deletions")
    snapshot = braked.run("snapshot").lines[0]

    assert before == {"OK": 130}
    assert ended.status == 0
    assert [line["confirmed"] for line in ended.lines] == [True]
    assert "30 of" in ended.lines[0]["held"]
    assert (snapshot["missing"], "held" in snapshot) == (MANY, False)
    assert statuses(braked) == {"MISSING": MANY, "OK": 100}


@pytest.mark.thorough
def test_a_namespace_is_confirmed_by_name(braked: Folder) -> None:
    told = braked.people("confirm-deletions", "OLD")
    braked.run("snapshot")

    assert told.startswith("deletions of old confirmed: 30 of")
    assert "schema-publisher snapshot" in told
    assert statuses(braked)["MISSING"] == MANY


@pytest.mark.thorough
def test_another_namespace_stays_held(braked: Folder) -> None:
    ended = braked.run("confirm-deletions", "nope")
    braked.run("snapshot")

    assert ended.status == 1
    assert "no deletions of namespace 'nope' are held" in ended.err
    assert statuses(braked) == {"OK": 130}


@pytest.mark.thorough
def test_the_status_shows_how_to_confirm(braked: Folder) -> None:
    assert "schema-publisher confirm-deletions" in braked.people("status")


@pytest.mark.thorough
def test_what_is_confirmed_already_may_be_confirmed_again(braked: Folder) -> None:
    first = braked.run("confirm-deletions")
    second = braked.run("confirm-deletions")

    assert (first.status, second.status) == (0, 0)
    assert "confirmed; the next snapshot carries them out" in braked.people("status")


def test_notes_of_brakes_are_values() -> None:
    notes = {
        "@brake/shop": "30 of 40 relations not listed",
        "@brake/": "released",
        "@brake/done": "released until 1600.0",
        "@brake/old": "",
        "@snapshot/ddl": "",
    }

    assert Noted.read(notes).held_deletions == [
        HeldDeletions("", "", is_confirmed=True),
        HeldDeletions("done", "", is_confirmed=True),
        HeldDeletions("shop", "30 of 40 relations not listed"),
    ]


@pytest.mark.thorough
def test_a_relation_whose_deletion_is_held_says_so_and_what_ends_it(braked: Folder) -> None:
    (gone,) = braked.run("explain", "old.t7").lines
    (there,) = braked.run("explain", "shop.t7").lines

    assert "its deletion is held" in gone["meaning"]
    assert "30 of" in gone["meaning"]
    assert "if they were dropped: schema-publisher confirm-deletions" in gone["remedy"]
    assert "held" not in there["meaning"]
