"""Writes ORDER BY and LIMIT. Pig orders only by fields, and puts nulls first; Hive puts nulls last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lakeschema.catalog.column_types import DOUBLE, FLOAT, INT
from lakeschema.translation.emission.pig.expressions import ExpressionWriter, unary
from lakeschema.translation.emission.pig.statements import Item, Relation, Writer
from lakeschema.translation.emission.pig.texts import one_zero, scalar_type
from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.plan.expressions import Literal, SortKey
from lakeschema.translation.plan.relations import Limit, Plan


def sorted_rows(writer: Writer, below: Plan, keys: Sequence[SortKey]) -> Relation:
    """The rows in order, with Hive 4's order of nulls by default."""
    statements = writer.statements
    rows = statements.renamed(writer.rows(below))
    fields = [Item(f.text, f.text, f.type) for f in rows.fields]
    keyed, order = with_keys(statements.over(rows.fields), keys, zeros=True)
    prepared = statements.generate(rows, [*fields, *keyed], "keyed")
    names = [field.text for field in prepared.fields[len(fields) :]]
    by = ", ".join(f"{name}{word}" for name, word in zip(names, order, strict=True))
    alias = statements.add(f"{rows.topic}_ordered", f"ORDER {prepared.alias} BY {by}")
    ordered = Relation(alias, prepared.fields, rows.topics)
    kept = prepared.fields[: len(fields)]
    return statements.generate(ordered, [Item(f.text, f.text, f.type) for f in kept], "sorted")


def with_keys(
    over: ExpressionWriter, keys: Sequence[SortKey], *, zeros: bool = False
) -> tuple[list[Item], list[str]]:
    """The fields to sort by, with directions.

    With ``zeros``, as in final results, -0.0 precedes 0.0.
    """
    items: list[Item] = []
    order: list[str] = []
    for number, key in enumerate(keys, 1):
        expression = key.expression
        if isinstance(expression, Literal):
            continue
        if scalar_type(expression.type) is None:
            raise UnsupportedConstruct("ORDER BY of a nested value for Pig")
        text = over.value(expression)
        text = one_zero(text, expression.type)
        nulls_first = key.descending if key.nulls_first is None else key.nulls_first
        if expression.nullable:
            last = "0 : 1" if nulls_first else "1 : 0"
            items.append(
                Item(f"({over.value(expression)} is null ? {last})", f"nulls_{number}", INT)
            )
            order.append("")
        if expression.type in {DOUBLE, FLOAT}:
            # Pig's order of NaN is inconsistent; in Hive NaN is the greatest.
            is_nan = f"((chararray){unary(over.value(expression))} == 'NaN' ? 1 : 0)"
            items.append(Item(is_nan, f"nan_{number}", INT))
            order.append(" DESC" if key.descending else "")
        items.append(Item(text, f"key_{number}", expression.type))
        order.append(" DESC" if key.descending else "")
        if zeros and expression.type in {DOUBLE, FLOAT}:
            is_below = f"((chararray){unary(over.value(expression))} == '-0.0' ? 0 : 1)"
            items.append(Item(is_below, f"zero_{number}", INT))
            order.append(" DESC" if key.descending else "")
    return items, order


def limited(writer: Writer, plan: Limit) -> Relation:
    """The first rows. Raises ``UnsupportedConstruct`` for OFFSET, or for a computed number."""
    rows = writer.rows(plan.input)
    if plan.offset is not None and not (
        isinstance(plan.offset, Literal) and plan.offset.value == "0"
    ):
        raise UnsupportedConstruct("OFFSET for Pig")
    if plan.limit is None:
        return rows
    if not isinstance(plan.limit, Literal) or plan.limit.value is None:
        raise UnsupportedConstruct("a computed LIMIT for Pig")
    alias = writer.statements.add(
        f"{rows.topic}_limited", f"LIMIT {rows.alias} {int(plan.limit.value)}"
    )
    return replace(rows, alias=alias)
