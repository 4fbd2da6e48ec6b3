"""What every engine answers to a statement that it does not run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(unsafe_hash=True)
class Refused(Exception):
    """An engine could not compile or run a statement.

    Attributes:
        message: the engine's own words.
        sql: the statement.
        name: the error's name, as DIVISION_BY_ZERO, where the engine has names.
        kind: whose fault it is, as Trino says: USER_ERROR, INTERNAL_ERROR, INSUFFICIENT_RESOURCES or EXTERNAL.
        at: the place in the statement that the error points to, from 0.
    """

    message: str
    sql: str = ""
    name: str = ""
    kind: str = ""
    at: int | None = None

    def __str__(self) -> str:
        return f"{self.name}: {self.message}" if self.name else self.message
