from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.chaos.evidence import Evidence
from tests.chaos.histories import ID, OF_ID, evidence, executed, table, wheel
from tests.chaos.journal import Journal
from tests.chaos.lake import statement_to_json
from tests.chaos.report import Report, report_of, to_json, to_text
from tests.chaos.run import Outcome, RunOptions

RIGHT = evidence(executed(table(ID)), [wheel("1.0.0", OF_ID)])
WRONG = evidence(executed(table(ID)), [])


def report(folder: Path, found: Evidence, failures: tuple[str, ...] = ()) -> Report:
    """The report of a run with one statement, one fault and one upload."""
    timeline, ddl, uploads = (
        Journal(folder / f"{name}.jsonl", lambda: 11.0) for name in ("timeline", "ddl", "uploads")
    )
    timeline.write("start", fault="kill kafka", detail="")
    ddl.write("issued", number=1, **statement_to_json(table(ID)))
    ddl.write("acknowledged", number=1)
    uploads.write("arrived", filename="a-1-py3-none-any.whl", sha256="0")
    (folder / "daemon-1.log").write_text(
        "not JSON\n"
        '{"level": "error", "event": "unexpected error", "trace": "Traceback\\nKeyError: 17"}\n'
        '{"level": "info", "event": "published"}\n'
    )
    outcome = Outcome({"quiet": (0.0, 100.0)}, [found], failures, {"verify folder": "exit 0"})
    return report_of(RunOptions(900.0, 7, 300.0, folder), outcome)


def test_a_run_without_findings_has_passed(tmp_path: Path) -> None:
    found = report(tmp_path, RIGHT)

    assert found.passed
    assert found.statements == {"acknowledged": 1, "create": 1}
    assert found.faults == {"kill kafka": 1}
    assert found.deployments["folder"].innocents["quiet"] is not None


@pytest.mark.parametrize(
    ("found", "failures"), [(WRONG, ()), (RIGHT, ("daemon-1 ended by itself",))]
)
def test_a_finding_or_a_failure_of_the_run_is_no_pass(
    tmp_path: Path, found: Evidence, failures: tuple[str, ...]
) -> None:
    assert not report(tmp_path, found, failures).passed


def test_the_report_for_programs_has_every_part(tmp_path: Path) -> None:
    found = json.loads(to_json(report(tmp_path, WRONG)))

    assert not found["passed"]
    assert found["deployments"]["folder"]["findings"][0]["subject"] == "lake.t1"


def test_the_report_for_people_names_seed_faults_findings_and_troubles(tmp_path: Path) -> None:
    text = to_text(report(tmp_path, WRONG))

    assert text.startswith("FAILED: seed 7, 900 s\n")
    for told in ("   1 kill kafka", "lost: lake.t1: has no package", "KeyError: N", "exit 0"):
        assert told in text
