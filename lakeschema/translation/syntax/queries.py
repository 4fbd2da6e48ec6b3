"""sqlglot's queries and FROM clauses → raw tree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlglot import expressions as exp

from lakeschema.translation.errors import MalformedSql, UnsupportedConstruct
from lakeschema.translation.joins import JoinKind
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.grouping import grouping_of
from lakeschema.translation.syntax.positions import first_offset, position
from lakeschema.translation.syntax.scalars import Scalars
from lakeschema.translation.syntax.tokens import CastTarget

_SET_OPERATORS: dict[type[exp.Expr], tree.SetOperator] = {
    exp.Union: tree.SetOperator.UNION,
    exp.Intersect: tree.SetOperator.INTERSECT,
    exp.Except: tree.SetOperator.EXCEPT,
}

_IGNORED = {"hint", "kind", "cluster", "distribute"}
"""Select arguments that change neither columns nor rows: hints and how rows are distributed."""

_SELECT_PARTS = _IGNORED | {
    "expressions", "from_", "joins", "laterals", "where", "group", "having", "qualify", "windows",
    "distinct", "order", "sort", "limit", "offset", "with_",
}  # fmt: skip

_JOIN_KINDS = {
    "": JoinKind.INNER,
    "INNER": JoinKind.INNER,
    "CROSS": JoinKind.CROSS,
    "LEFT": JoinKind.LEFT,
    "RIGHT": JoinKind.RIGHT,
    "FULL": JoinKind.FULL,
    "SEMI": JoinKind.SEMI,
    "ANTI": JoinKind.ANTI,
}


def query_of(node: exp.Expr, casts: tuple[CastTarget, ...]) -> tree.Query:
    return _Queries(casts).query(node)


class _Queries:
    """Holds what the whole text shares: the casts that the token pass extracted."""

    def __init__(self, casts: tuple[CastTarget, ...]) -> None:
        self._scalars = Scalars(casts, self.query)

    def query(self, node: exp.Expr) -> tree.Query:
        """Any query; ORDER BY, LIMIT and WITH become nodes around its body."""
        body = self._body(node)
        body = self._order(node, body)
        with_ = node.args.get("with_")
        if with_ is None:
            return body
        if with_.args.get("recursive"):
            raise UnsupportedConstruct("WITH RECURSIVE")
        tables = tuple(
            tree.CommonTable(cte.alias, _column_names(cte), self.query(cte.this))
            for cte in with_.expressions
        )
        return tree.With(tables, body)

    def _body(self, node: exp.Expr) -> tree.Query:
        if isinstance(node, exp.Select):
            return self._select(node)
        if isinstance(node, exp.SetOperation):
            return self._set_query(node)
        if isinstance(node, (exp.Subquery, exp.Paren)):
            return self.query(node.this)
        if isinstance(node, exp.Values):
            return tree.ValuesQuery(self._rows(node))
        if isinstance(node, exp.Table):
            star = tree.SelectItem(tree.Star())
            return tree.Select((star,), self._with_joins(self._from_item(node), node))
        raise MalformedSql(
            f"the text is not a query but {_kind_name(node)}",
            hint="a view's text begins with SELECT, FROM, WITH or VALUES",
        )

    def _order(self, node: exp.Expr, body: tree.Query) -> tree.Query:
        order, sort = node.args.get("order"), node.args.get("sort")
        limit, offset = node.args.get("limit"), node.args.get("offset")
        if not (order or sort or limit or offset):
            return body
        sorting = order or sort
        keys = self._scalars.sort_keys(sorting.expressions) if sorting is not None else ()
        if isinstance(limit, exp.Fetch):
            raise UnsupportedConstruct("FETCH")
        return tree.Ordered(
            body,
            keys,
            order is not None or sort is None,
            self._scalars.expression(limit.expression) if limit else None,
            self._scalars.expression(offset.expression) if offset else None,
        )

    def _set_query(self, node: exp.Expr) -> tree.Query:
        """Unrolls the left-deep chain, merging neighbours of one operator into one node."""
        spine: list[exp.Expr] = []
        at = node
        while isinstance(at, exp.SetOperation):
            if at is not node and any(
                at.args.get(k) for k in ("order", "limit", "offset", "with_")
            ):
                break
            if at.args.get("by_name"):
                raise UnsupportedConstruct("UNION BY NAME")
            spine.append(at)
            at = at.this
        chain = _Chain(self.query(at))
        for operation in reversed(spine):
            operator = _SET_OPERATORS[type(operation)]
            distinct = operation.args.get("distinct") is not False
            chain.add(operator, self.query(operation.expression), distinct=distinct)
        return chain.query()

    def _select(self, node: exp.Select) -> tree.Select:
        for part, value in node.args.items():
            if value and part not in _SELECT_PARTS:
                raise UnsupportedConstruct(f"{part.rstrip('_').upper()} in SELECT")
        if node.args.get("kind"):
            raise UnsupportedConstruct(f"SELECT AS {node.args['kind']}")
        distinct = node.args.get("distinct")
        if distinct is not None and distinct.args.get("on"):
            raise UnsupportedConstruct("DISTINCT ON")
        scalar = self._scalars.optional
        return tree.Select(
            items=tuple(self._scalars.select_item(item) for item in node.expressions),
            source=self._source(node),
            where=scalar(node.args.get("where")),
            grouping=grouping_of(node.args.get("group"), self._scalars.expression),
            having=scalar(node.args.get("having")),
            qualify=scalar(node.args.get("qualify")),
            windows=tuple(self._named_window(w) for w in node.args.get("windows") or ()),
            distinct=distinct is not None,
        )

    def _named_window(self, node: exp.Expr) -> tree.NamedWindow:
        partition, order, frame = self._scalars.window_parts(node)
        return tree.NamedWindow(node.this.name, partition, order, frame)

    def _source(self, node: exp.Select) -> tree.FromItem | None:
        from_ = node.args.get("from_")
        if from_ is None:
            if node.args.get("laterals") or node.args.get("joins"):
                raise MalformedSql("the query joins without FROM", hint="add a FROM clause")
            return None
        return self._with_joins(self._from_item(from_.this), node, from_.this)

    def _with_joins(
        self, item: tree.FromItem, owner: exp.Expr, table: exp.Expr | None = None
    ) -> tree.FromItem:
        """Applies joins and lateral views in the order of the text; sqlglot keeps them in separate lists."""
        parts: list[exp.Expr] = []
        for holder in (table, owner):
            if holder is not None:
                parts += holder.args.get("joins") or ()
                parts += holder.args.get("laterals") or ()
        if any(isinstance(part, exp.Lateral) for part in parts):
            parts.sort(key=first_offset)
        for part in parts:
            item = (
                self._lateral_view(item, part)
                if isinstance(part, exp.Lateral)
                else self._join(item, part)
            )
        return item

    def _join(self, left: tree.FromItem, node: exp.Expr) -> tree.FromItem:
        method, side, kind = (
            str(node.args.get(k) or "").upper() for k in ("method", "side", "kind")
        )
        word = kind if kind in {"SEMI", "ANTI", "CROSS"} else side or kind
        found = _JOIN_KINDS.get(word)
        if found is None or method not in {"", "NATURAL"}:
            raise UnsupportedConstruct(f"{method} {side} {kind} JOIN".strip())
        right_node = node.this
        lateral = isinstance(right_node, exp.Lateral)
        if lateral and right_node.args.get("view"):
            return self._lateral_view(left, right_node)
        condition = self._scalars.optional(node.args.get("on"))
        using = tuple(name.name for name in node.args.get("using") or ())
        if found is JoinKind.CROSS and condition is not None:
            found = JoinKind.INNER
        right = self._from_item(right_node)
        if right_node.args.get("joins") and not isinstance(right_node, exp.Subquery):
            right = self._with_joins(right, right_node)
        return tree.Join(left, right, found, condition, using, method == "NATURAL", lateral)

    def _lateral_view(self, item: tree.FromItem, node: exp.Expr) -> tree.FromItem:
        call = self._scalars.expression(node.this)
        if not isinstance(call, tree.Call):
            raise MalformedSql("LATERAL VIEW needs a function call")
        alias = node.args.get("alias")
        name = alias.name if alias is not None and alias.this is not None else None
        return tree.LateralView(
            item, call, bool(node.args.get("outer")), name or None, _column_names(node)
        )

    def _from_item(self, node: exp.Expr) -> tree.FromItem:
        for part in ("pivots", "sample", "version", "ordinality", "changes", "when", "rows_from"):
            value = node.args.get(part)
            if value and part != "sample":
                raise UnsupportedConstruct(f"{part.upper()} in FROM", position=position(node))
        alias = node.alias or None
        columns = _column_names(node)
        if isinstance(node, exp.Table):
            return self._table(node, alias, columns)
        if isinstance(node, exp.Lateral):
            return self._from_item_of_lateral(node, alias, columns)
        if isinstance(node, exp.Values):
            return tree.FromQuery(tree.ValuesQuery(self._rows(node)), alias, columns)
        if isinstance(node, (exp.Subquery, exp.Paren)):
            return self._parentheses(node, alias, columns)
        raise UnsupportedConstruct(f"{_kind_name(node)} in FROM", position=position(node))

    def _table(self, node: exp.Table, alias: str | None, columns: tuple[str, ...]) -> tree.FromItem:
        if isinstance(node.this, (exp.Anonymous, exp.Func)):
            call = self._scalars.expression(node.this)
            if not isinstance(call, tree.Call):
                raise UnsupportedConstruct("this table function", position=position(node))
            return tree.FromFunction(call, alias, columns)
        parts = tuple(part.name for part in node.parts)
        if not all(parts):
            raise MalformedSql("a table has an empty name", position=position(node))
        return tree.TableName(parts, alias, columns, position(node))

    def _from_item_of_lateral(
        self, node: exp.Lateral, alias: str | None, columns: tuple[str, ...]
    ) -> tree.FromItem:
        if isinstance(node.this, exp.Subquery):
            return tree.FromQuery(self.query(node.this), alias, columns)
        call = self._scalars.expression(node.this)
        if not isinstance(call, tree.Call):
            raise UnsupportedConstruct("LATERAL over this expression", position=position(node))
        return tree.FromFunction(call, alias, columns)

    def _parentheses(
        self, node: exp.Expr, alias: str | None, columns: tuple[str, ...]
    ) -> tree.FromItem:
        inner = node.this
        plain = not any(node.args.get(k) for k in ("order", "limit", "offset", "with_"))
        if plain and alias is None and isinstance(inner, (exp.Table, exp.Subquery)):
            # FROM (a JOIN b ON …): parentheses around a join, not a query.
            item = self._from_item(inner)
            return self._with_joins(item, inner)
        return tree.FromQuery(self.query(node), alias, columns)

    def _rows(self, node: exp.Values) -> tuple[tuple[tree.Expression, ...], ...]:
        return tuple(
            tuple(self._scalars.expression(value) for value in row.expressions)
            if isinstance(row, exp.Tuple)
            else (self._scalars.expression(row),)
            for row in node.expressions
        )


class _Chain:
    """A set query while its branches are collected; neighbours of one operator share a node."""

    def __init__(self, first: tree.Query) -> None:
        self._branches = [first]
        self._operator: tree.SetOperator | None = None
        self._distinct = False

    def add(self, operator: tree.SetOperator, branch: tree.Query, *, distinct: bool) -> None:
        same = (operator, distinct) == (self._operator, self._distinct)
        if not same or operator is tree.SetOperator.EXCEPT:
            self._branches = [self.query()]
            self._operator, self._distinct = operator, distinct
        self._branches.append(branch)

    def query(self) -> tree.Query:
        if self._operator is None:
            return self._branches[0]
        return tree.SetQuery(self._operator, self._distinct, tuple(self._branches))


def _column_names(node: exp.Expr) -> tuple[str, ...]:
    alias = node.args.get("alias")
    columns: Iterable[exp.Expr] = alias.args.get("columns") or () if alias is not None else ()
    if isinstance(columns, Sequence) and not all(isinstance(c, exp.Identifier) for c in columns):
        raise UnsupportedConstruct("a typed column list after an alias")
    return tuple(column.name for column in columns)


def _kind_name(node: exp.Expr) -> str:
    return type(node).__name__.upper()
