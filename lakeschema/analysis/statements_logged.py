"""One statement of a query log, and whether it may change the catalog."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

DEFINES: Final = (
    r"(?is)^(?:\s|--[^\n]*\n|/\*.*?\*/)*+"
    r"(?:create|alter|drop|rename|use|cache|set|with\b.*\binto|select\b.*\binto)\b"
)
"""Matches a statement, or a script's first one, that may change the catalog; also a Java pattern."""
DEFINES_LATER: Final = r"(?is);\s*(?:create|alter|drop|rename|use|cache)\b"
"""Matches a later statement of a script that may change the catalog."""
_DEFINES: Final = re.compile(DEFINES)
_LATER: Final = re.compile(DEFINES_LATER)


@dataclass(frozen=True, slots=True)
class LoggedStatement:
    """A statement from a log.

    Attributes:
        position: its unique place in the log's order.
        session: its statements see its temporary tables and follow its USE.
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
    """Whether a text may change the catalog: it misses none, and few others match."""
    return bool(_DEFINES.match(sql) or _LATER.search(sql))
