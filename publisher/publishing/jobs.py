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
    """A settled relation whose claim is held, and what its newest version should contain.

    Attributes:
        read_at: as of ``RelationRecord``, of the reading that it comes from.
        event_id, newest_event_id: as of ``Provenance``.
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
    """The ledger of a distribution, in agreement with the index a moment ago.

    Attributes:
        history: as of ``VersionLedger``.
        listed: versions of every file on the index, whoever uploaded it.
        has_acted: something had to be changed for the agreement, at the index or in the state.
        is_yanked: of a dropped relation: no file is offered.
    """

    history: Sequence[VersionRecord]
    listed: frozenset[str]
    has_acted: bool = False
    is_yanked: bool = False


@dataclass(frozen=True, slots=True)
class Candidate:
    """A job that needs a version, once its facts are known to have held together at one moment.

    Attributes:
        cone: the relation and its upstreams at any distance, as they were derived from.
        reconciled: its distribution.
    """

    job: Job
    cone: Cone
    reconciled: Reconciled


@dataclass(frozen=True, slots=True)
class Draft:
    """A built wheel whose number is not reserved yet.

    Attributes:
        after: the newest ``sequence`` of the history for which the number was chosen; None if
            there was none.
    """

    job: Job
    cone: Cone
    version: VersionRecord
    wheel: Wheel
    after: int | None
