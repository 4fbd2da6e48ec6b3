"""Resolves the names in expressions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable

from lakeschema.analysis import resolved as rs
from lakeschema.analysis.resolving.scopes import Scope
from lakeschema.analysis.syntax.dialects import Scoping
from lakeschema.translation.plan.operators import VALUE_IN_ORDER
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.variant_paths import EACH, variant_steps

_CHOICES = frozenset({"if", "iif"})
_POSITIONS = frozenset({"offset", "ordinal", "safe_offset", "safe_ordinal"})
"""Calls that are positions in an array, such as in ``items[OFFSET(0)]``."""
_OF_ORDERED_VALUES = VALUE_IN_ORDER | {"rank", "dense_rank", "percent_rank", "cume_dist"}
"""Functions for which WITHIN GROUP orders the values that they read."""


class ExpressionResolver:
    """Resolves expressions; ``query`` resolves the queries in them."""

    scoping: Scoping

    @abstractmethod
    def query(self, query: tree.Query, around: Scope | None) -> rs.Query: ...

    def all(
        self, expressions: Iterable[tree.Expression], scope: Scope
    ) -> tuple[rs.Expression, ...]:
        return tuple([self.expression(each, scope) for each in expressions])

    def expression(self, node: tree.Expression, scope: Scope) -> rs.Expression:
        match node:
            case tree.Name(parts, position):
                return scope.find(parts, position)
            case tree.Call():
                return self._call(node, scope)
            case tree.Cast(operand=operand):
                return rs.Operation("cast", (self.expression(operand, scope),))
            case tree.Case(operand, branches, otherwise):
                return self._case(operand, branches, otherwise, scope)
            case tree.InList(operand, items):
                return rs.Operation("in", self.all((operand, *items), scope))
            case tree.InQuery(operand, query):
                return rs.QueryUse(
                    rs.QueryKind.IN, self.query(query, scope), self.expression(operand, scope)
                )
            case tree.Exists(query):
                return rs.QueryUse(rs.QueryKind.EXISTS, self.query(query, scope))
            case tree.ScalarQuery(query):
                return rs.QueryUse(rs.QueryKind.SCALAR, self.query(query, scope))
            case tree.WindowCall(call, partition_by, order_by):
                return rs.Windowed(
                    self._call(call, scope),
                    self.all(partition_by, scope),
                    self.all((key.expression for key in order_by), scope),
                )
            case tree.FieldOf(base, name):
                return self._field(self.expression(base, scope), name)
            case tree.VariantPath():
                return self._variant(node, scope)
            case tree.Subscript():
                return self._subscript(node, scope)
            case tree.Tuple(items):
                return rs.Operation("row", self.all(items, scope))
            case tree.StructLiteral(fields):
                labels = tuple(
                    (name or _implied(value, number)).lower()
                    for number, (name, value) in enumerate(fields, 1)
                )
                values = self.all((value for _, value in fields), scope)
                return rs.Operation("struct", values, labels=labels)
            case tree.Transform(arguments=arguments):
                return rs.Operation("transform", self.all(arguments, scope))
            case tree.IntervalLiteral(value=value):
                return self.expression(value, scope)
            case tree.Star(qualifier):
                return self._star(qualifier, scope)
            case tree.Lambda(parameters, body):
                return self._lambda(parameters, body, scope)
            case _:
                return rs.CONSTANT

    def _call(self, call: tree.Call, scope: Scope) -> rs.Expression:
        name = call.name.lower()
        operands = list(self.all(call.arguments, scope))
        operands += [self.expression(value, scope) for _, value in call.named]
        keys = tuple(self.expression(key.expression, scope) for key in call.order_by)
        if name in _OF_ORDERED_VALUES:
            operands += keys
            keys = ()
        if call.filter is not None or keys:
            made: rs.Expression = rs.Operation(name, tuple(operands), call.position)
            made = rs.Windowed(made, (), keys) if keys else made
            condition = () if call.filter is None else (self.expression(call.filter, scope),)
            return rs.Choice(condition, (made,)) if condition else made
        if name in _CHOICES and len(operands) > 1:
            return rs.Choice((operands[0],), tuple(operands[1:]))
        if name == "named_struct" and (labels := _labels(call)):
            return rs.Operation(name, tuple(operands[1::2]), call.position, labels)
        if name == "struct":
            labels = tuple(_implied(v, n).lower() for n, v in enumerate(call.arguments, 1))
            return rs.Operation(name, tuple(operands), call.position, labels)
        return rs.Operation(name, tuple(operands), call.position)

    def _case(
        self,
        operand: tree.Expression | None,
        branches: Iterable[tuple[tree.Expression, tree.Expression]],
        otherwise: tree.Expression | None,
        scope: Scope,
    ) -> rs.Expression:
        conditions: list[rs.Expression] = []
        results: list[rs.Expression] = []
        subject = None if operand is None else self.expression(operand, scope)
        for when, then in branches:
            condition = self.expression(when, scope)
            if subject is not None:
                condition = rs.Operation("=", (subject, condition))
            conditions.append(condition)
            results.append(self.expression(then, scope))
        if otherwise is not None:
            results.append(self.expression(otherwise, scope))
        return rs.Choice(tuple(conditions), tuple(results))

    def _field(self, base: rs.Expression, name: str) -> rs.Expression:
        if isinstance(base, rs.ColumnUse):
            return rs.ColumnUse(
                base.relation, base.column, (*base.path, name.lower()), base.position
            )
        if isinstance(base, rs.Operation) and base.name == rs.ELEMENT:
            inner = self._field(base.operands[0], name)
            return rs.Operation(rs.ELEMENT, (inner, *base.operands[1:]))
        return rs.Operation(".", (base,), labels=(name.lower(),))

    def _subscript(self, node: tree.Subscript, scope: Scope) -> rs.Expression:
        base = self.expression(node.base, scope)
        match node.index:
            case tree.StringLiteral(key) if _is_field(key):
                return self._field(base, key)
            case tree.NumberLiteral() if not self.scoping.fields_have_positions:
                taken = rs.ELEMENT
            case tree.Call(name) if (
                name.lower() in _POSITIONS and not self.scoping.fields_have_positions
            ):
                taken = rs.ELEMENT
            case _:
                taken = rs.ELEMENT_OR_FIELD
        return rs.Operation(taken, (base, self.expression(node.index, scope)))

    def _variant(self, node: tree.VariantPath, scope: Scope) -> rs.Expression:
        """Reads a path into a variant as a field, if the path is written like a field's name."""
        base, path = node.call.arguments
        found = self.expression(base, scope)
        assert isinstance(path, tree.StringLiteral)
        for step in variant_steps(path.value):
            if step is None:
                found = rs.Operation(rs.ELEMENT, (found, rs.CONSTANT))
            elif step != EACH and _is_field(step):
                found = self._field(found, step)
            else:
                return rs.Operation(node.call.name, (found,), node.call.position)
        return found

    def _star(self, qualifier: tuple[str, ...], scope: Scope) -> rs.Expression:
        entries = scope.called(qualifier) if qualifier else scope.entries
        return rs.WholeRows(tuple(entry.relation for entry in entries))

    def _lambda(
        self, parameters: tuple[str, ...], body: tree.Expression, scope: Scope
    ) -> rs.Expression:
        inner = Scope(
            scope.shapes, scope, parameters=frozenset(name.lower() for name in parameters)
        )
        return rs.Operation("->", (self.expression(body, inner),))


def _is_field(key: str) -> bool:
    """Whether a key may name a field.

    Keys are case-sensitive and fields are not, so a key with capitals may be a different key.
    """
    return bool(key) and key == key.lower()


def _implied(value: tree.Expression, number: int) -> str:
    """The field name that ``struct(a, t.b, 1)`` gives to a value: a, b and col3."""
    return value.parts[-1] if isinstance(value, tree.Name) else f"col{number}"


def _labels(call: tree.Call) -> tuple[str, ...]:
    """The field names of ``named_struct('a', 1, 'b', 2)``.

    Empty unless all of them are literals.
    """
    names = [
        name.value.lower() for name in call.arguments[::2] if isinstance(name, tree.StringLiteral)
    ]
    return tuple(names) if len(call.arguments) == 2 * len(names) else ()
