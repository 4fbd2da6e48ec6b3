"""Facts about functions and operators in a plan: their names and how they treat null and schemas."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from lakeschema.catalog.identifiers import RelationName


class NullClass(Enum):
    """When a call is null.

    TOTAL: if and only if an argument is null. PARTIAL: possibly even if no argument is null; the
    default where nothing is proved. ABSORBING: by a formula of the function (coalesce: if and only
    if all are null). NEVER: never.
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
        name: lower-case, without the view's name as prefix.
        class_name: None if the view declares none: a function of its engine.
        dependencies: the view's artifacts, as it writes them.
    """

    view: RelationName
    name: str
    class_name: str | None
    dependencies: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Operator:
    """A dialect's function, in a call.

    Attributes:
        name: the canonical name in lower case; operators by symbol.
        keeps: index of the argument that is returned as it is, schema and all (MIN, FIRST …).
        merges: index of the first of the arguments that are branches of the result (coalesce 0).
        udf: set for a user-defined function.
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
        """The name as the query has it, for texts that show the query."""
        return self.written or self.name
