"""Posted events are stored before they are accepted, once, and are read after a restart."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from publisher.event_formats import EventFormat, Places
from publisher.events.event_spool import EventSpool
from publisher.events.named_events import NamedEvents
from publisher.events.posted_events import PostedEvents, PostRefused, Signing, Why
from publisher.events.protocol import FIRST_START, Batch, RelationHint, SourceUnavailable
from publisher.events.signed_messages import UnusableSecret, sign

SECRET = b"a secret of the tests"
NOW = 1_700_000_000
DECODER = NamedEvents(EventFormat(Places(full_name=("$.table",))))


def source_in(folder: Path, *, max_bytes: int = 1_000_000) -> PostedEvents:
    return PostedEvents(
        "glue",
        EventSpool(folder / "spool.db", max_bytes),
        Signing(lambda: [SECRET]),
        DECODER.decode,
        max_bytes=1_000,
        wall=lambda: float(NOW),
    )


def post(source: PostedEvents, id_: str, table: str, *, body: bytes | None = None) -> Why | None:
    """None if the event was accepted."""
    body = json.dumps({"table": table}).encode() if body is None else body
    headers = {
        "webhook-id": id_,
        "webhook-timestamp": str(NOW),
        "webhook-signature": f"v1,{sign(SECRET, id_, NOW, body).decode()}",
        "content-type": "application/json",
        "authorization": "not stored",
    }
    try:
        source.submit(source.read_stamp(headers), headers, body).result(30)
    except PostRefused as refused:
        return refused.why
    return None


def started(source: PostedEvents) -> str:
    batch = source.poll(None, 0)
    assert batch is not None
    assert batch.gap == FIRST_START
    return batch.position


def drain(source: PostedEvents, position: str) -> tuple[list[str], str]:
    """Reads as the daemon does, until nothing is left."""
    found: list[str] = []
    while (batch := source.poll(position, 0)) is not None:
        found += names(batch)
        position = batch.position
        source.acknowledge(position)
    return found, position


def names(batch: Batch) -> list[str]:
    return [str(hint.relation) for hint in batch.hints if isinstance(hint, RelationHint)]


def test_a_posted_event_is_a_hint(tmp_path: Path) -> None:
    source = source_in(tmp_path)
    position = started(source)

    assert post(source, "m-1", "db.t") is None

    assert drain(source, position)[0] == ["db.t"]
    source.close()


def test_an_event_from_before_the_first_poll_is_read(tmp_path: Path) -> None:
    source = source_in(tmp_path)
    post(source, "m-1", "db.t")

    batch = source.poll(None, 0)

    assert batch is not None
    assert (names(batch), batch.gap) == (["db.t"], FIRST_START)
    source.close()


def test_accepted_events_survive_a_restart_and_none_is_lost_without_an_acknowledgement(
    tmp_path: Path,
) -> None:
    before = source_in(tmp_path)
    position = started(before)
    post(before, "m-1", "db.a")
    assert before.poll(position, 0) is not None
    post(before, "m-2", "db.b")

    # The process is killed here: nothing is closed, and the position was not stored.
    after = source_in(tmp_path)

    assert drain(after, position)[0] == ["db.a", "db.b"]
    assert post(after, "m-1", "db.a") is Why.REPEATED
    before.close()
    after.close()


_SENDER = """
import sys
from pathlib import Path
from tests.publisher.events.test_posted_events import post, source_in

source = source_in(Path(sys.argv[1]))
number = 0
while True:
    number += 1
    assert post(source, f"m-{number}", f"db.t{number}") is None
    print(f"db.t{number}", flush=True)
