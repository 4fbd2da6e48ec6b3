"""The statements of a query log, and a test whether a statement may change the catalog."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

DEFINES: Final = (
    r"(?is)^(?:\s|--[^\n]*\n|/\*.*?\*/)*+"
    r"(?:create|alter|drop|rename|use|cache|set|with\b.*\binto|select\b.*\binto)\b"
)
"""Matches a text whose first statement may change the catalog. It is also a valid Java pattern."""
DEFINES_LATER: Final = r"(?is);\s*(?:create|alter|drop|rename|use|cache)\b"
"""Matches a later statement of a script that may change the catalog."""
_DEFINES: Final = re.compile(DEFINES)
_LATER: Final = re.compile(DEFINES_LATER)


@dataclass(frozen=True, slots=True)
class LoggedStatement:
    """A statement from a log.

    Attributes:
        position: its unique place in the log's order.
        session: the session that ran it, with its temporary tables and its USE.
        namespace: the namespace for bare names, if the log has it.
        succeeded: False if it failed, and so changed nothing.
    """

    position: int
    sql: str
    dialect: str = "spark"
    session: str = ""
    namespace: tuple[str, ...] = ()
    user: str = ""
    succeeded: bool = True


def may_define(sql: str) -> bool:
    """Whether a text may change the catalog.

    If False, the text certainly does not change the catalog. If True, it almost always does.
    """
    return bool(_DEFINES.match(sql) or _LATER.search(sql))
