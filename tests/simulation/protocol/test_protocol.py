"""The publication protocol, but no broken variant, keeps its promises in all states of a small scope."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from publisher.daemon.assembly import Deployment
from publisher.daemon.engine import Engine
from tests.simulation.protocol.broken_protocols import (
    upload_before_reserve,
    without_compare_and_set,
    without_fence,
)
from tests.simulation.protocol.exploration import explore
from tests.simulation.protocol.small_scope import Scope, SmallScope

ONE_WORKER = Scope(tables=("a",), expiries=0, from_claim=True)


def test_no_state_breaks_a_promise() -> None:
    # Larger scopes take minutes: ``make protocol``.
    found = explore(lambda: SmallScope(ONE_WORKER))

    assert found.broken is None
    assert found.states > 100


@pytest.mark.slow
@pytest.mark.parametrize("broken", [upload_before_reserve, without_compare_and_set, without_fence])
def test_a_broken_protocol_is_found(broken: Callable[[Deployment], Engine]) -> None:
    # A worker that outlives its lease is enough to catch each variant.
    scope = Scope(tables=("a",), crashes=0, losses=0)

    assert explore(lambda: SmallScope(scope, broken)).broken is not None
