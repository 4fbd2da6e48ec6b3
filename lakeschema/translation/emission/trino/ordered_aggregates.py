"""Writes aggregates with WITHIN GROUP (ORDER BY …)."""

from __future__ import annotations

from collections.abc import Sequence

from lakeschema.translation.emission.rows import letter
from lakeschema.translation.emission.trino.aggregates import percentile
from lakeschema.translation.emission.trino.given import Given
from lakeschema.translation.plan.expressions import SortKey

_ORDERED = frozenset("ixsDTot")


def ordered_aggregate(given: Given, keys: Sequence[SortKey], order: str, condition: str) -> str:
    """The text of a call. ``order`` is the text of its keys; ``condition`` is that of its FILTER, or "".

    Raises:
        UnsupportedConstruct: Trino has no equivalent.
    """
    if any(letter(key.expression.type) not in _ORDERED | {"d"} for key in keys):
        raise given.unsupported("unsupported type of the order's keys")
    match given.name:
        case "listagg":
            return _joined(given, keys, order, condition)
        case "mode" if len(keys) == 1 and letter(given.arguments[0].type) in _ORDERED:
            return _most_frequent(given, descending=keys[0].descending)
        case "percentile_cont" if given.mode.is_spark:
            return percentile(given, descending=keys[0].descending)
        case "percentile_disc" if given.mode.is_spark:
            return _discrete(given, descending=keys[0].descending)
        case _:
            raise given.unsupported("WITHIN GROUP")


def _joined(given: Given, keys: Sequence[SortKey], order: str, condition: str) -> str:
    """Writes LISTAGG, which is null over no values."""
    if letter(given.arguments[0].type) != "s":
        raise given.unsupported("values that are not texts")
    if any(letter(key.expression.type) == "d" for key in keys):
        raise given.unsupported("the order's keys may be NaN")
    if given.quantifier and [key.expression for key in keys] != [given.arguments[0]]:
        raise given.unsupported("distinct values must be ordered by themselves")
    between = given.texts[1] if len(given.texts) > 1 else "''"
    if len(given.texts) > 1 and given.constant(1) is None:
        between = f"coalesce({between}, '')"
    both = f"{given.texts[0]} IS NOT NULL" + (f" AND {condition}" if condition else "")
    values = f"array_agg({given.quantifier}{given.texts[0]} ORDER BY {order})"
    return f"array_join({values} FILTER (WHERE {both}), {between})"


def _most_frequent(given: Given, *, descending: bool) -> str:
    """Writes MODE: of several values it is the first in the order."""
    less, greater = ("1", "-1") if descending else ("-1", "1")
    entries = given.fill("map_entries(histogram({0}){w})")
    return (
        f"element_at(array_sort({entries}, (x, y) -> CASE WHEN x[2] > y[2] THEN -1 WHEN x[2] < y[2]"
        f" THEN 1 WHEN x[1] < y[1] THEN {less} WHEN x[1] > y[1] THEN {greater} ELSE 0 END), 1)[1]"
    )


def _discrete(given: Given, *, descending: bool) -> str:
    """Writes PERCENTILE_DISC: the first value in the order that reaches the share."""
    share = given.constant(1)
    try:
        known = share is not None and 0 <= float(share) <= 1
    except ValueError:
        known = False
    if not known or letter(given.arguments[0].type) != "d" or share is None:
        raise given.unsupported("the share must be a single constant number")
    values = "array_sort(filter(array_agg({0}){w}, e -> e IS NOT NULL))"
    if descending:
        values = f"reverse({values})"
    place = f"greatest(CAST(ceiling({float(share)!r}e0 * cardinality(a)) AS bigint), 1)"
    return given.fill(f"element_at(transform(ARRAY[{values}], a -> element_at(a, {place})), 1)")
