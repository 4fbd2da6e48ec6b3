"""Compares every package's ledger with the index at each snapshot; differences become work.

If an index suddenly lacks many packages, it is probably misconfigured. Then these packages are not
uploaded until a person releases them. Each snapshot reads a limited number of bytes of a folder's
wheels, and the next snapshot continues at the same place.
"""

from __future__ import annotations

import itertools
import json
import logging
import threading
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.outcome import Status
from publisher.index.protocol import PackageIndex, PackageIndexError
from publisher.policy import DeletionLimit
from publisher.publishing.differences import (
    compare_with_index,
    given_up,
    mendable,
    published_hashes,
)
from publisher.publishing.discovery import Discovery
from publisher.publishing.history import newest_published
from publisher.publishing.index_work import IndexWork
from publisher.publishing.listing import read_listing
from publisher.publishing.outage import is_away
from publisher.publishing.packaging_protocol import Packaging
from publisher.runtime import Clock, Runtime
from publisher.state.protocol import Transaction
from publisher.state.records import RelationRecord, Urgency, VersionRecord, WorkRequest

log = logging.getLogger(__name__)

T = TypeVar("T")

NOTE = "@index/"
_HELD_NOTE = "index-held/"
_NOT_ON_INDEX = "packages are not on the index"
MAX_NOTED = 20
"""A note lists this many foreign files and failures; the log has them all."""

_BATCH = 500


@dataclass(frozen=True, slots=True)
class IndexReport:
    """The result of a comparison.

    Attributes:
        checked: the number of compared packages.
        differing: relations that were enqueued.
        adopted: relations whose packages the state did not know.
        held: sentences about packages that wait for a person.
        held_packages: packages that are not uploaded again.
        foreign: files of other programs under the names of the deployment's packages.
        failed: the error of each distribution that could not be compared.
    """

    checked: int = 0
    differing: Sequence[RelationName] = ()
    adopted: Sequence[RelationName] = ()
    held: Sequence[str] = ()
    held_packages: Sequence[str] = ()
    foreign: Sequence[str] = ()
    failed: Mapping[str, str] = field(default_factory=dict)


def release_of(held: str) -> str:
    """The command that releases held packages; ``IndexReport.held`` has a sentence about them."""
    command = "republish --missing" if held.endswith(_NOT_ON_INDEX) else "adopt"
    return f"schema-publisher {command}"


def held_packages(tx: Transaction) -> frozenset[str]:
    """Distributions that a catalog's last comparison did not find on the index, and holds."""
    notes = tx.journal.notes(_HELD_NOTE).values()
    return frozenset(name for note in notes if note for name in json.loads(note))


@dataclass(frozen=True, slots=True)
class _Package:
    """A package to compare; ``place`` is its position in the order of this comparison."""

    record: RelationRecord
    distribution: str
    history: Sequence[VersionRecord]
    place: int = 0

    @property
    def is_renamed(self) -> bool:
        """Whether the package was only published under another prefix."""
        return self.record.published_hash is not None and not self.history


@dataclass(frozen=True, slots=True)
class _Found:
    package: _Package
    differs: bool
    is_absent: bool
    foreign: Sequence[str]


class IndexComparison:
    def __init__(
        self,
        runtime: Runtime,
        index: PackageIndex,
        packaging: Packaging,
        discovery: Discovery,
        catalog_name: str,
    ) -> None:
        self._discovery = discovery
        self._runtime = runtime
        self._state = runtime.state
        self._index = index
        self._packaging = packaging
        self._work = IndexWork(runtime)
        # This name is stored: do not change it.
        self._note = f"{NOTE}{catalog_name}"
        self._held_note = f"{_HELD_NOTE}{catalog_name}"
        self._read_note = f"index-read/{catalog_name}"  # without "@", so it is not shown

    def run(
        self, refill: DeletionLimit, adoption: DeletionLimit | None, max_bytes: float
    ) -> IndexReport:
        """Enqueues the relations whose packages differ.

        Args:
            refill: missing packages beyond this limit are held.
            max_bytes: how many bytes of wheels are read; the last package is always read to its
                end.
            adoption: unknown packages of missing relations are held beyond this limit; None looks
                for no unknown packages.

        Raises:
            CatalogUnavailable, PackageIndexError: the search for unknown packages failed.
        """
        report = self._compare_all(refill, _Reading(max_bytes))
        if adoption is not None:
            found = self._discovery.run(adoption)
            report = replace(
                report,
                adopted=found.adopted,
                held=[*report.held, *([found.held] if found.held else [])],
                failed={**report.failed, **found.failed},
            )
        for held in report.held:
            log.error("held until confirmed", extra={"why": held, "release": release_of(held)})
        held_packages = json.dumps(report.held_packages) if report.held_packages else ""

        def record(tx: Transaction) -> None:
            tx.journal.write_note(self._note, _note(report))
            tx.journal.write_note(self._held_note, held_packages)

        self._state.write(record)
        return report

    def _compare_all(self, refill: DeletionLimit, reading: _Reading) -> IndexReport:
        pace = _Pace(self._runtime.clock, self._runtime.policy.index_checks_per_second)
        found: list[_Found] = []
        failed: dict[str, str] = {}
        for batch in self._packages():
            results = self._work.attempt_each(batch, lambda p: self._compare(p, pace, reading))
            for package, result in zip(batch, results, strict=True):
                if isinstance(result, PackageIndexError):
                    failed[package.distribution] = str(result)
                else:
                    found.append(result)
            if is_away(results):
                break
        else:
            if self._state.read(lambda tx: tx.journal.note(self._read_note)) != reading.next:
                self._state.write(lambda tx: tx.journal.write_note(self._read_note, reading.next))
        report = _report(found, failed, refill)
        differing = frozenset(report.differing)
        self._enqueue([f.package for f in found if f.package.record.name in differing])
        return report

    def _packages(self) -> Iterator[Sequence[_Package]]:
        """All packages that have or had a version, in batches, since a history is large: it holds every schema's text."""
        records, published, first = self._state.read(
            lambda tx: (
                tx.graph.every_record(),
                frozenset(tx.versions.distributions()),
                tx.journal.note(self._read_note),
            )
        )
        named = {name: self._packaging.distribution(name) for name in sorted(records)}
        known = [
            n for n, d in named.items() if d in published or records[n].published_hash is not None
        ]
        known.sort(key=named.__getitem__)
        start = bisect_left(known, first, key=named.__getitem__)
        places = itertools.count()
        for batch in _batches([*known[start:], *known[:start]]):
            distributions = [named[name] for name in batch]
            histories = self._state.read(partial(_histories, distributions=distributions))
            yield [_Package(records[n], named[n], histories[named[n]], next(places)) for n in batch]

    def _compare(self, package: _Package, pace: _Pace, reading: _Reading) -> _Found:
        record = package.record
        if package.is_renamed:
            is_wanted = record.status is not Status.MISSING
            return _Found(package, differs=is_wanted, is_absent=is_wanted, foreign=())
        pace.wait()
        reads_all = bool(given_up(package.history))
        damages = self._index.damages(
            package.distribution,
            published_hashes(package.history),
            lambda size: reads_all or reading.may_read(package, size),
        )
        if mendable(damages, package.history):
            # Once the pages are repaired, the next comparison shows other differences.
            return _Found(package, differs=True, is_absent=False, foreign=())
        listing = read_listing(package.distribution, self._index.files(package.distribution))
        is_dropped = record.status is Status.MISSING
        damaged = frozenset(damage.filename for damage in damages)
        found = compare_with_index(listing, package.history, is_dropped=is_dropped, damaged=damaged)
        if is_dropped and not record.yanked:
            # This is no difference: either the index cannot yank, or a worker will soon yank.
            found = replace(found, to_yank=())
        return _Found(
            package,
            differs=bool(found),
            is_absent=newest_published(package.history) in found.lost,
            foreign=[file.filename for file in listing.foreign],
        )

    def _enqueue(self, packages: Sequence[_Package]) -> None:
        renamed = {p.record.name for p in packages if p.is_renamed}
        for batch in _batches([p.record.name for p in packages]):
            self._state.write(_mark(batch, renamed, self._runtime.clock.now()))
        if packages:
            self._runtime.counters.add("index_differences", len(packages))


