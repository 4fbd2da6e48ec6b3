"""Mends what ``verify`` found: uploads again what the index lost, and publishes what it lacks."""

from __future__ import annotations

from collections.abc import Sequence

from publisher.commands.deployment import opened_deployment
from publisher.commands.termination import note_sigterm
from publisher.commands.verify import Drift
from publisher.daemon.draining import Draining
from publisher.settings import Settings
from publisher.state.records import WorkRecord


def repair_drifts(settings: Settings, drifts: Sequence[Drift]) -> Sequence[WorkRecord]:
    """Works until every drift is mended or keeps failing; returns what is left undone.

    A running service may do a part of the work: what one has claimed the other leaves alone.

    Raises:
        CatalogUnavailable, PackageIndexError: nothing was done.
    """
    with opened_deployment(settings) as deployment:
        deployment.engine.refill()
        deployment.engine.resync([drift.relation for drift in drifts if drift.is_derivable])
        with note_sigterm() as terminated:
            return Draining(deployment.engine).run(terminated.is_set)
