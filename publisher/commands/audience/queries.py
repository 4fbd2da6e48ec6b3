"""Derives each query of a log as a view over the catalog before and after a change."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, Relation, ViewText
from lakeschema.translation.deriving.deriver import Deriver
from lakeschema.translation.deriving.upstream_first import derive_one, upstreams_or_failure
from lakeschema.translation.model.interface import Derivation
from lakeschema.translation.model.outcome import Derived, Failed, Outcome, Status
from publisher.commands.audience.query_log import LoggedQuery
from publisher.commands.audience.values import QueryEffect, QueryHit
from publisher.commands.planning.catalog_now import CatalogNow, Say
from publisher.commands.planning.causes import looks_of
from publisher.commands.planning.cone import Cone

MAX_QUERIES = 20_000
"""The maximum number of texts to derive; each takes a child process a millisecond or more."""
MAX_CRASHES = 5
"""The maximum number of crashes; each may take as long as a derivation may."""

_NAME = RelationName.of("the query log", "query")
_WORD = re.compile(r"\w+")
_MAX_TEXT = 2_000


class ConcernedQueries:
    """Finds the queries that read a relation whose columns or types change for readers."""

    def __init__(
        self, now: CatalogNow, cone: Cone, deriver: Deriver, dialect: Dialect, say: Say
    ) -> None:
        self._now = now
        self._say = say
        self._cone = cone
        self._deriver = deriver
        self._dialect = dialect
        self._crashes = 0
        self._changed = {
            name: looks.columns
            for name, looks in looks_of(cone).items()
            if looks.columns
            or isinstance(looks.before, Derived) != isinstance(looks.after, Derived)
        }
        self._names = {name.name for name in self._changed}

    def may_read(self, text: str) -> bool:
        """Whether a word of the text is the name of a changed relation, apart from its database.

        Most texts of a log do not, and comparing words is faster than parsing.
        """
        return not self._names.isdisjoint(word.lower() for word in _WORD.findall(text))

    def by_relation(
        self, queries: Sequence[LoggedQuery]
    ) -> Mapping[RelationName, Sequence[QueryHit]]:
        """The affected queries for each changed relation that they read."""
        found: dict[RelationName, list[QueryHit]] = {}
        if len(queries) > MAX_QUERIES:
            self._say(f"{MAX_QUERIES} of {len(queries)} queries that may be concerned are read")
        for query in queries[:MAX_QUERIES]:
            for name, hit in self._hits(query).items():
                found.setdefault(name, []).append(hit)
            if self._crashes >= MAX_CRASHES:
                self._say(f"{query.where}: no further queries are read, {MAX_CRASHES} crashed")
                break
        return found

    def _hits(self, query: LoggedQuery) -> Mapping[RelationName, QueryHit]:
        relation = self._relation(query)
        reads = upstreams_or_failure(relation, self._deriver)
        if isinstance(reads, Failed):
            self._crashes += _has_crashed(reads)
            words = {word.lower() for word in _WORD.findall(query.text)}
            hit = _hit(query, QueryEffect.UNKNOWN, f"cannot be read here: {reads.reason}")
            return {name: hit for name in self._changed if name.name in words}
        concerned = [name for name in reads if name in self._changed]
        if not concerned:
            return {}
        before, after = self._outcomes(reads)
        old = derive_one(relation, reads, before, self._deriver)
        if _has_crashed(old):
            self._crashes += 1
            new = old
        else:
            new = derive_one(relation, reads, after, self._deriver)
        found = {name: self._judged(query, name, old, new) for name in concerned}
        return {name: hit for name, hit in found.items() if hit is not None}

    def _relation(self, query: LoggedQuery) -> Relation:
        view = ViewText(self._dialect, query.text, query.text, (query.database,))
        return Relation(_NAME, (), view=view)

    def _outcomes(
        self, reads: Sequence[RelationName]
    ) -> tuple[Mapping[RelationName, Outcome], Mapping[RelationName, Outcome]]:
        before = self._now.outcomes(reads)
        members = self._cone.reads_before.keys() | self._cone.reads_after.keys()
        inside = members | self._cone.touched | self._cone.after.keys()
        after = {name: outcome for name, outcome in before.items() if name not in inside}
        after |= {name: self._cone.after[name] for name in reads if name in self._cone.after}
        return before, after

    def _judged(
        self, query: LoggedQuery, name: RelationName, old: Outcome, new: Outcome
    ) -> QueryHit | None:
        columns = self._columns_read(query, name, old)
        shown = "; ".join(columns)
        match old, new:
            case Derived(), Failed(reason=reason):
                return _hit(query, QueryEffect.BREAKS, reason.removeprefix(f"{_NAME}: "))
            case Derived(), Derived() if not columns:
                return None
            case Derived(old_one), Derived(new_one):
                effect = QueryEffect.READS if _same(old_one, new_one) else QueryEffect.CHANGES
                return _hit(query, effect, shown)
            case _:
                # The query could not be translated before, so only the names in it are known.
                gone = name not in self._cone.after
                effect = QueryEffect.BREAKS if gone else QueryEffect.READS
                why = f"{name} is no longer there" if gone else shown
                return _hit(query, effect, why) if gone or columns else None

    def _columns_read(self, query: LoggedQuery, name: RelationName, old: Outcome) -> Sequence[str]:
        """The changed columns that a query reads, by its lineage or by the words of its text."""
        words = {word.lower() for word in _WORD.findall(query.text)}
        if isinstance(old, Derived):
            words |= {
                source.column.lower()
                for column in old.derivation.lineage
                for source in column.sources
                if source.relation == name
            }
        return [what for column, what in self._changed[name].items() if column in words]


def _has_crashed(outcome: Outcome) -> bool:
    return isinstance(outcome, Failed) and outcome.status is Status.QUARANTINED


def _same(old: Derivation, new: Derivation) -> bool:
    return old.interface.columns == new.interface.columns


def _hit(query: LoggedQuery, effect: QueryEffect, why: str) -> QueryHit:
    return QueryHit(
        query.where, query.times, tuple(query.users), query.text[:_MAX_TEXT], effect, why
    )
