"""Checks that the index agrees with the catalog, and has the published bytes.

The check derives everything again. It must not share the engine's mistakes. So it does not use the
engine, and reads only the published hashes from the state.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from codegen.errors import CodegenError
from lakeschema.catalog.errors import MalformedDdl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Catalog, Relation
from lakeschema.progress import NO_PROGRESS, Progress
from lakeschema.translation.deriving.deriver import Deriver
from lakeschema.translation.deriving.upstream_first import derive_catalog
from lakeschema.translation.model.outcome import Derived, Failed, Outcome
from publisher.index.protocol import IndexFile, IndexRefused, PackageIndex
from publisher.index.releases import newest_release
from publisher.publishing.differences import compare_with_index, given_up, published_hashes
from publisher.publishing.listing import read_listing
from publisher.publishing.packaging_protocol import Packaging, PackagingCrashed
from publisher.publishing.trust import UntrustedProvenance, check_provenance
from publisher.selection import EVERYTHING, Selection
from publisher.state.records import VersionRecord

_BEYOND_REPAIR = "; it cannot be built again: restore it from a backup of the index, or remove it"


@dataclass(frozen=True, slots=True)
class Drift:
    """A difference of a relation's package from the catalog, or from the published files.

    ``is_gap``: whether the relation never had a package, and cannot have one.
    """

    relation: RelationName
    distribution: str
    reason: str
    is_derivable: bool = True
    is_gap: bool = False


@dataclass(frozen=True, slots=True)
class Verification:
    """The differences that were found.

    Attributes:
        checked: the number of relations that should have a package.
        gaps: known relations without a package, which a repair cannot change.
        unapplied: statements of a DDL folder that could not be read or applied.
    """

    checked: int
    drifts: Sequence[Drift]
    gaps: Sequence[Drift] = ()
    unapplied: Sequence[MalformedDdl] = ()


def verify_packages(
    catalog: Catalog,
    index: PackageIndex,
    packaging: Packaging,
    deriver: Deriver,
    selection: Selection = EVERYTHING,
    trusted_keys: Sequence[bytes] = (),
    progress: Progress = NO_PROGRESS,
    versions: Sequence[VersionRecord] = (),
) -> Verification:
    """Finds relations that cannot be derived or whose newest wheel is wrong, and damaged files.

    If there are ``trusted_keys``, one of them must have signed the wheel's provenance. ``versions``
    come from the state; their packages are checked even if the relation is gone.

    Raises:
        CatalogUnavailable: the catalog could not be read.
        PackageIndexError: the index did not answer.
    """
    ledger: dict[str, list[VersionRecord]] = {}
    for version in versions:
        ledger.setdefault(version.distribution, []).append(version)
    found = derive_catalog(catalog, deriver, progress)
    published = [n for n in sorted(found.outcomes) if selection.publishes(found.relations[n])]
    check = _Check(index, packaging, trusted_keys)
    drifts: list[Drift] = []
    progress.step("compare with the index", len(published))
    for name in published:
        known = ledger.get(packaging.distribution(name), [])
        of_files = check.of_files(name, known)
        drifts += of_files or check.of_content(
            found.relations[name], found.outcomes[name], has_history=bool(known)
        )
        progress.done(1)
    for name, history in _others(ledger, packaging, frozenset(published)):
        drifts += check.of_files(name, history, is_dropped=name not in found.relations)
    return Verification(
        len(published),
        [drift for drift in drifts if not drift.is_gap],
        [drift for drift in drifts if drift.is_gap],
    )


def _others(
    ledger: Mapping[str, Sequence[VersionRecord]],
    packaging: Packaging,
    published: frozenset[RelationName],
) -> Iterator[tuple[RelationName, Sequence[VersionRecord]]]:
    """The published packages with the present prefix that would not be published now."""
    for distribution, history in sorted(ledger.items()):
        name = history[-1].relation
        if name not in published and packaging.distribution(name) == distribution:
            yield name, history


@dataclass(frozen=True, slots=True)
class _Check:
    """Checks one relation at a time."""

    index: PackageIndex
    packaging: Packaging
    trusted_keys: Sequence[bytes]

    def of_files(
        self, name: RelationName, history: Sequence[VersionRecord], *, is_dropped: bool = False
    ) -> Sequence[Drift]:
        """The files that differ from the published files. If several are missing, only the last counts."""
        distribution = self.packaging.distribution(name)
        published = published_hashes(history)
        damages = [
            damage
            for damage in self.index.damages(distribution, published, lambda _: True)
            if not (is_dropped and damage.is_missing and damage.filename in published)
        ]
        reasons = {damage.filename: str(damage) for damage in damages}
        if all(damage.is_missing for damage in damages):
            listing = read_listing(distribution, self.index.files(distribution))
            if not listing.files:
                reasons = {n: f"is not on the index: {why}" for n, why in [*reasons.items()][-1:]}
                return [Drift(name, distribution, reason) for reason in reasons.values()]
            found = compare_with_index(listing, history, is_dropped=is_dropped)
            changed = {
                v.filename: f"{v.filename} is not the file of that name that was published"
                for v in found.changed
            }
            lost = {v.filename: f"{v.filename} is missing: it was published" for v in found.lost}
            reasons = {**changed, **lost, **reasons}
        hopeless = {v.filename for v in given_up(history)}
        return [
            Drift(
                name,
                distribution,
                reason + (_BEYOND_REPAIR if filename in hopeless else ""),
                not is_dropped,
            )
            for filename, reason in reasons.items()
        ]

    def of_content(
        self, relation: Relation, outcome: Outcome, *, has_history: bool
    ) -> Sequence[Drift]:
        """The differences between the newest wheel and the catalog."""
        name, distribution = relation.name, self.packaging.distribution(relation.name)
        wheels = [f for f in self.index.files(distribution) if f.filename.endswith(".whl")]
        expected = self._expected(relation, outcome)
        if isinstance(expected, _Impossible):
            is_gap = not wheels and not has_history
            return [Drift(name, distribution, expected.reason, expected.is_derivable, is_gap)]
        if not wheels:
            return [Drift(name, distribution, "is not on the index")]
        reason = self._of_wheel(newest_release(wheels)[0], expected)
        return [Drift(name, distribution, reason)] if reason else []

    def _expected(self, relation: Relation, outcome: Outcome) -> str | _Impossible:
        match outcome:
            case Failed(reason=reason):
                return _Impossible(f"cannot be derived: {reason}", is_derivable=False)
            case Derived(derivation):
                pass
        try:
            return self.packaging.content_hash(self.packaging.request(relation, derivation))
        except (CodegenError, PackagingCrashed) as error:
            return _Impossible(f"cannot be packaged: {error}", is_derivable=True)

    def _of_wheel(self, newest: IndexFile, expected: str) -> str:
        """The error in the wheel, or ""."""
        try:
            data = self.index.fetch(newest)
        except IndexRefused as error:
            return f"{newest.filename} cannot be read: {error}"
        sha256 = hashlib.sha256(data).hexdigest()
        if newest.sha256 not in {None, sha256}:
            return f"{newest.filename} is damaged: its bytes do not have the hash {newest.sha256}"
        try:
            check_provenance(self.index, newest, sha256, self.trusted_keys)
            published = self.packaging.read(data).content_hash
        except UntrustedProvenance as error:
            return f"{newest.filename} is not trusted: {error}"
        except CodegenError as error:
            return f"{newest.filename} is not ours: {error}"
        return "" if published == expected else f"{newest.version} differs from the catalog"


@dataclass(frozen=True, slots=True)
class _Impossible:
    reason: str
    is_derivable: bool
