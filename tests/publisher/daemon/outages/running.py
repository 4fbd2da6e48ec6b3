"""A running daemon as an operator sees it: its log, its health check, its metrics."""

from __future__ import annotations

import io
import json
import logging
import re
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from prometheus_client.parser import text_string_to_metric_families

from publisher.commands.doctor import to_do
from publisher.commands.reading import read_status
from publisher.daemon.service import Service
from publisher.logs import log_to
from publisher.settings import load_settings
from tests.publisher.daemon.outages.worlds import World
from tests.waiting import eventually

Line = Mapping[str, Any]


_OF_THE_DOUBLE = "Unexpected exception in handler"
"""The metastore that fails on purpose is in this process."""


class Log(Protocol):
    """What the daemon logs, as operators get it."""

    def lines(self) -> list[Line]: ...


class LogInMemory(io.StringIO):
    def lines(self) -> list[Line]:
        found = [json.loads(line) for line in self.getvalue().splitlines()]
        return [line for line in found if line["event"] != _OF_THE_DOUBLE]


@dataclass(frozen=True)
class LogFile:
    path: Path

    def lines(self) -> list[Line]:
        # The last line may not be complete yet.
        complete = self.path.read_text().rpartition("\n")[0]
        return [json.loads(line) for line in complete.splitlines()]


@dataclass(frozen=True)
class Running:
    url: str
    log: Log

    def get(self, path: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(f"{self.url}{path}") as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as refusal:
            with refusal:
                return refusal.code, refusal.read().decode()

    def is_ready(self) -> bool:
        return self.get("/health/ready")[0] == 200

    def trouble(self) -> str:
        """What readiness says."""
        status, text = self.get("/health/ready")
        reason: str = json.loads(text)["reason"]
        assert (status == 503) is bool(reason)
        return reason

    def told_beside(self, world: World) -> str:
        """What ``status`` and ``doctor`` show beside the service, as readiness words it."""
        return "; ".join(to_do(read_status(world.config)))

    def metric(self, name: str, **labels: str) -> float | None:
        status, text = self.get("/metrics")
        assert status == 200
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                if (sample.name, sample.labels) == (f"schema_publisher_{name}", labels):
                    return float(sample.value)
        return None

    def is_up(self, service: str) -> bool | None:
        found = self.metric("up", service=service)
        return None if found is None else found == 1.0

    def shows_trouble_to_people(self) -> bool:
        status, text = self.get("/")
        assert status == 200
        return "not ready" in text.lower()


def warnings(lines: list[Line]) -> list[Line]:
    return [line for line in lines if line["level"] not in {"debug", "info"}]


@contextmanager
def logged() -> Iterator[LogInMemory]:
    """What this process logs meanwhile, formatted and filtered as by ``schema-publisher run``."""
    root, stream = logging.getLogger(), LogInMemory()
    before = root.handlers[:], root.level
    log_to(stream)
    try:
        yield stream
    finally:
        root.handlers[:], level = before
        root.setLevel(level)


@contextmanager
def started(world: World) -> Iterator[Running]:
    """As soon as it answers, whatever it lacks."""
    with logged() as log, Service(load_settings(world.config), world.config) as service:
        assert service.url is not None
        yield Running(service.url, log)


@contextmanager
def running(world: World) -> Iterator[Running]:
    """Once it is ready, and has published what is there."""
    with started(world) as daemon:
        assert eventually(lambda: world.versions() == world.first)
        assert eventually(lambda: daemon.metric("work") == 0.0)
        assert eventually(daemon.is_ready), daemon.trouble()
        yield daemon


def check_told(lines: list[Line], service: str, why: str, remedy: str) -> None:
    """One warning when it begins, one line when it ends, and no traceback."""
    check_warned(lines, service, why, remedy)
    check_ended(lines, service)


def check_warned(lines: list[Line], service: str, why: str, remedy: str) -> None:
    warned = warnings(lines)
    assert len(warned) == 1, warned
    (warning,) = warned
    assert (warning["event"], warning["service"]) == ("service fails", service)
    assert matches(why, warning["why"]), warning
    assert matches(remedy, warning["remedy"]), warning


def check_ended(lines: list[Line], service: str) -> None:
    assert not [line for line in lines if "trace" in line]
    ends = [line for line in lines if line["event"] == "service works again"]
    assert {(line["service"], line["failures"] > 0) for line in ends} == {(service, True)}


def matches(pattern: str, text: object) -> bool:
    return re.search(pattern, str(text), re.IGNORECASE) is not None
