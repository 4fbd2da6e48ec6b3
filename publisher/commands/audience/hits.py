"""Finds the known users whom a plan affects, by relation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.deriving.deriver import Deriver
from publisher.commands.audience.values import FillHit, Hit, PinEffect, PinHit, QueryHit
from publisher.commands.planning.catalog_now import CatalogNow, Say
from publisher.commands.planning.cone import Cone
from publisher.commands.planning.values import PackageFate, Plan, PlannedVersion

if TYPE_CHECKING:
    from publisher.commands.audience.lock_files import RegisteredPin

Queries: TypeAlias = Mapping[RelationName, Sequence[QueryHit]]
Fills: TypeAlias = Mapping[RelationName, Sequence[FillHit]]
_BREAKING = "major"
_NO_QUERIES: Queries = {}
_NO_FILLS: Fills = {}


@dataclass(frozen=True, slots=True)
class Audience:
    """The sources of known users of packages and relations.

    Attributes:
        distribution: a function that returns the name of a relation's package.
        downloads: the number of downloads of each package; None if they are not counted.
        query_log: a file or a folder, read only when a plan needs it.
        query_dialect: the dialect of the queries.
    """

    distribution: Callable[[RelationName], str]
    pins: Sequence[RegisteredPin] = ()
    downloads: Mapping[str, int] | None = None
    query_log: Path | None = None
    query_dialect: Dialect = Dialect.SPARK

    def concerned_queries(self, now: CatalogNow, cone: Cone, deriver: Deriver, say: Say) -> Queries:
        """The queries of the log that read a change, by changed relation.

        Raises:
            Refused: the log is missing, too large or damaged.
        """
        if self.query_log is None:
            return _NO_QUERIES
        # Imported only by users who have a query log, like the readers of lock files and downloads.
        from publisher.commands.audience.queries import ConcernedQueries
        from publisher.commands.audience.query_log import read_query_log

        concerned = ConcernedQueries(now, cone, deriver, self.query_dialect, say)
        return concerned.by_relation(read_query_log(self.query_log, concerned.may_read))

    def hits(
        self, plan: Plan, queries: Queries = _NO_QUERIES, fills: Fills = _NO_FILLS
    ) -> Sequence[Hit]:
        """The relations that have known users, ordered by name."""
        versions = {version.relation: version for version in plan.versions}
        breaking = {failing.relation for failing in plan.broken}
        fates = {dropped.relation: dropped.fate for dropped in plan.dropped_packages}
        packages = {*versions, *breaking, *fates}
        found: list[Hit] = []
        for name in sorted({*packages, *queries, *fills}):
            distribution = self.distribution(name)
            counted = None if self.downloads is None else self.downloads.get(distribution, 0)
            effect_on = partial(_effect, version=versions.get(name), fate=fates.get(name))
            pins = self._pins(distribution, effect_on) if name in packages else ()
            used = (queries.get(name, ()), fills.get(name, ()))
            found.append(Hit(name, distribution, counted, pins, *used))
        return [hit for hit in found if hit.downloads or hit.pins or hit.queries or hit.fills]

    def _pins(
        self, distribution: str, effect_on: Callable[[RegisteredPin], PinEffect]
    ) -> Sequence[PinHit]:
        return [
            PinHit(each.file, str(each.pin.versions) or "any version", effect_on(each))
            for each in self.pins
            if each.pin.distribution == distribution
        ]


def _effect(
    registered: RegisteredPin, version: PlannedVersion | None, fate: PackageFate | None
) -> PinEffect:
    if fate is not None:
        return PinEffect.YANKED if fate is PackageFate.YANKED else PinEffect.SOURCE_GONE
    if version is None:
        return PinEffect.SOURCE_BREAKS
    is_breaking = version.change == _BREAKING
    if registered.pin.versions.contains(version.number):
        return PinEffect.TAKES_BREAKING if is_breaking else PinEffect.TAKES
    return PinEffect.STAYS_BREAKING if is_breaking else PinEffect.STAYS
