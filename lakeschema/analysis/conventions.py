"""Conventions of lineage on which people differ: each is an option with one common default."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Conventions:
    """The options.

    Attributes:
        conditions_are_direct: a CASE's conditions count as sources of its value.
        window_keys_are_direct: the same for a window's PARTITION BY and ORDER BY.
        count_reads_all: ``count(*)`` comes from all columns, shown as ``t.*``.
        names_unknown_columns: a name without a certain table stands for itself.
        open_stars_hide_names: next to a star of unknown columns, no other star's columns are
            listed.
        unused_common_tables: an unused table of WITH counts as read.
        set_operations_compare: a set operation counts as joining its columns, by position.
        using_reads_both: a column of USING comes from both sides, whichever is shown.
    """

    conditions_are_direct: bool = True
    window_keys_are_direct: bool = False
    count_reads_all: bool = False
    names_unknown_columns: bool = False
    open_stars_hide_names: bool = False
    unused_common_tables: bool = False
    set_operations_compare: bool = True
    using_reads_both: bool = False
