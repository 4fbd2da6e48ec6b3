"""The error that every engine raises for a statement that it refuses."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(unsafe_hash=True)
class Refused(Exception):
    """An engine could not compile or run a statement.

    Attributes:
        message: the engine's message.
        sql: the statement.
        name: the error's name, such as DIVISION_BY_ZERO, if the engine has names.
        kind: Trino's kind of error: USER_ERROR, INTERNAL_ERROR, INSUFFICIENT_RESOURCES or EXTERNAL.
        at: the position in the statement that the error points to, from 0.
    """

    message: str
    sql: str = ""
    name: str = ""
    kind: str = ""
    at: int | None = None

    @property
    def reason(self) -> str:
        """The error's name; the message of an error without one."""
        return self.name or self.message

    def __str__(self) -> str:
        return f"{self.name}: {self.message}" if self.name else self.message