def _report(
    found: Sequence[_Found], failed: Mapping[str, str], refill: DeletionLimit
) -> IndexReport:
    absent = [f for f in found if f.is_absent]
    is_held = refill.exceeded(len(absent), len(found))
    foreign = [name for f in found for name in f.foreign]
    if foreign:
        log.warning("foreign files on the index", extra={"files": foreign[:MAX_NOTED]})
    return IndexReport(
        checked=len(found),
        differing=sorted(
            f.package.record.name for f in found if f.differs and not (is_held and f.is_absent)
        ),
        held=[f"{len(absent)} of {len(found)} {_NOT_ON_INDEX}"] if is_held else (),
        held_packages=[f.package.distribution for f in absent] if is_held else (),
        foreign=foreign,
        failed=failed,
    )


def _mark(
    names: Sequence[RelationName], renamed: set[RelationName], now: float
) -> Callable[[Transaction], None]:
    def mark(tx: Transaction) -> None:
        for name, record in tx.graph.records(names).items():
            # A renamed package's content hash contains the distribution's name, so the relation must be
            # derived again.
            inputs = None if name in renamed else record.inputs
            tx.graph.write(replace(record, index_check_due=True, inputs=inputs))
        tx.work.request(WorkRequest(name, now, Urgency.SNAPSHOT) for name in names)

    return mark


def _histories(
    tx: Transaction, *, distributions: Sequence[str]
) -> Mapping[str, Sequence[VersionRecord]]:
    return tx.versions.history(distributions)


def _note(report: IndexReport) -> str:
    return json.dumps(
        {
            "checked": report.checked,
            "differing": len(report.differing),
            "adopted": len(report.adopted),
            "held": list(report.held),
            "foreign": list(report.foreign[:MAX_NOTED]),
            "failed": dict(list(report.failed.items())[:MAX_NOTED]),
        }
    )


def _batches(items: Sequence[T]) -> Iterator[Sequence[T]]:
    return (items[start : start + _BATCH] for start in range(0, len(items), _BATCH))


class _Pace:
    """Limits how many requests begin in a second; safe for threads."""

    def __init__(self, clock: Clock, per_second: float) -> None:
        self._clock = clock
        self._seconds = 1.0 / per_second
        self._lock = threading.Lock()
        self._next_at = clock.now()

    def wait(self) -> None:
        with self._lock:
            now = self._clock.now()
            begins_at = max(now, self._next_at)
            self._next_at = begins_at + self._seconds
        if begins_at > now:
            self._clock.sleep(begins_at - now)


class _Reading:
    """Decides which packages' wheels are read, up to a number of bytes; safe for threads."""

    def __init__(self, max_bytes: float) -> None:
        self._bytes = max_bytes
        self._lock = threading.Lock()
        self._refused: _Package | None = None

    @property
    def next(self) -> str:
        """The first distribution whose wheels were not read; "" if all were read."""
        return "" if self._refused is None else self._refused.distribution

    def may_read(self, package: _Package, size: int) -> bool:
        with self._lock:
            if self._bytes > 0:
                self._bytes -= size
                return True
            if self._refused is None or package.place < self._refused.place:
                self._refused = package
            return False
