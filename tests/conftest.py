"""Options of the whole test suite, and what repeats a failure.

``--hypothesis-profile quick`` draws a fifth of the examples; ``make test`` draws all; ``make hunt``
draws new ones.
"""

from __future__ import annotations

import shlex

import pytest

from tests.effort import HUNT, register_profiles

register_profiles()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--accept",
        action="store_true",
        help="rewrite the gallery's recordings; review them as code",
    )
    parser.addoption(
        "--first-seed",
        type=int,
        default=0,
        help="the seed that the seeded tests count from (default: 0)",
    )


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
