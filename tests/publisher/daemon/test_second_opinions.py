"""A wrong generator publishes nothing, and reserves no number for its output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from lakeschema.isolation.frames import decode, encode
from lakeschema.isolation.limits import Limits
from lakeschema.isolation.pool import LimitedProcesses
from publisher.publishing.limited_packaging import (
    HANDLER,
    LimitedPackaging,
    answer_about_packages,
    packaging_handler,
)
from publisher.publishing.packaging import WheelPackaging
from publisher.publishing.packaging_protocol import OpinionMode
from tests.publisher.daemon.simulated import T, process_events, record
from tests.publisher.publishing.broken_generator import break_generator
from tests.simulation.simulation import Simulation, assemble
from tests.simulation.toy import table

DISTRIBUTION = WheelPackaging("acme").distribution(T)


class InThisProcess(LimitedProcesses):
    """Answers as the child would, where a test can break its generator."""

    def __init__(self, second_opinion: OpinionMode) -> None:
        handler = packaging_handler(
            "acme", immutable=False, project_urls={}, second_opinion=second_opinion
        )
        super().__init__({HANDLER: handler}, count=1, limits=Limits())
        self._answering = answer_about_packages(handler.argument)

    def ask(self, handler: str, question: Any) -> Any:
        assert handler == HANDLER
        return decode(encode(self._answering(decode(encode(question)))))


def generate_wheels(world: Simulation, second_opinion: OpinionMode) -> None:
    """The engine continues with the real generator."""
    packaging = LimitedPackaging(
        InThisProcess(second_opinion), WheelPackaging("acme"), second_opinion
    )
    world.engine = assemble(replace(world.deployment(), packaging=packaging))


@contextmanager
def broken(what: str) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        break_generator(monkeypatch, what)
        yield


def numbers(world: Simulation) -> list[str]:
    """Of all versions in the state, reserved ones included."""
    history: Mapping[str, Any] = world._inner.read(lambda tx: tx.versions.history([DISTRIBUTION]))
    return [version.number for version in history[DISTRIBUTION]]


def test_a_wheel_that_others_read_differently_gets_no_number(world: Simulation) -> None:
    generate_wheels(world, "always")
    world.change(table(T, "a"))

    with broken("syntax error"):
        process_events(world)

    assert numbers(world) == []
    assert world.index.history == []
    assert record(world, T).reason.startswith(
        "cannot be packaged: second opinion: a module does not compile: SyntaxError"
    )
    assert [troubled.name for troubled in world.engine.status().troubled] == [T]
    assert world.engine.status().work == []
    assert world.engine.snapshot().differing == 0


def test_the_version_before_it_stays_the_newest(world: Simulation) -> None:
    generate_wheels(world, "always")
    world.change(table(T, "a"))
    process_events(world)
    world.change(table(T, "a", "b"))

    with broken("unknown name"):
        process_events(world)

    assert numbers(world) == ["1.0.0"]
    assert record(world, T).is_unfit


def test_the_next_change_is_published_once_the_generator_is_right_again(world: Simulation) -> None:
    generate_wheels(world, "always")
    world.change(table(T, "a"))
    with broken("syntax error"):
        process_events(world)

    world.change(table(T, "a", "b"))
    process_events(world)

    assert numbers(world) == ["1.0.0"]
    assert not record(world, T).reason


@pytest.mark.parametrize("has_run", [False, True])
def test_what_was_refused_is_published_once_nobody_checks_it(
    world: Simulation, *, has_run: bool
) -> None:
    generate_wheels(world, "always")
    if has_run:
        world.engine.snapshot()
    world.change(table(T, "a"))

    with broken("syntax error"):
        process_events(world)
        generate_wheels(world, "off")
        world.engine.snapshot()
        process_events(world)

    assert numbers(world) == ["1.0.0"]
    assert not record(world, T).reason


def test_without_second_opinions_the_generator_is_believed(world: Simulation) -> None:
    generate_wheels(world, "off")
    world.change(table(T, "a"))

    with broken("syntax error"):
        process_events(world)

    assert numbers(world) == ["1.0.0"]
