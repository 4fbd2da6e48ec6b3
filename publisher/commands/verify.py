"""Is the index what the catalog says? Everything is derived again, beside the engine.

Nothing here reads the state or runs the engine: a check must not share its mistakes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from codegen.errors import CodegenError
from lakeschema.catalog.errors import MalformedDdl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Catalog, Relation
from lakeschema.progress import NO_PROGRESS, Progress
from lakeschema.translation.deriver import Deriver
from lakeschema.translation.outcome import Derived, Failed, Outcome
from lakeschema.translation.upstream_first import derive_catalog
from publisher.index.protocol import IndexRefused, PackageIndex
from publisher.index.releases import newest_release
from publisher.publishing.packaging_protocol import Packaging, PackagingCrashed
from publisher.publishing.trust import UntrustedProvenance, check_provenance
from publisher.selection import EVERYTHING, Selection


@dataclass(frozen=True, slots=True)
class Drift:
    """One relation whose newest package is not what the catalog says."""

    relation: RelationName
    distribution: str
    reason: str
    is_derivable: bool = True


@dataclass(frozen=True, slots=True)
class Verification:
    """What differs.

    Attributes:
        checked: how many relations should have a package.
        unapplied: statements of a DDL folder that could not be read or applied.
    """

    checked: int
    drifts: Sequence[Drift]
    unapplied: Sequence[MalformedDdl] = ()


def verify(
    catalog: Catalog,
    index: PackageIndex,
    packaging: Packaging,
    deriver: Deriver,
    selection: Selection = EVERYTHING,
    trusted_keys: Sequence[bytes] = (),
    progress: Progress = NO_PROGRESS,
) -> Verification:
    """Each relation of ``selection`` that cannot be derived, or whose newest wheel differs.

    Where there are ``trusted_keys``, one of them must have signed that wheel's provenance.

    Raises:
        CatalogUnavailable: the catalog could not be read.
        PackageIndexError: the index did not answer.
    """
    found = derive_catalog(catalog, deriver, progress)
    published = [n for n in sorted(found.outcomes) if selection.publishes(found.relations[n])]
    drifts: list[Drift] = []
    progress.step("compare with the index", len(published))
    for name in published:
        outcome = found.outcomes[name]
        drift = _drift(found.relations[name], outcome, index, packaging, trusted_keys)
        if drift is not None:
            drifts.append(drift)
        progress.done(1)
    return Verification(len(published), drifts)


def _drift(
    relation: Relation,
    outcome: Outcome,
    index: PackageIndex,
    packaging: Packaging,
    trusted_keys: Sequence[bytes],
) -> Drift | None:
    distribution = packaging.distribution(relation.name)
    match outcome:
        case Failed(reason=reason):
            reason = f"cannot be derived: {reason}"
            return Drift(relation.name, distribution, reason, is_derivable=False)
        case Derived(derivation):
            pass
    try:
        expected = packaging.content_hash(packaging.request(relation, derivation))
    except (CodegenError, PackagingCrashed) as error:
        return Drift(relation.name, distribution, f"cannot be packaged: {error}")
    wheels = [f for f in index.files(distribution) if f.filename.endswith(".whl")]
    if not wheels:
        return Drift(relation.name, distribution, "is not on the index")
    newest = newest_release(wheels)[0]
    try:
        data = index.fetch(newest)
    except IndexRefused as error:
        return Drift(relation.name, distribution, f"{newest.filename} cannot be read: {error}")
    try:
        check_provenance(index, newest, hashlib.sha256(data).hexdigest(), trusted_keys)
        published = packaging.read(data).content_hash
    except UntrustedProvenance as error:
        return Drift(relation.name, distribution, f"{newest.filename} is not trusted: {error}")
    except CodegenError as error:
        return Drift(relation.name, distribution, f"{newest.filename} is not ours: {error}")
    if published != expected:
        return Drift(relation.name, distribution, f"{newest.version} is not what the catalog says")
    return None
