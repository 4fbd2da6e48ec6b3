"""The stages of a publication as values: a job, a candidate, a draft."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codegen.package import Wheel
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.model.interface import Derivation
from publisher.settling.cones import Cone
from publisher.state.records import Claim, VersionRecord


@dataclass(frozen=True, slots=True)
class Job:
    """A settled relation with a held claim, and the content for its next version.

    Attributes:
        read_at: the ``read_at`` of its reading, as in ``RelationRecord``.
        event_id, newest_event_id: the events of that reading, as in ``Provenance``.
    """

    claim: Claim
    relation: Relation
    derivation: Derivation
    content_hash: str
    read_at: float | None
    event_id: int | None
    newest_event_id: int | None = None

    @property
    def name(self) -> RelationName:
        return self.claim.relation


@dataclass(frozen=True, slots=True)
class Reconciled:
    """The ledger of a distribution, which agreed with the index a moment ago.

    Attributes:
        history: the distribution's versions, as in ``VersionLedger``.
        listed: versions of every file on the index, whoever uploaded it.
        has_acted: whether the index or the state had to be changed.
        is_yanked: for a dropped relation, whether all files are yanked.
    """

    history: Sequence[VersionRecord]
    listed: frozenset[str]
    has_acted: bool = False
    is_yanked: bool = False


@dataclass(frozen=True, slots=True)
class Candidate:
    """A job that needs a version, and whose facts all held at one moment.

    Attributes:
        cone: the relation and all its upstreams, as they were at the derivation.
        reconciled: the ledger of its distribution.
    """

    job: Job
    cone: Cone
    reconciled: Reconciled


@dataclass(frozen=True, slots=True)
class Draft:
    """A built wheel whose number is not reserved yet.

    Attributes:
        after: the newest ``sequence`` of the history that the number follows, or None.
    """

    job: Job
    cone: Cone
    version: VersionRecord
    wheel: Wheel
    after: int | None
