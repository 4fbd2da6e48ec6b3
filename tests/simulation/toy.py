"""A translation core and a generator small enough to verify by reading: views are unions of columns.

A view's text has the names that it reads, and the word ``wide`` or ``narrow``. A narrow view has one
column, whatever its upstreams have, so that changes stop at it. The text ``nonsense`` is unreadable.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import partial

from codegen.errors import NotOurWheel, UnfitSchema
from codegen.package import PackageRequest, Wheel
from lakeschema.avro.compatibility import Change
from lakeschema.avro.model import NULL, STRING, Field, Record, Schema, Union
from lakeschema.avro.printing import to_text
from lakeschema.catalog.column_types import STRING as SQL_STRING
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Column, Dialect, Relation, ViewText
from lakeschema.translation.deriving import hashing
from lakeschema.translation.deriving.deriver import DerivationCrashed
from lakeschema.translation.model.interface import (
    ColumnLineage,
    Derivation,
    Interface,
    Options,
    SourceColumn,
)
from lakeschema.translation.model.outcome import Derived, Failed, Outcome, Status
from publisher.publishing.packaging import version_after, with_change
from publisher.publishing.packaging_protocol import (
    DraftedPackage,
    Predecessors,
    ReadPackage,
    provenance_of,
)
from publisher.settling.contents import BuildKeys
from publisher.state.records import VersionRecord


def table(name: RelationName, *columns: str) -> Relation:
    return Relation(name, tuple(Column(c, SQL_STRING) for c in columns))


def view(name: RelationName, *upstreams: RelationName, shape: str = "wide") -> Relation:
    text = " ".join([shape, *map(str, upstreams)])
    return Relation(name, (), view=ViewText(Dialect.HIVE, text, text, name.namespace))


def interface(name: RelationName, columns: list[str]) -> Interface:
    fields = tuple(Field(c, Union((NULL, STRING)), default=None) for c in columns)
    record = Record(name.name, ".".join(name.namespace), fields)
    return Interface(name, tuple(Column(c, SQL_STRING) for c in columns), record)


class ToyDeriver:
    def upstreams(self, relation: Relation) -> tuple[RelationName, ...] | Failed:
        if relation.view is None:
            return ()
        shape, *names = relation.view.text.split(" ")
        if shape == "nonsense":
            return Failed(Status.BROKEN, "the text is nonsense")
        return tuple(dict.fromkeys(RelationName.from_key(n) for n in names))

    def derive(self, relation: Relation, upstreams: Mapping[RelationName, Interface]) -> Outcome:
        if relation.schema_pointer is not None:
            return Failed(Status.UNREACHABLE, relation.unreadable or "")
        if relation.view is None:
            columns = [c.name for c in relation.columns]
            return Derived(Derivation(interface(relation.name, columns), (), ()))
        shape = relation.view.text.split(" ")[0]
        if shape == "crashing":
            raise DerivationCrashed(relation.name, "killed")
        if shape == "unsupported":
            return Failed(Status.UNSUPPORTED, "not supported")
        names = self.upstreams(relation)
        assert not isinstance(names, Failed)
        lineage: dict[str, list[SourceColumn]] = {}
        for name in names:
            for column in upstreams[name].columns:
                lineage.setdefault(column.name, []).append(SourceColumn(name, column.name))
        columns = sorted(lineage) if shape == "wide" else ["only"]
        return Derived(
            Derivation(
                interface(relation.name, columns),
                names,
                tuple(ColumnLineage(c, tuple(lineage.get(c, ()))) for c in columns),
            )
        )

    def inputs_hash(self, relation: Relation, upstream_hashes: Mapping[RelationName, str]) -> str:
        return hashing.inputs_hash(relation, upstream_hashes, Options())

    def interface_hash(self, interface: Interface) -> str:
        return hashing.interface_hash(interface)


class ToyPackaging:
    """A wheel is its content as JSON; ``naming_rule`` represents a generator's naming rules.

    ``build_options_key`` represents the settings that apply to every package.
    """

    def __init__(
        self,
        naming_rule: str = "",
        build_options_key: str = "",
        refused: frozenset[RelationName] = frozenset(),
        runtime: str = "",
        checks: str = "",
    ) -> None:
        """``refused``: relations that cannot be packaged; ``runtime``: the code of the packages.

        ``checks`` names the check that refuses them, if the generator does not.
        """
        self._rules = naming_rule + build_options_key
        self._refused = refused
        self._runtime = runtime
        self._checks = checks
        self.build_options_key = build_options_key

    @property
    def build_keys(self) -> BuildKeys:
        return BuildKeys(self.build_options_key, self._rules + self._runtime, self._checks)

    @property
    def prefix(self) -> str:
        return "toy"

    def distribution(self, relation: RelationName) -> str:
        # No namespace of these worlds is called "0".
        catalog = ("0", relation.catalog) if relation.catalog else ()
        return "-".join(("toy", *catalog, *relation.parts))

    def request(self, relation: Relation, derivation: Derivation) -> PackageRequest:
        schema, provenance = derivation.interface.schema, provenance_of(relation, derivation)
        return PackageRequest(relation.name, "toy", "0.0.0", schema, provenance)

    def content_hash(self, request: PackageRequest) -> str:
        if request.relation in self._refused:
            raise UnfitSchema("R", "the generator has no form for it")
        return _hash(_content(request), self.build_options_key)

    def surface_hash(self, relation: RelationName, schema: Schema) -> str:
        return self._rules

    def next_version(
        self, relation: RelationName, schema: Schema, predecessors: Predecessors
    ) -> tuple[str, Change]:
        return version_after(predecessors, schema, partial(self.surface_hash, relation))

    def draft(self, request: PackageRequest, predecessors: Predecessors) -> DraftedPackage:
        number, change = self.next_version(request.relation, request.schema, predecessors)
        return DraftedPackage(change, self.build(with_change(request, number, change)))

    def build(self, request: PackageRequest) -> Wheel:
        data = json.dumps(
            {
                "content": _content(request),
                "schema": to_text(request.schema),
                "version": request.version,
                "event_id": request.provenance.event_id,
                "newest_event_id": request.provenance.newest_event_id,
                "build_options_key": self.build_options_key,
                "rules": self._rules,
                "relation": str(request.relation),
            }
        ).encode()
        distribution = self.distribution(request.relation)
        filename = f"{distribution.replace('-', '_')}-{request.version}-py3-none-any.whl"
        sha256 = hashlib.sha256(data).hexdigest()
        text = data.decode()
        return Wheel(distribution, request.version, filename, data, sha256, self._rules, text)

    def rebuild(
        self, version: VersionRecord, provenance: str, earlier: Mapping[str, str]
    ) -> Wheel | None:
        """Like the real one, rebuilds only with the generator and the options of that version."""
        data = provenance.encode()
        sha256 = hashlib.sha256(data).hexdigest()
        if sha256 != version.wheel_sha256 or json.loads(data)["rules"] != self._rules:
            return None
        return Wheel(version.distribution, version.number, version.filename, data, sha256)

    def read(self, wheel: bytes) -> ReadPackage:
        try:
            value = json.loads(wheel)
        except ValueError as error:
            raise NotOurWheel(str(error)) from error
        if "content" not in value:
            raise NotOurWheel("made by another program")
        content_hash = _hash(value["content"], value["build_options_key"])
        relation = RelationName.from_key(value["relation"])
        return ReadPackage(
            relation,
            value["schema"],
            content_hash,
            value["rules"],
            newest_event_id=value["newest_event_id"] or value["event_id"],
        )


def content_of(wheel: bytes) -> str:
    content: str = json.loads(wheel)["content"]
    return content


def _hash(content: str, build_options_key: str) -> str:
    return hashlib.sha256((content + build_options_key).encode()).hexdigest()


def _content(request: PackageRequest) -> str:
    lineage = {k: list(v) for k, v in request.provenance.lineage.items()}
    return json.dumps([to_text(request.schema), request.provenance.view_text, lineage])
