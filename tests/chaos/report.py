"""The report of a run: JSON for programs, text for people."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.chaos.evidence import Evidence
from tests.chaos.journal import read_journal
from tests.chaos.judge import Finding, judge
from tests.chaos.latency import Quantiles, publications, quantiles_by_phase
from tests.chaos.run import Outcome, RunOptions
from tests.chaos.stack import INNOCENT

_SHOWN = 20
_MAX_SLOWDOWN = 2.0
_MIN_SAMPLES = 20


@dataclass(frozen=True, slots=True)
class DeploymentReport:
    """``slowdown`` of innocent relations under hostile input; None if there are too few."""

    versions: int
    settled_after_seconds: float | None
    findings: Sequence[Finding]
    innocents: Mapping[str, Quantiles | None]
    all_relations: Mapping[str, Quantiles | None]
    slowdown: float | None

    @property
    def passed(self) -> bool:
        return not self.findings and (self.slowdown is None or self.slowdown <= _MAX_SLOWDOWN)


@dataclass(frozen=True, slots=True)
class Report:
    options: RunOptions
    phases: Mapping[str, tuple[float, float]]
    failures: Sequence[str]
    statements: Mapping[str, int]
    faults: Mapping[str, int]
    uploads: Mapping[str, int]
    cross_checks: Mapping[str, str]
    load_average: tuple[float, float, float]
    troubles: Sequence[tuple[str, int]]
    deployments: Mapping[str, DeploymentReport]

    @property
    def passed(self) -> bool:
        return not self.failures and all(each.passed for each in self.deployments.values())


def report_of(options: RunOptions, outcome: Outcome) -> Report:
    folder = options.journals
    timeline = read_journal(folder / "timeline.jsonl")
    return Report(
        options=options,
        phases=outcome.phases,
        failures=outcome.failures,
        statements=_statements(read_journal(folder / "ddl.jsonl")),
        faults=_count(line["fault"] for line in timeline if line["event"] == "start"),
        uploads=_count(line["event"] for line in read_journal(folder / "uploads.jsonl")),
        cross_checks=outcome.cross_checks,
        load_average=os.getloadavg(),
        troubles=_troubles(folder),
        deployments={
            evidence.deployment: _deployment(evidence, outcome.phases)
            for evidence in outcome.evidence
        },
    )


def _deployment(evidence: Evidence, phases: Mapping[str, tuple[float, float]]) -> DeploymentReport:
    found = list(publications(evidence))
    innocents = quantiles_by_phase([p for p in found if p.name.database == INNOCENT], phases)
    return DeploymentReport(
        versions=len(evidence.files),
        settled_after_seconds=evidence.settled_after_seconds,
        findings=judge(evidence),
        innocents=innocents,
        all_relations=quantiles_by_phase(found, phases),
        slowdown=_slowdown(innocents.get("quiet"), innocents.get("hostile input")),
    )


def _slowdown(quiet: Quantiles | None, hostile: Quantiles | None) -> float | None:
    """The slowdown of the median or of the 95th percentile, whichever is larger."""
    if quiet is None or hostile is None or min(quiet.count, hostile.count) < _MIN_SAMPLES:
        return None
    return round(max(hostile.median / quiet.median, hostile.p95 / quiet.p95), 2)


def _statements(log: Sequence[Mapping[str, Any]]) -> Mapping[str, int]:
    """Counts of statements by outcome and by verb."""
    outcomes = _count(line["event"] for line in log if line["event"] != "issued")
    return {**outcomes, **_count(line["verb"] for line in log if line["event"] == "issued")}


def _count(found: Iterable[str]) -> dict[str, int]:
    # Not a Counter, which ``asdict`` cannot copy.
    return dict(Counter(found))


def _troubles(folder: Path) -> Sequence[tuple[str, int]]:
    """The daemons' own warnings and errors, the most frequent first."""
    found: Counter[str] = Counter()
    for log in folder.glob("*daemon-*.log"):
        for line in log.read_text(errors="replace").splitlines():
            if (trouble := _trouble(line)) is not None:
                found[trouble] += 1
    return found.most_common(_SHOWN)


def _trouble(line: str) -> str | None:
    try:
        entry = json.loads(line)
    except ValueError:
        return f"not a log line: {line[:150]}"
    if not isinstance(entry, dict) or entry.get("level") not in {"warning", "error"}:
        return None
    why = str(entry.get("trace") or entry.get("why") or entry.get("reason") or "")
    last = next(reversed(why.strip().splitlines()), "")
    # Numbers and names differ between messages about the same trouble.
    return re.sub(r"\d+", "N", f"{entry['level']}: {entry.get('event')}: {last}"[:300])


def to_json(report: Report) -> str:
    whole = {**asdict(report), "passed": report.passed}
    return json.dumps(whole, indent=1, default=str) + "\n"


def to_text(report: Report) -> str:
    options = report.options
    lines = [
        f"{'passed' if report.passed else 'FAILED'}: seed {options.seed}, {options.seconds:g} s",
        f"load average at the end: {report.load_average[0]:.1f}",
        f"statements: {_counted(report.statements)}",
        f"uploads: {_counted(report.uploads)}",
        f"faults: {sum(report.faults.values())}",
        *(f"  {count:4} {name}" for name, count in sorted(report.faults.items())),
        *(f"the run itself failed: {failure}" for failure in report.failures),
    ]
    for name, deployment in report.deployments.items():
        lines += _deployment_lines(name, deployment)
    lines += [f"{name}: {said}" for name, said in report.cross_checks.items()]
    lines += ["what the daemons said most often:"]
    lines += [f"  {count:4} {trouble}" for trouble, count in report.troubles]
    return "\n".join(lines) + "\n"


def _deployment_lines(name: str, report: DeploymentReport) -> list[str]:
    settled = report.settled_after_seconds
    counts = Counter(finding.verdict.value for finding in report.findings)
    return [
        (
            f"{name}: {report.versions} versions, settled after {settled} s, "
            f"findings: {_counted(counts) or 'none'}"
        ),
        *(f"  {phase}: innocents {_shown(q)}" for phase, q in report.innocents.items()),
        *(f"  {phase}: all {_shown(q)}" for phase, q in report.all_relations.items()),
        (
            f"  innocents under hostile input against quiet: {report.slowdown} "
            f"(at most {_MAX_SLOWDOWN:g})"
        ),
        *(f"  {f.verdict.value}: {f.subject}: {f.detail}" for f in report.findings[:_SHOWN]),
    ]


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))


def _shown(found: Quantiles | None) -> str:
    if found is None:
        return "none"
    return f"{found.count}, median {found.median} s, p95 {found.p95} s, slowest {found.slowest} s"
