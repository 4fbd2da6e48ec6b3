"""Adopts versions that the index has and the state lacks.

A state lacks versions if it was lost, or is an older copy.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

from lakeschema.catalog.identifiers import RelationName
from publisher.index.protocol import IndexFile, PackageIndex
from publisher.publishing.packaging_protocol import Packaging
from publisher.publishing.unrecorded import Adopted, read_unrecorded_versions
from publisher.runtime import Runtime
from publisher.state.protocol import Transaction
from publisher.state.records import RelationRecord

log = logging.getLogger(__name__)

NOTHING_ADOPTED = Adopted()


def adopt_unrecorded(
    runtime: Runtime,
    index: PackageIndex,
    packaging: Packaging,
    relation: RelationName,
    unrecorded: Sequence[IndexFile],
) -> Adopted:
    """Calls ``read_unrecorded_versions`` with the runtime's policy and clock; counts and logs the result."""
    if not unrecorded:
        return NOTHING_ADOPTED
    adopted = read_unrecorded_versions(
        index,
        packaging,
        relation,
        unrecorded,
        runtime.clock.wall(),
        runtime.policy.trusted_keys,
    )
    runtime.counters.add("adopted", len(adopted.versions))
    numbers = [version.number for version in adopted.versions]
    fields = {"relation": str(relation), "numbers": numbers}
    log.info("versions adopted from the index", extra=fields)
    return adopted


def write_adopted(tx: Transaction, relation: RelationName, adopted: Adopted, now: float) -> None:
    """Records the versions, and the event that later readings must reflect."""
    tx.versions.adopt(adopted.versions, adopted.provenances)
    record = tx.graph.records([relation]).get(relation, RelationRecord(relation))
    if adopted.event_id is not None:
        newest = max(adopted.event_id, record.read_event_id or 0)
        tx.graph.write(replace(record, read_event_id=newest, read_at=now))
