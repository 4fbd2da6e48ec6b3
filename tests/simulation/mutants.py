"""Engines that each lack one safeguard. A simulation that does not catch them all proves nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from sqlalchemy import text

from dependency_graph.graph import affected_cone, graph_of, levels
from lakeschema.catalog.catalogs import NamedCatalog, adapter_of, map_parts
from lakeschema.catalog.facts_json import facts_hash
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.model.interface import Interface
from lakeschema.translation.model.outcome import Derived, Status
from publisher.daemon.assembly import Deployment, parts_of
from publisher.daemon.engine import Engine, Parts
from publisher.events.protocol import Batch, RelationHint
from publisher.publishing.drafting import Drafter
from publisher.publishing.preparation import Preparation
from publisher.publishing.publisher import Publisher
from publisher.publishing.recheck import FactsHashes, Recheck
from publisher.settling.deriving import derivation_from_text, derivation_to_text
from publisher.settling.findings import Finding, Settled, Waiting
from publisher.settling.settling import Settling
from publisher.state.protocol import State, Transaction
from publisher.state.records import Claim, Edge, Inputs, Output, RelationRecord, WorkRequest
from publisher.state.sql.transaction import SqlTransaction
from publisher.state.sql.work import SqlWorkQueue
from tests.simulation.toy import ToyDeriver, ToyPackaging
from tests.simulation.world import FakeCatalog

T = TypeVar("T")


class _TrustingSettling(Settling):
    def must_wait(self, finding: Finding, upstreams: Mapping[RelationName, RelationRecord]) -> bool:
        return isinstance(finding.conclusion, Waiting)

    def is_current(
        self,
        finding: Finding,
        record: RelationRecord,
        upstreams: Mapping[RelationName, RelationRecord],
    ) -> bool:
        return not isinstance(finding.conclusion, Waiting)


def without_upstream_check(deployment: Deployment) -> Engine:
    """Commits a derivation even if its upstreams changed."""
    trusting = _TrustingSettling(deployment.runtime.policy)
    return Engine(replace(parts_of(deployment), settling=trusting))


def without_min_event_id(deployment: Deployment) -> Engine:
    """Trusts a replica that does not have the event yet."""
    return _WithoutMinEventId(parts_of(deployment))


class _WithoutMinEventId(Engine):
    def claim(self) -> Sequence[Claim]:
        return [replace(claim, min_event_id=None) for claim in super().claim()]


class _BlindQueue(SqlWorkQueue):
    def clear(self, claim: Claim) -> bool:
        statement = text("DELETE FROM work WHERE key = :key AND fence = :fence")
        row = {"key": str(claim.relation), "fence": claim.fence}
        return self._connection.execute(statement, row).rowcount > 0


@dataclass
class _BlindState:
    inner: State

    def write(self, action: Callable[[Transaction], T]) -> T:
        return self.inner.write(lambda tx: action(_blind(tx)))

    def read(self, action: Callable[[Transaction], T]) -> T:
        return self.inner.read(action)

    def close(self) -> None:
        self.inner.close()


def _blind(tx: Transaction) -> Transaction:
    assert isinstance(tx, SqlTransaction)
    assert isinstance(tx.work, SqlWorkQueue)
    tx.work = _BlindQueue(tx.work._connection)
    return tx


def clear_without_generation(deployment: Deployment) -> Engine:
    """Ends work although the relation was requested again meanwhile."""
    runtime = replace(deployment.runtime, state=_BlindState(deployment.runtime.state))
    return Engine(parts_of(replace(deployment, runtime=runtime)))


class _TrustingRecheck(Recheck):
    def changed(self, derived_from: FactsHashes, current: FactsHashes) -> Sequence[RelationName]:
        return ()


def without_double_collect(deployment: Deployment) -> Engine:
    """Publishes without a second reading of the upstreams."""
    parts, packaging = parts_of(deployment), deployment.packaging
    publisher = Publisher(
        parts.runtime,
        deployment.index,
        packaging,
        Preparation(
            parts.runtime,
            Drafter(packaging, deployment.versioning),
            _TrustingRecheck(parts.runtime, parts.reader),
        ),
    )
    return Engine(replace(parts, publisher=publisher))


@dataclass
class _PayloadCatalog:
    real: FakeCatalog
    payloads: dict[RelationName, Relation]

    def namespaces(self) -> Sequence[Namespace]:
        return self.real.namespaces()

    def relations(self, namespace: Namespace) -> Sequence[RelationName]:
        return self.real.relations(namespace)

    def read(self, names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        self.real.stage.point("payload")
        return {name: self.payloads[name] for name in names if name in self.payloads}

    def current_event_id(self) -> int | None:
        return None


def trusting_payloads(deployment: Deployment) -> Engine:
    """Trusts the payload of the newest event, and does not read the catalog."""
    real = adapter_of(deployment.catalog, "")
    assert isinstance(real, FakeCatalog)
    payloads = _PayloadCatalog(real, dict(real.states[-1]))
    catalog = map_parts(deployment.catalog, lambda name, part: part if name else payloads)
    return _TrustingPayloads(parts_of(replace(deployment, catalog=catalog)), payloads)


class _TrustingPayloads(Engine):
    def __init__(self, parts: Parts, payloads: _PayloadCatalog) -> None:
        super().__init__(parts)
        self._catalog_of_payloads = payloads

    def receive(self, source: str, batch: Batch) -> None:
        catalog = self._catalog_of_payloads.real
        for hint in batch.hints:
            if not isinstance(hint, RelationHint) or hint.relation.catalog:
                continue
            state = catalog.states[-1 if hint.event_id is None else hint.event_id]
            if hint.relation in state:
                self._catalog_of_payloads.payloads[hint.relation] = state[hint.relation]
            else:
                self._catalog_of_payloads.payloads.pop(hint.relation, None)
        super().receive(source, batch)


def reader_without_catalog(deployment: Deployment) -> Engine:
    """Reads relations of every catalog in the default one, which has relations of the same names."""
    default = adapter_of(deployment.catalog, "")
    catalog = map_parts(
        deployment.catalog, lambda name, part: NamedCatalog(name, default) if name else part
    )
    return Engine(parts_of(replace(deployment, catalog=catalog)))


def events_without_catalog(deployment: Deployment) -> Engine:
    """Takes every event for one of the default catalog."""
    return _EventsWithoutCatalog(parts_of(deployment))


class _EventsWithoutCatalog(Engine):
    def receive(self, source: str, batch: Batch) -> None:
        hints = [
            replace(hint, relation=replace(hint.relation, catalog=""))
            if isinstance(hint, RelationHint)
            else hint
            for hint in batch.hints
        ]
        super().receive(source, replace(batch, hints=hints))


@dataclass(frozen=True)
class _Member:
    relation: Relation
    upstreams: tuple[RelationName, ...]
    interface: Interface | None
    derivation: str | None
    content_hash: str | None


def cone_lease(deployment: Deployment) -> Engine:
    """Derives all dependents of a relation under its claim, from the state at that moment."""
    return _ConeLease(parts_of(deployment))


class _ConeLease(Engine):
    def conclude(self, findings: Sequence[Finding]) -> None:
        cones = [self._derive_cone(finding) for finding in findings]
        super().conclude(findings)
        for cone in cones:
            if cone:
                self._state.write(partial(self._write_cone, cone=cone))

    def _derive_cone(self, finding: Finding) -> Sequence[_Member]:
        match finding.conclusion:
            case Settled(outcome=Derived(derivation)):
                root = derivation.interface
            case _:
                return ()
        edges = self._state.read(lambda tx: tx.graph.every_edge())
        graph = graph_of((e.dependent, e.upstream) for e in edges)
        below = affected_cone(graph, [root.name]) - {root.name}
        order = [name for wave in levels(graph) for name in wave if name in below]
        texts = self._state.read(lambda tx: tx.graph.derivations(tx.graph.every_record()))
        interfaces = {name: derivation_from_text(t).interface for name, t in texts.items()}
        interfaces[root.name] = root
        found = self.catalog.read(order) if order else {}
        members = []
        for name in order:
            if name not in found:
                continue
            member = _derive_member(found[name], interfaces)
            members.append(member)
            if member.interface is not None:
                interfaces[name] = member.interface
        return members

    def _write_cone(self, tx: Transaction, cone: Sequence[_Member]) -> None:
        deriver = ToyDeriver()
        for member in cone:
            name = member.relation.name
            record = tx.graph.records([name]).get(name)
            if member.interface is None or record is None or record.status is Status.CYCLE:
                continue
            tx.graph.add_unknown(member.upstreams)
            upstreams = tx.graph.records(member.upstreams)
            used = {u: upstreams[u].visible_hash for u in member.upstreams}
            tx.graph.write(
                replace(
                    record,
                    facts_hash=facts_hash(member.relation),
                    status=Status.OK,
                    stale=False,
                    reason="",
                    inputs=Inputs(
                        facts_hash(member.relation), deriver.inputs_hash(member.relation, used)
                    ),
                    output=Output(deriver.interface_hash(member.interface), member.content_hash),
                )
            )
            tx.graph.write_derivation(name, member.derivation)
            tx.graph.replace_edges(name, [Edge(name, u, used[u]) for u in member.upstreams])
            tx.work.request([WorkRequest(name, self._clock.now())])


def _derive_member(relation: Relation, interfaces: Mapping[RelationName, Interface]) -> _Member:
    deriver = ToyDeriver()
    upstreams = deriver.upstreams(relation)
    if not isinstance(upstreams, tuple) or any(u not in interfaces for u in upstreams):
        return _Member(relation, (), None, None, None)
    outcome = deriver.derive(relation, {u: interfaces[u] for u in upstreams})
    match outcome:
        case Derived(derivation):
            request = ToyPackaging().request(relation, derivation)
            return _Member(
                relation,
                upstreams,
                derivation.interface,
                derivation_to_text(derivation),
                ToyPackaging().content_hash(request),
            )
        case _:
            return _Member(relation, upstreams, None, None, None)


MUTANTS: Mapping[str, Callable[[Deployment], Engine]] = {
    mutant.__name__: mutant
    for mutant in (
        clear_without_generation,
        cone_lease,
        events_without_catalog,
        reader_without_catalog,
        trusting_payloads,
        without_double_collect,
        without_min_event_id,
        without_upstream_check,
    )
}
