"""Lines of a log → statements with the day on which each ran."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lakeschema.analysis.statements_logged import LoggedStatement


@dataclass(frozen=True, slots=True)
class Ran:
    """``day`` in ISO form; empty where the log does not say it."""

    statement: LoggedStatement
    day: str = ""


def ran(line: Mapping[str, Any], position: int, dialect: str) -> Ran:
    """By the names that a log's columns have; ``dialect`` where it says none."""
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
