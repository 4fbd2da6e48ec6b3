"""Writes UNION, INTERSECT, EXCEPT and DISTINCT. Two nulls count as equal."""

from __future__ import annotations

from lakeschema.catalog.column_types import INT
from lakeschema.translation.emission.pig.statements import (
    Item,
    Relation,
    Writer,
    check_group,
)
from lakeschema.translation.emission.pig.texts import group_key, of_group_key
from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.plan.relations import Plan, SetOperation, SetOperator

_IN_LEFT, _IN_RIGHT = "in_left", "in_right"


def combined(writer: Writer, plan: SetOperation) -> Relation:
    """The rows of a set operation.

    Raises:
        UnsupportedConstruct: the operation counts equal rows (INTERSECT ALL and EXCEPT ALL).
    """
    match plan.operator:
        case SetOperator.UNION_ALL:
            return _union(writer, plan)
        case SetOperator.UNION:
            return _distinct(writer, _union(writer, plan))
        case SetOperator.INTERSECT:
            return _compared(writer, plan, "in_left > 0 AND in_right > 0")
        case SetOperator.EXCEPT:
            return _compared(writer, plan, "in_left > 0 AND in_right == 0")
        case SetOperator.INTERSECT_ALL | SetOperator.EXCEPT_ALL:
            raise UnsupportedConstruct(f"{plan.operator.value.upper()} for Pig")


def distinct(writer: Writer, below: Plan) -> Relation:
    return _distinct(writer, writer.rows(below))


def _distinct(writer: Writer, rows: Relation) -> Relation:
    rows = writer.statements.renamed(rows)
    for field in rows.fields:
        check_group(field.type, writer.statements, "DISTINCT")
    keys = [Item(group_key(f.text, f.type), f.text, f.type) for f in rows.fields]
    by_text = any(key.text != key.name for key in keys)
    if by_text:
        rows = writer.statements.generate(rows, keys, "alike")
    alias = writer.statements.add(f"{rows.topic}_distinct", f"DISTINCT {rows.alias}")
    found = Relation(alias, rows.fields, rows.topics)
    if not by_text:
        return found
    items = [Item(of_group_key(f.text, f.type), f.text, f.type) for f in found.fields]
    return writer.statements.generate(found, items)


def _union(writer: Writer, plan: SetOperation) -> Relation:
    branches = [_branch(writer, branch, plan, ()) for branch in plan.inputs]
    topics = tuple(topic for branch in branches for topic in branch.topics)
    both = Relation("", branches[0].fields, topics)
    aliases = ", ".join(branch.alias for branch in branches)
    alias = writer.statements.add(f"{both.topic}_union", f"UNION {aliases}")
    return Relation(alias, both.fields, topics)


def _branch(writer: Writer, branch: Plan, plan: SetOperation, marks: tuple[Item, ...]) -> Relation:
    """A branch with the common field names, since a union matches fields by position."""
    rows = writer.rows(branch)
    items = [
        Item(group_key(field.text, column.type) if marks else field.text, column.name, column.type)
        for field, column in zip(rows.fields, plan.columns, strict=True)
    ]
    return writer.statements.generate(rows, [*items, *marks], "branch")


def _compared(writer: Writer, plan: SetOperation, wanted: str) -> Relation:
    """Both branches' rows together, grouped: grouping treats nulls as equal."""
    for column in plan.columns:
        check_group(column.type, writer.statements, plan.operator.value.upper())
    rows: Relation | None = None
    for branch in plan.inputs[1:]:
        if rows is None:
            left = _branch(writer, plan.inputs[0], plan, _marks(1, 0))
        else:
            left = _marked(writer, rows)
        right = _branch(writer, branch, plan, _marks(0, 1))
        rows = _kept(writer, left, right, wanted)
    assert rows is not None
    return rows


def _marked(writer: Writer, rows: Relation) -> Relation:
    items = [Item(group_key(f.text, f.type), f.text, f.type) for f in rows.fields]
    return writer.statements.generate(rows, [*items, *_marks(1, 0)], "branch")


def _marks(left: int, right: int) -> tuple[Item, ...]:
    return Item(str(left), _IN_LEFT, INT), Item(str(right), _IN_RIGHT, INT)


def _kept(writer: Writer, left: Relation, right: Relation, wanted: str) -> Relation:
    statements = writer.statements
    topics = (*left.topics, *right.topics)
    fields = left.fields[:-2]
    both = Relation("", fields, topics)
    union = statements.add(f"{both.topic}_union", f"UNION {left.alias}, {right.alias}")
    keys = [field.text for field in fields]
    by = keys[0] if len(keys) == 1 else f"({', '.join(keys)})"
    grouped = statements.add(f"{both.topic}_grouped", f"GROUP {union} BY {by}")
    one = len(keys) == 1
    items = [
        Item(of_group_key("group" if one else f"group.${i}", f.type), f.text, f.type)
        for i, f in enumerate(fields)
    ]
    counts = [Item(f"MAX({union}.{mark})", mark, INT) for mark in (_IN_LEFT, _IN_RIGHT)]
    found = statements.generate(Relation(grouped, (), topics), [*items, *counts], "found")
    kept = statements.filtered(found, f"({wanted})", "kept")
    return statements.generate(
        Relation(kept.alias, kept.fields, topics),
        [Item(f.text, f.text, f.type) for f in found.fields[:-2]],
    )
