"""What people mean by lineage, where they differ: each a choice, with one default for all."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Conventions:
    """The choices.

    Attributes:
        conditions_are_direct: CASE's conditions count as what its value is made of.
        window_keys_are_direct: PARTITION BY and ORDER BY of a window likewise.
        count_reads_all: ``count(*)`` is made of all columns, shown as ``t.*``.
        names_unknown_columns: a name that no table surely has stands for itself.
        open_stars_hide_names: beside a star of unknown columns, no column that a star stands for
            is listed.
        unused_common_tables: a table of WITH that nothing reads is read all the same.
        set_operations_compare: joins have the columns of a set operation, by position.
        using_reads_both: a column of USING is made of those of both sides, whichever is shown.
    """

    conditions_are_direct: bool = True
    window_keys_are_direct: bool = False
    count_reads_all: bool = False
    names_unknown_columns: bool = False
    open_stars_hide_names: bool = False
    unused_common_tables: bool = False
    set_operations_compare: bool = True
    using_reads_both: bool = False
