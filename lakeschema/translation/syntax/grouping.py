"""GROUP BY with ROLLUP, CUBE and GROUPING SETS → keys and the sets of their indices."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

from sqlglot import expressions as exp

from lakeschema.translation.errors import TooLarge, UnsupportedConstruct
from lakeschema.translation.syntax import tree

MAX_SETS = 4096

_Sets = tuple[tuple[int, ...], ...]


def grouping_of(
    node: exp.Expr | None, scalar: Callable[[exp.Expr], tree.Expression]
) -> tree.Grouping | None:
    """Every form expands to explicit sets; several forms side by side multiply, as in the standard."""
    if node is None:
        return None
    if node.args.get("all"):
        raise UnsupportedConstruct("GROUP BY ALL")
    keys: list[tree.Expression] = []

    def indices(items: list[exp.Expr]) -> tuple[int, ...]:
        return tuple(_index(keys, scalar(item)) for item in items)

    factors: list[_Sets] = []
    plain: list[exp.Expr] = []
    for item in node.expressions:
        if isinstance(item, (exp.Rollup, exp.Cube, exp.GroupingSets)):
            factors.append(_expand(item, indices))
        else:
            plain.append(item)
    plain_keys = indices(plain)
    explicit = [
        item for kind in ("grouping_sets", "cube", "rollup") for item in node.args.get(kind) or ()
    ]
    for item in explicit:
        if isinstance(item, (exp.Rollup, exp.Cube)) and not item.expressions:
            # GROUP BY a, b WITH ROLLUP: over the plain keys.
            return tree.Grouping(tuple(keys), _rollup_or_cube(item, [(k,) for k in plain_keys]))
        if isinstance(item, exp.GroupingSets) and plain_keys and not factors:
            # Hive's GROUP BY a, b GROUPING SETS (…): the sets stand instead of the plain keys, which
            # they may name in another way, such as by a number.
            sets = _expand(item, indices)
            return tree.Grouping(tuple(keys), sets)
        factors.append(_expand(item, indices))
    if not factors:
        return tree.Grouping(tuple(keys))
    sets = (plain_keys,)
    for factor in factors:
        if len(sets) * len(factor) > MAX_SETS:
            raise TooLarge(f"GROUP BY has more than {MAX_SETS} grouping sets")
        sets = tuple((*left, *right) for left in sets for right in factor)
    return tree.Grouping(tuple(keys), tuple(tuple(dict.fromkeys(s)) for s in sets))


def _expand(item: exp.Expr, indices: Callable[[list[exp.Expr]], tuple[int, ...]]) -> _Sets:
    groups = [
        indices(part.expressions)
        if isinstance(part, exp.Tuple)
        else indices([part.this if isinstance(part, exp.Paren) else part])
        for part in item.expressions
    ]
    if isinstance(item, exp.GroupingSets):
        return tuple(groups)
    return _rollup_or_cube(item, groups)


def _rollup_or_cube(item: exp.Expr, groups: list[tuple[int, ...]]) -> _Sets:
    if isinstance(item, exp.Rollup):
        chosen = [groups[:length] for length in range(len(groups), -1, -1)]
    else:
        if 2 ** len(groups) > MAX_SETS:
            raise TooLarge(f"CUBE has more than {MAX_SETS} grouping sets")
        chosen = [
            list(part)
            for length in range(len(groups), -1, -1)
            for part in combinations(groups, length)
        ]
    return tuple(tuple(key for group in part for key in group) for part in chosen)


def _index(keys: list[tree.Expression], key: tree.Expression) -> int:
    for index, known in enumerate(keys):
        if known == key:
            return index
    keys.append(key)
    return len(keys) - 1
