"""Places in the text, from what sqlglot records on identifiers and function names."""

from __future__ import annotations

from sqlglot import expressions as exp

from lakeschema.translation.errors import Position


def position(node: exp.Expr) -> Position | None:
    """Where the node's leftmost recorded token begins; None if nothing in it has a place."""
    found = _leftmost(node)
    if found is None:
        return None
    meta = found.meta
    return Position(meta["line"], max(1, meta["col"] - (meta["end"] - meta["start"])))


def first_offset(node: exp.Expr) -> int:
    """The character offset of the node's first identifier; the far end where it has none."""
    found = _leftmost(node)
    return int(found.meta["start"]) if found is not None else 2**62


def _leftmost(node: exp.Expr) -> exp.Expr | None:
    if node.meta.get("start") is not None:
        return node
    best = None
    for child in node.find_all(exp.Identifier, exp.Anonymous):
        if child.meta.get("start") is not None and (
            best is None or child.meta["start"] < best.meta["start"]
        ):
            best = child
    return best
