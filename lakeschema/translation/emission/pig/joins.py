"""Writes joins: by keys if the condition has equalities, otherwise as a filter over all pairs of rows."""

from __future__ import annotations

from dataclasses import dataclass

from lakeschema.catalog.column_types import BIGINT, DOUBLE, FLOAT, INT, ColumnType
from lakeschema.translation.emission.pig.conjuncts import places, shifted, split, together
from lakeschema.translation.emission.pig.expressions import COMPARISONS, Field, output, unary
from lakeschema.translation.emission.pig.statements import (
    Item,
    Relation,
    Statements,
    Writer,
    one_key,
    sides,
)
from lakeschema.translation.emission.pig.texts import null, scalar_type
from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.model.joins import JoinKind
from lakeschema.translation.plan.expressions import (
    Call,
    ColumnReference,
    RowExpression,
    rebuild,
)
from lakeschema.translation.plan.relations import Join, Plan
from lakeschema.translation.rewriting.full_join_by_union import as_union

_WORDS = {
    JoinKind.LEFT: " LEFT OUTER",
    JoinKind.RIGHT: " RIGHT OUTER",
    JoinKind.FULL: " FULL OUTER",
}


@dataclass(frozen=True, slots=True)
class _Condition:
    """A join's condition, split into parts.

    Attributes:
        keys: pairs of a left and a right expression that must be equal, each over its side's columns.
        left, right: the conditions on only this side, over its columns.
        rest: the remaining conditions, over both sides' columns.
    """

    keys: tuple[tuple[RowExpression, RowExpression], ...]
    left: tuple[RowExpression, ...]
    right: tuple[RowExpression, ...]
    rest: tuple[RowExpression, ...]


def joined(writer: Writer, plan: Join) -> Relation:
    """The rows of a join.

    Raises:
        UnsupportedConstruct: the join is lateral.
    """
    if plan.lateral:
        raise UnsupportedConstruct("LATERAL for Pig")
    condition = _taken_apart(plan)
    further = condition.left or condition.right or condition.rest
    if plan.kind is JoinKind.FULL and plan.condition is not None and further:
        return writer.rows(as_union(plan, plan.condition))
    left = _prepared(writer, plan.left)
    right = _other(writer, plan, left)
    match plan.kind:
        case JoinKind.INNER | JoinKind.CROSS:
            return _inner(writer, left, right, condition)
        case JoinKind.LEFT:
            right = _narrowed(writer, right, condition.right)
            if condition.left or condition.rest:
                return _outer_by_rows(writer, left, right, condition)
            return _by_keys(writer, left, right, condition, plan.kind)
        case JoinKind.RIGHT:
            left = _narrowed(writer, left, condition.left)
            if condition.right or condition.rest:
                return _swapped(writer, left, right, plan)
            return _by_keys(writer, left, right, condition, plan.kind)
        case JoinKind.FULL:
            return _by_keys(writer, left, right, condition, plan.kind)
        case JoinKind.SEMI | JoinKind.ANTI:
            return _half(writer, left, right, condition, plan.kind)


def _taken_apart(plan: Join) -> _Condition:
    width = len(plan.left.columns)
    keys, left, right, rest = [], [], [], []
    for part in split(plan.condition):
        read = places(part)
        pair = _equal_sides(part, width)
        if pair is not None:
            keys.append(pair)
        elif read and max(read) < width:
            left.append(part)
        elif read and min(read) >= width:
            right.append(shifted(part, -width))
        else:
            rest.append(part)
    return _Condition(tuple(keys), tuple(left), tuple(right), tuple(rest))


def _equal_sides(part: RowExpression, width: int) -> tuple[RowExpression, RowExpression] | None:
    if not isinstance(part, Call) or COMPARISONS.get(part.operator.name) != "==":
        return None
    one, other = part.arguments
    if one.type != other.type or not _is_key(one.type):
        return None
    if places(one) and places(other):
        if max(places(one)) < width <= min(places(other)):
            return one, shifted(other, -width)
        if max(places(other)) < width <= min(places(one)):
            return other, shifted(one, -width)
    return None


def _is_key(type_: ColumnType) -> bool:
    """Whether values that are equal in Hive's join are also equal in Pig's."""
    return scalar_type(type_) not in {None, "bytearray"}


def _prepared(writer: Writer, plan: Plan) -> Relation:
    return writer.statements.renamed(writer.rows(plan))


def _other(writer: Writer, plan: Join, left: Relation) -> Relation:
    right = _prepared(writer, plan.right)
    if right.alias == left.alias:
        right = writer.statements.renamed(writer.again(plan.right))
    return right


