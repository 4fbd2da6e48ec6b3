"""Names of functions in which only some arguments affect the number of rows or the length of the array.

Plans and analyses use these lists. The rows of other functions may depend on all arguments.
"""

from __future__ import annotations

from typing import Final

ROW_FOR_EACH_ELEMENT: Final = frozenset(
    {
        *("explode", "explode_outer", "posexplode", "posexplode_outer"),
        *("inline", "inline_outer", "unnest"),
    }
)
"""Functions that make one row for each element of their first argument."""

FIRST_ARGUMENT_SAYS: Final = frozenset({"stack"})
"""Functions whose first argument's value is the number of rows."""

ONE_ROW: Final = frozenset({"json_tuple", "parse_url_tuple"})

ELEMENT_FOR_EACH_ARGUMENT: Final = frozenset({"array"})

AS_LONG_AS_FIRST_ARGUMENT: Final = frozenset(
    {
        *("cast", "transform", "transform_keys", "transform_values", "reverse", "shuffle"),
        *("array_sort", "sort_array", "map_keys", "map_values", "map_entries"),
    }
)
