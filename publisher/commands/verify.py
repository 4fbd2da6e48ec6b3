"""Is the index what the catalog says? Answered by deriving everything anew, beside the engine.

Nothing here reads the state or uses the loop: the judge must not share its mistakes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from packaging.version import InvalidVersion, Version

from codegen.errors import CodegenError
from codegen.wheel import read_wheel
from dependency_graph.graph import graph_of, levels
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Catalog, Relation
from lakeschema.translation.derivation import derive, upstreams_of
from lakeschema.translation.errors import TranslationError
from lakeschema.translation.interface import Derivation, Interface, Options
from publisher.index.protocol import IndexFile, PackageIndex
from publisher.publishing.packaging import WheelPackaging
from publisher.publishing.packaging_protocol import package_request
from publisher.selection import EVERYTHING, Selection

_READ_BATCH = 500


@dataclass(frozen=True, slots=True)
class FullDerivation:
    """Every relation of a catalog, derived from nothing but its facts."""

    relations: Mapping[RelationName, Relation]
    derivations: Mapping[RelationName, Derivation]
    errors: Mapping[RelationName, str]


@dataclass(frozen=True, slots=True)
class Drift:
    """One relation whose newest package is not what the catalog says."""

    relation: RelationName
    distribution: str
    reason: str


def derive_everything(catalog: Catalog, options: Options) -> FullDerivation:
    """Upstream relations first; a relation in a cycle or below a broken one is an error."""
    names = sorted(n for namespace in catalog.namespaces() for n in catalog.relations(namespace))
    relations: dict[RelationName, Relation] = {}
    for start in range(0, len(names), _READ_BATCH):
        relations.update(catalog.read(names[start : start + _READ_BATCH]))
    errors: dict[RelationName, str] = {}
    upstreams: dict[RelationName, tuple[RelationName, ...]] = {}
    for name, relation in relations.items():
        try:
            upstreams[name] = upstreams_of(relation, options)
        except TranslationError as error:
            errors[name] = str(error)
    derivations: dict[RelationName, Derivation] = {}
    for name in _upstream_first(upstreams):
        known: dict[RelationName, Interface] = {
            u: derivations[u].interface for u in upstreams[name] if u in derivations
        }
        missing = [u for u in upstreams[name] if u not in known]
        if missing:
            errors[name] = f"its upstream {missing[0]} cannot be derived"
            continue
        try:
            derivations[name] = derive(relations[name], known, options)
        except TranslationError as error:
            errors[name] = str(error)
    return FullDerivation(relations, derivations, errors)


def _upstream_first(
    upstreams: Mapping[RelationName, Sequence[RelationName]],
) -> Iterator[RelationName]:
    edges = ((name, upstream) for name, above in upstreams.items() for upstream in above)
    for level in levels(graph_of(edges, upstreams)):
        yield from (name for name in sorted(level) if name in upstreams)


def verify(
    catalog: Catalog,
    index: PackageIndex,
    options: Options,
    prefix: str,
    selection: Selection = EVERYTHING,
    *,
    immutable: bool = False,
) -> Sequence[Drift]:
    """Compares each derivable relation of ``selection`` with the newest wheel on the index."""
    everything = derive_everything(catalog, options)
    packaging = WheelPackaging(prefix, immutable=immutable)
    drifts = (
        _drift(everything.relations[name], derivation, index, prefix, packaging)
        for name, derivation in sorted(everything.derivations.items())
        if selection.publishes(everything.relations[name])
    )
    return [drift for drift in drifts if drift is not None]


def _drift(
    relation: Relation,
    derivation: Derivation,
    index: PackageIndex,
    prefix: str,
    packaging: WheelPackaging,
) -> Drift | None:
    distribution = packaging.distribution(relation.name)
    try:
        expected = packaging.content_hash(package_request(relation, derivation, prefix))
    except CodegenError as error:
        return Drift(relation.name, distribution, f"cannot be generated: {error}")
    newest = newest_file(index.files(distribution))
    if newest is None:
        return Drift(relation.name, distribution, "is not on the index")
    try:
        published = read_wheel(index.fetch(newest)).content_hash
    except CodegenError as error:
        return Drift(relation.name, distribution, f"{newest.filename} is not ours: {error}")
    if published != expected:
        return Drift(relation.name, distribution, f"{newest.version} is not what the catalog says")
    return None


def newest_file(files: Sequence[IndexFile]) -> IndexFile | None:
    """The wheel with the highest version, yanked or not."""
    return max(files, key=lambda file: _version(file.version), default=None)


def _version(text: str) -> Version:
    try:
        return Version(text)
    except InvalidVersion:
        return Version("0.dev0")
