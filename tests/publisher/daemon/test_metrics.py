"""Each counter is exported with a help text that says what it counts."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from prometheus_client import CollectorRegistry, generate_latest

from publisher.daemon import metrics
from tests.publisher.daemon.simulated import T, process_events
from tests.simulation.simulation import Simulation
from tests.simulation.toy import table

SOURCES = Path(metrics.__file__).parents[1]


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


def test_metrics_say_what_they_count(world: Simulation) -> None:
    world.change(table(T, "a"))
    process_events(world)
    registry = CollectorRegistry()
    registry.register(metrics.EngineMetrics(world.engine.runtime))

    lines = generate_latest(registry).decode().splitlines()

    assert "# HELP schema_publisher_published_total versions published" in lines
    assert "schema_publisher_published_total 1.0" in lines
    assert not [line for line in lines if line.endswith("so far")]
