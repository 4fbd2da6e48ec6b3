"""The type of a union's column: the same as in Spark's Avro reader (its ``SchemaConverters``)."""

from __future__ import annotations

from .schema import Field, Node


def column_type(union: Node) -> Node:
    """The single type besides null, or the wider of two number types; else an unnamed record.

    The record has a field for each type besides null: ``member0``, ``member1`` …. One field is set.
    """
    branches = [branch for branch in union.branches if branch.kind != "null"]
    if len(branches) < 2:
        return (branches or union.branches)[0]
    kinds = {branch.kind for branch in branches}
    are_plain = not any(branch.logical for branch in branches)
    if are_plain and len(branches) == 2 and kinds in ({"int", "long"}, {"float", "double"}):
        return next(branch for branch in branches if branch.kind in {"long", "double"})
    struct = Node("record")
    struct.fields = tuple(_member(number, branch) for number, branch in enumerate(branches))
    return struct


def is_of_members(node: Node) -> bool:
    return node.kind == "record" and not node.name


def _member(number: int, branch: Node) -> Field:
    optional = Node("union")
    optional.branches = (Node("null"), branch)
    return Field(f"member{number}", optional, {})
