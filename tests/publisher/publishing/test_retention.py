"""Old versions are yanked; the newest of a major and every pin stay."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)
from packaging.version import Version

from lakeschema.catalog.identifiers import RelationName
from publisher.index.page_parsing import parse_html_page, parse_json_page
from publisher.index.protocol import IndexFile, IndexUnavailable, PackageIndex
from publisher.index.static import StaticIndex
from publisher.policy import Policy
from publisher.publishing.differences import compare_with_index
from publisher.publishing.listing import read_listing
from publisher.publishing.retention import (
    NOTE,
    SUPERSEDED,
    FileChange,
    Retention,
    RetentionPass,
    plan_retention,
)
from publisher.publishing.upload import DROPPED
from publisher.runtime import Counters, Runtime, SystemClock
from publisher.state.protocol import State
from publisher.state.records import VersionRecord, VersionStatus
from publisher.state.sqlite import SqliteState
from tests.publisher.index.wheels import sample_wheel

PROJECT = "acme-schema-shop-orders"
DAY = 86_400.0
KEEP_ONE = Retention(keep_latest_per_major=1, grace_seconds=0.0)


def listed(*versions: str, yanked: Mapping[str, str] | None = None) -> Sequence[IndexFile]:
    reasons = yanked or {}
    return [IndexFile(f"{v}.whl", v, "", "0" * 64, reasons.get(v)) for v in versions]


def planned(
    files: Sequence[IndexFile],
    retention: Retention,
    published_at: Mapping[str, float] | None = None,
    now: float = 0.0,
) -> dict[str, str | None]:
    times = published_at if published_at is not None else {f.version: 0.0 for f in files}
    changes = plan_retention(PROJECT, files, times, retention, now)
    return {change.file.version: change.reason for change in changes}


def test_each_major_keeps_its_newest() -> None:
    files = listed("1.0.0", "1.9.0", "1.10.0", "2.0.0", "2.0.1", "3.0.0")

    changes = planned(files, KEEP_ONE)

    assert changes == {"1.0.0": SUPERSEDED, "1.9.0": SUPERSEDED, "2.0.0": SUPERSEDED}


def test_the_configured_number_of_versions_stays() -> None:
    files = listed("1.0.0", "1.1.0", "1.2.0", "1.3.0")

    changes = planned(files, replace(KEEP_ONE, keep_latest_per_major=3))

    assert changes == {"1.0.0": SUPERSEDED}


def test_a_superseded_version_stays_for_the_grace_period() -> None:
    files = listed("1.0.0", "1.1.0", "1.2.0")
    published_at = {"1.0.0": 0.0, "1.1.0": 10 * DAY, "1.2.0": 20 * DAY}
    patient = replace(KEEP_ONE, grace_seconds=30 * DAY)

    seen = [planned(files, patient, published_at, now=day * DAY) for day in (39, 40, 50)]

    assert seen == [{}, {"1.0.0": SUPERSEDED}, {"1.0.0": SUPERSEDED, "1.1.0": SUPERSEDED}]


def test_versions_that_are_not_ours_are_left_alone() -> None:
    files = listed("0.9", "1.0.0rc1", "1.0.0", "1.1.0")

    changes = planned(files, KEEP_ONE, {"1.0.0": 0.0, "1.1.0": 0.0})

    assert changes == {"1.0.0": SUPERSEDED}


def test_if_a_person_yanked_the_newest_the_next_one_is_unyanked() -> None:
    files = listed("1.0.0", "1.1.0", "1.2.0", yanked={"1.1.0": SUPERSEDED, "1.2.0": "it is wrong"})

    changes = planned(files, KEEP_ONE)

    assert list(changes.items()) == [("1.1.0", None), ("1.0.0", SUPERSEDED)]


def test_relaxed_settings_unyank_what_stricter_ones_yanked() -> None:
    files = listed("1.0.0", "1.1.0", yanked={"1.0.0": SUPERSEDED})

    assert planned(files, replace(KEEP_ONE, keep_latest_per_major=2)) == {"1.0.0": None}


def test_a_dropped_relation_is_not_offered_again() -> None:
    files = listed("1.0.0", "1.1.0", yanked={"1.0.0": SUPERSEDED, "1.1.0": DROPPED})

    assert planned(files, replace(KEEP_ONE, keep_latest_per_major=2)) == {}


@dataclass
class ListedIndex:
    """One distribution in memory."""

    held: dict[str, IndexFile] = field(default_factory=dict)

    def put(self, file: IndexFile) -> None:
        self.held[file.filename] = file

    def files(self, distribution: str) -> Sequence[IndexFile]:
        return tuple(self.held.values())

    def yank(self, file: IndexFile, reason: str | None) -> bool:
        self.put(replace(self.held[file.filename], yanked=reason))
        return True


NUMBERS = [f"{major}.{minor}.0" for major in (1, 2) for minor in range(4)]
DAYS = st.sampled_from([0.0, 1.0])


class VersionHistory(RuleBasedStateMachine):
    """Versions come, people yank, relations are dropped, settings change, passes end half-way."""

    def __init__(self) -> None:
        super().__init__()
        self.index = ListedIndex()
        self.published_at: dict[str, float] = {}
        self.dropped = False
        self.now = 0.0
        self.retention = KEEP_ONE

    @initialize(keep=st.integers(1, 3), days=DAYS)
    def configure(self, keep: int, days: float) -> None:
        self.retention = Retention(keep, days * DAY)

    @rule(keep=st.integers(1, 3), days=DAYS)
    def reconfigure(self, keep: int, days: float) -> None:
        self.retention = Retention(keep, days * DAY)

    @rule(numbers=st.lists(st.sampled_from(NUMBERS), max_size=5))
    def publish(self, numbers: Sequence[str]) -> None:
        for number in numbers:
            if number not in self.published_at and not self.dropped:
                self.index.put(IndexFile(f"{number}.whl", number, "", number))
                self.published_at[number] = self.now

    @rule(days=st.sampled_from([0.4, 1.0]))
    def wait(self, days: float) -> None:
        self.now += days * DAY

    @precondition(lambda self: self.published_at)
    @rule(data=st.data(), reason=st.sampled_from(["wrong", "", None]))
    def a_person_yanks(self, data: st.DataObject, reason: str | None) -> None:
        number = data.draw(st.sampled_from(sorted(self.published_at)))
        if not self.dropped:
            self.index.yank(self.index.held[f"{number}.whl"], reason)

    @rule()
    def drop(self) -> None:
        for file in self.index.files(PROJECT):
            if file.yanked is None:
                self.index.yank(file, DROPPED)
        self.dropped = any(f.yanked == DROPPED for f in self.index.files(PROJECT))

    @rule()
    def come_back(self) -> None:
        for file in self.index.files(PROJECT):
            if file.yanked == DROPPED:
                self.index.yank(file, None)
        self.dropped = False

    @rule(steps=st.integers(0, 3))
    def a_pass_is_cut_short(self, steps: int) -> None:
        for change in self.changes()[:steps]:
            before = self.majors_offered()
            self.index.yank(change.file, change.reason)
            assert before <= self.majors_offered()

    @rule()
    def a_pass_ends(self) -> None:
        for change in self.changes():
            self.index.yank(change.file, change.reason)
        assert self.changes() == ()
        if self.dropped:
            assert not self.majors_offered()
        else:
            self.newest_of_each_major_is_offered()

    def newest_of_each_major_is_offered(self) -> None:
        usable = [f for f in self.index.files(PROJECT) if f.yanked in {None, SUPERSEDED}]
        for major in {Version(f.version).major for f in usable}:
            of_major = [f for f in usable if Version(f.version).major == major]
            newest = max(of_major, key=lambda f: Version(f.version))
            assert newest.yanked is None
            offered = [f for f in of_major if f.yanked is None]
            assert len(offered) >= min(len(of_major), self.retention.keep_latest_per_major)

    def changes(self) -> tuple[FileChange, ...]:
        files = self.index.files(PROJECT)
        return plan_retention(PROJECT, files, self.published_at, self.retention, self.now)

    def majors_offered(self) -> set[int]:
        files = self.index.files(PROJECT)
        return {Version(file.version).major for file in files if file.yanked is None}

    @invariant()
    def every_pin_finds_its_file(self) -> None:
        held = {file.version: file.sha256 for file in self.index.files(PROJECT)}
        assert held == {number: number for number in self.published_at}


TestVersionHistory = VersionHistory.TestCase


@pytest.fixture
def state(tmp_path: Path) -> Iterator[SqliteState]:
    opened = SqliteState(tmp_path / "state.db")
    yield opened
    opened.close()


def record(
    state: State,
    *versions: str,
    status: VersionStatus = VersionStatus.PUBLISHED,
    project: str = PROJECT,
) -> None:
    adopted = [
        VersionRecord(
            project, v, RelationName.of("shop", "orders"), status, None, None, None, f"{v}.whl"
        )
        for v in versions
    ]
    state.write(lambda tx: tx.versions.adopt(adopted))


def one_pass(state: State, index: PackageIndex, retention: Retention = KEEP_ONE) -> Counters:
    runtime = Runtime(state, SystemClock(), Policy())
    RetentionPass(runtime, index, retention).run()
    return runtime.counters


def test_a_pass_yanks_and_the_next_has_nothing_to_do(state: SqliteState, tmp_path: Path) -> None:
    index = StaticIndex(tmp_path / "index")
    for version in ("1.0.0", "1.1.0", "2.0.0"):
        index.upload(sample_wheel(PROJECT, version))
    record(state, "1.0.0", "1.1.0", "2.0.0")

    counted = [dict(one_pass(state, index).values()) for _ in range(2)]

    assert counted == [{"versions_retired": 1}, {}]
    assert [f.yanked for f in index.files(PROJECT)] == [SUPERSEDED, None, None]
    assert [index.fetch(f) for f in index.files(PROJECT)] == [
        sample_wheel(PROJECT, v).data for v in ("1.0.0", "1.1.0", "2.0.0")
    ]


def test_a_relation_that_comes_back_is_offered_without_its_old_versions(
    state: SqliteState, tmp_path: Path
) -> None:
    index = StaticIndex(tmp_path / "index")
    for version in ("1.0.0", "1.1.0"):
        index.upload(sample_wheel(PROJECT, version))
    record(state, "1.0.0", "1.1.0")
    one_pass(state, index)

    drop(state, index, is_dropped=True)
    one_pass(state, index)
    while_dropped = [f.yanked for f in index.files(PROJECT)]
    drop(state, index, is_dropped=False)

    assert while_dropped == [SUPERSEDED, DROPPED]
    assert [f.yanked for f in index.files(PROJECT)] == [SUPERSEDED, None]


def drop(state: State, index: StaticIndex, *, is_dropped: bool) -> None:
    """Does to the files what follows from whether their relation exists."""
    history = state.read(lambda tx: tx.versions.history([PROJECT]))[PROJECT]
    listing = read_listing(PROJECT, index.files(PROJECT))
    found = compare_with_index(listing, history, is_dropped=is_dropped)
    for file in found.to_yank:
        index.yank(file, DROPPED)
    for file in found.to_offer:
        index.yank(file, None)


class NeverYanks(StaticIndex):
    """As pypiserver and devpi."""

    def yank(self, file: IndexFile, reason: str | None) -> bool:
        return False


def test_an_index_that_cannot_yank_is_noted_and_asked_once(
    state: SqliteState, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    index = NeverYanks(tmp_path / "index")
    for version in ("1.0.0", "1.1.0", "1.2.0"):
        index.upload(sample_wheel(PROJECT, version))
    record(state, "1.0.0", "1.1.0", "1.2.0")

    counters = one_pass(state, index)

    assert counters.values() == {"yanks_declined": 1}
    assert "index cannot yank" in caplog.text
    assert "the index cannot yank" in state.read(lambda tx: tx.journal.note(NOTE))


def test_the_note_of_an_index_that_could_not_yank_ends_with_a_whole_pass(
    state: SqliteState, tmp_path: Path
) -> None:
    for version in ("1.0.0", "1.1.0"):
        StaticIndex(tmp_path / "index").upload(sample_wheel(PROJECT, version))
    record(state, "1.0.0", "1.1.0")
    one_pass(state, NeverYanks(tmp_path / "index"))

    one_pass(state, StaticIndex(tmp_path / "index"))

    assert state.read(lambda tx: tx.journal.note(NOTE)) == ""


OTHERS = ("acme-schema-a", "acme-schema-b", "acme-schema-z")


class PartlyReadable(StaticIndex):
    """No answer for the projects in ``silent``."""

    silent: frozenset[str] = frozenset()
    asked: int = 0

    def files(self, distribution: str) -> Sequence[IndexFile]:
        self.asked += 1
        if distribution in self.silent:
            raise IndexUnavailable(self._name, f"reading the page of {distribution}")
        return super().files(distribution)


def fill(state: State, index: StaticIndex, *projects: str) -> None:
    for project in projects:
        for version in ("1.0.0", "1.1.0"):
            index.upload(sample_wheel(project, version))
        record(state, "1.0.0", "1.1.0", project=project)


def test_a_page_that_cannot_be_read_keeps_no_other_project_from_its_pass(
    state: SqliteState, tmp_path: Path
) -> None:
    index = PartlyReadable(tmp_path / "index")
    fill(state, index, *OTHERS)
    index.silent = frozenset({"acme-schema-a"})

    with pytest.raises(IndexUnavailable, match="the page of acme-schema-a"):
        one_pass(state, index)

    assert [f.yanked for f in index.files("acme-schema-z")] == [SUPERSEDED, None]


def test_an_index_that_is_away_ends_the_pass_at_its_second_project(
    state: SqliteState, tmp_path: Path
) -> None:
    index = PartlyReadable(tmp_path / "index")
    fill(state, index, *OTHERS)
    index.silent = frozenset(OTHERS)

    with pytest.raises(IndexUnavailable):
        one_pass(state, index)

    assert index.asked == 2


def alternate_for_ever(folder: str) -> None:
    state, index = SqliteState(Path(folder) / "state.db"), StaticIndex(Path(folder) / "index")
    for number in range(1_000_000):
        one_pass(state, index, replace(KEEP_ONE, keep_latest_per_major=1 + number % 4))


@pytest.mark.slow
def test_a_pass_killed_at_any_moment_is_completed_by_the_next(tmp_path: Path) -> None:
    index = StaticIndex(tmp_path / "index")
    versions = ["1.0.0", "1.1.0", "1.2.0", "1.3.0", "2.0.0"]
    for version in versions:
        index.upload(sample_wheel(PROJECT, version))
    state = SqliteState(tmp_path / "state.db")
    record(state, *versions)
    state.close()
    context = multiprocessing.get_context("fork")
    for attempt in range(8):
        child = context.Process(target=alternate_for_ever, args=(str(tmp_path),))
        child.start()
        time.sleep(0.15 + 0.017 * attempt)
        os.kill(child.pid or 0, signal.SIGKILL)
        child.join()

        offered = {f.version for f in index.files(PROJECT) if f.yanked is None}
        assert {"1.3.0", "2.0.0"} <= offered
        state = SqliteState(tmp_path / "state.db")
        one_pass(state, index)
        state.close()
        assert [f.version for f in index.files(PROJECT) if f.yanked is None] == ["1.3.0", "2.0.0"]
        assert [f.version for f in index.files(PROJECT)] == versions
        # The next upload repairs the HTML page of an interrupted yank, like every other page.
        index.upload(sample_wheel(PROJECT, "1.0.0"))
        folder = tmp_path / "index" / "simple" / PROJECT
        from_html = parse_html_page((folder / "index.html").read_text(), PROJECT)
        from_json = parse_json_page((folder / "index.json").read_bytes(), PROJECT)
        assert [f.yanked for f in from_html.files] == [f.yanked for f in from_json.files]