def _narrowed(writer: Writer, side: Relation, parts: tuple[RowExpression, ...]) -> Relation:
    if not parts:
        return side
    over = writer.statements.over(side.fields)
    return writer.statements.filtered(side, " AND ".join(map(over.condition, parts)))


def _topics(left: Relation, right: Relation) -> tuple[str, ...]:
    return (*left.topics, *right.topics)


def _wanted(left: Relation, right: Relation, kind: str) -> str:
    both = Relation("", (), _topics(left, right))
    return f"{both.topic}_{kind}"


def _by(side: Relation, texts: list[str]) -> str:
    shown = texts[0] if len(texts) == 1 else f"({', '.join(texts)})"
    return f"{side.alias} BY {shown}"


def _key_texts(
    statements: Statements, left: Relation, right: Relation, condition: _Condition
) -> tuple[list[str], list[str]]:
    """The keys of both sides, or a constant key."""
    if not condition.keys:
        return [one_key(left)], [one_key(right)]
    one, other = statements.over(left.fields), statements.over(right.fields)
    return (
        [_key(one.value(key), key.type) for key, _ in condition.keys],
        [_key(other.value(key), key.type) for _, key in condition.keys],
    )


def _key(text: str, type_: ColumnType) -> str:
    """The text of a key. Doubles become text: in Hive's joins NaN equals NaN, and -0.0 differs from 0.0."""
    return f"(chararray){unary(text)}" if type_ in {DOUBLE, FLOAT} else text


def _by_keys(
    writer: Writer, left: Relation, right: Relation, condition: _Condition, kind: JoinKind
) -> Relation:
    statements = writer.statements
    keys = _key_texts(statements, left, right, condition)
    text = f"JOIN {_by(left, keys[0])}{_WORDS.get(kind, '')}, {_by(right, keys[1])}"
    alias = statements.add(_wanted(left, right, "joined"), text)
    return Relation(alias, sides(left, right), _topics(left, right), joined=True)


def _inner(writer: Writer, left: Relation, right: Relation, condition: _Condition) -> Relation:
    left = _narrowed(writer, left, condition.left)
    right = _narrowed(writer, right, condition.right)
    if condition.keys:
        found = _by_keys(writer, left, right, condition, JoinKind.INNER)
    else:
        text = f"CROSS {left.alias}, {right.alias}"
        alias = writer.statements.add(_wanted(left, right, "crossed"), text)
        found = Relation(alias, sides(left, right), _topics(left, right), joined=True)
    return _narrowed(writer, found, condition.rest)


def _numbered(writer: Writer, side: Relation) -> Relation:
    """The rows with a row number in front."""
    alias = writer.statements.add(f"{side.topic}_numbered", f"RANK {side.alias}")
    named = Relation(alias, (Field(f"rank_{side.alias}", BIGINT), *side.fields), side.topics)
    items = [
        Item(f.text, "row_number" if i == 0 else _plain(f, i), f.type)
        for i, f in enumerate(named.fields)
    ]
    return writer.statements.generate(named, items, "rows")


def _plain(field: Field, place: int) -> str:
    return field.text if not field.text.startswith("$") else f"c{place}"


def _marked(writer: Writer, side: Relation) -> Relation:
    """The rows with an additional last field that is never null."""
    items = [Item(f.text, _plain(f, i), f.type) for i, f in enumerate(side.fields)]
    return writer.statements.generate(side, [*items, Item("1", "found", INT)], "marked")


def _matched(
    writer: Writer, left: Relation, right: Relation, condition: _Condition
) -> tuple[Relation, str]:
    """Groups with the left and the right rows of equal keys, and the text of the matching right rows."""
    numbered, marked = _numbered(writer, left), _marked(writer, right)
    own = Relation(numbered.alias, numbered.fields[1:], numbered.topics)
    keys = _key_texts(writer.statements, own, marked, condition)
    text = f"JOIN {_by(numbered, keys[0])} LEFT OUTER, {_by(marked, keys[1])}"
    alias = writer.statements.add(_wanted(left, right, "joined"), text)
    pairs = writer.statements.renamed(
        Relation(alias, sides(numbered, marked), _topics(left, right), joined=True)
    )
    number, *fields, found = pairs.fields
    over = writer.statements.over(fields)
    width = len(left.fields)
    tests = [over.certain(part) for part in (*condition.left, *condition.rest)]
    tests += [over.certain(shifted(part, width)) for part in condition.right]
    grouped = writer.statements.add(
        _wanted(left, right, "by_row"), f"GROUP {pairs.alias} BY {number.text}"
    )
    fits = " AND ".join((f"{found.text} is not null", *tests))
    return Relation(grouped, (Field(pairs.alias, BIGINT), *fields), pairs.topics), fits


