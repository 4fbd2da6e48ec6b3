"""Finds the source tables of each written table's data, after one statement.

The method is from Uber's Queryparser. Tables that are not in the answer are unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lakeschema.analysis import resolved as rs
from lakeschema.analysis.catalog import Source, as_text
from lakeschema.analysis.conventions import Conventions
from lakeschema.analysis.table_access import tables_read
from lakeschema.analysis.walking import relations_of

Lineage = Mapping[Source, tuple[Source, ...]]


def table_lineage(resolved: rs.Resolved, conventions: Conventions | None = None) -> Lineage:
    """Targets with their sources in alphabetical order; an empty or removed table has no sources."""
    chosen = conventions or Conventions()
    steps = ({write.target: _sources(write, resolved.verb, chosen)} for write in resolved.writes)
    if resolved.verb == "SWAP":
        return {target: tuple(sources) for step in steps for target, sources in step.items()}
    return compose(steps)


def compose(steps: Iterable[Mapping[Source, Iterable[Source]]]) -> Lineage:
    """Composes lineages in order: the sources of an earlier step replace the table that it wrote."""
    found: dict[Source, frozenset[Source]] = {}
    for step in steps:
        made = {
            # A union of sets does not hash the names again, which matters for a million steps.
            target: frozenset[Source]().union(*(found.get(each, (each,)) for each in sources))
            for target, sources in step.items()
        }
        found.update(made)
    return {target: tuple(sorted(sources, key=as_text)) for target, sources in found.items()}


def _sources(write: rs.Write, verb: str, conventions: Conventions) -> list[Source]:
    part = rs.Resolved(verb, _queries(write), (write,))
    found = [*tables_read(part, conventions)]
    if write.relation is not None:
        found += (
            relation.source
            for relation in relations_of(write.relation)
            if isinstance(relation, rs.Scan)
        )
    if write.mode in {rs.Mode.APPENDS, rs.Mode.CHANGES}:
        found.append(write.target)
    return found


def _queries(write: rs.Write) -> tuple[rs.Query, ...]:
    return () if write.source is None else (write.source,)
