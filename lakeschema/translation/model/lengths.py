"""What decides how many rows a table function makes, and how many elements an array has.

By names, for plans and for analyses. What is not listed may depend on all of its arguments.
"""

from __future__ import annotations

from typing import Final

ROW_FOR_EACH_ELEMENT: Final = frozenset(
    {
        *("explode", "explode_outer", "posexplode", "posexplode_outer"),
        *("inline", "inline_outer", "unnest"),
    }
)
"""As many rows as their first argument has elements."""

FIRST_ARGUMENT_SAYS: Final = frozenset({"stack"})
"""As many rows as the value of their first argument."""

ONE_ROW: Final = frozenset({"json_tuple", "parse_url_tuple"})

ELEMENT_FOR_EACH_ARGUMENT: Final = frozenset({"array"})

AS_LONG_AS_FIRST_ARGUMENT: Final = frozenset(
    {
        *("cast", "transform", "transform_keys", "transform_values", "reverse", "shuffle"),
        *("array_sort", "sort_array", "map_keys", "map_values", "map_entries"),
    }
)
