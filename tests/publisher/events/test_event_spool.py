"""The spool keeps what it accepted, once, and within its limits."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from publisher.events import event_spool
from publisher.events.event_spool import Adding, EventSpool, Place, Posted

NOW = 1_000.0


def posted(id_: str, body: bytes = b"{}", until: float = NOW + 10) -> Posted:
    return Posted(id_, until, body, {"content-type": "application/json"})


_opened: list[EventSpool] = []


@pytest.fixture(autouse=True)
def close_spools() -> Iterator[None]:
    yield
    while _opened:
        _opened.pop().close()


def spool_in(folder: Path, max_bytes: int = 1_000_000) -> EventSpool:
    """A spool that ends with the test."""
    _opened.append(EventSpool(folder / "spool.db", max_bytes))
    return _opened[-1]


def bodies(spool: EventSpool, after: Place | None = None) -> list[bytes]:
    return [each.body for each in spool.read(after).messages]


def test_messages_come_back_in_order_until_they_are_forgotten(tmp_path: Path) -> None:
    spool = spool_in(tmp_path)

    added = spool.add([posted("a", b"1"), posted("b", b"2"), posted("c", b"3")], NOW)
    page = spool.read(None)
    spool.forget(Place(page.place.spool, 2))

    assert added == [Adding.STORED] * 3
    assert [each.body for each in page.messages] == [b"1", b"2", b"3"]
    assert page.messages[0].headers == {"content-type": "application/json"}
    assert bodies(spool, Place(page.place.spool, 2)) == [b"3"]
    assert spool.read(page.place).messages == []


def test_a_restart_keeps_messages_and_ids(tmp_path: Path) -> None:
    first = spool_in(tmp_path)
    first.add([posted("a", b"1")], NOW)
    first.close()
    second = spool_in(tmp_path)

    again = second.add([posted("a", b"1"), posted("b", b"2")], NOW)

    assert again == [Adding.REPEATED, Adding.STORED]
    assert bodies(second) == [b"1", b"2"]


def test_an_id_stays_used_after_its_message_is_forgotten(tmp_path: Path) -> None:
    spool = spool_in(tmp_path)
    spool.add([posted("a")], NOW)
    spool.forget(spool.read(None).place)

    assert spool.add([posted("a")], NOW) == [Adding.REPEATED]
    assert spool.add([posted("a")], NOW + 11) == [Adding.STORED]


def test_one_id_twice_at_once_is_stored_once(tmp_path: Path) -> None:
    spool = spool_in(tmp_path)

    assert spool.add([posted("a"), posted("a")], NOW) == [Adding.STORED, Adding.REPEATED]


def test_a_full_spool_has_room_again_after_reading(tmp_path: Path) -> None:
    spool = spool_in(tmp_path, max_bytes=2_000)

    added = spool.add([posted(id_, b"x" * 1_000) for id_ in "abc"], NOW)
    spool.forget(spool.read(None).place)

    assert added == [Adding.STORED, Adding.FULL, Adding.FULL]
    assert spool.add([posted("b", b"x" * 1_000)], NOW) == [Adding.STORED]


def test_too_many_ids_are_refused_and_none_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_spool, "MAX_IDS", 2)
    spool = spool_in(tmp_path)

    added = spool.add([posted("a"), posted("b"), posted("c")], NOW)

    assert added == [Adding.STORED, Adding.STORED, Adding.FULL]
    assert spool.add([posted("a")], NOW) == [Adding.REPEATED]


def test_a_removed_spool_is_made_anew_and_tells_of_the_gap(tmp_path: Path) -> None:
    spool = spool_in(tmp_path)
    spool.add([posted("a"), posted("b")], NOW)
    place = spool.read(None).place
    for file in tmp_path.iterdir():
        file.unlink()

    spool.add([posted("c", b"3")], NOW)
    page = spool.read(place)

    assert page.gap == "the spool of events was replaced"
    assert [each.body for each in page.messages] == [b"3"]


def test_a_position_that_does_not_fit_tells_of_the_gap(tmp_path: Path) -> None:
    spool = spool_in(tmp_path)
    spool.add([posted(id_) for id_ in "abc"], NOW)
    own = spool.read(None).place.spool
    spool.forget(Place(own, 2))

    assert spool.read(Place(own, 1)).gap == "the events 2 to 2 were read before, and are forgotten"
    assert spool.read(Place(own, 9)).gap == "the spool of events is older than the position"
    assert spool.read(Place(own, 2)).gap is None


def test_a_damaged_spool_is_an_error_and_stores_nothing(tmp_path: Path) -> None:
    (tmp_path / "spool.db").write_bytes(b"not a database" * 100)

    with pytest.raises(sqlite3.DatabaseError):
        spool_in(tmp_path).add([posted("a")], NOW)


def test_only_the_owner_can_read_the_spool(tmp_path: Path) -> None:
    spool_in(tmp_path).add([posted("a")], NOW)

    assert {file.stat().st_mode & 0o077 for file in tmp_path.iterdir()} == {0}


_STEPS = st.lists(
    st.one_of(
        st.lists(st.integers(0, 9), min_size=1, max_size=4),  # messages with these ids
        st.sampled_from(["read", "forget", "restart", "later"]),
    ),
    max_size=25,
)


@pytest.mark.thorough
@settings(max_examples=40, deadline=None)
@given(_STEPS)
def test_any_history_reads_each_stored_message_once_and_in_order(
    steps: list[list[int] | str],
) -> None:
    with TemporaryDirectory() as folder:
        spool = spool_in(Path(folder), max_bytes=6_000)
        place, now, seen = spool.read(None).place, NOW, dict[int, float]()
        stored: list[bytes] = []
        read: list[bytes] = []
        for number, step in enumerate(steps):
            match step:
                case list():
                    posts = [posted(f"{id_}", b"%d-%d" % (number, id_), now + 10) for id_ in step]
                    for id_, post, adding in zip(step, posts, spool.add(posts, now), strict=True):
                        assert (adding is Adding.REPEATED) == (seen.get(id_, 0.0) >= now)
                        if adding is Adding.STORED:
                            stored.append(post.body)
                            seen[id_] = now + 10
                case "read":
                    page = spool.read(place)
                    read += [each.body for each in page.messages]
                    place = page.place
                    assert page.gap is None
                case "forget":
                    spool.forget(place)
                case "restart":
                    spool.close()
                    spool = spool_in(Path(folder), max_bytes=6_000)
                case _:
                    now += 11
            assert read == stored[: len(read)]
        read += bodies(spool, place)
        spool.forget(spool.read(place).place)

        assert read == stored
        assert spool.add([posted("last", b"x" * 5_000)], now) == [Adding.STORED]
        spool.close()