def _outer_by_rows(
    writer: Writer, left: Relation, right: Relation, condition: _Condition
) -> Relation:
    """The rows of an outer join; a left row without a match occurs once, padded with nulls."""
    grouped, fits = _matched(writer, left, right, condition)
    bag, *fields = grouped.fields
    width = len(left.fields)
    shown = ", ".join(field.text for field in fields)
    padded = ", ".join(
        f.text if i < width else output(null(f.type), f.text, f.type) for i, f in enumerate(fields)
    )
    nested = (
        f"fitting = FILTER {bag.text} BY {fits}; paired = FOREACH fitting GENERATE {shown};"
        f" one = LIMIT {bag.text} 1; alone = FOREACH one GENERATE {padded};"
    )
    names = ", ".join(field.text for field in fields)
    text = (
        f"FOREACH {grouped.alias} {{ {nested}"
        f" GENERATE FLATTEN((IsEmpty(fitting) ? alone : paired)) AS ({names}); }}"
    )
    alias = writer.statements.add(f"{grouped.topic}_padded", text)
    return Relation(alias, tuple(fields), grouped.topics)


def _swapped(writer: Writer, left: Relation, right: Relation, plan: Join) -> Relation:
    width, others = len(plan.left.columns), len(plan.right.columns)

    parts = [_moved(part, width, others) for part in split(plan.condition)]
    turned = Join(plan.right, plan.left, JoinKind.LEFT, together(parts))
    found = _outer_by_rows(writer, right, left, _taken_apart(turned))
    fields = (*found.fields[others:], *found.fields[:others])
    return Relation(found.alias, fields, found.topics, reordered=True)


def _moved(part: RowExpression, width: int, others: int) -> RowExpression:
    """The expression after the right side's columns were put before the left side's."""
    if isinstance(part, ColumnReference):
        index = part.index + others if part.index < width else part.index - width
        return ColumnReference(index, part.name, part.type, part.nullable)
    return rebuild(part, lambda inner: _moved(inner, width, others))


def _half(
    writer: Writer, left: Relation, right: Relation, condition: _Condition, kind: JoinKind
) -> Relation:
    """Left rows with, or without, a matching right row."""
    right = _narrowed(writer, right, condition.right)
    tests = condition.left
    if kind is JoinKind.SEMI:
        left, tests = _narrowed(writer, left, condition.left), ()
    wanted = "IsEmpty" if kind is JoinKind.ANTI else "NOT IsEmpty"
    if tests or condition.rest:
        return _half_by_rows(
            writer, left, right, _Condition(condition.keys, tests, (), condition.rest), wanted
        )
    statements = writer.statements
    keys = _key_texts(statements, left, right, condition)
    alias = statements.add(
        _wanted(left, right, "grouped"), f"COGROUP {_by(left, keys[0])}, {_by(right, keys[1])}"
    )
    groups = Relation(alias, (), left.topics)
    kept = statements.filtered(groups, f"({wanted}({right.alias}))", "kept")
    fields = tuple(Field(_plain(f, i), f.type) for i, f in enumerate(left.fields))
    names = ", ".join(field.text for field in fields)
    text = f"FOREACH {kept.alias} GENERATE FLATTEN({left.alias}) AS ({names})"
    return Relation(statements.add(f"{left.topic}_rows", text), fields, left.topics)


def _half_by_rows(
    writer: Writer, left: Relation, right: Relation, condition: _Condition, wanted: str
) -> Relation:
    statements = writer.statements
    grouped, fits = _matched(writer, left, right, condition)
    bag, *fields = grouped.fields
    own = tuple(fields[: len(left.fields)])
    shown = ", ".join(field.text for field in own)
    nested = (
        f"fitting = FILTER {bag.text} BY {fits}; one = LIMIT {bag.text} 1;"
        f" alone = FOREACH one GENERATE {shown};"
    )
    text = (
        f"FOREACH {grouped.alias} {{ {nested}"
        f" GENERATE FLATTEN(alone) AS ({shown}), ({wanted}(fitting) ? 1 : 0) AS is_kept; }}"
    )
    tested = Relation(statements.add(f"{left.topic}_tested", text), own, left.topics)
    kept = statements.filtered(tested, "(is_kept == 1)", "kept")
    # Bags and unions require the exact number of fields.
    return statements.generate(kept, [Item(f.text, f.text, f.type) for f in own], "columns")
