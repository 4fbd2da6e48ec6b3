"""Chooses a package's next version number from the changes of its schema."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from lakeschema.avro.compatibility import Change, Level, compare
from lakeschema.avro.model import Schema
from publisher.index.releases import parse_version

VersioningMode: TypeAlias = Literal["semantic", "sequential"]
"""How numbers are chosen.

``semantic``: 1.0.0 first, then a number by compatibility. ``sequential``: 0.0.1, 0.0.2 and so on,
whatever changed."""

_MAX_DIGITS = 9

FIRST = "first version"
SAME_SCHEMA = "the schema is the same; the view's text, or what it reads, changed"
RUNTIME_UPDATED = "the generator's runtime was updated; the schema is the same"
REGENERATED = "the generator names or types the same schema in another way"


@dataclass(frozen=True, slots=True)
class Published:
    """A version that consumers may use; ``number`` is text such as ``1.4.0``.

    Attributes:
        surface_hash: the hash of the names that programs can use in its package; "" if unknown.
    """

    number: str
    schema: Schema
    surface_hash: str = ""


def _nothing(_: Published) -> Sequence[str]:
    return ()


def next_version(
    history: Sequence[Published],
    schema: Schema,
    *,
    mode: VersioningMode,
    surface_of: Callable[[Schema], str] | None = None,
    renamed: Callable[[Published], Sequence[str]] = _nothing,
    unusable: Collection[str] = (),
    same_schema: str = SAME_SCHEMA,
) -> tuple[str, Change]:
    """The number for ``schema``, and the change since the previous version.

    ``history`` may have any order. Only versions of the current major are compared. An unchanged schema
    gets the next patch; the caller decides whether to publish it.

    ``surface_of`` computes the current generator's surface hash of a schema. If the newest
    version's hash differs for its schema, a naming rule changed, which is a major change; None
    skips this comparison. ``renamed`` describes the names that differ. The index already has the ``unusable``
    versions, which may have any form. So the new number is the first of its level whose release segment is
    free. ``same_schema`` is the reason for a version with an unchanged schema.

    Raises:
        ValueError: a number of the history is not three integers.
    """
    released = sorted(history, key=lambda version: parse_number(version.number))
    change = _change(released, schema, surface_of, renamed, same_schema)
    number = parse_number(released[-1].number) if released else (0, 0, 0)
    taken = {_release_segment(text) for text in unusable}
    while True:
        number = _next_number(number, change.level, mode)
        if number not in taken:
            return ".".join(map(str, number)), change


def parse_number(text: str) -> tuple[int, int, int]:
    """The integers in a number such as ``1.4.0``; they sort like versions.

    Raises:
        ValueError: the text is not three integers.
    """
    if not is_number(text):
        raise ValueError(f"expected a version of three numbers, got {text!r}")
    major, minor, patch = map(int, text.split("."))
    return major, minor, patch


def is_number(text: str) -> bool:
    """Whether the text has the form of this program's versions: three numbers of limited length."""
    pieces = text.split(".")
    return len(pieces) == 3 and all(
        piece.isascii() and piece.isdigit() and len(piece) <= _MAX_DIGITS for piece in pieces
    )


def _release_segment(text: str) -> tuple[int, ...]:
    """The release segment: ``(1, 4, 0)`` for ``1.4``, ``1.4.0rc1``, ``2!1.4.0.post1`` or ``1.4.0+local``."""
    release = [*parse_version(text).release, 0, 0]
    while len(release) > 3 and release[-1] == 0:
        release.pop()
    return tuple(release)


def _change(
    released: Sequence[Published],
    schema: Schema,
    surface_of: Callable[[Schema], str] | None,
    renamed: Callable[[Published], Sequence[str]],
    same_schema: str,
) -> Change:
    if not released:
        return Change(Level.MAJOR, (FIRST,))
    latest = released[-1]
    major = parse_number(latest.number)[0]
    current = [v.schema for v in released if parse_number(v.number)[0] == major]
    change = compare(current, schema)
    # Only the newest version is compared. It has the naming rules of the versions before it, or began
    # a major.
    if surface_of is None or latest.surface_hash in {"", surface_of(latest.schema)}:
        return change if change.reasons else Change(Level.PATCH, (same_schema,))
    return Change(Level.MAJOR, (REGENERATED, *renamed(latest), *change.reasons))


def _next_number(
    number: tuple[int, int, int], level: Level, mode: VersioningMode
) -> tuple[int, int, int]:
    major, minor, patch = number
    if mode == "sequential":
        return major, minor, patch + 1
    match level:
        case Level.MAJOR:
            return major + 1, 0, 0
        case Level.MINOR:
            return major, minor + 1, 0
        case _:
            return major, minor, patch + 1
