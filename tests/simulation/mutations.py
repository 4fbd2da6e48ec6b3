"""Safeguards of the engine, each with an edit that removes it; ``mutated`` runs such an engine.

``tests`` must catch a mutation if the simulation's worlds lack its promise. A mutation with a
``backup`` may survive alone, but not both together.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edit:
    """``old`` occurs once in the module."""

    module: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Mutation:
    edits: tuple[Edit, ...]
    tests: tuple[str, ...] = ()
    backup: str = ""


def _one(module: str, old: str, new: str, *tests: str, backup: str = "") -> Mutation:
    return Mutation((Edit(f"publisher.{module}", old, new),), tests, backup)


_PUBLISHER = "publishing.publisher"
_SETTLING = "settling.settling"
_STATE_TESTS = "tests/publisher/state/test_sqlite.py"
_INTERLEAVINGS = "tests/publisher/daemon/test_interleavings.py"
_LAGGING = "tests/publisher/daemon/test_lagging_replicas.py"
_DROPPING = "tests/publisher/daemon/test_dropping.py"
_SEVERAL = "tests/publisher/daemon/test_several_catalogs.py"
_CONTAINMENT = "tests/publisher/daemon/test_containment.py"

SINGLE = {
    "older second reading": _one(
        "publishing.recheck",
        "event_id < (cone.read_event_id(catalog, since) or -1)",
        "False",
        _INTERLEAVINGS,
    ),
    "a quarantined member keeps its cycle": _one(
        _SETTLING, "(Status.CYCLE, Status.QUARANTINED)", "(Status.CYCLE,)", _CONTAINMENT
    ),
    "reserve without fence": _one(
        _PUBLISHER,
        "if tx.work.holds(draft.job.claim)\n                and self._reserve",
        "if self._reserve",
        backup="reserve without compare-and-set",
    ),
    "reserve without compare-and-set": _one(
        "state.sql.versions",
        "if newest.open or newest.newest != after:",
        "if newest.open:",
        backup="reserve without fence",
    ),
    "reserve although the cone changed": _one(
        _PUBLISHER, "            and cone == draft.cone\n", "", _INTERLEAVINGS
    ),
    "settle without fence": _one(
        _SETTLING,
        "        if not tx.work.holds(claim):\n            return Settlement(Verdict.LOST)\n"
        "        name = finding.reading.name",
        "        name = finding.reading.name",
        _INTERLEAVINGS,
    ),
    "position before work": _one(
        "daemon.receiving",
        "        kept = self._state.write(store)\n",
        "        self._state.write(lambda tx: tx.journal.save_position(source, batch.position))\n"
        "        kept = self._state.write(store)\n",
    ),
    "blocked leaves dependents fresh": _one(
        _SETTLING,
        "        tx.graph.mark_dependents_stale([record.name])\n\n    def _settle_cycle",
        "\n    def _settle_cycle",
        _INTERLEAVINGS,
    ),
    "dropped leaves dependents fresh": _one(
        _SETTLING,
        "        self._release(tx, [name], changed=changed, now=now)\n"
        "        return _end_or_drop(settled, changes)",
        "        return _end_or_drop(settled, changes)",
    ),
    "changed leaves dependents fresh": _one(
        _SETTLING, "        if changed:\n            tx.graph.mark_dependents_stale(names)\n", ""
    ),
    "believes success": _one(
        "publishing.upload",
        "            self._index.upload(wheel)\n        except",
        "            self._index.upload(wheel)\n"
        "            return Delivery.PUBLISHED\n        except",
    ),
    "uploads without a look": _one(
        "publishing.upload",
        "        found = self._find(wheel)\n"
        "        return found if found is not None else self._upload(wheel, watch)",
        "        return self._upload(wheel, watch)",
        _INTERLEAVINGS,
    ),
    "burnt numbers forgotten": _one(
        "publishing.drafting",
        "(*(version.number for version in history), *candidate",
        "(*(v.number for v in history if v.status is not VersionStatus.CONFLICT), *candidate",
        "tests/publisher/daemon/test_index_troubles.py",
    ),
    "reservation of ended work left open": _one(
        "daemon.concluding",
        "if needs_none and ending and claim.relation in reserved:",
        "if False:",
    ),
    "compared with the newest version only": _one(
        "publishing.versioning",
        "current = [v.schema for v in released if parse_number(v.number)[0] == major]",
        "current = [latest.schema]",
        "tests/publisher/publishing/test_versioning.py",
    ),
    "newest wheel only adopted": _one(
        "publishing.unrecorded",
        "is_read = position < MAX_WHEELS_READ and major in {None, number[0]}",
        "is_read = position == 0",
        "tests/publisher/publishing/test_unrecorded.py",
    ),
    "missing_since kept": _one(
        _SETTLING,
        "        missing_since=None,\n        yanked=False,",
        "        yanked=False,",
        _DROPPING,
    ),
    "last reading forgotten": _one(
        "settling.freshness", "older = record is not None and", "older = False and"
    ),
    "position of a gap before its snapshot": _one(
        "daemon.threads",
        "        if batch.gap is not None:\n            with",
        "        self._engine.receive(source.name, batch)\n"
        "        if batch.gap is not None:\n            with",
        _INTERLEAVINGS,
    ),
    "acknowledged before it is stored": _one(
        "daemon.threads",
        "        self._engine.receive(source.name, batch)\n"
        "        source.acknowledge(batch.position)",
        "        source.acknowledge(batch.position)\n"
        "        self._engine.receive(source.name, batch)",
        _INTERLEAVINGS,
    ),
    "lease of a snapshot not exclusive": _one(
        "state.sql.journal",
        "return fence if self._connection.execute(_LEASE, row).rowcount else None",
        "self._connection.execute(_LEASE, row)\n        return fence",
        _STATE_TESTS,
    ),
    "second look dropped": _one(
        "settling.claims",
        "    owed = claim.reread_at if (claim.reread_at or 0.0) > claim.claimed_at else None\n",
        "    owed = None\n",
    ),
    "namespace of a dead letter not listed": _one(
        "daemon.receiving",
        "listed = [name for n in named[:MAX_LISTED_NAMESPACES] for name in self._list(n)]",
        "listed: list[RelationName] = []",
    ),
    "claim ended with an older fence": _one(
        "state.sql.work",
        "_CLEAR = delete(WORK).where(_CLAIMED, _SAME_GENERATION)",
        '_CLEAR = delete(WORK).where(WORK.c.key == bindparam("claimed_key"), _SAME_GENERATION)',
        _STATE_TESTS,
    ),
    "cone of direct upstreams": _one(
        "settling.cones",
        "sorted(upstream_cone(graph, [name]))",
        "sorted({name, *graph.predecessors(name)})",
    ),
    "transactions begin late": _one("state.sqlite", '"BEGIN IMMEDIATE"', '"BEGIN"', _STATE_TESTS),
    "namespace event not remembered": _one(
        "daemon.engine",
        "return demand_namespace_events(tx, claims, now, policy)",
        "return claims",
        _LAGGING,
    ),
    "forgotten before every replica shows it": _one(
        _PUBLISHER, "if shown_everywhere_at <= claim.claimed_at:", "if True:", _LAGGING
    ),
    "reserve although it was read again": _one(
        _PUBLISHER, "            and record.read_at == job.read_at\n", "", _LAGGING
    ),
    "settle although a package was adopted": _one(
        _SETTLING, "if _is_overtaken(finding.reading, record):", "if False:", _LAGGING
    ),
    "event ids of all catalogs compared": _one(
        "publishing.recheck",
        "cone.read_event_id(catalog, since)",
        "max((newest for _, at, newest in cone.readings if at > since), default=None)",
        _SEVERAL,
    ),
    "an upstream is asked for with another catalog's id": _one(
        _SETTLING,
        "min_event_id=at_least if name.catalog == catalog else None",
        "min_event_id=at_least",
        _SEVERAL,
    ),
    "a snapshot demands one id of all catalogs": _one(
        "settling.comparison",
        "min_event_id=event_ids.get(n.catalog)",
        "min_event_id=max(event_ids.values(), default=None)",
        _SEVERAL,
    ),
    "no snapshot follows one that missed a catalog": _one(
        "settling.comparison", "why_another(report.silent)", '""', _SEVERAL
    ),
    "a silent catalog counts as empty": _one(
        "settling.findings",
        "answers |= dict.fromkeys(some, down)",
        "answers |= dict.fromkeys(some, Answer(None, None, None))",
        _SEVERAL,
    ),
    "a silent catalog fails the others": _one(
        "settling.findings", "if len(self._parts) == 1:", "if True:", _SEVERAL
    ),
    "a silent catalog's brakes are forgotten": _one(
        "settling.deletions",
        "if namespace and not covers(Namespace.from_key(namespace)):",
        "if False:",
        _SEVERAL,
    ),
    "a silence is a relation's own failure": _one(
        "settling.claims", "StateUnavailable | CatalogDown", "StateUnavailable", _SEVERAL
    ),
    "poison beside others": _one(
        "state.sql.work", "if not due or due[0].attempts:", "if not due:", _STATE_TESTS
    ),
}


def _together(*names: str, tests: tuple[str, ...]) -> Mutation:
    return Mutation(tuple(edit for name in names for edit in SINGLE[name].edits), tests)


MUTATIONS = {
    **SINGLE,
    "reserve without fence and compare-and-set, although it was read again": _together(
        "reserve without fence",
        "reserve without compare-and-set",
        "reserve although it was read again",
        tests=(_INTERLEAVINGS,),
    ),
}
