"""What every command shows, once for people and once for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from lakeschema.catalog.identifiers import RelationName
from publisher.commands.checked_pins import CheckedPin
from publisher.commands.coverage import Coverage
from publisher.commands.registering.registration import Registered
from publisher.commands.reports import RelationReport, ResyncReport, Retirement, UsageReport
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
    """One method a report. Names and reasons in them are untrusted: a metastore said them."""

    def snapshot(self, outcome: SnapshotOutcome | DryRun) -> None: ...

    def status(self, status: EngineStatus) -> None: ...

    def coverage(self, coverage: Coverage) -> None: ...

    def relation(self, report: RelationReport) -> None: ...

    def lineage(self, traced: Traced) -> None: ...

    def usage(self, report: UsageReport) -> None: ...

    def verification(self, verification: Verification) -> None: ...

    def pins(self, checked: Sequence[CheckedPin]) -> None: ...

    def retirement(self, retirement: Retirement) -> None:
        """One at a time: what was done before a failure is told."""

    def nothing_to_retire(self) -> None: ...

    def dead_letters(self, letters: Sequence[StoredDeadLetter]) -> None: ...

    def resync(self, report: ResyncReport) -> None: ...

    def confirmed_deletions(self, confirmed: Sequence[HeldDeletions]) -> None: ...

    def confirmed_changes(self, reason: str) -> None:
        """``reason``: why they were held."""

    def index(self, report: IndexReport) -> None: ...

    def settings(self, found: Sequence[EffectiveSetting], meanings: Mapping[str, str]) -> None:
        """``meanings``: by key; empty unless they were asked for."""

    def probe(self, probe: Probe) -> None:
        """One at a time, since a server that is away takes long to say so."""

    def part(self, title: str) -> None:
        """Of a page of several reports: the next one begins."""

    def to_do(self, lines: Sequence[str]) -> None:
        """What waits for a person; empty if nothing does."""

    def registered(self, views: Sequence[Registered]) -> None: ...

    def republished(self, names: Sequence[RelationName]) -> None: ...
