"""Puts arguments such as ``name => value`` in the order of the function's parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from lakeschema.translation.model.errors import TypeMismatch, UnsupportedConstruct
from lakeschema.translation.syntax import tree

_Parameters = tuple[tuple[str, tree.Expression | None], ...]

_NULL: Final = tree.NullLiteral()


def _text(value: str) -> tree.Expression:
    return tree.StringLiteral(value)


_ENTRIES: Final = ("lgnomentries", tree.NumberLiteral("12"))
_MODE: Final = ("mode", _text("sum"))

_PARAMETERS: Final[Mapping[str, _Parameters]] = MappingProxyType(
    {
        "mask": (
            ("str", None),
            ("upperchar", _text("X")),
            ("lowerchar", _text("x")),
            ("digitchar", _text("n")),
            ("otherchar", _NULL),
        ),
        "count_min_sketch": (
            ("column", None), ("epsilon", None), ("confidence", None), ("seed", None),
        ),
        **dict.fromkeys(("explode", "explode_outer", "posexplode", "posexplode_outer"),
                        (("collection", None),)),
        **dict.fromkeys(("inline", "inline_outer"), (("input", None),)),
        **dict.fromkeys(("variant_explode", "variant_explode_outer"), (("input", None),)),
        **dict.fromkeys(("variant_set", "try_variant_set"),
                        (("v", None), ("path", None), ("val", None), ("create_if_missing", None))),
        "variant_strip_nulls": (("v", None), ("include_arrays", None)),
        "counter_diff": (("value", None), ("start_time", None)),
        **dict.fromkeys(("tuple_sketch_agg_double", "tuple_sketch_agg_integer"),
                        (("key", None), ("summary", None), _ENTRIES, _MODE)),
        **dict.fromkeys(("tuple_union_agg_double", "tuple_union_agg_integer"),
                        (("child", None), _ENTRIES, _MODE)),
        **dict.fromkeys(("tuple_intersection_agg_double", "tuple_intersection_agg_integer"),
                        (("child", None), _MODE)),
        **dict.fromkeys(("tuple_union_double", "tuple_union_integer", "tuple_union_theta_double",
                         "tuple_union_theta_integer"),
                        (("first", None), ("second", None), _ENTRIES, _MODE)),
        "uniform": (("min", None), ("max", None), ("seed", None)),
        "randstr": (("length", None), ("seed", None)),
    }
)  # fmt: skip
"""Parameters with their default values; None for a required parameter.

Source: the functions of Spark 4.3 that accept named arguments.
"""


def in_order(call: tree.Call) -> Sequence[tree.Expression]:
    """All arguments by position.

    Raises:
        TypeMismatch: the function has no such parameter, or gets it twice.
        UnsupportedConstruct: the function's parameters are unknown.
    """
    if not call.named:
        return call.arguments
    parameters = _PARAMETERS.get(call.name.lower())
    if parameters is None:
        raise UnsupportedConstruct(f"named arguments of {call.name}", position=call.position)
    given = dict(call.named)
    names = [name for name, _ in parameters]
    for name in given:
        if name not in names[len(call.arguments) :] or len(given) != len(call.named):
            raise TypeMismatch(
                f"{call.name} has no argument {name} here", position=call.position,
                hint=f"its arguments are {', '.join(names)}",
            )  # fmt: skip
    last = max(names.index(name) for name in given) + 1
    found = list(call.arguments)
    for name, default in parameters[len(call.arguments) : last]:
        value = given.get(name, default)
        if value is None:
            raise TypeMismatch(f"{call.name} needs its argument {name}", position=call.position)
        found.append(value)
    return found
