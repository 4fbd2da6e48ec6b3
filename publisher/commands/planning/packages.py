"""Predicts the next versions of packages, and the fate of packages of dropped relations."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from codegen.errors import CodegenError
from codegen.package import PackageRequest
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.relations import Dialect, Relation
from lakeschema.translation.model.interface import Derivation
from lakeschema.translation.model.outcome import Status
from publisher.commands.planning.values import (
    DroppedPackage,
    Failing,
    PackageFate,
    PlannedVersion,
)
from publisher.index.protocol import ForeignPackage, IndexFile, PackageIndex
from publisher.policy import Policy
from publisher.publishing.history import newest_published, published_texts
from publisher.publishing.listing import read_listing
from publisher.publishing.packaging_protocol import (
    Packaging,
    PackagingCrashed,
    Predecessors,
    kind_of,
)
from publisher.publishing.trust import UntrustedProvenance
from publisher.publishing.unrecorded import (
    UnusableWheel,
    read_unrecorded_versions,
    read_wheel,
    unrecorded_files,
)
from publisher.publishing.versioning import SAME_SCHEMA, VersioningMode
from publisher.selection import Selection
from publisher.state.reading import StateReading
from publisher.state.records import VersionRecord

UNFIT = (CodegenError, ForeignPackage, PackagingCrashed)
"""The errors of ``PackageForecast.version`` for a relation that gets no package."""


@dataclass(frozen=True, slots=True)
class Rules:
    """A deployment's rules for publishing.

    Attributes:
        can_yank: whether the deployment's index can yank.
    """

    versioning: VersioningMode
    selection: Selection
    policy: Policy
    can_yank: bool = True


@dataclass(frozen=True, slots=True)
class OfferedAgain:
    """The newest version has this content but is yanked; publishing would undo the yank."""


Next: TypeAlias = PlannedVersion | OfferedAgain | None


class PackageForecast:
    """Predicts versions, from the state and the index. Without a state, from the index alone."""

    def __init__(
        self,
        index: PackageIndex,
        packaging: Packaging,
        rules: Rules,
        state: StateReading | None = None,
    ) -> None:
        self._index = index
        self._packaging = packaging
        self._rules = rules
        self._state = state

    def publishes(self, relation: Relation) -> bool:
        return self._rules.selection.publishes(relation)

    def version(self, relation: Relation, derivation: Derivation) -> Next:
        """The version that would be published; None if the newest version has the content.

        Raises:
            CodegenError, ForeignPackage, PackagingCrashed: the relation would get no package.
            PackageIndexError: the index did not answer.
        """
        request = self._packaging.request(relation, derivation)
        name = request.relation
        expected = self._packaging.content_hash(request)
        record = None if self._state is None else self._state.records([name]).get(name)
        if record is not None and record.published_hash == expected and not record.yanked:
            return None
        return self._next(request, expected, relation)

    def newest(self, name: RelationName) -> str | None:
        distribution = self._packaging.distribution(name)
        numbers = read_listing(distribution, self._index.files(distribution)).ours
        return list(numbers)[-1] if numbers else None

    def relations_of_others(
        self, names: Collection[RelationName], namespaces: Collection[Namespace]
    ) -> frozenset[RelationName]:
        """Further relations of ``namespaces``, beyond ``names``, that have packages on the index.

        The newest readable version of a package names its relation.
        """
        known = {self._packaging.distribution(name) for name in names}
        prefix = f"{self._packaging.prefix}-"
        projects = [p for p in self._index.projects() if p.startswith(prefix) and p not in known]
        found = (self._relation_of(project) for project in projects)
        return frozenset(n for n in found if n is not None and n.place in namespaces)

    def dropped(
        self, names: Sequence[RelationName], listed: Callable[[], Sequence[RelationName]]
    ) -> Sequence[DroppedPackage]:
        """The packages of relations that would be gone; ``listed`` has the relations that exist."""
        offered = {name: self._offered(name) for name in names}
        packaged = [name for name in sorted(names) if offered[name]]
        held = self._held(packaged, listed) if packaged else {}
        return [
            DroppedPackage(
                name,
                self._packaging.distribution(name),
                [file.version for file in offered[name]],
                *self._fate(held.get(name)),
            )
            for name in packaged
        ]

    def _next(self, request: PackageRequest, expected: str, relation: Relation) -> Next:
        name = request.relation
        distribution = self._packaging.distribution(name)
        listing = read_listing(distribution, self._index.files(distribution))
        recorded: Sequence[VersionRecord] = ()
        if self._state is not None:
            recorded = self._state.history(distribution)
        unrecorded = unrecorded_files(listing, recorded)
        adopt = partial(read_unrecorded_versions, self._index, self._packaging, name, now=0.0)
        # Usually the newest wheel shows that nothing changed, so older wheels are not fetched.
        newest_alone = adopt(unrecorded[-1:]).versions if not recorded else ()
        if newest_alone and newest_alone[0].content_hash == expected:
            return _offered_again(unrecorded[-1])
        history = (*recorded, *adopt(unrecorded).versions)
        newest = newest_published(history)
        if newest is not None and newest.content_hash == expected:
            return _offered_again(listing.ours.get(newest.number))
        taken = (*(version.number for version in history), *listing.versions)
        number, change = self._packaging.next_version(
            name,
            request.schema,
            Predecessors(published_texts(history), taken, self._rules.versioning),
        )
        newest_file = None if newest is None else listing.ours.get(newest.number)
        if change.reasons == (SAME_SCHEMA,) and _offered_again(newest_file) and _is_hives(relation):
            # The view is created again, and Hive expands its text to the published text.
            return OfferedAgain()
        return PlannedVersion(
            name,
            distribution,
            newest.number if newest else None,
            number,
            kind_of(change),
            tuple(change.reasons),
        )

    def _relation_of(self, distribution: str) -> RelationName | None:
        """The relation of a package; None if this program did not make the package."""
        listing = read_listing(distribution, self._index.files(distribution))
        for file in reversed([*listing.ours.values()]):
            try:
                _, package = read_wheel(
                    self._index, self._packaging, file, self._rules.policy.trusted_keys
                )
            except (UnusableWheel, UntrustedProvenance, CodegenError):
                continue
            is_its_own = self._packaging.distribution(package.relation) == distribution
            return package.relation if is_its_own else None
        return None

    def _offered(self, name: RelationName) -> Sequence[IndexFile]:
        distribution = self._packaging.distribution(name)
        listing = read_listing(distribution, self._index.files(distribution))
        return [file for file in listing.ours.values() if file.yanked is None]

    def _fate(self, held: str | None) -> tuple[PackageFate, str]:
        if held is not None:
            return PackageFate.HELD, f"{held}: held until schema-publisher confirm-deletions"
        seconds = self._rules.policy.drop_grace_seconds
        when = f"after a second look, {seconds:g} s later"
        if not self._rules.can_yank:
            return PackageFate.KEPT, "the index takes uploads only: its versions stay available"
        return PackageFate.YANKED, f"yanked {when}: pins keep working, ranges skip them"

    def _held(
        self, packaged: Sequence[RelationName], listed: Callable[[], Sequence[RelationName]]
    ) -> Mapping[RelationName, str]:
        """Why deletions would wait for a person, by relation; the service's limits decide it."""
        limit = self._rules.policy.deletion_limit
        known = listed() if self._state is None else ()
        missing, packages = self._missing(None, known)
        total = missing + len(packaged)
        if limit.exceeded(total, packages):
            return dict.fromkeys(packaged, f"{total} of {packages} relations would be missing")
        held: dict[RelationName, str] = {}
        for namespace in {name.place for name in packaged}:
            names = [name for name in packaged if name.place == namespace]
            missing, packages = self._missing(namespace, known)
            if limit.exceeded(missing + len(names), packages):
                of = f"{missing + len(names)} of {packages} relations of {namespace}"
                held |= dict.fromkeys(names, f"{of} would be missing")
        return held

    def _missing(
        self, namespace: Namespace | None, known: Sequence[RelationName]
    ) -> tuple[int, int]:
        """The number of relations with packages that are missing already, and the number of all."""
        if self._state is not None:
            return self._state.count_missing(namespace)
        return 0, sum(namespace in {None, name.place} for name in known)


def following(
    forecast: PackageForecast, relation: Relation, derivation: Derivation
) -> Next | Failing:
    """Like ``PackageForecast.version``; a relation that would get no package is ``Failing``."""
    if not forecast.publishes(relation):
        return None
    try:
        return forecast.version(relation, derivation)
    except UNFIT as error:
        foreign = isinstance(error, ForeignPackage)
        reason = str(error) if foreign else f"cannot be packaged: {error}"
        return Failing(relation.name, Status.OK.value, reason)


def _is_hives(relation: Relation) -> bool:
    return relation.view is not None and relation.view.dialect is Dialect.HIVE


def _offered_again(file: IndexFile | None) -> OfferedAgain | None:
    return OfferedAgain() if file is not None and file.yanked is not None else None
