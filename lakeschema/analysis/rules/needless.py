"""Rules for work without effect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from lakeschema.analysis import resolved as rs
from lakeschema.analysis.rules.subject import Finding, Subject, nodes_of, position_of
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.tree import SetOperator


def set_operation_width(subject: Subject) -> Iterator[Finding]:
    """Finds set operations of queries with different numbers of columns."""
    for query in subject.queries:
        if isinstance(query, rs.Combined):
            shapes = [subject.shapes.of(branch) for branch in query.branches]
            widths = {len(shape.names) for shape in shapes}
            if len(widths) > 1 and not any(shape.is_open for shape in shapes):
                counts = " and ".join(str(width) for width in sorted(widths))
                yield Finding(f"{query.operator.name} of queries with {counts} columns")


def needless_union(subject: Subject) -> Iterator[Finding]:
    """Finds UNION of queries that cannot share a row, because a literal distinguishes them."""
    for node in subject.nodes:
        match node:
            case tree.SetQuery(SetOperator.UNION, True, branches) if _are_apart(branches):
                yield Finding(
                    "UNION looks for equal rows in queries that a literal tells apart",
                    position_of(node),
                )
            case _:
                pass


def _are_apart(branches: tuple[tree.Query, ...]) -> bool:
    rows: list[tuple[tree.Expression, ...]] = []
    for branch in branches:
        if not isinstance(branch, tree.Select):
            return False
        values = tuple(item.expression for item in branch.items)
        if any(isinstance(value, tree.Star) for value in values):
            return False
        rows.append(values)
    return any(
        all(isinstance(value, tree.StringLiteral | tree.NumberLiteral) for value in column)
        and len(set(column)) == len(column)
        for column in zip(*rows, strict=False)
    )


def needless_distinct(subject: Subject) -> Iterator[Finding]:
    """Finds DISTINCT of rows that GROUP BY already made distinct."""
    for select in subject.selects:
        if not select.distinct or not select.group_by:
            continue
        shown = {_key(item.expression) for item in select.items if isinstance(item, rs.Item)}
        keys = [_key(key) for key in select.group_by]
        if all(key is not None and key in shown for key in keys):
            first = select.group_by[0]
            where = first.position if isinstance(first, rs.ColumnUse) else None
            yield Finding("the rows of this GROUP BY are distinct already", where)


def _key(expression: rs.Expression) -> tuple[int, str, tuple[str, ...]] | None:
    if isinstance(expression, rs.ColumnUse):
        return (id(expression.relation), expression.column, expression.path)
    return None


def unused_common_table(subject: Subject) -> Iterator[Finding]:
    """Finds tables of WITH that nothing reads."""
    if not subject.resolved.unused:
        return
    read = Counter(
        node.parts[0].lower()
        for node in subject.nodes
        if isinstance(node, tree.TableName) and len(node.parts) == 1
    )
    for node in subject.nodes:
        if isinstance(node, tree.CommonTable):
            name = node.name.lower()
            own = sum(
                isinstance(inner, tree.TableName) and inner.parts == (node.name,)
                for inner in nodes_of(node.query)
            )
            if read[name] == own:
                yield Finding(f"nothing reads {node.name} of WITH", position_of(node.query))
