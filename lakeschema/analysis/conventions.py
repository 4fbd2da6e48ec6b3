"""Options for questions of lineage that people answer differently."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Conventions:
    """The options.

    Attributes:
        conditions_are_direct: a CASE's conditions count as sources of its value.
        window_keys_are_direct: the columns of a window's PARTITION BY and ORDER BY count as sources
            of its value.
        count_reads_all: ``count(*)`` comes from all columns, shown as ``t.*``.
        names_unknown_columns: a column whose table is uncertain is listed by its name.
        open_stars_hide_names: next to a star with unknown columns, the columns of other stars are
            not listed.
        unused_common_tables: an unused table of WITH counts as read.
        set_operations_compare: a set operation counts as joining its columns, by position.
        using_reads_both: a column of USING comes from both sides of the join, not only from the side
            whose values it shows.
    """

    conditions_are_direct: bool = True
    window_keys_are_direct: bool = False
    count_reads_all: bool = False
    names_unknown_columns: bool = False
    open_stars_hide_names: bool = False
    unused_common_tables: bool = False
    set_operations_compare: bool = True
    using_reads_both: bool = False
