"""The graph of relations in a state store, on SQLite."""

from __future__ import annotations

from dataclasses import replace

from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.translation.model.outcome import Status
from publisher.state.opening import StoredState
from publisher.state.protocol import Transaction
from publisher.state.records import Edge, Inputs, Output, RelationRecord

A, B, C, D = (RelationName.of("db", n) for n in "abcd")


def record(
    name: RelationName,
    status: Status = Status.OK,
    *,
    stale: bool = False,
    interface_hash: str = "i",
) -> RelationRecord:
    return RelationRecord(
        name, facts_hash="f", status=status, stale=stale, output=Output(interface_hash)
    )


class TestGraph:
    def write(self, state: StoredState, *records: RelationRecord) -> None:
        def action(tx: Transaction) -> None:
            for each in records:
                tx.graph.write(each)

        state.write(action)

    def edges(self, state: StoredState, *pairs: tuple[RelationName, RelationName]) -> None:
        def action(tx: Transaction) -> None:
            for dependent in dict.fromkeys(d for d, _ in pairs):
                edges = [Edge(d, u, "i") for d, u in pairs if d == dependent]
                tx.graph.replace_edges(dependent, edges)

        state.write(action)

    def test_a_record_reads_back_as_written(self, state: StoredState) -> None:
        whole = RelationRecord(
            A,
            *("f", 7, 1.5, Status.OK, False, "why"),
            *(Inputs("f", "n"), Output("i", "c", "s"), "p", True, 3),
        )

        self.write(state, record(A), whole)

        assert state.read(lambda tx: tx.graph.records([A, B])) == {A: whole}

    def test_all_dependents_are_marked_stale_but_not_the_changed_relation(
        self, state: StoredState
    ) -> None:
        self.write(state, *map(record, (A, B, C, D)))
        self.edges(state, (B, A), (C, B))

        state.write(lambda tx: tx.graph.mark_dependents_stale([A]))

        records = state.read(lambda tx: tx.graph.every_record())
        assert {n for n, r in records.items() if r.stale} == {B, C}

    def test_facts_hashes_are_those_of_relations_that_the_catalog_had(
        self, state: StoredState
    ) -> None:
        self.write(state, replace(record(A), facts_hash="a"), replace(record(B), facts_hash=None))

        assert state.read(lambda tx: tx.graph.facts_hashes()) == {A: "a"}

    def test_what_the_catalog_had_is_known_by_its_facts_and_its_interface(
        self, state: StoredState
    ) -> None:
        known = replace(record(A), facts_hash="a")
        self.write(state, known, replace(record(B), facts_hash=None))

        assert state.read(lambda tx: tx.graph.facts_and_interfaces()) == {A: ("a", "i")}

    def test_a_cycle_and_its_dependents_stay_as_they_are(self, state: StoredState) -> None:
        cyclic = [record(n, Status.CYCLE) for n in (B, C)]
        self.write(state, record(A), *cyclic, record(D))
        self.edges(state, (B, A), (B, C), (C, B), (D, C))

        state.write(lambda tx: tx.graph.mark_dependents_stale([A]))

        records = state.read(lambda tx: tx.graph.every_record())
        assert not any(r.stale for r in records.values())

    def test_a_dependent_is_unblocked_once_all_its_upstreams_are_settled(
        self, state: StoredState
    ) -> None:
        self.write(state, record(A), record(B, stale=True), record(C, stale=True))
        self.edges(state, (C, A), (C, B))

        assert state.read(lambda tx: tx.graph.unblocked_dependents([A])) == []
        state.write(lambda tx: tx.graph.clear_stale([B]))

        ((found, unchanged),) = state.read(lambda tx: tx.graph.unblocked_dependents([A]))
        assert (found.name, unchanged) == (C, True)

    def test_a_dependent_that_used_another_interface_counts_as_changed(
        self, state: StoredState
    ) -> None:
        self.write(state, record(A, interface_hash="new"), record(C, stale=True))
        self.edges(state, (C, A))

        ((_, unchanged),) = state.read(lambda tx: tx.graph.unblocked_dependents([A]))

        assert not unchanged

    def test_edges_keep_their_order(self, state: StoredState) -> None:
        self.edges(state, (D, C), (D, A), (D, B))

        found = state.read(lambda tx: tx.graph.edges_of([D, A]))

        assert [e.upstream for e in found[D]] == [C, A, B]
        assert found[A] == []

    def test_upstream_edges_are_found_at_any_distance_and_through_cycles(
        self, state: StoredState
    ) -> None:
        self.edges(state, (D, C), (C, B), (B, C), (B, A))

        found = state.read(lambda tx: tx.graph.upstream_edges([D]))

        assert {(e.dependent, e.upstream) for e in found} == {(D, C), (C, B), (B, C), (B, A)}

    def test_relations_are_found_by_namespaces_with_special_characters(
        self, state: StoredState
    ) -> None:
        odd = RelationName.of("a b", "t")
        nested = RelationName.of("a", "b", "t")
        self.write(state, record(odd), record(nested), record(A))

        assert state.read(lambda tx: tx.graph.in_namespace(Namespace(("a b",)))) == [odd]
        assert state.read(lambda tx: tx.graph.in_namespace(Namespace(("a", "b")))) == [nested]
