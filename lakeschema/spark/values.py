"""The inputs and results of a snapshot: plain values that Spark can serialize."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from lakeschema.catalog.hive_metastore import HiveMetastoreCatalog
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.metastore_security import UNSECURED, Security
from lakeschema.table_files.access import DEFAULT_LIMITS, ReadingLimits
from lakeschema.table_files.limited import LimitedOwnSchemas
from lakeschema.translation.model.known import KnownRelation
from lakeschema.translation.model.outcome import Status

PartitionTask: TypeAlias = Callable[[Any], Any]
"""A function on a partition's record batches, run on an executor."""


def undecorated(task: PartitionTask) -> PartitionTask:
    """Returns the task unchanged; tests pass a decorator that makes some fail."""
    return task


@dataclass(frozen=True, slots=True)
class MetastoreAccess:
    """How an executor reaches the metastore; small, and without a connection."""

    uris: str
    timeout_seconds: float = 30.0
    security: Security = UNSECURED
    reading: ReadingLimits = DEFAULT_LIMITS

    def open(self) -> HiveMetastoreCatalog:
        return HiveMetastoreCatalog(
            self.uris,
            timeout_seconds=self.timeout_seconds,
            security=self.security,
            own_schemas=LimitedOwnSchemas(self.reading),
        )


@dataclass(frozen=True, slots=True)
class Facts:
    """One relation as an executor read it.

    Attributes:
        json: ``catalog.facts_json`` as text.
        upstreams: None if the text cannot be read; ``reason`` says why.
    """

    name: RelationName
    hash: str
    json: str
    upstreams: tuple[RelationName, ...] | None
    status: Status = Status.OK
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """One derivation, under the hash of all its inputs.

    Attributes:
        status: OK, BROKEN, UNSUPPORTED or UNREACHABLE; the latter three with a ``reason``.
        derivation: ``translation.derivation_json`` as text, None unless OK.
    """

    name: RelationName
    inputs_hash: str
    status: Status
    interface_hash: str | None
    derivation: str | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The state before the snapshot, passed in by its owner.

    Attributes:
        relations: those that exist in the catalog, according to the state.
        edges: (dependent, upstream) pairs.
        derivations: looks up interface hashes and derivation texts of settled relations.
    """

    relations: Mapping[RelationName, KnownRelation]
    edges: Sequence[tuple[RelationName, RelationName]]
    derivations: Callable[[Sequence[RelationName]], Mapping[RelationName, tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class SnapshotResult:
    """The job's result.

    Attributes:
        refused: the reason for each namespace that was not listed.
        rederived: relations that changed although their facts did not.
        event_id: the event before anything was read, so that all facts are at least as new.
    """

    listed: Sequence[RelationName]
    differing: Sequence[RelationName]
    rederived: Sequence[RelationName]
    refused: Mapping[tuple[str, ...], str]
    event_id: int | None
    derived: int
    waves: int
    seconds: Mapping[str, float]
