"""One statement of a query log, and whether it may change the catalog."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

DEFINES: Final = (
    r"(?is)^(?:\s|--[^\n]*\n|/\*.*?\*/)*+"
    r"(?:create|alter|drop|rename|use|cache|set|with\b.*\binto|select\b.*\binto)\b"
)
"""Of a statement, or the first of a script, that may change what exists; of Java's syntax, too."""
DEFINES_LATER: Final = r"(?is);\s*(?:create|alter|drop|rename|use|cache)\b"
"""Of a script, anywhere in it: a statement behind the first that may."""
_DEFINES: Final = re.compile(DEFINES)
_LATER: Final = re.compile(DEFINES_LATER)


@dataclass(frozen=True, slots=True)
class LoggedStatement:
    """A statement as a log has it.

    Attributes:
        position: its place in the log's order; no two have the same.
        session: statements of one see its temporary tables and follow its USE.
        namespace: where bare names were looked up, if the log says so.
        succeeded: False for one that failed and so changed nothing.
    """

    position: int
    sql: str
    dialect: str = "spark"
    session: str = ""
    namespace: tuple[str, ...] = ()
    user: str = ""
    succeeded: bool = True


def may_define(sql: str) -> bool:
    """Whether a text may change what exists; few others are called so, and none is missed."""
    return bool(_DEFINES.match(sql) or _LATER.search(sql))
