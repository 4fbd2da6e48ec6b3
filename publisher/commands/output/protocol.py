"""The output of every command, for people and for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from lakeschema.catalog.identifiers import RelationName
from publisher.commands.checked_pins import CheckedPin
from publisher.commands.coverage import Coverage
from publisher.commands.registering.registration import Registered
from publisher.commands.reports import (
    RelationReport,
    ResyncReport,
    Retirement,
    SessionAnswer,
    UsageReport,
)
from publisher.commands.snapshot import DryRun, SnapshotOutcome
from publisher.commands.verify import Verification
from publisher.daemon.inspection import EngineStatus
from publisher.daemon.probes import Probe
from publisher.lineage.values import Traced
from publisher.publishing.index_comparison import IndexReport
from publisher.settings.effective import EffectiveSetting
from publisher.settling.deletions import HeldDeletions
from publisher.state.records import StoredDeadLetter


class Output(Protocol):
    """One method for each report. Names and reasons are untrusted: they come from a metastore."""

    def snapshot(self, outcome: SnapshotOutcome | DryRun) -> None: ...

    def status(self, status: EngineStatus) -> None: ...

    def coverage(self, coverage: Coverage) -> None: ...

    def relation(self, report: RelationReport) -> None: ...

    def lineage(self, traced: Traced) -> None: ...

    def usage(self, report: UsageReport) -> None: ...

    def verification(self, verification: Verification) -> None: ...

    def pins(self, checked: Sequence[CheckedPin]) -> None: ...

    def retirement(self, retirement: Retirement) -> None:
        """Shows one retirement at once, so that it is visible even if a later retirement fails."""

    def nothing_to_retire(self) -> None: ...

    def dead_letters(self, letters: Sequence[StoredDeadLetter]) -> None: ...

    def resync(self, report: ResyncReport) -> None: ...

    def confirmed_deletions(self, confirmed: Sequence[HeldDeletions]) -> None: ...

    def confirmed_changes(self, reason: str) -> None:
        """Shows which changes were confirmed; ``reason`` says why they were held."""

    def index(self, report: IndexReport) -> None: ...

    def settings(self, found: Sequence[EffectiveSetting], meanings: Mapping[str, str]) -> None:
        """Shows settings; ``meanings`` has explanations by key, if they were requested."""

    def probe(self, probe: Probe) -> None:
        """Shows one probe at once, because a server that does not answer takes long."""

    def part(self, title: str) -> None:
        """Begins the next report on a page of several reports."""

    def to_do(self, lines: Sequence[str]) -> None:
        """Shows the tasks for a person; there may be no tasks."""

    def registered(self, views: Sequence[Registered]) -> None: ...

    def republished(self, names: Sequence[RelationName]) -> None: ...

    def session_answer(self, report: SessionAnswer) -> None: ...
