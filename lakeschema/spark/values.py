"""The inputs and results of a snapshot: plain values that Spark can serialize."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from lakeschema.catalog.hive_metastore import HiveMetastoreCatalog
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.listing import Listing
from lakeschema.catalog.metastore_security import UNSECURED, Security
from lakeschema.table_files.access import DEFAULT_LIMITS, ReadingLimits
from lakeschema.table_files.limited import LimitedOwnSchemas
from lakeschema.translation.model.known import KnownRelation
from lakeschema.translation.model.outcome import Status

PartitionTask: TypeAlias = Callable[[Any], Any]
"""A function on a partition's record batches, run on an executor."""


def undecorated(task: PartitionTask) -> PartitionTask:
    """Returns the task unchanged. Tests use another decorator, which makes some tasks fail."""
    return task


@dataclass(frozen=True, slots=True)
class MetastoreAccess:
    """How an executor reaches the metastore, as a small value without a connection."""

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
        json: the facts as text, in the form of ``catalog.facts_json``.
        upstreams: the relations that the text names; None if it cannot be read (see ``reason``).
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
        status: OK, BROKEN, UNSUPPORTED or UNREACHABLE; all but OK have a ``reason``.
        derivation: the derivation as text, in the form of ``derivation_json``; None unless OK.
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
        relations: the relations that exist in the catalog, according to the state.
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
        rederived: the relations whose derivation changed although their facts did not.
        event_ids: for each catalog, the newest event before anything was read; all facts are at
            least as new.
    """

    listing: Listing
    differing: Sequence[RelationName]
    rederived: Sequence[RelationName]
    event_ids: Mapping[str, int]
    derived: int
    waves: int
    seconds: Mapping[str, float]
