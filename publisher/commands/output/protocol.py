"""The output of every command, for people and for programs."""

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
        """Called for each retirement, so that work before a failure is shown."""

    def nothing_to_retire(self) -> None: ...

    def dead_letters(self, letters: Sequence[StoredDeadLetter]) -> None: ...

    def resync(self, report: ResyncReport) -> None: ...

    def confirmed_deletions(self, confirmed: Sequence[HeldDeletions]) -> None: ...

    def confirmed_changes(self, reason: str) -> None:
        """``reason``: why the changes were held."""

    def index(self, report: IndexReport) -> None: ...

    def settings(self, found: Sequence[EffectiveSetting], meanings: Mapping[str, str]) -> None:
        """``meanings``: by key; empty unless they were requested."""

    def probe(self, probe: Probe) -> None:
        """Called for each probe, since a server that is away takes long."""

    def part(self, title: str) -> None:
        """Begins the next report on a page of several."""

    def to_do(self, lines: Sequence[str]) -> None:
        """The tasks for a person; possibly empty."""

    def registered(self, views: Sequence[Registered]) -> None: ...

    def republished(self, names: Sequence[RelationName]) -> None: ...
