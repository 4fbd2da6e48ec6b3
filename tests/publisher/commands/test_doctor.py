"""One page for the whole deployment: faults, and the command or action that ends each."""

from __future__ import annotations

from contextlib import closing

import pytest

from publisher.commands.failures import NO
from publisher.daemon.assembly import build_state, take_part
from publisher.daemon.self_report import SelfReport
from publisher.events.protocol import DeadLetter
from publisher.settings import load_settings
from tests.publisher.commands.folder import Folder


def to_do(folder: Folder, status: int = NO) -> str:
    ended = folder.run("doctor")
    assert ended.status == status, ended
    *_, last = ended.lines
    return "\n".join(last["to_do"])


def test_nothing_waits_where_all_is_well_but_for_what_is_known(published: Folder) -> None:
    assert to_do(published, status=0) == ""
    page = published.people("doctor")
    assert "nothing waits for a person" in page
    # A view that its engine refuses is shown, and is nobody's alarm.
    assert "shop.wrong" in page


def test_before_anything_was_published_it_says_how_to_begin(folder: Folder) -> None:
    assert "start schema-publisher run or schema-publisher snapshot" in to_do(folder)


def test_a_damaged_file_is_named_with_the_command_that_mends_it(published: Folder) -> None:
    (wheel,) = (published.path / "index").rglob("acme_schema_shop_orders*.whl")
    wheel.write_bytes(wheel.read_bytes()[:100])

    assert to_do(published) == "packages and index: schema-publisher verify --repair"
    assert "is damaged" in published.people("doctor")
    assert published.run("verify", "--repair").status == 0
    assert to_do(published, status=0) == ""


@pytest.mark.parametrize(
    ("notes", "expected"),
    [
        ({"@brake/shop": "9 of 9"}, "schema-publisher confirm-deletions shop"),
        ({"@brake/": "9 of 9"}, "deletions are held: 9 of 9; if they are intended: schema-publisher confirm-deletions"),
        ({"@brake/a'; rm -rf x": "9"}, """confirm-deletions 'a'"'"'; rm -rf x'"""),
    ],
)  # fmt: skip
def test_what_is_held_is_named_with_the_command_that_releases_it(
    notes: dict[str, str], expected: str, published: Folder
) -> None:
    with published.state() as state:
        for key, note in notes.items():
            state.write(lambda tx, key=key, note=note: tx.journal.write_note(key, note))  # type: ignore[misc]  # its defaults

    assert expected in to_do(published)


def test_events_that_could_not_be_read_are_named(published: Folder) -> None:
    with published.state() as state:
        state.write(lambda tx: tx.journal.add_dead_letters("k", [DeadLetter(b"x", "why")], 0.0))

    assert "events that could not be read: 1; to see them: schema-publisher dead-letters" in to_do(
        published
    )


def test_the_troubles_of_a_service_and_its_end_are_told(published: Folder) -> None:
    settings = load_settings(published.config)
    with closing(build_state(settings)) as state:
        with take_part(settings, state):
            SelfReport(state, lambda: {"catalog": "away; start it"}).look()
            assert "catalog: away; start it" in to_do(published)
        assert to_do(published) == "the service was killed: schema-publisher run"


def test_a_part_that_cannot_be_asked_hides_no_other(published: Folder) -> None:
    text = published.config.read_text()
    ddl = f'kind = "ddl"\npath = "{published.path}/ddl"'
    published.config.write_text(text.replace(ddl, 'kind = "hive"\nuri = "thrift://127.0.0.1:1"'))

    told = to_do(published)

    assert "settings and servers: correct what fails above" in told
    assert "packages and index: " in told
    assert "published versions" in published.people("doctor")
