"""Brings one distribution's ledger and the index into agreement, under a claim of its relation.

The ledger says which files the index should have. Further versions on the index are adopted. A lost
file is rebuilt from the ledger, and uploaded if it has the recorded bytes. Otherwise the version
counts as lost, and its content is published under the next number. A damaged file is repaired in the
same way.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from codegen.package import Wheel
from lakeschema.avro.compatibility import Level
from lakeschema.catalog.identifiers import RelationName
from publisher.index.protocol import Damage, ForeignPackage, IndexRefused, PackageIndex
from publisher.notifications.facts import Kind, major_version
from publisher.notifications.recording import Notices
from publisher.publishing.adoption import NOTHING_ADOPTED, adopt_unrecorded, write_adopted
from publisher.publishing.differences import (
    Differences,
    compare_with_index,
    given_up,
    mendable,
    published_hashes,
)
from publisher.publishing.history import newest_published
from publisher.publishing.jobs import Reconciled
from publisher.publishing.listing import read_listing
from publisher.publishing.packaging_protocol import Packaging, PackagingCrashed
from publisher.publishing.unrecorded import Adopted
from publisher.publishing.upload import (
    DROPPED,
    MAX_LISTING_DELAY_SECONDS,
    Delivery,
    WheelUploader,
    is_name_taken,
)
from publisher.runtime import Runtime
from publisher.state.protocol import Transaction
from publisher.state.records import VersionRecord, VersionStatus

log = logging.getLogger(__name__)

_OTHER_BYTES = "another generator, another version of zlib, or other options made it"
_ADOPTED = "it was adopted from the index, and its source is unknown"


@dataclass(frozen=True, slots=True)
class Delivered:
    """The result for a reservation. ``taken`` is the package that already has the reserved number, if any."""

    version: VersionRecord
    delivery: Delivery
    taken: Adopted = NOTHING_ADOPTED


class Reconciler:
    """Brings the ledger and the index into agreement.

    Every method raises ``PackageIndexError`` if the index is unavailable or refuses.
    """

    def __init__(self, runtime: Runtime, index: PackageIndex, packaging: Packaging) -> None:
        self._runtime = runtime
        self._state = runtime.state
        self._index = index
        self._packaging = packaging
        self._uploader = WheelUploader(index, runtime.clock)

    def reconcile(
        self,
        name: RelationName,
        history: Sequence[VersionRecord],
        *,
        is_dropped: bool,
        refill: bool,
    ) -> Reconciled:
        """Resolves every difference: adopts, uploads, repairs, yanks and unyanks.

        Without ``refill``, only a lost newest version is uploaded again, and no wheels are read.
        The comparison of all packages does the rest: it requests uploads of the other lost versions,
        unless too many are lost.
        """
        distribution = self._packaging.distribution(name)
        reads = refill or bool(given_up(history))
        damages = self._index.damages(distribution, published_hashes(history), lambda _: reads)
        mended = mendable(damages, history)
        beyond_repair = self._mend(distribution, history, mended) if mended else {}
        reserved = [v for v in history if v.status is VersionStatus.RESERVED]
        for version in reserved:
            self.finish(version)
        if reserved:
            history = self._history(distribution)
        listing = read_listing(distribution, self._index.files(distribution))
        damaged = frozenset(damage.filename for damage in damages)
        found = compare_with_index(listing, history, is_dropped=is_dropped, damaged=damaged)
        revised = {**self._revised(found, history, refill=refill), **beyond_repair}
        if revised or found.unrecorded:
            adopted = adopt_unrecorded(
                self._runtime, self._index, self._packaging, name, found.unrecorded
            )
            self._state.write(partial(self._write, name=name, adopted=adopted, revised=revised))
            history = self._history(distribution)
        is_yanked = self._yank_and_offer(distribution, found)
        has_acted = bool(mended or reserved or found)
        return Reconciled(history, listing.versions, has_acted, is_yanked)

    def _mend(
        self, distribution: str, history: Sequence[VersionRecord], damages: Sequence[Damage]
    ) -> Mapping[str, VersionStatus]:
        """Repairs damaged files; returns the new status of each version that cannot be repaired, by number."""
        damaged = {d.filename: d for d in damages if not d.is_missing}
        wheels: list[Wheel] = []
        lost: dict[str, VersionStatus] = {}
        for version in history:
            if version.filename not in damaged:
                continue
            wheel, why = self._rebuild(version)
            if wheel is not None:
                wheels.append(wheel)
                continue
            lost[version.number] = VersionStatus.LOST
            log.error(
                "wheel is damaged on the index and cannot be built again",
                extra={
                    "wheel": version.filename,
                    "damage": str(damaged[version.filename]),
                    "why": why,
                    "remedy": "restore the file from a backup of the index, or remove it",
                },
            )
        self._index.mend(distribution, published_hashes(history), wheels)
        self._runtime.counters.add("uploaded_again", len(wheels))
        gone = {version.filename for version in history if version.number in lost}
        written = [str(damage) for damage in damages if damage.filename not in gone]
        if written:
            fields = {"distribution": distribution, "damages": written}
            log.warning("damaged files of the index were written again", extra=fields)
        return lost

    def finish(self, version: VersionRecord) -> None:
        """Uploads a reserved version, even if its relation has changed since: users may see it already."""
        wheel = self._state.read(
            lambda tx: tx.versions.reserved_wheel(version.distribution, version.number)
        )
        if wheel is None:
            return  # another worker has just finished it
        delivered = self.deliver(
            version,
            Wheel(
                version.distribution,
                version.number,
                version.filename,
                wheel,
                hashlib.sha256(wheel).hexdigest(),
            ),
        )
        now = self._runtime.clock.now()
        self._state.write(lambda tx: record_deliveries(tx, [delivered], now, self._runtime.notices))
        self.log_delivery(version, delivered.delivery)

    def deliver(self, version: VersionRecord, wheel: Wheel) -> Delivered:
        """Uploads the wheel of a reservation, unless the index has it."""
        traces = self._runtime.traces
        delivery = self._uploader.deliver(
            wheel,
            reserved_at=version.created_at,
            watch=lambda title: traces.stage(title, [version.relation]),
        )
        if delivery is Delivery.CONFLICT:
            return Delivered(version, delivery, self._read_taken(version))
        return Delivered(version, delivery)

    def _read_taken(self, version: VersionRecord) -> Adopted:
        """This deployment's package that has the number, if any, such as after the state was lost."""
        files = self._index.files(version.distribution)
        listed = [file for file in files if file.filename == version.filename]
        try:
            adopted = adopt_unrecorded(
                self._runtime, self._index, self._packaging, version.relation, listed
            )
        except ForeignPackage:
            return NOTHING_ADOPTED
        is_ours = all(each.status is VersionStatus.PUBLISHED for each in adopted.versions)
        return adopted if is_ours else NOTHING_ADOPTED

    def log_delivery(self, version: VersionRecord, delivery: Delivery) -> None:
        fields = {
            "relation": str(version.relation),
            "distribution": version.distribution,
            "number": version.number,
        }
        match delivery:
            case Delivery.PUBLISHED:
                self._runtime.counters.add("published")
                now = self._runtime.instant()
                self._runtime.latency.publish(version.relation, version.created_at, now)
                log.info("version published", extra={**fields, "change": version.change})
                self._runtime.traces.end(
                    version.relation, "published", version.distribution, version.number
                )
            case Delivery.CONFLICT:
                self._runtime.counters.add("conflicts")
                log.error("version number is taken by other bytes: unusable", extra=fields)

    def _history(self, distribution: str) -> Sequence[VersionRecord]:
        return self._state.read(lambda tx: tx.versions.history([distribution]))[distribution]

    def _revised(
        self, found: Differences, history: Sequence[VersionRecord], *, refill: bool
    ) -> Mapping[str, VersionStatus]:
        """The new status of each version whose status changes, by the version's number."""
        revised = {version.number: VersionStatus.PUBLISHED for version in found.returned}
        for version in found.changed:
            self.log_delivery(version, Delivery.CONFLICT)
            revised[version.number] = VersionStatus.CONFLICT
        newest = newest_published(history)
        for version in found.lost:
            if refill or version == newest:
                status = self._upload_again(version)
                if status is not VersionStatus.PUBLISHED:
                    revised[version.number] = status
        return revised

    def _upload_again(self, version: VersionRecord) -> VersionStatus:
        fields = {"distribution": version.distribution, "number": version.number}
        wheel, why = self._rebuild(version)
        if wheel is None:
            log.error(
                "version is lost from the index and cannot be built again",
                extra={**fields, "why": why},
            )
            return VersionStatus.LOST
        try:
            delivery = self._uploader.deliver(wheel)
        except IndexRefused as error:
            if not is_name_taken(error) or self._may_be_unlisted(version):
                raise
            log.warning(
                "version is lost and the index refuses it", extra={**fields, "why": str(error)}
            )
            return VersionStatus.LOST
        if delivery is Delivery.CONFLICT:
            return VersionStatus.CONFLICT
        self._runtime.counters.add("uploaded_again")
        log.warning("version was lost from the index and is uploaded again", extra=fields)
        return VersionStatus.PUBLISHED

    def _rebuild(self, version: VersionRecord) -> tuple[Wheel | None, str]:
        """The wheel with the recorded bytes, or why it cannot be built."""
        provenance, history = self._state.read(
            lambda tx: (
                tx.versions.provenance(version.distribution, version.number),
                tx.versions.history([version.distribution])[version.distribution],
            )
        )
        texts = {other.number: other.schema_text for other in history if other.schema_text}
        try:
            wheel = self._packaging.rebuild(version, provenance, texts)
        except PackagingCrashed as error:
            # The version counts as lost. The same inputs would crash each retry, and the relation
            # would never get another version.
            return None, error.reason
        return wheel, _OTHER_BYTES if provenance else _ADOPTED

    def _may_be_unlisted(self, version: VersionRecord) -> bool:
        """Whether the index may have the version although its cached page does not list it yet."""
        # The age is absolute, since wall time may have been set back in between.
        age_seconds = abs(self._runtime.clock.wall() - version.created_at)
        return age_seconds <= MAX_LISTING_DELAY_SECONDS

    def _write(
        self,
        tx: Transaction,
        *,
        name: RelationName,
        adopted: Adopted,
        revised: Mapping[str, VersionStatus],
    ) -> None:
        distribution = self._packaging.distribution(name)
        write_adopted(tx, name, adopted, self._runtime.clock.now())
        for number, status in revised.items():
            tx.versions.revise(distribution, number, status)
        write_newest(tx, name, tx.versions.history([distribution])[distribution])

    def _yank_and_offer(self, distribution: str, found: Differences) -> bool:
        for file in found.to_offer:
            self._index.yank(file, None)
        is_yanked = all(self._index.yank(file, DROPPED) for file in found.to_yank)
        if not is_yanked:
            self._runtime.counters.add("yanks_declined")
            log.warning("index cannot yank", extra={"distribution": distribution})
        return is_yanked


