"""What publishing would do, found without doing it: changes, versions, and who else is hit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from avro_schema.compatibility import Level
from avro_schema.parsing import parse_schema
from catalog.ddl_files import relations_from_ddl
from catalog.identifiers import RelationName
from catalog.relations import Catalog, Relation
from codegen.errors import CodegenError
from codegen.naming import distribution_name
from codegen.wheel import content_hash, read_wheel
from dependency_graph.graph import affected_cone, graph_of
from publisher.index.protocol import PackageIndex
from publisher.packaging_protocol import package_request
from publisher.verification import derive_everything, newest_file
from publisher.versioning import Published, VersioningMode, next_version
from translation.interface import Options


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
) -> Sequence[dict[str, Any]]:
    """One entry for each package that would get a version, and each relation that cannot be derived."""
    overlaid = OverlaidCatalog(catalog, relations_from_ddl(list(statements)))
    everything = derive_everything(overlaid, options)
    edges = [
        (name, upstream) for name, d in everything.derivations.items() for upstream in d.upstreams
    ]
    graph = graph_of(edges)
    changes: list[dict[str, Any]] = []
    for name, derivation in sorted(everything.derivations.items()):
        distribution = distribution_name(name, prefix)
        request = package_request(everything.relations[name], derivation, prefix)
        try:
            expected = content_hash(request)
        except CodegenError as error:
            changes.append({"relation": str(name), "change": "none", "error": str(error)})
            continue
        newest = newest_file(index.files(distribution))
        published: list[Published] = []
        if newest is not None:
            contents = read_wheel(index.fetch(newest))
            if contents.content_hash == expected:
                continue
            published.append(Published(newest.version, parse_schema(contents.schema_text)))
        number, change = next_version(published, request.schema, mode=versioning)
        changes.append(
            {
                "relation": str(name),
                "distribution": distribution,
                "from": newest.version if newest else None,
                "to": number,
                "change": "first" if newest is None else _word(change.level),
                "reasons": list(change.reasons),
                "dependents": sorted(str(n) for n in affected_cone(graph, [name]) - {name}),
            }
        )
    changes += [
        {"relation": str(name), "change": "none", "error": reason}
        for name, reason in sorted(everything.errors.items())
    ]
    return changes


def _word(level: Level) -> str:
    return level.name.lower()
