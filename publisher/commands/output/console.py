"""Reports for people: tables and plain words, coloured on a terminal unless NO_COLOR is set.

rich's markup is off, and every cell is made printable, because names and reasons are untrusted.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TextIO

from rich.text import Text

from lakeschema.analysis.limits import REASON
from lakeschema.catalog.errors import MalformedDdl
from lakeschema.catalog.identifiers import RelationName
from publisher.commands.checked_pins import CheckedPin
from publisher.commands.coverage import Coverage
from publisher.commands.output.lineage_tree import print_lineage
from publisher.commands.output.session_answers import print_answer
from publisher.commands.output.tables import (
    MAX_ROWS,
    cell,
    plain_console,
    print_described,
    print_facts,
    print_table,
    say,
)
from publisher.commands.output.times import shown_time
from publisher.commands.registering.registration import Change, Registered
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
from publisher.daemon.noted import ComparedIndex, Noted, ServiceReport
from publisher.daemon.probes import Probe
from publisher.lineage.summaries import LineageSummary
from publisher.lineage.values import Traced
from publisher.publishing.index_comparison import IndexReport, release_of
from publisher.settings.effective import EffectiveSetting
from publisher.settling.comparison import SnapshotReport
from publisher.settling.conditions import shown_status
from publisher.settling.deletions import RELEASED, HeldDeletions
from publisher.state.records import StoredDeadLetter, VersionRecord, WorkRecord

_MAX_PAYLOAD = 60
_MAX_NAMED = 10


class ConsoleOutput:
    def __init__(self, stream: TextIO | None = None, *, is_terminal: bool | None = None) -> None:
        """Writes to standard output by default.

        ``is_terminal`` overrides whether the stream is a terminal.
        """
        self._console = plain_console(stream, is_terminal=is_terminal)

    def snapshot(self, outcome: SnapshotOutcome | DryRun) -> None:
        match outcome:
            case DryRun():
                self._dry_run(outcome)
            case SnapshotOutcome():
                self._compared(outcome.listed, outcome.differing, outcome.missing)
                published = outcome.counters.get("published", 0)
                if "publish" in outcome.seconds:
                    seconds = outcome.seconds["publish"]
                    self._say(f"{_count(published, 'version')} published in {seconds:.1f} s")
                else:
                    self._say("a running daemon, or the next snapshot, publishes the differences")
                self._say_held_changes(outcome.held_changes)
                self._table("not done", _WORK_HEADINGS, map(_work_row, outcome.undone))
                self._unapplied(outcome.unapplied)
                self._held([HeldDeletions(n, why) for n, why in sorted(outcome.held.items())])

    def status(self, status: EngineStatus) -> None:
        noted = Noted.read(status.notes)
        relations = ", ".join(f"{count} {name}" for name, count in status.relations.items())
        self._facts(
            {
                "service": "\n".join(_services(noted.services, status.is_worked_on)),
                "relations": relations or "none yet",
                "published versions": str(status.versions),
                "work": _count(len(status.work), "relation") + " due",
                "dead letters": _dead_letters(status.dead_letters),
                **_noted(noted),
            }
        )
        self._table(
            "why the service is not ready",
            ("part", "reason"),
            (trouble for each in noted.services for trouble in sorted(each.troubles.items())),
        )
        self._held(noted.held_deletions)
        self._table(
            "relations in trouble",
            ("relation", "status", "reason"),
            ((str(r.name), shown_status(r), r.reason) for r in status.troubled),
        )
        self._table("work", _WORK_HEADINGS, map(_work_row, status.work))
        self._table(
            "version numbers that the index holds with other content",
            ("package", "number", "status"),
            ((v.distribution, v.number, v.status.value) for v in status.conflicts),
        )

    def relation(self, report: RelationReport) -> None:
        found = report.explanation
        record = found.record
        facts = {
            "relation": str(report.name),
            "status": shown_status(record) if record else "UNKNOWN",
            "meaning": report.condition.meaning,
            "reason": record.reason if record else "",
            "to do": report.condition.remedy,
            "dropped": "its versions are yanked" if record and record.yanked else "",
            "withheld": report.withheld_because,
            "package": found.versions[-1].distribution if found.versions else "",
            "catalog now": report.not_read,
        }
        self._facts({name: value for name, value in facts.items() if value})
        self._table("columns left out", ("column",), ((each,) for each in report.omitted))
        self._table(
            "columns that Hive and Spark see differently: the package follows Spark",
            ("column", "in Hive", "in Spark", "in the package"),
            (
                (each.name, each.hive or "-", each.spark or "-", each.package or "-")
                for each in report.seen
            ),
        )
        neighbours = ("relation", "status")
        if report.lineage is not None:
            self._lineage(report.lineage)
        self._table("upstreams", neighbours, ((str(n), s) for n, s in report.upstreams))
        self._table("dependents", neighbours, ((str(n), s) for n, s in report.dependents))
        self._table(
            "versions",
            ("number", "status", "change", "when", "reasons"),
            map(_version_row, reversed(found.versions)),
        )
        self._table("work", _WORK_HEADINGS, map(_work_row, [found.work] if found.work else []))

    def _lineage(self, lineage: LineageSummary) -> None:
        self._table(
            "columns",
            ("column", "made of", "expression", "decided by"),
            (
                (each.column, "\n".join(each.direct), each.expression, "\n".join(each.indirect))
                for each in lineage.columns
            ),
        )
        self._table("rows", ("decided by",), ((source,) for source in lineage.rows))
        self._table(
            "filled by statements",
            ("last", "by", "from", "statement"),
            (
                (shown_time(said.last_at), said.user, "\n".join(map(str, each.sources)), said.text)
                for each in lineage.statements
                for said in [each.statement]
            ),
        )
        self._table("fills", ("table",), ((str(name),) for name in lineage.fills))

    def lineage(self, traced: Traced) -> None:
        print_lineage(self._console, traced)

    def usage(self, report: UsageReport) -> None:
        for name, rows in report.tables.items():
            headings = list(rows[0]) if rows else []
            self._table(
                name.replace("_", " "),
                [heading.replace("_", " ") for heading in headings],
                (list(map(_shown, row.values())) for row in rows),
            )
        failed = sum(report.failures.values())
        self._say(f"{_count(report.statements, 'statement')}, {failed} could not be read")
        for place in report.given_up:
            self._say(f"{place}: {REASON}")

    def verification(self, verification: Verification) -> None:
        self._unapplied(verification.unapplied)
        self._table(
            "packages that are not as the catalog says",
            ("relation", "package", "reason"),
            ((str(d.relation), d.distribution, d.reason) for d in verification.drifts),
        )
        gaps = verification.gaps
        self._table(
            "packages that have never been published",
            ("relation", "package", "reason"),
            ((str(d.relation), d.distribution, d.reason) for d in gaps),
        )
        checked = f"{_count(verification.checked, 'package')} checked"
        if verification.drifts:
            drifted = {d.relation for d in verification.drifts if d.is_derivable}
            failed = {d.relation for d in verification.drifts if not d.is_derivable} - drifted
            counts = [f"{len(drifted)} drifted"] if drifted else []
            counts += [f"{len(failed)} cannot be derived"] if failed else []
            self._say(", ".join([checked, *counts]))
        else:
            others = "all others are" if gaps else "all packages are"
            self._say(f"{checked}: {others} as the catalog says")
        if gaps:
            have = "package has" if len(gaps) == 1 else "packages have"
            named = ", ".join(gap.distribution for gap in gaps[:_MAX_NAMED])
            more = f" and {len(gaps) - _MAX_NAMED} more" if len(gaps) > _MAX_NAMED else ""
            self._say(f"{len(gaps)} {have} never been published: {named}{more}")

    def pins(self, checked: Sequence[CheckedPin]) -> None:
        self._table(
            "pinned packages",
            ("package", "pinned", "newest", "status", "reason"),
            (
                (p.distribution, p.pinned, p.newest or "", p.status, p.why)
                for p in checked
                if p.status != "current"
            ),
        )
        self._table(
            "what newer versions change",
            ("package", "version", "change", "changes"),
            (
                (pin.distribution, release.version, release.change, "\n".join(release.lines))
                for pin in checked
                for release in pin.releases
            ),
        )
        if not checked:
            self._say("the file names no package with the prefix")
            return
        current = sum(pin.status == "current" for pin in checked)
        self._say(f"{_count(len(checked), 'pin')} checked, {current} current")

    def retirement(self, retirement: Retirement) -> None:
        change = retirement.change
        action = "offer again" if change.reason is None else "yank"
        done = "done" if retirement.is_done else "not done"
        self._say(f"{action} {change.file.filename}: {done}")

    def coverage(self, coverage: Coverage) -> None:
        share = f" ({coverage.covered / coverage.known:.1%})" if coverage.known else ""
        self._say(f"{coverage.covered} of {_count(coverage.known, 'relation')} covered{share}")
        self._table(
            "not covered",
            ("relations", "status", "reason", "such as"),
            (
                (
                    str(reason.relations),
                    reason.status.value,
                    reason.text,
                    ", ".join(str(name) for name in reason.examples),
                )
                for reason in coverage.reasons
            ),
        )

    def nothing_to_retire(self) -> None:
        self._say("nothing to retire")

    def dead_letters(self, letters: Sequence[StoredDeadLetter]) -> None:
        if not letters:
            self._say("no dead letters")
        self._table(
            "dead letters",
            ("id", "received", "source", "namespace", "reason", "payload begins with"),
            (
                (
                    str(letter.id),
                    shown_time(letter.received_at),
                    letter.source,
                    str(letter.namespace or ""),
                    letter.reason,
                    letter.payload[:_MAX_PAYLOAD].decode("utf-8", "backslashreplace"),
                )
                for letter in letters
            ),
        )

    def resync(self, report: ResyncReport) -> None:
        match report.found:
            case SnapshotReport() as found:
                self._compared(found.listed, found.differing, found.missing)
                self._say_held_changes(found.held_changes)
                self._held([HeldDeletions(n, why) for n, why in sorted(found.held.items())])
            case RelationName() as name:
                self._say(f"{name} will be read again")
        self._say("a running daemon, or the next snapshot, publishes the differences")

    def confirmed_deletions(self, confirmed: Sequence[HeldDeletions]) -> None:
        for held in confirmed:
            reason = f": {held.reason}" if held.reason else ""
            self._say(f"deletions of {_namespace(held)} confirmed{reason}")
        self._say("the next snapshot carries them out; to run one now: schema-publisher snapshot")

    def confirmed_changes(self, reason: str) -> None:
        self._say(f"changes confirmed: {reason}" if reason != RELEASED else "changes are confirmed")
        self._say("the next snapshot carries them out; to run one now: schema-publisher snapshot")

    def index(self, report: IndexReport) -> None:
        self._table("differ from the index", ("relation",), ((str(n),) for n in report.differing))
        self._table("adopted", ("relation",), ((str(name),) for name in report.adopted))
        self._table(
            "files of other programs under our names", ("file",), ((n,) for n in report.foreign)
        )
        self._table("not compared", ("package", "reason"), report.failed.items())
        for held in report.held:
            self._say(_held_line(held))
        self._say(
            f"{_count(report.checked, 'package')} compared, {len(report.differing)} differ, "
            f"{len(report.adopted)} adopted; a running daemon, or the next snapshot, continues"
        )

    def settings(self, found: Sequence[EffectiveSetting], meanings: Mapping[str, str]) -> None:
        rows = [(s.key, json.dumps(s.value, ensure_ascii=False), s.origin) for s in found]
        if meanings:
            lines = [(f"{key} = {value} ({origin})", meanings[key]) for key, value, origin in rows]
            print_described(self._console, lines)
        else:
            self._table("settings", ("setting", "value", "from"), rows, most=len(rows))

    def probe(self, probe: Probe) -> None:
        mark = Text("ok    ", style="green") if probe.is_usable else Text("fails ", style="red")
        self._console.print(mark + cell(f"{probe.part}: {probe.found}"), soft_wrap=True)

    def part(self, title: str) -> None:
        self._console.rule(Text(title), align="left")

    def to_do(self, lines: Sequence[str]) -> None:
        self._table("what to do", ("",), ((line,) for line in lines))
        if not lines:
            self._say("nothing waits for a person")

    def registered(self, views: Sequence[Registered]) -> None:
        self._table(
            "views",
            ("view", "place", "outcome", "reason", "to do"),
            (
                (str(each.view), each.place, each.change.value, each.reason, each.hint)
                for each in views
                if each.change is not Change.UNCHANGED
            ),
        )
        counts = Counter(each.change.value for each in views)
        shown = ", ".join(f"{number} {change}" for change, number in counts.items())
        self._say(f"{_count(len(views), 'view')}: {shown}" if views else "the catalog has no view")

    def republished(self, names: Sequence[RelationName]) -> None:
        if not names:
            self._say(
                "no package of an earlier generator; "
                "to mark every package: schema-publisher republish --all"
            )
            return
        self._table("marked for a new patch version", ("relation",), ((str(n),) for n in names))
        self._say(
            f"{_count(len(names), 'relation')} marked; "
            "a running daemon, or the next snapshot, publishes them"
        )

    def session_answer(self, report: SessionAnswer) -> None:
        print_answer(self._console, report)

    def _say_held_changes(self, reason: str) -> None:
        if reason:
            self._say(f"changes held: {reason}; to confirm them: schema-publisher confirm-changes")

    def _compared(self, listed: int, differing: int, missing: int) -> None:
        self._say(f"{_count(listed, 'relation')} compared: {differing} differ, {missing} missing")

    def _dry_run(self, found: DryRun) -> None:
        self._compared(found.listed, len(found.differing), len(found.missing))
        self._table("differ", ("relation",), ((str(n),) for n in found.differing))
        self._table("missing", ("relation",), ((str(n),) for n in found.missing))
        errors = ((str(name), reason) for name, reason in found.errors.items())
        self._table("cannot be derived", ("relation", "reason"), errors)

    def _unapplied(self, statements: Sequence[MalformedDdl]) -> None:
        self._table(
            "statements that were not applied",
            ("statement", "reason"),
            ((f"{each.path}:{each.line}", each.message) for each in statements),
        )

    def _held(self, held: Sequence[HeldDeletions]) -> None:
        self._table(
            "held deletions",
            ("namespace", "reason", "to confirm them"),
            (
                (
                    _namespace(h),
                    "confirmed; the next snapshot carries them out" if h.is_confirmed else h.reason,
                    "" if h.is_confirmed else h.confirming_command,
                )
                for h in held
            ),
        )

    def _facts(self, facts: Mapping[str, str]) -> None:
        print_facts(self._console, facts)

    def _table(
        self,
        title: str,
        headings: Sequence[str],
        rows: Iterable[Sequence[str]],
        most: int = MAX_ROWS,
    ) -> None:
        print_table(self._console, title, headings, rows, most)

    def _say(self, sentence: str) -> None:
        say(self._console, sentence)


_WORK_HEADINGS = ("relation", "due", "attempts", "retries", "last error")


def _work_row(work: WorkRecord) -> Sequence[str]:
    counts = (str(work.attempts), str(work.retries))
    return (str(work.relation), shown_time(work.not_before), *counts, work.last_error)


def _version_row(version: VersionRecord) -> Sequence[str]:
    when = shown_time(version.created_at) if version.created_at else ""
    reasons = "\n".join(version.reasons)
    return (version.number, version.status.value, version.change, when, reasons)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _services(services: Sequence[ServiceReport], is_worked_on: bool) -> Iterable[str]:
    if not services:
        yield "not running; a command works on the state" if is_worked_on else "none runs"
    for each in services:
        said_at = shown_time(each.said_at)
        if not is_worked_on:
            yield f"not running: one was killed after {said_at}; to start it: schema-publisher run"
        elif each.is_silent(time.time()):
            yield f"runs, but has not reported since {said_at}"
        else:
            readiness = "not ready" if each.troubles else "ready"
            yield f"runs since {shown_time(each.started_at)}, {readiness}"


def _by_catalog(listed: Mapping[str, int]) -> str:
    each = ", ".join(f"{count} in {name}" for name, count in listed.items())
    return f" ({each})" if each else ""


def _noted(noted: Noted) -> Mapping[str, str]:
    ended = (
        f"{shown_time(s.ended_at)}: {_count(s.listed, 'relation')}{_by_catalog(s.catalogs)}, {s.differing} differed, "
        f"{s.missing} missing"
        for s in noted.last_snapshots
    )
    shown = {
        "last snapshot": "\n".join(ended) or "none yet",
        "next snapshot": f"is due: {noted.snapshot_due}" if noted.snapshot_due else "",
        "retention": noted.retention,
        "held changes": "\n".join(
            f"{why}; to confirm them: schema-publisher confirm-changes"
            if why
            else "confirmed; the next snapshot carries them out"
            for why in noted.held_changes.values()
        ),
        "index": "\n".join(
            line for found in noted.compared_indexes for line in _index_lines(found)
        ),
        "not listed": "\n".join(
            f"{name or 'the default catalog'}: {why}" for name, why in noted.not_listed.items()
        ),
        "removed catalogs": "\n".join(f"{name}: {state}" for name, state in noted.removed.items()),
    }
    return {name: value for name, value in shown.items() if value}


def _index_lines(found: ComparedIndex) -> Iterable[str]:
    """The findings that need a person."""
    yield from map(_held_line, found.held)
    yield from (f"foreign file: {name}" for name in found.foreign)
    yield from (f"{name}: {why}" for name, why in found.failed.items())


def _held_line(held: str) -> str:
    return f"held: {held}; if this is intended: {release_of(held)}"


def _dead_letters(number: int) -> str:
    return f"{number}; to see them: schema-publisher dead-letters" if number else "0"


def _namespace(held: HeldDeletions) -> str:
    return held.namespace or "the whole catalog"


def _shown(value: Any) -> str:
    """The text of a cell in a derived table; a list has a line for each entry."""
    return "\n".join(map(str, value)) if isinstance(value, list) else str(value)
