"""Repairs the findings of ``verify``: uploads lost files again, and publishes missing versions."""

from __future__ import annotations

from collections.abc import Sequence

from publisher.commands.deployment import opened_deployment
from publisher.commands.termination import note_sigterm
from publisher.commands.verify import Drift
from publisher.daemon.draining import Draining
from publisher.settings import Settings
from publisher.state.records import WorkRecord


def repair_drifts(settings: Settings, drifts: Sequence[Drift]) -> Sequence[WorkRecord]:
    """Works until every drift is repaired or keeps failing; returns the unfinished work.

    A running service may do part of the work; claims prevent that both do the same work.

    Raises:
        CatalogUnavailable, PackageIndexError: nothing was done.
    """
    with opened_deployment(settings) as deployment:
        deployment.engine.refill()
        deployment.engine.resync([drift.relation for drift in drifts if drift.is_derivable])
        with note_sigterm() as terminated:
            return Draining(deployment.engine).run(terminated.is_set)