"""


@pytest.mark.thorough
def test_a_killed_process_loses_no_event_that_it_accepted(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _SENDER, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as sender:
        assert sender.stdout is not None
        accepted = [sender.stdout.readline().strip() for _ in range(50)]
        sender.kill()
        accepted += sender.stdout.read().split()

    after = source_in(tmp_path)
    begun = after.poll(None, 0)
    assert begun is not None
    found = [*names(begun), *drain(after, begun.position)[0]]

    assert found[: len(accepted)] == accepted
    assert len(found) - len(accepted) in {0, 1}
    after.close()


def test_a_replay_is_refused_also_after_it_was_read(tmp_path: Path) -> None:
    source = source_in(tmp_path)
    position = started(source)

    first = post(source, "m-1", "db.t")
    _, position = drain(source, position)
    again = post(source, "m-1", "db.t")

    assert (first, again) == (None, Why.REPEATED)
    assert drain(source, position)[0] == []
    source.close()


def test_sixteen_writers_post_at_once_and_each_event_is_read_once(tmp_path: Path) -> None:
    source = source_in(tmp_path)
    position = started(source)
    events = [(f"m-{number}", f"db.t{number}") for number in range(160)]
    twice = events * 2
    random.Random(7).shuffle(twice)
    found: list[str] = []
    ends = threading.Event()

    def read() -> None:
        at = position
        while True:
            was_last = ends.is_set()
            more, at = drain(source, at)
            found.extend(more)
            if was_last:
                return

    reader = threading.Thread(target=read)
    reader.start()
    with ThreadPoolExecutor(16) as threads:
        answers = Counter(threads.map(lambda event: post(source, *event), twice))
    ends.set()
    reader.join(60)

    assert answers == {None: 160, Why.REPEATED: 160}
    assert sorted(found) == sorted(name for _, name in events)
    source.close()


def test_events_in_any_order_give_the_same_hints(tmp_path: Path) -> None:
    source = source_in(tmp_path)
    position = started(source)
    numbers = list(range(20))
    random.Random(3).shuffle(numbers)

    for number in numbers:
        post(source, f"m-{number}", f"db.t{number}")

    assert set(drain(source, position)[0]) == {f"db.t{number}" for number in range(20)}
    source.close()


def test_a_full_spool_refuses_until_events_are_read(tmp_path: Path) -> None:
    source = source_in(tmp_path, max_bytes=1_200)
    position = started(source)

    answers = [post(source, f"m-{number}", "db.t") for number in range(3)]
    drain(source, position)

    assert answers == [None, None, Why.FULL]
    assert post(source, "m-2", "db.t") is None
    source.close()


def test_hostile_events_are_accepted_and_become_dead_letters(tmp_path: Path) -> None:
    source = source_in(tmp_path)
    position = started(source)

    post(source, "m-1", "", body=b"[" * 900)
    post(source, "m-2", "", body=b"\xff\0")
    batch = source.poll(position, 0)

    assert batch is not None
    assert [letter.payload for letter in batch.dead_letters] == [b"[" * 900, b"\xff\0"]
    source.close()


def test_a_cloud_event_keeps_its_headers_and_no_other_header_is_stored(tmp_path: Path) -> None:
    source = source_in(tmp_path)
    started(source)

    post(source, "m-1", "db.t")

    with closing(EventSpool(tmp_path / "spool.db", 1)) as spool:
        (stored,) = spool.read(None).messages
    assert stored.headers == {"content-type": "application/json"}
    source.close()


def test_a_disk_that_fails_refuses_events_and_is_an_outage(tmp_path: Path) -> None:
    (tmp_path / "spool.db").mkdir()
    source = source_in(tmp_path)

    assert post(source, "m-1", "db.t") is Why.UNAVAILABLE
    with pytest.raises(SourceUnavailable, match="http:glue"):
        source.poll(None, 0)
    source.close()


def test_a_closed_source_refuses_events(tmp_path: Path) -> None:
    source = source_in(tmp_path)
    source.close()

    assert post(source, "m-1", "db.t") is Why.UNAVAILABLE


def test_a_secret_that_cannot_be_read_refuses_events(tmp_path: Path) -> None:
    def fail() -> list[bytes]:
        raise UnusableSecret("no such file")

    spool = EventSpool(tmp_path / "spool.db", 1_000)
    source = PostedEvents(
        "glue", spool, Signing(fail), DECODER.decode, max_bytes=9, wall=lambda: float(NOW)
    )

    assert post(source, "m-1", "db.t") is Why.UNAVAILABLE
    with pytest.raises(SourceUnavailable, match="no such file"):
        source.require_secret()
    source.close()


def test_a_position_of_another_spool_is_a_gap(tmp_path: Path) -> None:
    source = source_in(tmp_path)
    post(source, "m-1", "db.t")

    batch = source.poll('{"spool": "another", "number": 7}', 0)
    unreadable = source.poll("?", 0)

    assert batch is not None
    assert (names(batch), batch.gap) == (["db.t"], "the spool of events was replaced")
    assert unreadable is not None
    assert unreadable.gap == "the position is unreadable"
    source.close()
