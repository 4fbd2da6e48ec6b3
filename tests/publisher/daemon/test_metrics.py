"""Each counter is exported with a help text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from prometheus_client import CollectorRegistry, Metric, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from publisher.daemon import metrics
from publisher.daemon.check_counts import CheckCounts, Verdict
from tests.publisher.daemon.simulated import T, process_events
from tests.simulation.simulation import Simulation
from tests.simulation.toy import table

SOURCES = Path(metrics.__file__).parents[1]


ENDINGS = {"counter": {"_total"}, "gauge": {""}, "histogram": {"_bucket", "_count", "_sum"}}


def counter_names(source: str) -> Iterator[str]:
    """The names that a module counts under: ``counters.add("name")``."""
    for call in ast.walk(ast.parse(source)):
        match call:
            case ast.Call(func=ast.Attribute(value=counters, attr="add"), args=[name, *_]):
                if ast.unparse(counters).endswith("counters"):
                    yield from _branches(name)
            case _:
                pass


def _branches(name: ast.expr) -> Iterator[str]:
    match name:
        case ast.Constant(value=str(value)):
            yield value
        case ast.IfExp(body=body, orelse=orelse):
            yield from _branches(body)
            yield from _branches(orelse)
        case _:
            raise AssertionError(f"not a literal name: {ast.unparse(name)}")


def test_every_counter_has_a_help_text_and_every_help_text_a_counter() -> None:
    counted = {name for path in SOURCES.rglob("*.py") for name in counter_names(path.read_text())}

    assert counted == set(metrics.COUNTER_HELP)


def exported(world: Simulation, **more: Any) -> Mapping[str, Metric]:
    """As Prometheus reads them, by name of the family."""
    registry = CollectorRegistry()
    registry.register(metrics.EngineMetrics(world.engine.runtime, **more))
    families = list(text_string_to_metric_families(generate_latest(registry).decode()))
    by_name = {family.name: family for family in families}
    assert len(by_name) == len(families), "a name is used twice"
    return by_name


def value_of(family: Metric, **labels: str) -> float:
    (found,) = [sample.value for sample in family.samples if sample.labels == labels]
    return found


def test_every_counter_is_there_from_zero(world: Simulation) -> None:
    found = exported(world)

    counters = {name for name, family in found.items() if family.type == "counter"}
    assert counters == {f"schema_publisher_{name}" for name in metrics.COUNTER_HELP}
    assert {value_of(found[name]) for name in counters} == {0.0}


def test_checks_are_counted_by_verdict_and_rule(world: Simulation) -> None:
    counts = CheckCounts()
    broken = {"rule": "equals_null"}
    counts.add_answer({"result": {"ok": True, "violations": []}})
    counts.add_answer({"result": {"ok": False, "violations": [broken, broken]}})
    counts.add_answer({"result": {"ok": False, "violations": [], "missing_privileges": [{}]}})
    counts.add_answer({"error": {"type": "InvalidRequest"}})
    counts.add(Verdict.REFUSED)

    found = exported(world, checks=counts)

    verdicts = found["schema_publisher_checks"]
    shown = {each.value: value_of(verdicts, verdict=each.value) for each in Verdict}
    assert shown == {
        "ok": 1.0,
        "violations": 1.0,
        "missing_privileges": 1.0,
        "invalid": 1.0,
        "failed": 0.0,
        "refused": 1.0,
    }
    rules = found["schema_publisher_check_violations"]
    assert value_of(rules, rule="equals_null") == 1.0
    assert value_of(rules, rule="cross_join") == 0.0


def test_names_and_help_follow_the_conventions(world: Simulation) -> None:
    found = exported(
        world,
        up=lambda: {"index": True},
        last_snapshot=metrics.LastSnapshot(lambda: 1.0, lambda: 2.0),
        checks=CheckCounts(),
    )

    named = {*metrics.GAUGE_HELP, *metrics.HISTOGRAM_HELP}
    assert {f"schema_publisher_{name}" for name in named} <= set(found)
    for name, family in found.items():
        assert re.fullmatch(r"schema_publisher_[a-z]+(_[a-z]+)*", name)
        assert family.documentation not in {"", name}
        endings = {sample.name.removeprefix(name) for sample in family.samples}
        assert endings <= ENDINGS[family.type]
        assert not (family.type == "gauge" and name.endswith("_total"))


def test_services_and_the_last_snapshot_and_the_release_are_shown(world: Simulation) -> None:
    found = exported(
        world,
        up=lambda: {"catalog": True, "index": False},
        last_snapshot=metrics.LastSnapshot(lambda: 40.0, lambda: 7.5),
        build={"version": "1.2", "generator": "abc"},
    )

    up = found["schema_publisher_up"]
    assert (value_of(up, service="catalog"), value_of(up, service="index")) == (1.0, 0.0)
    ended_at = value_of(found["schema_publisher_last_snapshot_timestamp_seconds"])
    assert ended_at == world.clock.wall() - 40.0
    assert value_of(found["schema_publisher_last_snapshot_duration_seconds"]) == 7.5
    assert value_of(found["schema_publisher_build_info"], version="1.2", generator="abc") == 1.0


def test_without_a_snapshot_none_is_dated(world: Simulation) -> None:
    assert "schema_publisher_last_snapshot_timestamp_seconds" not in exported(world)


def test_readiness_is_a_metric(world: Simulation) -> None:
    ready = exported(world, troubles=dict)["schema_publisher_ready"]
    troubled = exported(world, troubles=lambda: {"index": "away"})["schema_publisher_ready"]

    assert (value_of(ready), value_of(troubled)) == (1.0, 0.0)


def test_the_oldest_work_is_as_old_as_it_is_due(world: Simulation) -> None:
    age = "schema_publisher_oldest_work_age_seconds"
    assert value_of(exported(world)[age]) == 0.0
    world.index.down = True
    world.change(table(T, "a"))
    world.deliver(0)
    world.engine.work()

    world.clock.sleep(100.0)

    assert value_of(exported(world)[age]) >= 100.0 - world.policy.debounce_seconds


def test_an_event_is_measured_until_the_index_offers_its_version(world: Simulation) -> None:
    world.change(table(T, "a"))
    world.deliver(0)
    world.index.down = True
    world.engine.work()
    world.clock.sleep(100.0)
    world.index.down = False
    assert world.engine.drain(60.0)

    (family,) = [f for f in exported(world).values() if f.type == "histogram"]

    counted = {
        (sample.name.rpartition("_")[2], sample.labels["since"], sample.labels.get("le")): value
        for sample in family.samples
        for value in [sample.value]
    }
    assert counted["bucket", "receipt", "60.0"] == 0.0
    assert counted["bucket", "receipt", "120.0"] == 1.0
    assert counted["count", "receipt", None] == 1.0
    assert counted["sum", "receipt", None] >= 100.0
    # This source does not know when its events happened.
    assert counted["count", "event", None] == 0.0


def test_metrics_say_what_they_count(world: Simulation) -> None:
    world.change(table(T, "a"))
    process_events(world)
    registry = CollectorRegistry()
    registry.register(metrics.EngineMetrics(world.engine.runtime))

    lines = generate_latest(registry).decode().splitlines()

    assert "# HELP schema_publisher_published_total versions published" in lines
    assert "schema_publisher_published_total 1.0" in lines
    assert not [line for line in lines if line.endswith("so far")]
