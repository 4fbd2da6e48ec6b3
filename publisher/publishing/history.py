"""The versions in a package's ledger, in the form that ``versioning`` compares."""

from __future__ import annotations

from collections.abc import Sequence

from codegen.earlier_schemas import MAX_VERSIONS
from codegen.package import Release
from publisher.publishing.packaging_protocol import PublishedText
from publisher.publishing.versioning import is_number, parse_number
from publisher.state.records import VersionRecord, VersionStatus

MAX_COMPARED = 200
"""The maximum number of versions of a major that are compared, since each costs time and memory."""


def newest_published(history: Sequence[VersionRecord]) -> VersionRecord | None:
    """The highest version that the index is known to have, with the recorded bytes."""
    return max(_published(history), key=_number, default=None)


def published_texts(history: Sequence[VersionRecord]) -> tuple[PublishedText, ...]:
    """The versions with which the next version is compared: the newest major's with known schemas.

    The newest version is first; the next version's number follows its number.
    """
    known = _known_texts(history)[:MAX_COMPARED]
    return tuple(text for text in known if _major(text.number) == _major(known[0].number))


def earlier_texts(history: Sequence[VersionRecord]) -> tuple[PublishedText, ...]:
    """The versions whose schemas the next version lists, newest first."""
    return tuple(_known_texts(history)[:MAX_VERSIONS])


def _known_texts(history: Sequence[VersionRecord]) -> Sequence[PublishedText]:
    """The versions with known schemas that consumers may use, newest first."""
    return [
        PublishedText(v.number, v.schema_text, v.surface_hash)
        for v in sorted(_published(history), key=_number, reverse=True)
        if v.schema_text is not None
    ]


def releases(history: Sequence[VersionRecord]) -> tuple[Release, ...]:
    """The changes of each version that consumers may use, newest first."""
    published = sorted(_published(history), key=_number, reverse=True)
    return tuple(Release(v.number, v.change, v.reasons) for v in published)


def _published(history: Sequence[VersionRecord]) -> Sequence[VersionRecord]:
    """Published versions whose numbers have the form of this release.

    An earlier release also recorded other forms, such as ``1.0.0.post1``.
    """
    return [v for v in history if v.status is VersionStatus.PUBLISHED and is_number(v.number)]


def _number(version: VersionRecord) -> tuple[int, int, int]:
    return parse_number(version.number)


def _major(number: str) -> int:
    return parse_number(number)[0]
