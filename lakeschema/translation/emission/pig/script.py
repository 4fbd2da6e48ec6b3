"""Writes a plan as a Pig script: a statement for each node; the last alias has the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import assert_never

from lakeschema.catalog.column_types import (
    TIMESTAMP,
    ArrayType,
    ColumnType,
    MapType,
    StructType,
    print_type,
)
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.emission.pig import aggregates, generators, joins, sets, windows
from lakeschema.translation.emission.pig.expressions import Field
from lakeschema.translation.emission.pig.functions import PigUdf
from lakeschema.translation.emission.pig.loads import HCAT_LOADER, Load, loads_of
from lakeschema.translation.emission.pig.names import field_names, is_legal
from lakeschema.translation.emission.pig.ordering import limited, sorted_rows
from lakeschema.translation.emission.pig.orderless import orderless_places
from lakeschema.translation.emission.pig.small_parts import holds_small_parts, types_read
from lakeschema.translation.emission.pig.statements import Item, Relation, Statements
from lakeschema.translation.emission.pig.subqueries import without_subqueries
from lakeschema.translation.emission.pig.texts import string, type_text
from lakeschema.translation.model.errors import UnsupportedConstruct, UnsupportedType
from lakeschema.translation.plan.expressions import RowExpression
from lakeschema.translation.plan.relations import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    Join,
    Limit,
    Plan,
    PlanColumn,
    Project,
    Recursion,
    RecursiveScan,
    Scan,
    SetOperation,
    Sort,
    Values,
    Window,
    inputs,
)
from lakeschema.translation.rewriting.hive_groups import as_hive_groups
from lakeschema.translation.rewriting.unread_columns_as_nulls import unread_columns_as_nulls

ViewPlan = Callable[[RelationName], Plan | None]
"""The plan of a relation that is a view; None for a table."""

_BY_METASTORE = loads_of()


@dataclass(frozen=True, slots=True)
class PigScript:
    """A script for Pig 0.17 and newer.

    Attributes:
        statements: the statements in order, each with its semicolon.
        alias: the alias of the rows.
        defines: statements that declare functions; they come before all other statements.
        udfs: the classes that the script calls and that Hive does not have.
        columns: the rows' fields with their types in Hive.
    """

    statements: tuple[str, ...]
    alias: str
    defines: tuple[str, ...]
    udfs: tuple[PigUdf, ...]
    columns: tuple[PlanColumn, ...]

    @property
    def text(self) -> str:
        return "\n".join((*self.defines, *self.statements)) + "\n"

    @property
    def schema(self) -> str:
        """The fields as Pig's AS declares them."""
        return ", ".join(f"{column.name}:{type_text(column.type)}" for column in self.columns)


def pig_script(
    plan: Plan,
    names: Sequence[str],
    alias: str,
    *,
    view_plan: ViewPlan = lambda _: None,
    load: Load = _BY_METASTORE,
    taken: Iterable[str] = (),
    plain_values: bool = False,
) -> PigScript:
    """The script of a view's plan.

    Args:
        plan: the plan of a view in Hive's dialect.
        names: the wanted names of the columns.
        alias: the alias of the rows, a legal name.
        view_plan: returns the plan of a scanned view, since HCatLoader only reads tables.
        load: how tables are loaded.
        taken: names that the script must not use.
        plain_values: whether no table contains NaN, or times finer than milliseconds.

    Raises:
        Unsupported: Pig has no equivalent.
    """
    for column in plan.columns:
        _check(column, plain_values=plain_values)
    statements = Statements((*taken, alias), plain_values=plain_values)
    writer = ScriptWriter(statements, _with_hive_groups(view_plan), load)
    found = statements.declared(writer.output(unread_columns_as_nulls(as_hive_groups(plan)), names))
    shown = tuple(
        PlanColumn(f.text, c.type, c.nullable)
        for f, c in zip(found.fields, plan.columns, strict=True)
    )
    return PigScript(
        (*writer.settings, *statements.texts(found.alias, alias)),
        alias,
        statements.functions.defines,
        statements.functions.udfs,
        shown,
    )


def _with_hive_groups(view_plan: ViewPlan) -> ViewPlan:
    """``view_plan`` with Hive's changes to groups; a view's plan is always the same object."""

    @cache
    def rewritten(relation: RelationName) -> Plan | None:
        plan = view_plan(relation)
        return None if plan is None else as_hive_groups(plan)

    return rewritten


def _check(column: PlanColumn, *, plain_values: bool) -> None:
    if not plain_values and _holds_timestamps(column.type):
        raise UnsupportedType(
            f"column {column.name} for Pig",
            print_type(column.type),
            "Pig's datetime only has milliseconds, so values may be cut",
        )
    type_text(column.type)


def _holds_timestamps(type_: ColumnType) -> bool:
    match type_:
        case ArrayType(element):
            return _holds_timestamps(element)
        case MapType(key, value):
            return _holds_timestamps(key) or _holds_timestamps(value)
        case StructType(fields):
            return any(_holds_timestamps(field.type) for field in fields)
        case _:
            return type_ == TIMESTAMP


