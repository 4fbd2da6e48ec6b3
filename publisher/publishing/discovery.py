"""Finds packages under the deployment's prefix that the state lacks.

A state lacks packages if it was lost, or is an older copy.

If the catalog has a package's relation, the service continues the adopted versions. Otherwise the
relation counts as dropped after a second reading, like every missing relation.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.outcome import Status
from publisher.index.protocol import (
    ForeignPackage,
    PackageIndex,
    PackageIndexError,
    UntrustedPackage,
)
from publisher.policy import DeletionLimit
from publisher.publishing.adoption import adopt_unrecorded, write_adopted
from publisher.publishing.index_work import IndexWork
from publisher.publishing.listing import Listing, read_listing
from publisher.publishing.packaging_protocol import Packaging
from publisher.publishing.reconciling import write_newest
from publisher.publishing.trust import UntrustedProvenance
from publisher.publishing.unrecorded import UNUSABLE, Adopted, read_wheel, unrecorded_files
from publisher.runtime import Runtime
from publisher.settling.findings import CatalogReader
from publisher.state.protocol import Transaction
from publisher.state.records import RelationRecord, Urgency, WorkRequest

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Discovered:
    """The result of a discovery.

    Attributes:
        adopted: relations whose versions are now in the ledger.
        held: why packages of missing relations were not adopted, or "".
        failed: the error of each distribution that failed.
    """

    adopted: Sequence[RelationName]
    held: str
    failed: dict[str, str]


@dataclass(frozen=True, slots=True)
class _Unknown:
    relation: RelationName
    listing: Listing


class Discovery:
    def __init__(
        self, runtime: Runtime, index: PackageIndex, packaging: Packaging, reader: CatalogReader
    ) -> None:
        self._runtime = runtime
        self._state = runtime.state
        self._index = index
        self._packaging = packaging
        self._reader = reader
        self._work = IndexWork(runtime)

    def run(self, limit: DeletionLimit) -> Discovered:
        """Adopts every unknown package, unless too many belong to relations that do not exist.

        Raises:
            CatalogUnavailable, PackageIndexError: nothing was adopted.
        """
        prefix = f"{self._packaging.prefix}-"
        ours = [project for project in self._index.projects() if project.startswith(prefix)]
        known = frozenset(self._state.read(lambda tx: tx.versions.distributions()))
        unknown = [project for project in ours if project not in known]
        failed: dict[str, str] = {}
        found: list[_Unknown] = []
        results = self._work.attempt_each(unknown, self._identify)
        for project, result in zip(unknown, results, strict=True):
            if isinstance(result, PackageIndexError):
                failed[project] = str(result)
            elif result is not None:
                found.append(result)
        dropped = self._dropped([each.relation for each in found])
        held = ""
        if limit.exceeded(len(dropped), len(ours)):
            held = f"{len(dropped)} of {len(ours)} packages are of relations that do not exist"
            found = [each for each in found if each.relation not in dropped]
        adopted = self._adopt_all(found, failed)
        return Discovered(adopted, held, failed)

    def _identify(self, distribution: str) -> _Unknown | None:
        """The relation of a package; None if another program made the package."""
        listing = read_listing(distribution, self._index.files(distribution))
        has_untrusted = False
        for file in reversed([*listing.ours.values()]):
            try:
                _, package = read_wheel(
                    self._index, self._packaging, file, self._runtime.policy.trusted_keys
                )
            except UNUSABLE as error:
                has_untrusted |= isinstance(error, UntrustedProvenance)
                fields = {"wheel": file.filename, "why": str(error)}
                log.warning("wheel of the index is unusable", extra=fields)
                continue
            if self._packaging.distribution(package.relation) != distribution:
                raise ForeignPackage(distribution, str(package.relation))
            return _Unknown(package.relation, listing)
        if has_untrusted:
            raise UntrustedPackage(distribution)
        return None

    def _dropped(self, names: Sequence[RelationName]) -> frozenset[RelationName]:
        """The relations that do not exist according to the catalog."""
        answers = self._reader.read(sorted(names))
        return frozenset(
            name
            for name in names
            if not isinstance(answer := answers[name], Exception) and answer.relation is None
        )

    def _adopt_all(
        self, found: Sequence[_Unknown], failed: dict[str, str]
    ) -> Sequence[RelationName]:
        adopted = []
        for each, result in zip(found, self._work.attempt_each(found, self._adopt), strict=True):
            if isinstance(result, PackageIndexError):
                failed[self._packaging.distribution(each.relation)] = str(result)
            else:
                adopted.append(each.relation)
        return adopted

    def _adopt(self, unknown: _Unknown) -> None:
        name = unknown.relation
        unrecorded = unrecorded_files(unknown.listing, ())
        adopted = adopt_unrecorded(self._runtime, self._index, self._packaging, name, unrecorded)
        self._state.write(partial(self._record, name=name, adopted=adopted))

    def _record(self, tx: Transaction, *, name: RelationName, adopted: Adopted) -> None:
        write_adopted(tx, name, adopted, self._runtime.clock.now())
        record = tx.graph.records([name]).get(name, RelationRecord(name))
        # A missing relation may have been processed before its packages were known.
        is_missing = record.status is Status.MISSING
        due = record.index_check_due or is_missing
        tx.graph.write(replace(record, index_check_due=due))
        distribution = self._packaging.distribution(name)
        write_newest(tx, name, tx.versions.history([distribution])[distribution])
        tx.work.request([WorkRequest(name, self._runtime.clock.now(), Urgency.SNAPSHOT)])
