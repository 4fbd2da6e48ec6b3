"""The functions and operators in a plan: their names, and their treatment of nulls and schemas."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from lakeschema.catalog.identifiers import RelationName


class NullClass(Enum):
    """When a call is null.

    TOTAL: if and only if an argument is null. PARTIAL: perhaps even if no argument is null; this is
    the default. ABSORBING: the function has its own rule (coalesce is null if and only if all
    arguments are). NEVER: never.
    """

    TOTAL = "total"
    PARTIAL = "partial"
    ABSORBING = "absorbing"
    NEVER = "never"


EQUATING: Final = frozenset(
    {"=", "<>", "<=>", "in", "nullif", "is distinct from", "is not distinct from"}
)
"""Operators that only compare for equality: Hive accepts maps there."""

VALUE_IN_ORDER: Final = frozenset({"mode", "percentile_cont", "percentile_disc"})
"""Aggregates whose first argument in the plan is also the key of WITHIN GROUP."""


COLLECTING: Final = frozenset({"array_agg", "collect_list", "collect_set"})
"""Aggregates that skip nulls by default."""
UNFRAMED: Final = frozenset(
    {"row_number", "rank", "dense_rank", "ntile", "percent_rank", "cume_dist", "lag", "lead"}
)
"""Window functions that a frame does not change."""
OF_FILES: Final = " of the file"
"""The suffix of operators that return facts about the file of a table's row."""


@dataclass(frozen=True, slots=True)
class UserDefined:
    """A function as one view declares it; the same name in another view is another function.

    Attributes:
        name: the function's name in lower case, without the view's name as prefix.
        class_name: the Java class; None if the view declares none, since its engine has the function.
        dependencies: the artifacts with the class, as the view names them.
    """

    view: RelationName
    name: str
    class_name: str | None
    dependencies: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Operator:
    """The function or operator that a call uses.

    Attributes:
        name: the function's canonical name in lower case, or the operator's symbol.
        keeps: the index of the argument that is returned unchanged, with its schema (MIN, FIRST …).
        merges: the index of the first argument that may become the result (0 for coalesce).
        udf: the declaration of a user-defined function; otherwise None.
        written: the alias that the query uses, in lower case; empty if it uses the name.
    """

    name: str
    nulls: NullClass
    deterministic: bool = True
    keeps: int | None = None
    merges: int | None = None
    udf: UserDefined | None = None
    written: str = ""

    @property
    def spelling(self) -> str:
        """The name as the query writes it, for texts that show the query."""
        return self.written or self.name