class ScriptWriter:
    """Writes a plan's nodes as statements; a shared sub-plan is written once."""

    def __init__(self, statements: Statements, view_plan: ViewPlan, load: Load) -> None:
        self.statements = statements
        self._loads_by_catalog = self._joins = self._spreads = False
        self._view_plan = view_plan
        self._load = load
        # The values keep the plans alive: the keys are ids, which Python reuses after an object's end.
        self._done: dict[int, tuple[Plan, Relation]] = {}
        self._read: frozenset[ColumnType] = frozenset()
        self._orderless: dict[int, frozenset[int]] = {}
        self._tables: dict[RelationName, Relation] = {}

    @property
    def settings(self) -> Sequence[str]:
        """The statements that must come before all others."""
        found = []
        if self._loads_by_catalog:
            # HCatLoader asks for lower-case columns; other programs' files may have capitals.
            found.append("SET orc.schema.evolution.case.sensitive 'false';")
        if self._joins and self._spreads:
            # The rule fails if a bag is kept together with its flattened rows.
            found.append("SET pig.optimizer.rules.disabled 'PushDownForEachFlatten';")
        return found

    def output(self, plan: Plan, names: Sequence[str]) -> Relation:
        """The rows of the whole plan under their final names, written last."""
        around, self._read = self._read, types_read(plan)
        try:
            return self._output(without_subqueries(plan), field_names(names))
        finally:
            self._read = around

    def _output(self, plan: Plan, wanted: tuple[str, ...]) -> Relation:
        if isinstance(plan, Project):
            return self._project(plan, wanted)
        found = self.rows(plan)
        is_last = self.statements.ends_with(found.alias) and not found.reordered
        if is_last and tuple(field.text for field in found.fields) == wanted:
            return found
        items = [Item(f.text, n, f.type) for f, n in zip(found.fields, wanted, strict=True)]
        return self.statements.generate(found, items)

    def rows(self, plan: Plan) -> Relation:
        if id(plan) not in self._done:
            self._done[id(plan)] = (plan, self._rows(plan))
        return self._done[id(plan)][1]

    def again(self, plan: Plan) -> Relation:
        """The rows under a separate alias, for a self-join."""
        self._done.pop(id(plan), None)
        if isinstance(plan, Scan):
            return self.rows(plan)
        found = self.rows(plan)
        items = [Item(f.text, f.text, f.type) for f in found.fields]
        return self.statements.generate(found, items)

    def _rows(self, plan: Plan) -> Relation:
        plan = without_subqueries(plan)
        match plan:
            case Scan():
                return self._scan(plan)
            case Values():
                raise UnsupportedConstruct("a query without a table for Pig")
            case Project():
                return self._project(plan, [name for name, _ in plan.items])
            case Filter(below, condition):
                return self._filter(below, condition)
            case Join():
                self._joins = True
                return joins.joined(self, plan)
            case Aggregate():
                return aggregates.grouped(self, plan)
            case Window():
                return windows.over(self, plan)
            case SetOperation():
                return sets.combined(self, plan)
            case RecursiveScan() | Recursion():
                raise UnsupportedConstruct("a recursive query for Pig")
            case Sort(below, keys, total):
                return sorted_rows(self, below, keys) if total else self.rows(below)
            case Limit():
                return limited(self, plan)
            case Distinct(below):
                return sets.distinct(self, below)
            case Generate():
                self._spreads = True
                return generators.generated(self, plan)
            case _:
                assert_never(plan)

    def _scan(self, scan: Scan) -> Relation:
        plan = self._view_plan(scan.relation)
        if plan is not None:
            return self.output(plan, [column.name for column in scan.columns])
        path, loader = self._load(scan.relation)
        for column in scan.columns if loader == HCAT_LOADER else ():
            # HCatLoader cannot load a table if Pig has no type for one of its columns.
            type_text(column.type)
        if loader == HCAT_LOADER:
            self._loads_by_catalog = True
        name = scan.relation.name.lower()
        alias = self.statements.add(name, f"LOAD {string(path)} USING {loader}")
        fields = tuple(
            Field(c.name.lower() if is_legal(c.name) else f"${i}", c.type)
            for i, c in enumerate(scan.columns)
        )
        loaded = Relation(alias, fields, (name,))
        rows = self._storable(loaded) if loader == HCAT_LOADER else loaded
        self._tables.setdefault(scan.relation, rows)
        return rows

    def _storable(self, loaded: Relation) -> Relation:
        """The relation without columns that Pig cannot pass from one job to the next."""
        unstorable = [f for f in loaded.fields if holds_small_parts(f.type)]
        if not unstorable:
            return loaded
        for field in unstorable:
            if field.type in self._read:
                raise UnsupportedType(
                    "a column for Pig",
                    print_type(field.type),
                    "HCatLoader keeps its one- or two-byte numbers, which Pig cannot store",
                )
        items = [
            Item("null" if f in unstorable else f.text, f.text.replace("$", "c"), f.type)
            for f in loaded.fields
        ]
        return self.statements.generate(loaded, items, "storable")

    def table_of(self, plan: Plan) -> Relation | None:
        """The rows of any table that the plan reads, directly or through its inputs; None without a table."""
        if not isinstance(plan, Scan):
            found = (self.table_of(below) for below in inputs(plan))
            return next((rows for rows in found if rows is not None), None)
        if plan.relation in self._tables:
            return self._tables[plan.relation]
        view = self._view_plan(plan.relation)
        return self.rows(plan) if view is None else self.table_of(view)

    def is_orderless(self, plan: Aggregate, place: int) -> bool:
        return place in self._orderless.get(id(plan), ())

    def _project(self, plan: Project, names: Sequence[str]) -> Relation:
        found = orderless_places(plan)
        if found is not None:
            self._orderless[id(found[0])] = found[1]
        below = self.rows(plan.input)
        over = self.statements.over(below.fields)
        items = [
            Item(over.carried(e), name, e.type)
            for name, (_, e) in zip(names, plan.items, strict=True)
        ]
        return self.statements.generate(below, items)

    def _filter(self, below: Plan, condition: RowExpression) -> Relation:
        rows = self.rows(below)
        return self.statements.filtered(
            rows, self.statements.over(rows.fields).condition(condition)
        )
