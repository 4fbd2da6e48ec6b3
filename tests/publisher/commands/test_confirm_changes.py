"""New versions that only a setting requires are held; commands show and confirm them."""

from __future__ import annotations

import pytest

from lakeschema.catalog.identifiers import RelationName
from tests.publisher.commands.folder import Folder

MANY = 12


@pytest.fixture
def held(folder: Folder) -> Folder:
    folder.write_ddl("".join(f"CREATE TABLE shop.t{n} (a int);\n" for n in range(MANY)))
    folder.run("snapshot")
    folder.write_settings(artifacts="immutable = true")
    return folder


@pytest.mark.thorough
def test_held_changes_are_shown_and_carried_out_once_confirmed(held: Folder) -> None:
    snapshot = held.run("snapshot").lines[0]
    status = held.people("status")
    confirmed = held.run("confirm-changes")
    after = held.run("snapshot").lines[0]

    assert snapshot["held_changes"] == "12 of 12 relations would be derived again"
    assert snapshot["counters"].get("published", 0) == 0
    assert "to confirm them: schema-publisher confirm-changes" in status
    assert confirmed.lines == [{"held_changes": snapshot["held_changes"], "confirmed": True}]
    assert after["counters"]["published"] == MANY


@pytest.mark.thorough
def test_people_are_told_what_to_do(held: Folder) -> None:
    told = held.people("snapshot")

    assert "changes held: 12 of 12 relations would be derived again" in told
    assert "schema-publisher snapshot" in held.people("confirm-changes")
    assert "confirmed; the next snapshot carries them out" in held.people("status")


def test_confirming_nothing_is_refused(folder: Folder) -> None:
    ended = folder.run("confirm-changes")

    assert ended.status == 1
    assert "no changes are held" in ended.err


@pytest.mark.thorough
def test_another_unit_of_timestamps_is_held_and_then_a_major_version_in_words(
    folder: Folder,
) -> None:
    folder.write_ddl(
        "".join(f"CREATE TABLE shop.t{n} (happened_at timestamp);\n" for n in range(MANY))
    )
    folder.write_settings(rest='[translation]\ntimestamp_unit = "millis"')
    folder.run("snapshot")

    folder.write_settings()
    held = folder.run("snapshot").lines[0]
    folder.run("confirm-changes")
    after = folder.run("snapshot").lines[0]

    assert held["held_changes"] == (
        "12 of 12 sampled relations would get another package, about 12 of 12 in all"
    )
    assert held["counters"].get("published", 0) == 0
    assert after["counters"]["published"] == MANY
    with folder.state() as state:
        versions = state.read(lambda tx: tx.versions.every_version())
    found = [v for v in versions if v.relation == RelationName.of("shop", "t0")]
    assert [version.number for version in found] == ["1.0.0", "2.0.0"]
    assert found[-1].reasons == (
        "field `happened_at` changed from timestamp-millis to timestamp-micros",
    )
