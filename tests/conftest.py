"""Options of the whole test suite.

``--hypothesis-profile quick`` draws a fifth of the examples; ``make test`` draws all.
"""

from __future__ import annotations

import pytest
from hypothesis import settings

from tests.effort import QUICK, examples

# Registered before any test module asks how many examples to draw.
settings.register_profile(QUICK, max_examples=examples(settings().max_examples, QUICK))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--accept",
        action="store_true",
        help="rewrite the gallery's recordings; review them as code",
    )
