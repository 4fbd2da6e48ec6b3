"""sqlglot's scalar expressions → raw tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from sqlglot import expressions as exp

from lakeschema.catalog.column_types import (
    PRIMITIVES,
    STRING,
    TIMESTAMP,
    TIMESTAMP_LOCAL,
    TIMESTAMP_NTZ,
    ColumnType,
    parse_type,
)
from lakeschema.catalog.errors import MalformedType
from lakeschema.translation.errors import MalformedSql, UnsupportedConstruct, UnsupportedType
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.positions import position
from lakeschema.translation.syntax.spark_casts import target_number
from lakeschema.translation.syntax.spark_intervals import INTERVAL_PREFIX
from lakeschema.translation.syntax.tokens import CAST_PREFIX, FUNCTION_PREFIX, CastTarget

_BINARY: dict[type[exp.Expr], str] = {
    exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%", exp.IntDiv: "div",
    exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=",
    exp.NullSafeEQ: "<=>", exp.Like: "like", exp.ILike: "ilike", exp.RegexpLike: "rlike",
    exp.BitwiseAnd: "&", exp.BitwiseOr: "|", exp.BitwiseXor: "^", exp.DPipe: "||",
    exp.And: "and", exp.Or: "or", exp.NullSafeNEQ: "is distinct from",
    exp.BitwiseLeftShift: "<<", exp.BitwiseRightShift: ">>",
}  # fmt: skip

_UNARY: dict[type[exp.Expr], str] = {exp.Not: "not", exp.Neg: "negative", exp.BitwiseNot: "~"}

_KEYWORD_CALLS: dict[type[exp.Expr], str] = {
    exp.CurrentDate: "current_date",
    exp.CurrentTimestamp: "current_timestamp",
    exp.CurrentUser: "current_user",
    exp.Localtimestamp: "localtimestamp",
    exp.CurrentTime: "current_time",
    exp.Uuid: "uuid",
}

# A bare ``timestamp`` of Spark is sqlglot's TIMESTAMPTZ.
_TYPES = {
    "TEXT": STRING,
    "TIMESTAMPTZ": TIMESTAMP,
    "TIMESTAMPLTZ": TIMESTAMP_LOCAL,
    "TIMESTAMPNTZ": TIMESTAMP_NTZ,
}


class Scalars:
    """``query`` converts a nested query; ``casts`` are the targets that the token pass extracted."""

    def __init__(
        self, casts: tuple[CastTarget, ...], query: Callable[[exp.Expr], tree.Query]
    ) -> None:
        self._casts = casts
        self._query = query

    def optional(self, node: exp.Expr | None) -> tree.Expression | None:
        """The expression of a clause such as WHERE, which sqlglot wraps."""
        if node is None:
            return None
        if isinstance(node, (exp.Where, exp.Having, exp.Qualify)):
            node = node.this
        return self.expression(node)

    def select_item(self, node: exp.Expr) -> tree.SelectItem:
        if isinstance(node, exp.Alias):
            return tree.SelectItem(self.expression(node.this), (node.alias,))
        if isinstance(node, exp.Aliases):
            names = tuple(part.name for part in node.expressions)
            return tree.SelectItem(self.expression(node.this), names)
        return tree.SelectItem(self.expression(node))

    def sort_keys(self, nodes: Iterable[exp.Expr]) -> tuple[tree.SortKey, ...]:
        return tuple(
            tree.SortKey(
                self.expression(node.this),
                bool(node.args.get("desc")),
                node.args.get("nulls_first"),
            )
            if isinstance(node, exp.Ordered)
            else tree.SortKey(self.expression(node))
            for node in nodes
        )

    def window_parts(
        self, node: exp.Expr
    ) -> tuple[tuple[tree.Expression, ...], tuple[tree.SortKey, ...], str | None]:
        order = node.args.get("order")
        spec = node.args.get("spec")
        return (
            tuple(self.expression(part) for part in node.args.get("partition_by") or ()),
            self.sort_keys(order.expressions) if order is not None else (),
            spec.sql("spark").replace(FUNCTION_PREFIX, "") if spec is not None else None,
        )

    def expression(self, node: exp.Expr) -> tree.Expression:
        handler = _HANDLERS.get(type(node))
        if handler is not None:
            return handler(self, node)
        symbol = _BINARY.get(type(node))
        if symbol is not None:
            return self._binary(node, symbol)
        unary = _UNARY.get(type(node))
        if unary == "negative" and isinstance(node.this, exp.Literal) and node.this.is_number:
            return tree.NumberLiteral(f"-{node.this.this}")
        if unary is not None:
            return tree.Call(unary, (self.expression(node.this),))
        keyword = _KEYWORD_CALLS.get(type(node))
        if keyword is not None:
            return tree.Call(keyword, ())
        construct = type(node).__name__.upper()
        raise UnsupportedConstruct(f"the expression {construct}", position=position(node))

    def _all(self, nodes: Iterable[exp.Expr]) -> tuple[tree.Expression, ...]:
        return tuple(self.expression(node) for node in nodes)

    def _binary(self, node: exp.Expr, symbol: str) -> tree.Expression:
        right_node = node.expression
        if isinstance(right_node, (exp.Any, exp.All)):
            return self._quantified(node, symbol)
        if symbol in {"and", "or"}:
            return tree.Call(symbol, self._chain(node))
        call = tree.Call(symbol, (self.expression(node.this), self.expression(right_node)))
        return tree.Call("not", (call,)) if node.args.get("negate") else call

    def _quantified(self, node: exp.Expr, symbol: str) -> tree.Expression:
        """``x LIKE ANY ('a%', 'b%')``, of listed patterns; NOT has a meaning of its own there."""
        word = type(node.expression).__name__.lower()
        listed = node.expression.this
        if symbol not in {"like", "ilike"} or not isinstance(listed, (exp.Tuple, exp.Paren)):
            raise UnsupportedConstruct(f"{symbol} {word.upper()}", position=position(node))
        patterns = listed.expressions if isinstance(listed, exp.Tuple) else [listed.this]
        negated = "not " if node.args.get("negate") else ""
        parts = (self.expression(node.this), *self._all(patterns))
        return tree.Call(f"{negated}{symbol} {word}", parts, position(node))

    def _chain(self, node: exp.Expr) -> tuple[tree.Expression, ...]:
        """A left-deep chain of one connective, which may be 10,000 long, without recursion."""
        kind = type(node)
        operands: list[tree.Expression] = []
        at: exp.Expr = node
        while type(at) is kind:
            operands.append(self.expression(at.expression))
            at = at.this
        operands.append(self.expression(at))
        return tuple(reversed(operands))

    def _anonymous(self, node: exp.Expr) -> tree.Expression:
        name = str(node.this)
        if name.startswith(CAST_PREFIX):
            return self._cast(node.expressions, self._casts[int(name[1:])])
        if name == INTERVAL_PREFIX:
            return _interval_literal([argument.name for argument in node.expressions])
        return self._call(name.removeprefix(FUNCTION_PREFIX), node)

    def _call(self, name: str, node: exp.Expr, qualifier: tuple[str, ...] = ()) -> tree.Expression:
        distinct = False
        arguments: list[exp.Expr] = list(node.expressions)
        if arguments and isinstance(arguments[0], exp.Distinct):
            distinct = True
            arguments = [*arguments[0].expressions, *arguments[1:]]
        for argument in arguments:
            if isinstance(argument, (exp.Order, exp.Limit)):
                raise UnsupportedConstruct(f"ORDER BY inside {name}", position=position(node))
        ignores_nulls = None
        if arguments and isinstance(arguments[-1], (exp.IgnoreNulls, exp.RespectNulls)):
            # first(x IGNORE NULLS)
            ignores_nulls = isinstance(arguments[-1], exp.IgnoreNulls)
            arguments[-1] = arguments[-1].this
        return tree.Call(
            name, self._all(arguments), position(node), distinct,
            qualifier=qualifier, ignores_nulls=ignores_nulls,
        )  # fmt: skip

    def _cast(self, operands: Sequence[exp.Expr], target: CastTarget) -> tree.Expression:
        try:
            type_ = parse_type(target.type_text, timestamp_ltz=TIMESTAMP_LOCAL)
        except MalformedType as error:
            raise UnsupportedType(
                "a CAST", target.type_text, "it is not a type", position=target.position
            ) from error
        if len(operands) != 1:
            raise MalformedSql("CAST takes one value", position=target.position)
        operand = self.expression(operands[0])
        return tree.Cast(operand, type_, target.tolerant, target.position, target.format)

    def _implicit_cast(self, node: exp.Expr) -> tree.Expression:
        """Casts that are not written CAST: ``10L``, ``DATE '…'``, ``x::int``."""
        number = target_number(node)
        if number is not None:
            return self._cast((node.this,), self._casts[number])
        return tree.Cast(self.expression(node.this), _type_of(node.args["to"]))

    def _collate(self, node: exp.Expr) -> tree.Expression:
        name = tree.StringLiteral(node.expression.sql("spark").replace("`", ""))
        return tree.Call("collate", (self.expression(node.this), name), position(node))

    def _column(self, node: exp.Expr) -> tree.Expression:
        qualifier = tuple(
            part.name
            for part in (node.args.get("catalog"), node.args.get("db"), node.args.get("table"))
            if part is not None
        )
        if isinstance(node.this, exp.Star):
            return self._star(node.this, qualifier)
        return tree.Name((*qualifier, node.name), position(node))

    def _star(self, node: exp.Expr, qualifier: tuple[str, ...] = ()) -> tree.Expression:
        for part in ("replace", "rename", "ilike"):
            if node.args.get(part):
                raise UnsupportedConstruct(f"* {part.upper()}", position=position(node))
        excluded = tuple(part.name for part in node.args.get("except_") or ())
        return tree.Star(qualifier, excluded)

    def _identifier(self, node: exp.Expr) -> tree.Expression:
        return tree.Name((node.name,), position(node))

    def _literal(self, node: exp.Expr) -> tree.Expression:
        if node.is_string:
            return tree.StringLiteral(node.this)
        return tree.NumberLiteral(node.this)

    def _dot(self, node: exp.Expr) -> tree.Expression:
        right = node.expression
        if isinstance(right, exp.Anonymous):
            qualifier = tuple(part.name for part in node.this.find_all(exp.Identifier))
            return self._call(str(right.this).removeprefix(FUNCTION_PREFIX), right, qualifier)
        base = self.expression(node.this)
        if isinstance(right, exp.Star):
            raise UnsupportedConstruct("a struct's .*", position=position(node))
        if isinstance(base, tree.Name):
            return tree.Name((*base.parts, right.name), base.position)
        return tree.FieldOf(base, right.name, position(right))

    def _bracket(self, node: exp.Expr) -> tree.Expression:
        base = self.expression(node.this)
        for index in node.expressions:
            base = tree.Subscript(base, self.expression(index))
        return base

    def _in(self, node: exp.Expr) -> tree.Expression:
        operand = self.expression(node.this)
        query = node.args.get("query")
        if query is not None:
            return tree.InQuery(operand, self._query(query))
        if node.args.get("unnest") or node.args.get("field"):
            raise UnsupportedConstruct("IN over an array", position=position(node))
        return tree.InList(operand, self._all(node.expressions))

    def _between(self, node: exp.Expr) -> tree.Expression:
        operand = self.expression(node.this)
        low, high = self.expression(node.args["low"]), self.expression(node.args["high"])
        if node.args.get("symmetric"):
            raise UnsupportedConstruct("BETWEEN SYMMETRIC", position=position(node))
        return tree.Call("between", (operand, low, high))

    def _is(self, node: exp.Expr) -> tree.Expression:
        operand = self.expression(node.this)
        right = node.expression
        if isinstance(right, exp.Null):
            return tree.Call("is null", (operand,))
        if isinstance(right, exp.Boolean):
            return tree.Call("is true" if right.this else "is false", (operand,))
        raise UnsupportedConstruct("IS with this operand", position=position(node))

    def _case(self, node: exp.Expr) -> tree.Expression:
        subject, otherwise = node.args.get("this"), node.args.get("default")
        return tree.Case(
            self.expression(subject) if subject is not None else None,
            tuple(
                (self.expression(branch.this), self.expression(branch.args["true"]))
                for branch in node.args["ifs"]
            ),
            self.expression(otherwise) if otherwise is not None else None,
        )

    def _if(self, node: exp.Expr) -> tree.Expression:
        parts = [node.this, node.args.get("true"), node.args.get("false")]
        return tree.Call("if", self._all(part for part in parts if part is not None))

    def _interval(self, node: exp.Expr) -> tree.Expression:
        unit = node.args.get("unit")
        if unit is None:
            raise UnsupportedConstruct("an interval without a unit", position=position(node))
        words = unit.sql("spark").lower().split()
        plain = " ".join(word if word == "to" else word.removesuffix("s") for word in words)
        return tree.IntervalLiteral(self.expression(node.this), plain)

    def _subquery(self, node: exp.Expr) -> tree.Expression:
        return tree.ScalarQuery(self._query(node))

    def _window(self, node: exp.Expr) -> tree.Expression:
        call = self._call_before(node, "OVER")
        partition, order, frame = self.window_parts(node)
        named = node.args.get("alias")
        return tree.WindowCall(call, partition, order, frame, named.name if named else None)

    def _filter(self, node: exp.Expr) -> tree.Expression:
        condition = self.optional(node.expression)
        return replace(self._call_before(node, "FILTER"), filter=condition)

    def _within_group(self, node: exp.Expr) -> tree.Expression:
        keys = self.sort_keys(node.expression.expressions)
        return replace(self._call_before(node, "WITHIN GROUP"), order_by=keys)

    def _nulls_option(self, node: exp.Expr) -> tree.Expression:
        call = self._call_before(node, "IGNORE or RESPECT NULLS")
        return replace(call, ignores_nulls=isinstance(node, exp.IgnoreNulls))

    def _call_before(self, node: exp.Expr, clause: str) -> tree.Call:
        call = self.expression(node.this)
        if not isinstance(call, tree.Call):
            raise UnsupportedConstruct(f"{clause} after this expression", position=position(node))
        return call

    def _trim(self, node: exp.Expr) -> tree.Expression:
        side = str(node.args.get("position") or "BOTH").upper()
        name = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(side, "trim")
        characters = node.args.get("expression")
        # As a call these name what is cut off first.
        parts = [node.this] if characters is None else [characters, node.this]
        return tree.Call(name, self._all(parts), position(node))

    def _substring(self, node: exp.Expr) -> tree.Expression:
        parts = [node.this, node.args.get("start"), node.args.get("length")]
        return tree.Call("substring", self._all(p for p in parts if p is not None), position(node))

    def _overlay(self, node: exp.Expr) -> tree.Expression:
        parts = [node.this, node.expression, node.args.get("from_"), node.args.get("for_")]
        return tree.Call("overlay", self._all(p for p in parts if p is not None), position(node))

    def _extract(self, node: exp.Expr) -> tree.Expression:
        unit = tree.StringLiteral(node.this.name.lower())
        return tree.Call("extract", (unit, self.expression(node.expression)), position(node))

    def _position_in(self, node: exp.Expr) -> tree.Expression:
        return tree.Call("locate", self._all((node.args["substr"], node.this)), position(node))

    def _struct(self, node: exp.Expr) -> tree.Expression:
        fields: list[tuple[str | None, tree.Expression]] = []
        for part in node.expressions:
            if isinstance(part, exp.PropertyEQ):
                name = part.this.name if _is_written(part) else None
                fields.append((name, self.expression(part.expression)))
            else:
                fields.append((None, self.expression(part)))
        return tree.StructLiteral(tuple(fields))

    def _lambda(self, node: exp.Expr) -> tree.Expression:
        names = tuple(parameter.name for parameter in node.expressions)
        return tree.Lambda(names, self.expression(node.this))

    def _adjacent(self, node: exp.Expr) -> tree.Expression:
        """``'a' 'b'`` is one literal in both dialects."""
        parts = self._all(node.expressions)
        if all(isinstance(part, tree.StringLiteral) for part in parts):
            return tree.StringLiteral(
                "".join(part.value for part in parts if isinstance(part, tree.StringLiteral))
            )
        return tree.Call("concat", parts, position(node))


def _interval_literal(arguments: Sequence[str]) -> tree.Expression:
    text, unit, *amounts = arguments
    months, days, microseconds = map(int, amounts)
    return tree.IntervalLiteral(tree.StringLiteral(text), unit, (months, days, microseconds))


def _type_of(node: exp.Expr) -> ColumnType:
    name = node.this.name if hasattr(node.this, "name") else str(node.this)
    if name == "DECIMAL":
        return parse_type(node.sql("hive"), timestamp_ltz=TIMESTAMP_LOCAL)
    if name == "TIME" and node.expressions:
        # The parser writes it as a timestamp.
        return parse_type(f"time({node.expressions[0].name})")
    found = _TYPES.get(name) or PRIMITIVES.get(name.lower())
    if found is None:
        try:
            return parse_type(node.sql("hive"), timestamp_ltz=TIMESTAMP_LOCAL)
        except MalformedType as error:
            raise UnsupportedType("a cast", name.lower(), "it is not known") from error
    return found


# The table is part of the class: it stands below it only to name its methods.
# ruff: noqa: SLF001
_HANDLERS: dict[type[exp.Expr], Callable[[Scalars, exp.Expr], tree.Expression]] = {
    exp.Column: Scalars._column,
    exp.Identifier: Scalars._identifier,
    exp.Literal: Scalars._literal,
    exp.Anonymous: Scalars._anonymous,
    exp.Cast: Scalars._implicit_cast,
    exp.TryCast: Scalars._implicit_cast,
    exp.Paren: lambda self, node: self.expression(node.this),
    exp.Star: lambda self, node: self._star(node),
    exp.Boolean: lambda _, node: tree.BooleanLiteral(bool(node.this)),
    exp.Null: lambda _, __: tree.NullLiteral(),
    exp.HexString: lambda _, node: tree.BinaryLiteral(str(node.this)),
    exp.Dot: Scalars._dot,
    exp.Bracket: Scalars._bracket,
    exp.In: Scalars._in,
    exp.Between: Scalars._between,
    exp.Is: Scalars._is,
    exp.Case: Scalars._case,
    exp.If: Scalars._if,
    exp.Interval: Scalars._interval,
    exp.Subquery: Scalars._subquery,
    exp.Select: Scalars._subquery,
    exp.Exists: lambda self, node: tree.Exists(self._query(node.this)),
    exp.Tuple: lambda self, node: tree.Tuple(self._all(node.expressions)),
    exp.Window: Scalars._window,
    exp.Filter: Scalars._filter,
    exp.WithinGroup: Scalars._within_group,
    exp.IgnoreNulls: Scalars._nulls_option,
    exp.RespectNulls: Scalars._nulls_option,
    exp.Trim: Scalars._trim,
    exp.Substring: Scalars._substring,
    exp.Overlay: Scalars._overlay,
    exp.Any: lambda self, node: tree.Call("any", (self.expression(node.this),), position(node)),
    exp.Extract: Scalars._extract,
    exp.StrPosition: Scalars._position_in,
    exp.Struct: Scalars._struct,
    exp.Lambda: Scalars._lambda,
    exp.Concat: Scalars._adjacent,
    exp.Collate: Scalars._collate,
    exp.Escape: lambda self, node: self.expression(node.this),
}
"""What each of the parser's nodes becomes; a node that is not here is unsupported, by name."""


def _is_written(field: exp.PropertyEQ) -> bool:
    """Whether the text gives the field's name: for a plain column the parser repeats its name."""
    start = field.this.meta.get("start")
    value = field.expression
    repeated = isinstance(value, exp.Column) and value.this.meta.get("start") == start
    return start is not None and not repeated
