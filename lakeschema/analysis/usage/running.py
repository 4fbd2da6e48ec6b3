"""Reads statements, with the day of each, from lines of a log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lakeschema.analysis.statements_logged import LoggedStatement


@dataclass(frozen=True, slots=True)
class Ran:
    """A statement that ran. ``day`` is in ISO form; empty if the log does not have it."""

    statement: LoggedStatement
    day: str = ""


def ran(line: Mapping[str, Any], position: int, dialect: str) -> Ran:
    """The statement in a line of a log; ``dialect`` is for lines that name no dialect."""
    namespace = [line.get("current_catalog"), *str(line.get("current_namespace") or "").split(".")]
    started = line.get("started_at")
    statement = LoggedStatement(
        position,
        str(line["sql"]),
        str(line.get("dialect") or dialect),
        str(line.get("session") or ""),
        tuple(str(part).lower() for part in namespace if part),
        user=str(line.get("user") or ""),
        succeeded=line.get("succeeded") is not False,
    )
    return Ran(statement, str(started)[:10] if started else "")
