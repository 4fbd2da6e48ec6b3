"""Options of the whole test suite, and the command that repeats a failure.

``--hypothesis-profile quick`` draws a fifth of the examples; ``make test`` draws all; ``make hunt``
draws new ones. ``--sample`` takes some cases of each test that has many, ``--turn`` some of the cases
that a test marks as alike.
"""

from __future__ import annotations

import shlex
from collections.abc import Hashable, Iterator

import pytest

from tests.effort import HUNT, in_turn, register_profiles, sampled

register_profiles()

pytest_plugins = ["tests.postgresql"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--accept",
        action="store_true",
        help="rewrite the recordings of the chosen tests; review them as code",
    )
    parser.addoption(
        "--sample",
        type=int,
        default=0,
        metavar="MOST",
        help="of each parametrised test at most so many cases, evenly chosen (default: all)",
    )
    parser.addoption(
        "--turn",
        type=int,
        metavar="NUMBER",
        help="of cases that their test marks as alike some, others at each turn (default: all)",
    )
    parser.addoption(
        "--first-seed",
        type=int,
        default=0,
        help="the seed that the seeded tests count from (default: 0)",
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Last, so that it samples what ``-m`` and ``-k`` left."""
    turn: int | None = config.getoption("turn")
    if turn is not None:
        _keep(config, items, frozenset(_taken(items, turn)))
    most: int = config.getoption("sample")
    if most:
        _keep(config, items, frozenset(sampled([item.nodeid for item in items], most)))


def _keep(config: pytest.Config, items: list[pytest.Item], kept: frozenset[str]) -> None:
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in kept])
    items[:] = [item for item in items if item.nodeid in kept]


def _taken(items: list[pytest.Item], turn: int) -> Iterator[str]:
    alike: dict[str, list[tuple[str, Hashable, int]]] = {}
    for item in items:
        marker = item.get_closest_marker("alike")
        if marker is None:
            yield item.nodeid
            continue
        assert isinstance(item, pytest.Function), item.nodeid
        chosen = item.callspec.params
        assert chosen.keys() >= {*marker.args}, f"{item.nodeid} has no parameter {marker.args}"
        others = tuple(_identity(chosen[name]) for name in sorted({*chosen} - {*marker.args}))
        test = item.nodeid.partition("[")[0]
        alike.setdefault(test, []).append((item.nodeid, others, marker.kwargs["keep"]))
    for cases in alike.values():
        taken = in_turn([others for _, others, _ in cases], cases[0][2], turn)
        yield from (name for (name, *_), is_taken in zip(cases, taken, strict=True) if is_taken)


def _identity(value: object) -> Hashable:
    """Of a parameter's value, which may have neither a hash nor a repr."""
    return (type(value), value) if isinstance(value, str | int) else id(value)


@pytest.fixture(scope="session")
def first_seed(request: pytest.FixtureRequest) -> int:
    seed: int = request.config.getoption("first_seed")
    return seed


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Under ``hunt``, the commands that repeat what failed."""
    if config.getoption("hypothesis_profile", None) != HUNT:
        return
    failed = [report.nodeid for report in terminalreporter.stats.get("failed", ())]
    seeds = {
        "--hypothesis-seed": config.getoption("hypothesis_seed", None),
        "--first-seed": config.getoption("first_seed"),
    }
    options = [f"{option}={seed}" for option, seed in seeds.items() if seed is not None]
    for test in failed:
        command = [".venv/bin/pytest", "--hypothesis-profile", HUNT, *options, test]
        terminalreporter.write_line(f"repeat with: {shlex.join(command)}", bold=True)
