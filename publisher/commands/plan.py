"""What publishing would do, found without doing it: changes, versions, and which dependents they reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

from codegen.errors import CodegenError
from codegen.package import PackageRequest
from dependency_graph.graph import affected_cone, graph_of
from lakeschema.catalog.ddl_change import ChangedCatalog, Script, apply_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Catalog, Dialect
from lakeschema.translation.deriver import Deriver
from lakeschema.translation.upstream_first import derive_catalog
from publisher.index.protocol import ForeignPackage, PackageIndex
from publisher.publishing.adoption import read_unrecorded_versions, unrecorded_files
from publisher.publishing.history import newest_published, published_texts
from publisher.publishing.listing import read_listing
from publisher.publishing.packaging_protocol import Packaging, PackagingCrashed, Predecessors
from publisher.publishing.versioning import VersioningMode
from publisher.selection import EVERYTHING, Selection


@dataclass(frozen=True, slots=True)
class PlannedVersion:
    """A version that publishing would take.

    Attributes:
        newest: the number before it; None for a first version.
        change: "first", "major", "minor" or "patch".
        dependents: at any distance, sorted.
    """

    relation: RelationName
    distribution: str
    newest: str | None
    number: str
    change: str
    reasons: tuple[str, ...]
    dependents: tuple[RelationName, ...] = ()


@dataclass(frozen=True, slots=True)
class Unpublishable:
    """A relation that publishing would leave as it is, because it cannot be derived or packaged."""

    relation: RelationName
    reason: str


Planned: TypeAlias = PlannedVersion | Unpublishable


def plan_changes(
    catalog: Catalog,
    index: PackageIndex,
    packaging: Packaging,
    deriver: Deriver,
    versioning: VersioningMode,
    scripts: Sequence[Script] = (),
    selection: Selection = EVERYTHING,
    dialect: Dialect | None = None,
) -> Sequence[Planned]:
    """One entry for each package that would get a version, and each relation that cannot be derived.

    Numbers come from what the index shows: a number that the state alone knows to be unusable is
    not passed over.

    Raises:
        MalformedDdl: a statement cannot be read, or applied to the catalog.
        CatalogUnavailable: the catalog could not be read.
        PackageIndexError: the index did not answer.
    """
    changed = ChangedCatalog(catalog, apply_ddl(catalog, scripts, dialect))
    found = derive_catalog(changed, deriver)
    derivations = found.derivations
    graph = graph_of((name, u) for name, d in derivations.items() for u in d.upstreams)
    planned: list[Planned] = []
    for name, derivation in sorted(derivations.items()):
        relation = found.relations[name]
        if not selection.publishes(relation):
            continue
        try:
            version = _version(
                packaging.request(relation, derivation), index, packaging, versioning
            )
        except (CodegenError, ForeignPackage, PackagingCrashed) as error:
            planned.append(Unpublishable(name, str(error)))
            continue
        if version is not None:
            dependents = tuple(sorted(affected_cone(graph, [name]) - {name}))
            planned.append(replace(version, dependents=dependents))
    planned += (Unpublishable(name, f.reason) for name, f in sorted(found.failures.items()))
    return planned


def _version(
    request: PackageRequest,
    index: PackageIndex,
    packaging: Packaging,
    versioning: VersioningMode,
) -> PlannedVersion | None:
    """What a publication would decide; None where the newest version says the same already."""
    name = request.relation
    expected = packaging.content_hash(request)
    distribution = packaging.distribution(name)
    listing = read_listing(distribution, index.files(distribution))
    listed = unrecorded_files(listing, ())
    adopt = partial(read_unrecorded_versions, index, packaging, name, now=0.0)
    # Of most packages the newest wheel says that nothing changed; the others are not fetched.
    if listed and adopt(listed[-1:]).versions[0].content_hash == expected:
        return None
    history = adopt(listed).versions
    newest = newest_published(history)
    taken = (*(version.number for version in history), *listing.versions)
    number, change = packaging.next_version(
        name, request.schema, Predecessors(published_texts(history), taken, versioning)
    )
    return PlannedVersion(
        name,
        distribution,
        newest.number if newest else None,
        number,
        "first" if newest is None else change.level.value,
        tuple(change.reasons),
    )
