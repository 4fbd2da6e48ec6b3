"""What the plan knows of a function or operator: its name and how it treats null and schemas."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from lakeschema.catalog.identifiers import RelationName


class NullClass(Enum):
    """When a call is null.

    TOTAL: if and only if an argument is. PARTIAL: possibly when no argument is; the default where
    nothing is proved. ABSORBING: by its own formula (coalesce: if and only if all are). NEVER: never.
    """

    TOTAL = "total"
    PARTIAL = "partial"
    ABSORBING = "absorbing"
    NEVER = "never"


EQUATING: Final = frozenset(
    {"=", "<>", "<=>", "in", "nullif", "is distinct from", "is not distinct from"}
)
"""Those that compare values for equality alone: Hive takes maps there."""

VALUE_IN_ORDER: Final = frozenset({"mode", "percentile_cont", "percentile_disc"})
"""Aggregates of the key of their WITHIN GROUP, which is their first argument in the plan as well."""


COLLECTING: Final = frozenset({"array_agg", "collect_list", "collect_set"})
"""Aggregates that skip nulls unless they are told otherwise."""
UNFRAMED: Final = frozenset(
    {"row_number", "rank", "dense_rank", "ntile", "percent_rank", "cume_dist", "lag", "lead"}
)
"""Window functions that a frame does not change."""
OF_FILES: Final = " of the file"
"""Ends the name of an operator that says of a table's row what its file is."""


@dataclass(frozen=True, slots=True)
class UserDefined:
    """A function as one view declares it; another view's of the same name is another function.

    Attributes:
        name: lower-case, without the view's name before it.
        class_name: None where the view declares none: a function that its engine has.
        dependencies: the view's artifacts, as it writes them.
    """

    view: RelationName
    name: str
    class_name: str | None
    dependencies: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Operator:
    """A function of one dialect, as a call carries it.

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
