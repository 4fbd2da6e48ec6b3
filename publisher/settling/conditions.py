"""Explains a relation's status: its meaning and a person's next step, the same on pages and in commands."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, assert_never

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.outcome import Status
from publisher.selection import OPT_OUT, Selection
from publisher.settling.deletions import HeldDeletions
from publisher.state.records import RelationRecord, VersionRecord, VersionStatus, WorkRecord

_MAX_NAMED: Final = 3

_OPTED_OUT: Final = f"its table property {OPT_OUT} is false"
_NOT_SELECTED: Final = "artifacts.include and artifacts.exclude leave it out"


@dataclass(frozen=True, slots=True)
class Condition:
    """A status in words. ``remedy`` is "" if there is nothing to do."""

    meaning: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Absence:
    """The absence of a package from the index; ``is_held``: whether a person must act."""

    distribution: str
    is_held: bool


def shown_status(record: RelationRecord) -> str:
    """The status for people; STALE while the relation must be derived again."""
    return "STALE" if record.stale else record.status.value


def withheld_because(record: RelationRecord | None, selection: Selection) -> str:
    """Why a derived relation that could have a package gets none, or ""."""
    if record is None or not record.withheld:
        return ""
    return _OPTED_OUT if selection.includes(record.name) else _NOT_SELECTED


def absence_of(
    distribution: str, versions: Sequence[VersionRecord], held: Collection[str]
) -> Absence | None:
    """Whether a package is absent under its present name, by its versions and the held packages."""
    if distribution in held:
        return Absence(distribution, is_held=True)
    if any(version.status is VersionStatus.PUBLISHED for version in versions):
        return None
    return Absence(distribution, is_held=False)


def condition(
    record: RelationRecord | None,
    withheld: str = "",
    failing: Sequence[RelationName] = (),
    work: WorkRecord | None = None,
    absence: Absence | None = None,
    deletion: HeldDeletions | None = None,
) -> Condition:
    """The condition of a relation.

    Args:
        record: None if it was not read yet.
        withheld: the answer of ``withheld_because``.
        failing: upstreams that cannot be derived.
        work: its outstanding work.
        absence: the absence of its package from the index.
        deletion: held deletions, if the catalog does not have the relation now.
    """
    if record is None or record.status is Status.UNKNOWN:
        return Condition("it was not read yet")
    if deletion is not None and record.status is not Status.MISSING:
        return Condition(
            "the catalog does not have it, and its deletion is held, because so many are missing: "
            f"{deletion.reason}",
            f"if they were dropped: {deletion.confirming_command}; if not, repair the catalog",
        )
    if record.stale:
        return Condition("it or one of its upstreams changed: it will be derived again")
    if record.status is not Status.MISSING and record.missing_since is not None:
        return Condition(
            "the catalog did not have it at the last reading: it counts as dropped if the next one confirms this",
            f"if the catalog has it: {_resync(record.name)}",
        )
    if record.status is Status.OK:
        return _of_derived(record, withheld, work, absence)
    return _of_failed(record, failing)


def _of_derived(
    record: RelationRecord, withheld: str, work: WorkRecord | None, absence: Absence | None
) -> Condition:
    if record.is_unfit:
        return Condition(
            "its schema is known, but it cannot be packaged",
            "correct the cause in the reason, or leave the relation out with artifacts.exclude",
        )
    if withheld:
        remedy = (
            f"to publish it, remove {OPT_OUT} from its properties"
            if withheld == _OPTED_OUT
            else "to publish it, change these settings and restart the service"
        )
        return Condition(f"its schema is known, but it gets no package: {withheld}", remedy)
    if record.lacks_version:
        return Condition("its schema is known; its package will be published")
    if absence is not None:
        missing = f"its schema is known, but the package {absence.distribution} does not exist"
        if absence.is_held:
            return Condition(
                f"{missing}: its upload is held, because so many packages are missing from the index",
                "check artifacts.prefix and index; if both are right: "
                "schema-publisher republish --missing",
            )
        return Condition(
            f"{missing} yet: the next snapshot publishes it, or holds it if many are missing"
        )
    if work is not None and work.failures:
        return Condition(
            "its package has the schema of the last reading; further readings fail",
            f"correct the error, and it is read again automatically: {work.last_error}",
        )
    return Condition("its schema is known, and its package is current")


def _of_failed(record: RelationRecord, failing: Sequence[RelationName]) -> Condition:
    match record.status:
        case Status.BROKEN:
            return Condition(
                "it cannot be derived: its engine or its catalog refuses it, or an upstream fails",
                f"repair {_listed(failing)} first: its dependents are then derived again automatically"
                if failing
                else "correct its definition or its upstreams: it is derived again when one changes",
            )
        case Status.UNSUPPORTED:
            return Condition(
                "it cannot be derived: it uses something that schema-publisher does not support",
                "follow the reason if it gives advice; otherwise rewrite that part of it, or report it",
            )
        case Status.UNREACHABLE:
            return Condition(
                "its schema is in files that cannot be read: versions of its package stay",
                "correct the cause in the reason: it is read again at the next snapshot, "
                f"or at once by {_resync(record.name)}",
            )
        case Status.CYCLE:
            return Condition(
                "it cannot be derived: it reads itself, directly or through other views",
                "change one of these views so that none reads itself",
            )
        case Status.QUARANTINED:
            return Condition(
                "it is left alone: its derivation crashed repeatedly",
                "a change of it or the next snapshot tries it once more; report its text",
            )
        case Status.MISSING:
            versions = "; the versions of its package are yanked" if record.yanked else ""
            return Condition(
                f"the catalog does not have the relation{versions}",
                f"nothing if it was dropped; if the catalog has it: {_resync(record.name)}",
            )
        case Status.OK | Status.UNKNOWN:
            raise AssertionError("not a failure")
        case _:
            assert_never(record.status)


def _resync(name: RelationName) -> str:
    """The command to resync a relation.

    The name is quoted, because people copy it into a shell and it is untrusted.
    """
    return f"schema-publisher resync {shlex.quote(str(name))}"


def _listed(names: Sequence[RelationName]) -> str:
    more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
    return ", ".join(map(str, names[:_MAX_NAMED])) + more
