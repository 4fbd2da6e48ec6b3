"""What publishing would do, found without doing it: changes, versions, and who else is hit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from codegen.errors import CodegenError
from codegen.package import PackageRequest
from dependency_graph.graph import affected_cone, graph_of
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Catalog, Relation
from lakeschema.translation.interface import Options
from publisher.commands.verify import derive_everything
from publisher.index.protocol import ForeignPackage, PackageIndex
from publisher.publishing.adoption import adopted_versions, unrecorded_files
from publisher.publishing.history import compared, newest_published
from publisher.publishing.packaging import WheelPackaging
from publisher.publishing.packaging_protocol import package_request
from publisher.publishing.versioning import VersioningMode, next_version
from publisher.selection import EVERYTHING, Selection


class OverlaidCatalog:
    """A catalog as it would be once some DDL had run."""

    def __init__(self, beneath: Catalog, overlay: Mapping[RelationName, Relation]) -> None:
        self._beneath = beneath
        self._overlay = overlay

    def namespaces(self) -> Sequence[tuple[str, ...]]:
        return sorted({*self._beneath.namespaces(), *(n.namespace for n in self._overlay)})

    def relations(self, namespace: tuple[str, ...]) -> Sequence[RelationName]:
        added = {name for name in self._overlay if name.namespace == namespace}
        return sorted({*self._beneath.relations(namespace), *added})

    def read(self, names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        beneath = self._beneath.read([name for name in names if name not in self._overlay])
        return {**beneath, **{n: self._overlay[n] for n in names if n in self._overlay}}

    def current_event_id(self) -> int | None:
        return self._beneath.current_event_id()


def plan_changes(
    catalog: Catalog,
    index: PackageIndex,
    options: Options,
    prefix: str,
    versioning: VersioningMode,
    statements: Iterable[str] = (),
    selection: Selection = EVERYTHING,
    *,
    immutable: bool = False,
) -> Sequence[dict[str, Any]]:
    """One entry for each package that would get a version, and each relation that cannot be derived.

    Numbers come from what the index shows: a number that the state alone knows to be unusable is not
    passed over.

    Raises:
        PackageIndexError: the index did not answer.
    """
    overlaid = OverlaidCatalog(catalog, relations_from_ddl(list(statements)))
    everything = derive_everything(overlaid, options)
    edges = [
        (name, upstream) for name, d in everything.derivations.items() for upstream in d.upstreams
    ]
    graph = graph_of(edges)
    packaging = WheelPackaging(prefix, immutable=immutable)
    changes: list[dict[str, Any]] = []
    for name, derivation in sorted(everything.derivations.items()):
        if not selection.publishes(everything.relations[name]):
            continue
        request = package_request(everything.relations[name], derivation, prefix)
        try:
            change = _change(request, index, packaging, versioning)
        except (CodegenError, ForeignPackage) as error:
            changes.append({"relation": str(name), "change": "none", "error": str(error)})
            continue
        if change is not None:
            dependents = sorted(str(n) for n in affected_cone(graph, [name]) - {name})
            changes.append({**change, "dependents": dependents})
    changes += [
        {"relation": str(name), "change": "none", "error": reason}
        for name, reason in sorted(everything.errors.items())
    ]
    return changes


def _change(
    request: PackageRequest,
    index: PackageIndex,
    packaging: WheelPackaging,
    versioning: VersioningMode,
) -> dict[str, Any] | None:
    """What a publication would decide; None where the newest version says the same already."""
    name = request.relation
    expected = packaging.content_hash(request)
    listed = unrecorded_files(index.files(packaging.distribution(name)), ())
    adopt = partial(adopted_versions, index, packaging, name, now=0.0)
    # Of most packages the newest wheel says that nothing changed; the others are not fetched.
    if listed and adopt(listed[-1:])[0].content_hash == expected:
        return None
    history = adopt(listed) if listed else ()
    newest = newest_published(history)
    published, unusable = compared(history)
    number, change = next_version(
        published,
        request.schema,
        mode=versioning,
        surface_of=partial(packaging.surface_hash, name),
        unusable=unusable,
    )
    return {
        "relation": str(name),
        "distribution": packaging.distribution(name),
        "from": newest.number if newest else None,
        "to": number,
        "change": "first" if newest is None else change.level.value,
        "reasons": list(change.reasons),
    }
