"""Turns an error into a line for people, a hint, and an exit status.

Exit status: 0 done, 1 the answer is "no", 2 used wrongly, 3 something outside failed.
"""

from __future__ import annotations

from dataclasses import dataclass

from publisher.printable import printable

NO = 1
USAGE_ERROR = 2
OUTSIDE_FAILED = 3


@dataclass(frozen=True, slots=True)
class Failure:
    """How a failed command ends."""

    exit_status: int
    message: str
    hint: str = ""

    def __str__(self) -> str:
        """The message and the hint. Control characters are escaped, since a terminal would obey them."""
        lines = [f"schema-publisher: {self.message}", *([f"  {self.hint}"] if self.hint else [])]
        return "\n".join(printable(line) for text in lines for line in text.splitlines())


class Refused(Exception):
    """Raised if the answer of a command is "no", or if the command was used wrongly."""

    def __init__(self, exit_status: int, message: str, hint: str = "") -> None:
        super().__init__(exit_status, message, hint)
        self.failure = Failure(exit_status, message, hint)

    def __str__(self) -> str:
        return self.failure.message


def failure_of(error: Exception) -> Failure:
    """The failure to report for any error."""
    if isinstance(error, Refused):
        return error.failure
    hint = getattr(error, "hint", "")
    if isinstance(error, _usage_errors()) or _is_misspelt(error):
        return Failure(USAGE_ERROR, str(error), hint)
    if _is_a_no(error):
        return Failure(NO, str(error), hint)
    state_failure = _state_failure(error)
    if state_failure is not None:
        return state_failure
    if isinstance(error, OSError) and error.filename and error.strerror:
        return Failure(OUTSIDE_FAILED, f"{error.filename}: {error.strerror}", hint)
    if isinstance(error, _outside_failures()):
        return Failure(OUTSIDE_FAILED, str(error), hint or _hint(error))
    return Failure(
        OUTSIDE_FAILED,
        f"internal error: {_one_line(error)}",
        "rerun with --traceback: schema-publisher --traceback COMMAND …",
    )


# The imports below are slow, and only needed by a command that failed.


def _usage_errors() -> tuple[type[Exception], ...]:
    from lakeschema.catalog.errors import MalformedDdl, MalformedName, MalformedType
    from lakeschema.spark.session import SparkMissing
    from publisher.settings import SettingsError

    return (SettingsError, SparkMissing, MalformedDdl, MalformedName, MalformedType)


def _is_misspelt(error: Exception) -> bool:
    from lakeschema.catalog.errors import Refusal, SessionRefused

    return isinstance(error, SessionRefused) and error.kind is Refusal.SYNTAX


def _is_a_no(error: Exception) -> bool:
    """Whether a session or a catalog refused a statement; a refusal is an answer, not a failure."""
    from lakeschema.catalog.errors import (
        NamespaceExists,
        NamespaceMissing,
        NamespaceNotEmpty,
        RelationMissing,
        SessionRefused,
    )

    missing = (NamespaceMissing, RelationMissing)
    return isinstance(error, (SessionRefused, NamespaceExists, NamespaceNotEmpty, *missing))


def _outside_failures() -> tuple[type[Exception], ...]:
    from lakeschema.catalog.errors import CatalogError
    from publisher.events.protocol import SourceUnavailable
    from publisher.index.protocol import PackageIndexError
    from publisher.settling.comparison import SnapshotBusy
    from publisher.state.protocol import StateUnavailable
    from publisher.web.server import AddressTaken

    return (
        CatalogError,
        PackageIndexError,
        SourceUnavailable,
        StateUnavailable,
        AddressTaken,
        SnapshotBusy,
        OSError,
    )


def _state_failure(error: Exception) -> Failure | None:
    import sqlite3

    from alembic.util import CommandError
    from sqlalchemy.exc import DBAPIError

    match error:
        case DBAPIError(orig=reason) | (sqlite3.Error() as reason):
            hint = "check state.url, the file's permissions and the disk"
            return Failure(OUTSIDE_FAILED, f"state database: {reason}", hint)
        case CommandError():
            hint = "it may have been written by a newer schema-publisher"
            return Failure(OUTSIDE_FAILED, f"state database: {error}", hint)
        case _:
            return None


def _hint(error: Exception) -> str:
    from publisher.policy import Policy
    from publisher.settling.comparison import SnapshotBusy

    if not isinstance(error, SnapshotBusy):
        return ""
    seconds = Policy().snapshot_lease_seconds
    return (
        "wait until it ends, and repeat the command; "
        f"a killed one no longer counts after {seconds:.0f} seconds"
    )


def _one_line(error: Exception) -> str:
    first, *_ = str(error).splitlines() or [""]
    return f"{type(error).__name__}: {first}" if first else type(error).__name__
