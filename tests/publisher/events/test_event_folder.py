"""Files of events are read once each, in order of name, also when they are half written."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from publisher.event_formats import EventFormat, Places
from publisher.events import event_folder
from publisher.events.event_folder import EventFolderSource
from publisher.events.messages import MAX_EVENT_BYTES
from publisher.events.named_events import NamedEvents
from publisher.events.protocol import FIRST_START, Batch, RelationHint, SourceUnavailable

DECODER = NamedEvents(EventFormat(Places(full_name=("$.table",))))


class Wall:
    """A clock that stands still, far from or near to the times of the files."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return _WRITTEN_AT + self.ahead


_WRITTEN_AT = 1_700_000_000


class Folder:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.wall = Wall()
        self.source = self.open()
        self.position = self.start()

    def open(self) -> EventFolderSource:
        return EventFolderSource("lake", self.path, DECODER.decode, wall=self.wall)

    def start(self) -> str:
        batch = self.source.poll(None, 0)
        assert batch is not None
        assert batch.gap == FIRST_START
        return batch.position

    def write(self, name: str, content: str | bytes) -> None:
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        before = file.stat().st_mtime_ns if file.exists() else _WRITTEN_AT * 10**9
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        os.utime(file, ns=(before + 1, before + 1))

    def poll(self) -> Batch | None:
        batch = self.source.poll(self.position, 0)
        if batch is not None:
            self.position = batch.position
        return batch

    def names(self) -> list[str]:
        found: list[str] = []
        while (batch := self.poll()) is not None:
            assert batch.dead_letters == ()
            found += [str(h.relation) for h in batch.hints if isinstance(h, RelationHint)]
        return found


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def event(table: str) -> str:
    return json.dumps({"table": f"db.{table}"})


def test_files_are_read_once_in_order_of_name(folder: Folder) -> None:
    folder.write("b.json", event("b"))
    folder.write("a.jsonl", f"{event('a1')}\n\n{event('a2')}\n")
    folder.write("date=1/c.ndjson", event("c"))
    folder.write("d.json", f"[{event('d1')},\n {event('d2')}]\n")
    folder.write("notes.txt", event("x"))
    folder.write(".hidden.json", event("x"))

    assert folder.names() == ["db.a1", "db.a2", "db.b", "db.d1", "db.d2", "db.c"]
    assert folder.names() == []


def test_a_file_with_an_earlier_name_that_comes_late_is_read(folder: Folder) -> None:
    folder.write("2.json", event("two"))
    folder.names()

    folder.write("1.json", event("one"))

    assert folder.names() == ["db.one"]


def test_added_lines_are_read_and_earlier_ones_are_not_again(folder: Folder) -> None:
    folder.write("a.jsonl", f"{event('a')}\n")
    folder.names()

    folder.write("a.jsonl", f"{event('a')}\n{event('b')}\n")

    assert folder.names() == ["db.b"]


@pytest.mark.parametrize("cut", [1, 5, 10, 15])
def test_a_half_written_file_is_read_when_it_is_whole(folder: Folder, cut: int) -> None:
    whole = f"{event('a')}\n{event('b')}\n"

    folder.write("a.json", whole[: len(whole) - cut])
    first = folder.names()
    folder.write("a.json", whole)

    assert [*first, *folder.names()] == ["db.a", "db.b"]


def test_a_half_written_document_over_several_lines_waits(folder: Folder) -> None:
    whole = json.dumps({"table": "db.a"}, indent=1)

    folder.write("a.json", whole[:-3])
    first = folder.names()
    folder.write("a.json", whole)

    assert (first, folder.names()) == ([], ["db.a"])


def test_a_file_that_stays_half_written_is_a_dead_letter(folder: Folder) -> None:
    folder.write("a.json", '{"table"')
    folder.write("b.jsonl", f'{event("b")}\n{{"table"')

    folder.poll()
    folder.wall.ahead = 11
    batch = folder.poll()

    assert batch is not None
    assert [letter.payload for letter in batch.dead_letters] == [b'{"table"', b'{"table"']
    assert folder.poll() is None


def test_a_replaced_file_is_read_from_its_start(folder: Folder) -> None:
    folder.write("a.jsonl", f"{event('a')}\n")
    folder.names()

    (folder.path / "new.part").write_text(f"{event('b')}\n{event('c')}\n")
    (folder.path / "new.part").replace(folder.path / "a.jsonl")

    assert folder.names() == ["db.b", "db.c"]


def test_a_restart_continues_at_the_position(folder: Folder) -> None:
    folder.write("a.json", event("a"))
    folder.names()
    folder.write("b.json", event("b"))

    folder.source.close()
    folder.source = folder.open()

    assert folder.names() == ["db.b"]


def test_finished_files_from_before_the_first_start_are_left_to_the_snapshot(
    folder: Folder,
) -> None:
    folder.write("old.json", event("old"))
    folder.wall.ahead = 11
    folder.position = folder.start()
    folder.wall.ahead = 0
    folder.write("new.json", event("new"))

    assert folder.names() == ["db.new"]


def test_a_file_that_grows_at_the_first_start_is_read(folder: Folder) -> None:
    folder.write("a.json", event("a"))

    folder.position = folder.start()

    assert folder.names() == ["db.a"]


def test_many_events_come_in_several_batches(folder: Folder) -> None:
    lines = "".join(f"{event(f't{number}')}\n" for number in range(2_500))
    folder.write("a.jsonl", lines)
    folder.write("b.json", event("last"))

    first = folder.poll()
    rest = folder.names()

    assert first is not None
    assert (first.seen, first.behind) == (1_000, 2)
    assert (len(rest), rest[-1]) == (1_501, "db.last")


def test_too_large_a_line_is_a_dead_letter_and_the_next_is_read(folder: Folder) -> None:
    large = b'{"x": "' + b"y" * MAX_EVENT_BYTES + b'"}'
    folder.write("a.jsonl", event("a").encode() + b"\n" + large + b"\n" + event("b").encode())

    batch = folder.poll()

    assert batch is not None
    assert [str(h.relation) for h in batch.hints if isinstance(h, RelationHint)] == ["db.a", "db.b"]
    assert "larger than" in batch.dead_letters[0].reason


def test_a_missing_folder_and_too_many_files_are_outages(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write("a.json", event("a"))
    folder.write("b.json", event("b"))
    monkeypatch.setattr(event_folder, "MAX_FILES", 1)

    with pytest.raises(SourceUnavailable, match="more than 1 files"):
        folder.poll()
    folder.path.rename(folder.path.with_name("away"))
    with pytest.raises(SourceUnavailable, match="No such file"):
        folder.poll()


def test_a_removed_file_leaves_the_position(folder: Folder) -> None:
    folder.write("a.json", event("a"))
    folder.names()
    (folder.path / "a.json").unlink()

    folder.write("b.json", event("b"))

    assert folder.names() == ["db.b"]
    assert list(json.loads(folder.position)["files"]) == ["b.json"]


def test_an_unreadable_position_is_a_gap(folder: Folder) -> None:
    batch = folder.source.poll("?", 0)

    assert batch is not None
    assert batch.gap == "the position is unreadable"
