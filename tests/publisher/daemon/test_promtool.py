"""Prometheus's own tool checks the metrics of a running service, and their alerts."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.publisher.daemon.outages.running import running
from tests.publisher.daemon.outages.worlds import folder_world

ROOT = Path(__file__).parents[3]
ALERTS = ROOT / "deploy" / "alerts.yml"
OPERATIONS = ROOT / "docs" / "operations.md"


def promtool(*arguments: str, text: str = "") -> str:
    """What it prints, which is nothing where all is well."""
    program = shutil.which("promtool")
    if program is None:
        pytest.skip("promtool is not installed: on Debian it is in the package prometheus")
    ended = subprocess.run(
        [program, *arguments], input=text, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout + ended.stderr


def _nothing(_: Path) -> Callable[[], None]:
    return lambda: None


@pytest.mark.thorough
def test_promtool_finds_nothing_wrong_with_the_metrics_of_a_running_service(
    tmp_path: Path,
) -> None:
    with folder_world(tmp_path, _nothing) as world, running(world) as daemon:
        status, text = daemon.get("/metrics")

    assert status == 200
    assert promtool("check", "metrics", text=text) == ""


def test_promtool_reads_the_alerts() -> None:
    rules = ALERTS.read_text(encoding="utf-8").count("- alert:")

    assert f"{rules} rules found" in promtool("check", "rules", str(ALERTS))


def test_the_alerts_are_about_metrics_that_there_are() -> None:
    named = re.findall(r"schema_publisher_\w+", ALERTS.read_text(encoding="utf-8"))
    rows = re.findall(r"(?m)^\| `(schema_publisher_\w+)`", OPERATIONS.read_text(encoding="utf-8"))

    assert named
    assert set(named) <= set(rows)
