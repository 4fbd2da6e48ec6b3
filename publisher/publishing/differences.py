"""Compares a distribution's ledger with the index: what must be repaired, and where. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from publisher.index.protocol import Damage, IndexFile
from publisher.publishing.listing import Listing
from publisher.publishing.unrecorded import unrecorded_files
from publisher.publishing.upload import DROPPED
from publisher.state.records import VersionRecord, VersionStatus


@dataclass(frozen=True, slots=True)
class Differences:
    """The differences; false if ledger and index agree.

    Attributes:
        unrecorded: wheels with this program's form of name whose number the ledger lacks, the lowest
            number first.
        lost: published versions that the index does not list.
        changed: published versions that the index lists with another hash.
        returned: versions with status LOST or CONFLICT that the index lists with their hash.
        to_yank: files of a dropped relation that are not yanked.
        to_offer: files that were yanked with a relation that exists again.
    """

    unrecorded: Sequence[IndexFile] = ()
    lost: Sequence[VersionRecord] = ()
    changed: Sequence[VersionRecord] = ()
    returned: Sequence[VersionRecord] = ()
    to_yank: Sequence[IndexFile] = ()
    to_offer: Sequence[IndexFile] = ()

    def __bool__(self) -> bool:
        return any(
            (
                self.unrecorded,
                self.lost,
                self.changed,
                self.returned,
                self.to_yank,
                self.to_offer,
            )
        )


def published_hashes(history: Sequence[VersionRecord]) -> Mapping[str, str]:
    """The SHA-256 of each published version, if known, by the wheel's file name."""
    published = (v for v in history if v.status is VersionStatus.PUBLISHED)
    return {v.filename: v.wheel_sha256 for v in published if v.wheel_sha256 is not None}


def given_up(history: Sequence[VersionRecord]) -> Sequence[VersionRecord]:
    """The versions that cannot be installed from the index: LOST or CONFLICT."""
    return [v for v in history if v.status in {VersionStatus.LOST, VersionStatus.CONFLICT}]


def mendable(damages: Sequence[Damage], history: Sequence[VersionRecord]) -> Sequence[Damage]:
    """The damages that ``PackageIndex.mend`` can repair.

    The result omits missing published wheels: they count as lost, and too many lost wheels are
    held. It also omits foreign wheels, and versions that were given up.
    """
    published = published_hashes(history)
    hopeless = tuple(version.filename for version in given_up(history))

    def is_mendable(damage: Damage) -> bool:
        if damage.is_missing:
            return damage.filename not in published
        if damage.filename.endswith(".whl"):
            return damage.filename in published
        return not damage.filename.startswith(hopeless)

    return [damage for damage in damages if is_mendable(damage)]


def compare_with_index(
    listing: Listing,
    history: Sequence[VersionRecord],
    *,
    is_dropped: bool,
    damaged: Collection[str] = (),
) -> Differences:
    """Compares a ledger with the listed files, and their hashes if the page states them.

    Files of a dropped relation may be missing. ``damaged`` has the names of files whose bytes
    contradict the page.
    """
    unrecorded = unrecorded_files(listing, history)
    is_ours = bool(history or unrecorded)
    published = [v for v in history if v.status is VersionStatus.PUBLISHED]
    filenames = {file.filename for file in listing.files}
    return Differences(
        unrecorded=unrecorded,
        lost=() if is_dropped else [v for v in published if v.filename not in filenames],
        changed=[v for v in published if _has_same_hash(v, listing) is False],
        returned=[
            v for v in given_up(history) if v.filename not in damaged and _has_same_hash(v, listing)
        ],
        to_yank=[f for f in listing.files if is_dropped and is_ours and f.yanked is None],
        to_offer=[f for f in listing.files if not is_dropped and f.yanked == DROPPED],
    )


def _has_same_hash(version: VersionRecord, listing: Listing) -> bool | None:
    """Whether the index lists the recorded hash; None if not listed, or if a hash is unknown."""
    file = listing.ours.get(version.number)
    if file is None or file.sha256 is None or version.wheel_sha256 is None:
        return None
    return file.sha256 == version.wheel_sha256
