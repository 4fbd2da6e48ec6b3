"""Turns the syntax trees of expressions into typed row expressions over one scope."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import assert_never

from lakeschema.catalog.column_types import (
    BINARY,
    BOOLEAN,
    INT,
    STRING,
    VOID,
    ColumnType,
    print_type,
)
from lakeschema.translation.functions.aliases import canonical
from lakeschema.translation.functions.binding import implicit_cast
from lakeschema.translation.functions.casts import (
    can_cast,
)
from lakeschema.translation.functions.signature import Kind
from lakeschema.translation.model.errors import (
    Position,
    TypeMismatch,
    UnknownColumn,
    UnsupportedConstruct,
)
from lakeschema.translation.plan.expressions import (
    Call,
    Case,
    Exists,
    FieldAccess,
    Lambda,
    LambdaVariable,
    Literal,
    OuterReference,
    RowExpression,
    ScalarSubquery,
    SortKey,
)
from lakeschema.translation.plan.relations import Plan
from lakeschema.translation.plan.rewriting import lower
from lakeschema.translation.resolution import calls, forms, sql_functions, stars, trino
from lakeschema.translation.resolution.context import Context
from lakeschema.translation.resolution.conversions import cast
from lakeschema.translation.resolution.fields import (
    column_hint,
    field_of,
    field_path,
    require_known_type,
)
from lakeschema.translation.resolution.file_metadata import file_metadata
from lakeschema.translation.resolution.forms import as_written, widened
from lakeschema.translation.resolution.higher_order import higher_order, with_lambdas
from lakeschema.translation.resolution.hive_names import virtual_column
from lakeschema.translation.resolution.named_arguments import in_order
from lakeschema.translation.resolution.numbers import number
from lakeschema.translation.resolution.scopes import Scope
from lakeschema.translation.syntax import tree

_OF_ANY_TYPE = frozenset({"count", "isnotnull", "is null"})
"""Functions that accept any type and only test for null."""

_WHOLE = frozenset({"floor", "ceil"})

_CALLED_BY_NAME = frozenset(
    {
        *("current_date", "current_timestamp", "current_time", "current_user", "user"),
        *("session_user", "current_catalog", "current_database", "current_schema"),
        *("localtimestamp", "localtime"),
    }
)
"""Functions that need no parentheses, unless a column has the name."""


def require_boolean(condition: RowExpression) -> RowExpression:
    """The condition; raises ``TypeMismatch`` unless it is boolean or null."""
    if condition.type not in {BOOLEAN, VOID}:
        raise TypeMismatch(f"expected a boolean condition, got {print_type(condition.type)}")
    return condition


_NO_ALIASES: Mapping[str, RowExpression] = MappingProxyType({})
_NO_WINDOWS: Mapping[str, tree.NamedWindow] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ExpressionResolver:
    """Resolves expressions over ``scope``; the scope of a query without FROM is absent.

    Attributes:
        aliases: the expressions of the SELECT's aliases. A name means an alias if no column has the
            name. HAVING reads aliases; in Spark, later items of SELECT do, too.
        group_may_be_empty: whether a group may have no rows, because the query has no GROUP BY.
        aggregates_allowed: False in WHERE, ON and inside an aggregate.
        shown: the items of SELECT whose names hide columns of the same names, outside aggregates.
        around: the enclosing window call; in its arguments Hive's LAG and LEAD need no OVER.
    """

    context: Context
    scope: Scope | None
    aliases: Mapping[str, RowExpression] = field(default_factory=lambda: _NO_ALIASES)
    windows: Mapping[str, tree.NamedWindow] = field(default_factory=lambda: _NO_WINDOWS)
    variables: Mapping[str, LambdaVariable] = field(default_factory=lambda: MappingProxyType({}))
    group_may_be_empty: bool = True
    aggregates_allowed: bool = True
    shown: Mapping[str, RowExpression] = field(default_factory=lambda: _NO_ALIASES)
    around: tree.WindowCall | None = None

    def resolve(self, node: tree.Expression) -> RowExpression:
        """The expression for a use that depends on its type.

        Raises:
            UnsupportedType: the type is unknown.
        """
        found = self.resolve_whole(node)
        require_known_type(found)
        return found

    def resolve_whole(self, node: tree.Expression) -> RowExpression:
        """The expression for a value that is passed on unchanged; its type may be unknown."""
        if self.context.semantics.is_trino:
            own = trino.resolve(node, self)
            if own is not None:
                return own
        match node:
            case tree.Name():
                found = self._name(node)
                return as_written(found, node.parts) if self.context.semantics.is_spark else found
            case tree.Call():
                return self._call(node)
            case tree.NumberLiteral(text):
                return number(text, self.context.semantics)
            case tree.StringLiteral(value):
                return Literal(value, STRING)
            case tree.NullLiteral():
                return Literal(None, VOID)
            case tree.BooleanLiteral(value):
                return Literal("true" if value else "false", BOOLEAN)
            case tree.BinaryLiteral(hexadecimal):
                return Literal(hexadecimal, BINARY)
            case tree.IntervalLiteral():
                return forms.interval(node, self.resolve(node.value), self.context.semantics)
            case tree.Cast():
                return self._cast(node)
            case tree.Case():
                return self._case(node)
            case tree.FieldOf(base, name, position):
                return self._field(base, name, position)
            case tree.Subscript(base, index):
                semantics = self.context.semantics
                return forms.subscript(self.resolve(base), self.resolve(index), semantics)
            case tree.VariantPath(call):
                return self.resolve(call)
            case tree.InList(operand, items):
                return self._in_list(operand, items)
            case tree.InQuery(operand, query):
                return self._in_query(operand, query)
            case tree.Exists(query):
                return Exists(self._resolve_nested(query))
            case tree.ScalarQuery(query):
                return self._scalar_query(query)
            case tree.StructLiteral(fields):
                return self._struct(fields)
            case tree.Tuple(items):
                return self._struct(tuple((None, item) for item in items))
            case tree.WindowCall():
                return self._window(node)
            case tree.Star(position=position):
                raise UnsupportedConstruct("* in this place", position=position)
            case tree.Transform(position=position):
                raise UnsupportedConstruct("TRANSFORM among other columns", position=position)
            case tree.Lambda():
                raise UnsupportedConstruct("a lambda outside a higher-order function")
            case _:
                assert_never(node)

    def condition(self, node: tree.Expression) -> RowExpression:
        """The expression for a condition; Hive also accepts text and numbers, and casts them."""
        resolved = self.resolve(node)
        if resolved.type in {BOOLEAN, VOID}:
            return resolved
        if self.context.semantics.is_hive and can_cast(
            resolved.type, BOOLEAN, self.context.semantics
        ):
            return implicit_cast(resolved, BOOLEAN, self.context.semantics)
        return require_boolean(resolved)

    # names

    def _name(self, node: tree.Name) -> RowExpression:
        variable = self.variables.get(node.parts[0].lower())
        if variable is not None:
            return field_path(variable, node.parts[1:], node.position)
        shown = self.shown.get(node.parts[0].lower())
        if shown is not None:
            with contextlib.suppress(UnknownColumn):
                return field_path(shown, node.parts[1:], node.position)
        found = self._column(node)
        if found is not None:
            return found
        alias = self.aliases.get(node.parts[0].lower())
        if alias is not None:
            return field_path(alias, node.parts[1:], node.position)
        outer = self._outer(node)
        if outer is not None:
            return outer
        if node.parts == ("grouping__id",) and self.context.semantics.is_spark:
            return self._aggregate(tree.Call("grouping_id", (), node.position))
        if self.context.semantics.is_hive:
            if node.parts[0].lower() == "grouping__id":
                # The number of the row's grouping set, which every GROUP BY offers as a column.
                return self._aggregate(tree.Call("grouping__id", (), node.position))
            virtual = virtual_column(node, self.scope)
            if virtual is not None:
                return virtual
        of_file = file_metadata(node, self.scope) if self.context.semantics.is_spark else None
        if of_file is not None:
            return of_file
        if len(node.parts) == 1 and node.parts[0].lower() in _CALLED_BY_NAME:
            return self._call(tree.Call(node.parts[0].lower(), (), node.position))
        raise UnknownColumn(
            ".".join(node.parts),
            self.scope.candidates() if self.scope is not None else (),
            position=node.position,
            hint=column_hint(node.parts[-1], self.scope),
        )

    def _column(self, node: tree.Name) -> RowExpression | None:
        if self.scope is None:
            return None
        exact = self.context.semantics.case_sensitive
        found = self.scope.find(node.parts, node.position, exact=exact)
        if found is None:
            return None
        indices, read = found
        return field_path(self._merge_sides(indices), node.parts[read:], node.position)

    def _merge_sides(self, indices: tuple[int, ...]) -> RowExpression:
        assert self.scope is not None
        return self._coalesce([self.scope.reference(index) for index in indices])

    def _coalesce(self, references: Sequence[RowExpression]) -> RowExpression:
        """The value of a column; for a column of FULL JOIN … USING, the first side's value that is not null."""
        if len(references) == 1:
            return references[0]
        return calls.operator("coalesce", references, self.context)

    def _outer(self, node: tree.Name) -> RowExpression | None:
        for level, scope in enumerate(self.context.outer, 1):
            exact = self.context.semantics.case_sensitive
            found = scope.find(node.parts, node.position, exact=exact)
            if found is not None:
                indices, read = found
                columns = [(index, scope.plan.columns[index]) for index in indices]
                outer = self._coalesce(
                    [OuterReference(level, i, c.name, c.type, c.nullable) for i, c in columns]
                )
                return field_path(outer, node.parts[read:], node.position)
        return None

    def expand_star(self, node: tree.Star) -> tuple[tuple[str, RowExpression], ...]:
        """The columns of ``*`` as pairs of name and expression."""
        return stars.without(self._star_columns(node), node, self.context, self.resolve)

    def _star_columns(self, node: tree.Star) -> tuple[tuple[str, RowExpression], ...]:
        if node.base is not None:
            return stars.fields_of(self.resolve(node.base), node)
        items = self.scope.expand_star(node.qualifier) if self.scope is not None else None
        if items is not None:
            return tuple((item.name, self._merge_sides(item.indices)) for item in items)
        if node.qualifier:
            try:
                base = self._name(tree.Name(node.qualifier, node.position))
            except UnknownColumn:
                base = None
            if base is not None:
                return stars.fields_of(base, node)
            for scope in self.context.outer:
                items = scope.expand_star(node.qualifier)
                if items is not None:
                    names = [tree.Name((*node.qualifier, i.name), node.position) for i in items]
                    return tuple((n.parts[-1], self.resolve_whole(n)) for n in names)
        what = ".".join((*node.qualifier, "*"))
        raise UnknownColumn(
            what, self.scope.candidates() if self.scope else (), position=node.position
        )

    # calls

    def _call(self, node: tree.Call) -> RowExpression:
        if self.context.semantics.is_spark:
            node = with_lambdas(node)
        if any(isinstance(argument, tree.Lambda) for argument in node.arguments):
            return self._higher_order(node)
        function = None if node.qualifier else calls.builtin(node, self.context)
        if function is None:
            target = calls.cast_function(node, self.context)
            if target is not None:
                return self._cast(tree.Cast(node.arguments[0], target, position=node.position))
            sql_function = sql_functions.called(node, self.context)
            if sql_function is not None:
                return sql_functions.value_of(
                    sql_function, node, self.context, self.resolve, self.resolve_inside
                )
            arguments = [self.resolve(argument) for argument in node.arguments]
            return calls.user_defined(node, arguments, self.context)
        if function.kind is Kind.AGGREGATE:
            return self._aggregate(node)
        if function.kind is Kind.GENERATOR:
            raise UnsupportedConstruct(
                f"{node.name} inside another expression", position=node.position
            )
        if function.kind is Kind.WINDOW:
            words = node.name.lower().replace("_", " ")
            hypothetical = replace(node, name=f"hypothetical {words}")
            if node.order_by and calls.builtin(hypothetical, self.context) is not None:
                return self._aggregate(hypothetical)
            if self.around is not None and node.name.lower() in {"lag", "lead"}:
                return self._window(replace(self.around, call=node, frame=None))
            raise TypeMismatch(f"{node.name} needs OVER", position=node.position)
        if node.filter is not None or node.order_by or node.ignores_nulls is not None:
            raise TypeMismatch(
                f"{node.name} is not an aggregate: it cannot have FILTER, WITHIN GROUP or IGNORE NULLS",
                position=node.position,
            )
        found = calls.scalar(function, self.resolve_arguments(node), self.context, node.position)
        if function.operator.name in _WHOLE and self._counts_digits:
            in_full = self._in_full().resolve_arguments(node)
            whole = calls.scalar(function, in_full, self.context, node.position)
            return replace(found, type=whole.type)
        return found

    def resolve_inside(
        self, node: tree.Expression, context: Context, scope: Scope | None
    ) -> RowExpression:
        """Resolves an expression from another text, such as a SQL function's body.

        ``context`` and ``scope`` are those of the other text.
        """
        return ExpressionResolver(context, scope, aggregates_allowed=False).resolve(node)

    def _aggregate(self, node: tree.Call) -> RowExpression:
        function = calls.builtin(node, self.context)
        assert function is not None
        grouped = self._without_aggregates().grouped(node)
        found = calls.aggregate(function, grouped, node, self.group_may_be_empty, self.context)
        # HAVING's sub-queries may aggregate the enclosing query's rows.
        if not self.aggregates_allowed and lower(found, 1) is None:
            raise UnsupportedConstruct(
                f"the aggregate {node.name} in this place", position=node.position
            )
        return found

    def grouped(self, node: tree.Call) -> calls.Grouped:
        """The inputs of a call over the rows of a group."""
        return calls.Grouped(
            self.resolve_arguments(node),
            None if node.filter is None else self.condition(node.filter),
            self.sort_keys(node.order_by),
        )

    def resolve_arguments(self, node: tree.Call) -> list[RowExpression]:
        """The arguments; a star becomes the columns that it stands for.

        The star of ``count(*)`` becomes a literal, as in Hive and Spark.
        """
        name = canonical(node.name.lower(), self.context.semantics.dialect)
        resolve = self.resolve_whole if name in _OF_ANY_TYPE else self.resolve
        arguments: list[RowExpression] = []
        for argument in in_order(node):
            if not isinstance(argument, tree.Star):
                arguments.append(resolve(argument))
            elif name == "count" and argument == tree.Star():
                arguments.append(Literal("1", INT))
            else:
                arguments += [expression for _, expression in self.expand_star(argument)]
        return arguments

    def _without_aggregates(self) -> ExpressionResolver:
        return replace(self, aggregates_allowed=False, shown=_NO_ALIASES)

    def _window(self, node: tree.WindowCall) -> RowExpression:
        function = calls.builtin(node.call, self.context)
        if function is None or function.kind not in {Kind.WINDOW, Kind.AGGREGATE}:
            raise UnsupportedConstruct(f"{node.call.name} with OVER", position=node.call.position)
        partition, order, frame = node.partition_by, node.order_by, node.frame
        if node.window is not None:
            named = self.windows.get(node.window.lower())
            if named is None:
                raise UnsupportedConstruct(
                    f"window {node.window}, which the query does not define",
                    position=node.call.position,
                )
            partition = partition or named.partition_by
            order, frame = order or named.order_by, frame or named.frame
        parts = (
            tuple(self.resolve(key) for key in partition),
            self.sort_keys(order),
            frame,
        )
        inside = replace(self, around=node) if self.context.semantics.is_hive else self
        grouped = inside.grouped(node.call)
        if self._counts_digits:
            in_full = replace(self._in_full(), around=node).resolve_arguments(node.call)
            pairs = zip(grouped.arguments, in_full, strict=True)
            grouped = replace(grouped, arguments=[widened(one, full.type) for one, full in pairs])
        return calls.window(function, grouped, node, parts, self.context)

    @property
    def _counts_digits(self) -> bool:
        """Whether a literal addend has the precision of its digits, not of its type.

        This is so in Hive, except in the places of ``_in_full``.
        """
        return self.context.semantics.is_hive and not self.context.semantics.full_literals

    def _in_full(self) -> ExpressionResolver:
        """The resolver for expressions in FLOOR, windows and fields; see ``Semantics.full_literals``."""
        semantics = replace(self.context.semantics, full_literals=True)
        return replace(self, context=replace(self.context, semantics=semantics))

    def sort_keys(self, keys: tuple[tree.SortKey, ...]) -> tuple[SortKey, ...]:
        return tuple(
            SortKey(self.resolve(key.expression), key.descending, key.nulls_first) for key in keys
        )

    def _higher_order(self, node: tree.Call) -> RowExpression:
        return higher_order(node, self.resolve, self.lambda_of, self.context.semantics)

    def lambda_of(self, node: tree.Lambda, kinds: Sequence[tuple[ColumnType, bool]]) -> Lambda:
        """The resolved lambda; ``kinds`` are its parameters' types and whether they may be null."""
        if len(node.parameters) > len(kinds):
            raise UnsupportedConstruct(f"a lambda of {len(node.parameters)} parameters here")
        variables = tuple(
            LambdaVariable(name, type_, nullable)
            for name, (type_, nullable) in zip(node.parameters, kinds, strict=False)
        )
        inner = {variable.name.lower(): variable for variable in variables}
        variables_in_scope = MappingProxyType({**self.variables, **inner})
        scoped = replace(self, variables=variables_in_scope, aggregates_allowed=False)
        return Lambda(variables, scoped.resolve(node.body))

    # forms with special syntax

    def _cast(self, node: tree.Cast) -> RowExpression:
        operand = self.resolve(node.operand)
        return cast(operand, node, self.context.semantics)

    def _case(self, node: tree.Case) -> RowExpression:
        subject = None if node.operand is None else self.resolve(node.operand)
        conditions: list[RowExpression] = []
        for when, _ in node.branches:
            if subject is None:
                conditions.append(self.condition(when))
            else:
                conditions.append(calls.operator("=", (subject, self.resolve(when)), self.context))
        values = [self.resolve(then) for _, then in node.branches]
        if node.otherwise is not None:
            values.append(self.resolve(node.otherwise))
        values = forms.in_common_type(values, self.context.semantics)
        otherwise = values.pop() if node.otherwise is not None else None
        return Case(tuple(zip(conditions, values, strict=True)), otherwise, values[0].type)

    def _field(self, node: tree.Expression, name: str, position: Position | None) -> RowExpression:
        base = self.resolve(node)
        found = field_of(base, name, position)
        if self.context.semantics.is_spark and isinstance(found, FieldAccess):
            return replace(found, written=name)
        if not isinstance(base, Call) or not self._counts_digits:
            return found
        return widened(found, field_of(self._in_full().resolve(node), name, position).type)

    def _in_list(
        self, operand: tree.Expression, items: tuple[tree.Expression, ...]
    ) -> RowExpression:
        values = [self.resolve(operand)]
        for item in items:
            if isinstance(item, tree.Star):
                values += [value for _, value in self.expand_star(item)]
            else:
                values.append(self.resolve(item))
        return calls.operator("in", values, self.context)

    def _in_query(self, operand: tree.Expression, query: tree.Query) -> RowExpression:
        items = operand.items if isinstance(operand, tree.Tuple) else (operand,)
        plan = self._resolve_nested(query)
        if len(items) != len(plan.columns):
            raise TypeMismatch(f"IN compares {len(items)} values with {len(plan.columns)} columns")
        operands = tuple(self.resolve(item) for item in items)
        return forms.in_query(operands, plan, self.context.semantics)

    def _scalar_query(self, query: tree.Query) -> RowExpression:
        plan = self._resolve_nested(query)
        if len(plan.columns) != 1:
            raise TypeMismatch(f"a scalar sub-query has {len(plan.columns)} columns, not one")
        return ScalarSubquery(plan)

    def _resolve_nested(self, query: tree.Query) -> Plan:
        context = self.context if self.scope is None else self.context.inside(self.scope)
        return context.keeping_tables().plan_of(query)

    def _struct(self, fields: tuple[tuple[str | None, tree.Expression], ...]) -> RowExpression:
        is_spark = self.context.semantics.is_spark
        parts: list[tuple[str | None, RowExpression]] = []
        for name, value in fields:
            if isinstance(value, tree.Star):
                parts += self.expand_star(value)
            else:
                resolved = self.resolve(value)
                spark_name = forms.field_name(value, resolved) if is_spark else None
                parts.append((name or spark_name, resolved))
        return forms.struct(parts)
