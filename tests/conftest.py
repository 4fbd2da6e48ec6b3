"""Options of the whole test suite, and what repeats a failure.

``--hypothesis-profile quick`` draws a fifth of the examples; ``make test`` draws all; ``make hunt``
draws new ones. ``--sample`` takes some cases of each test that has many.
"""

from __future__ import annotations

import shlex

import pytest

from tests.effort import HUNT, register_profiles, sampled

register_profiles()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--accept",
        action="store_true",
        help="rewrite the gallery's recordings; review them as code",
    )
    parser.addoption(
        "--sample",
        type=int,
        default=0,
        metavar="MOST",
        help="of each parametrised test at most so many cases, evenly chosen (default: all)",
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
    most: int = config.getoption("sample")
    if not most:
        return
    kept = frozenset(sampled([item.nodeid for item in items], most))
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in kept])
    items[:] = [item for item in items if item.nodeid in kept]


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
