"""The running service does what ``plan`` said before a change: by its ledger and the index."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from deploy.hive import HiveQueries
from deploy.ports import free_ports
from deploy.refused import Refused
from lakeschema.catalog.ddl_change import Script
from lakeschema.catalog.relations import Catalog
from lakeschema.isolation.pool import LimitedProcesses
from lakeschema.translation.model.outcome import Status
from publisher.commands.planned_deployment import Question, plan_opened
from publisher.commands.planning.values import PackageFate, Plan
from publisher.daemon.adapters import build_index_to_read, build_processes, open_catalog
from publisher.daemon.assembly import build_state
from publisher.daemon.service import Service
from publisher.events.log_position import LogPosition
from publisher.index.protocol import PackageIndex
from publisher.settings import Settings, load_settings
from publisher.state.places import place_of
from publisher.state.reading import read_state
from tests.integration.end_to_end.planned_changes import CHANGES, LAKE, RELATIONS

_PATIENCE_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Seen:
    """What the ledger, the state and the index hold.

    Attributes:
        versions: what changed and why, by distribution and number.
        failing: the reason, by relation.
        offered: numbers that installers choose from, by distribution.
    """

    versions: Mapping[tuple[str, str], tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    failing: Mapping[str, str] = field(default_factory=dict)
    offered: Mapping[str, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Deployment:
    """A running service, which hears of every change by the notification log alone."""

    hive: HiveQueries
    settings: Settings
    index: PackageIndex
    catalog: Catalog
    processes: LimitedProcesses

    def run(self, *statements: str) -> None:
        for answer in self.hive.run(*statements):
            if isinstance(answer, Refused):
                print("REFUSED", answer)

    def wait(self) -> None:
        """Until the service has heard of the newest event, and has nothing left to do."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while not self._is_quiet():
            assert time.monotonic() < deadline
            time.sleep(0.1)

    def _is_quiet(self) -> bool:
        newest = self.catalog.current_event_id()
        with read_state(place_of(self.settings.state)) as state:
            assert state is not None
            position = state.position("notification-log")
            heard = position is not None and LogPosition.from_text(position).last == newest
            return heard and not state.outstanding()

    def plan(self, *statements: str) -> Plan:
        script = Script("change.sql", ";\n".join(statements))
        said: list[str] = []
        plan = plan_opened(
            self.settings, self.catalog, self.processes, Question([script]), said.append
        )
        assert said == [], "the state has heard of everything: nothing else is read"
        return plan

    def seen(self) -> Seen:
        with closing(build_state(self.settings)) as state:
            records = state.read(lambda tx: tx.graph.every_record())
            versions = state.read(lambda tx: tx.versions.every_version())
        return Seen(
            {(v.distribution, v.number): (v.change, v.reasons) for v in versions},
            {
                str(name): record.reason
                for name, record in records.items()
                if record.reason and record.status is not Status.MISSING
            },
            {
                project: frozenset(f.version for f in self.index.files(project) if f.yanked is None)
                for project in self.index.projects()
            },
        )


@pytest.fixture(scope="module")
def deployment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    folder = tmp_path_factory.mktemp("planned")
    (port,) = free_ports(1)
    settings = _settings(folder, port)
    with HiveQueries.start(folder / "hive", metastore_port=port) as hive:
        hive.run(*LAKE)
        with (
            Service(settings),
            build_processes(settings) as processes,
            open_catalog(settings) as catalog,
        ):
            index = build_index_to_read(settings)
            made = Deployment(hive, settings, index, catalog, processes)
            made.wait()
            yield made


def _settings(folder: Path, port: int) -> Settings:
    config = folder / "schema-publisher.toml"
    config.write_text(
        f"""\
[artifacts]
prefix = "acme-schema"
second_opinion = "off"
[catalog]
kind = "hive"
uri = "thrift://127.0.0.1:{port}"
[[events]]
kind = "notification-log"
poll_seconds = 0.1
[snapshot]
runner = "local"
interval_seconds = 86400
[state]
url = "sqlite:///{folder}/state.db"
[index]
kind = "static"
path = "{folder}/index"
[http]
enabled = false
[engine]
# A script is one change, as people run it: its statements follow each other within this time.
debounce_seconds = 2
staleness_seconds = 0
drop_grace_seconds = 0
max_versions_per_hour = 1000
"""
    )
    return load_settings(config)


@pytest.mark.slow
def test_what_a_plan_says_of_forty_changes_is_what_the_service_publishes(
    deployment: Deployment,
) -> None:
    assert RELATIONS == 80
    assert len(CHANGES) == 40
    assert len(deployment.seen().offered) == RELATIONS
    wrong: dict[str, object] = {}

    for number, change in enumerate(CHANGES):
        before = deployment.seen()
        plan = deployment.plan(*change.statements)
        deployment.run(*change.statements)
        deployment.wait()
        foretold, happened = _foretold(plan), _happened(before, deployment.seen())
        if foretold != happened or plan.breaks != change.breaks:
            wrong[f"{number}: {change}"] = (foretold, happened, plan.breaks)

    assert not wrong


def _foretold(plan: Plan) -> Mapping[str, object]:
    return {
        "versions": {(v.distribution, v.number): (v.change, v.reasons) for v in plan.versions},
        "broken": {str(f.relation): f.reason for f in plan.broken},
        "mended": {str(name) for name in plan.mended},
        "yanked": {
            d.distribution: frozenset(d.versions)
            for d in plan.dropped_packages
            if d.fate is PackageFate.YANKED
        },
    }


def _happened(before: Seen, after: Seen) -> Mapping[str, object]:
    gone = {
        project: numbers - after.offered[project] for project, numbers in before.offered.items()
    }
    return {
        "versions": {key: v for key, v in after.versions.items() if key not in before.versions},
        "broken": {n: r for n, r in after.failing.items() if n not in before.failing},
        "mended": {n for n in before.failing if n not in after.failing},
        "yanked": {project: numbers for project, numbers in gone.items() if numbers},
    }