def record_deliveries(
    tx: Transaction, deliveries: Iterable[Delivered], now: float, notices: Notices
) -> None:
    delivered = list(deliveries)
    _record_majors(tx, delivered, now, notices)
    for each in delivered:
        version = each.version
        match each.delivery:
            case Delivery.PUBLISHED:
                tx.versions.confirm(version.distribution, version.number)
            case Delivery.CONFLICT:
                tx.versions.mark_unusable(version.distribution, version.number)
                for found in each.taken.versions:
                    tx.versions.recognise(found)
                write_adopted(tx, version.relation, each.taken, now)
    histories = tx.versions.history(each.version.distribution for each in delivered)
    for each in delivered:
        write_newest(tx, each.version.relation, histories[each.version.distribution])


def _record_majors(
    tx: Transaction, delivered: Sequence[Delivered], now: float, notices: Notices
) -> None:
    """Records notices of new majors, once each: only for versions that no other worker has confirmed."""
    if not notices.wants(Kind.MAJOR):
        return
    majors = [
        each.version
        for each in delivered
        if each.delivery is Delivery.PUBLISHED and each.version.change == Level.MAJOR.value
    ]
    if majors:
        reserved = {
            (version.distribution, version.number)
            for version in tx.versions.open_reservations(v.distribution for v in majors)
        }
        facts = [major_version(v) for v in majors if (v.distribution, v.number) in reserved]
        notices.record(tx, facts, now)


def write_newest(tx: Transaction, name: RelationName, history: Sequence[VersionRecord]) -> None:
    """Stores the content of the newest published version as the relation's published content."""
    newest = newest_published(history)
    if newest is not None:
        tx.graph.write_published(name, newest.content_hash, newest.sequence)
    else:
        tx.graph.write_published(name, None, 0)
