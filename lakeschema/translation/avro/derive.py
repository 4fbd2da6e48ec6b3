"""Derives Avro fields from a plan, node by node.

A reference to a column keeps the column's schema. The plan decides whether a field is nullable.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TypeAlias, assert_never

from lakeschema.avro.float_defaults import is_not_finite
from lakeschema.avro.key_value_maps import map_parts, with_map_parts
from lakeschema.avro.legal_names import ORIGINAL_NAME, legal_name
from lakeschema.avro.model import (
    INT,
    NO_DEFAULT,
    NO_PROPERTIES,
    NULL,
    Array,
    Field,
    Json,
    NoDefault,
    Record,
    Schema,
    Union,
    is_nullable,
    nullable,
    without_null,
)
from lakeschema.catalog.column_types import ArrayType, ColumnType, MapType, StructType
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Column
from lakeschema.translation.avro.common_schema import common_schema
from lakeschema.translation.avro.documentation import comment_behind, derived_documentation
from lakeschema.translation.avro.inlining import inline_fields
from lakeschema.translation.avro.names import name_properties
from lakeschema.translation.avro.types import avro_type_or_placeholders
from lakeschema.translation.avro.widening import widen
from lakeschema.translation.functions.coercion import equal_apart_from_nulls
from lakeschema.translation.model.interface import Interface, Options
from lakeschema.translation.model.joins import JoinKind
from lakeschema.translation.plan.expression_text import unnamed_calls
from lakeschema.translation.plan.expressions import (
    AggregateCall,
    Call,
    Case,
    Cast,
    ColumnReference,
    Exists,
    FieldAccess,
    InSubquery,
    Lambda,
    LambdaVariable,
    Literal,
    OuterReference,
    RowExpression,
    ScalarSubquery,
    Subscript,
    WindowCall,
    walk,
)
from lakeschema.translation.plan.lineage import Lineage, Sources
from lakeschema.translation.plan.operators import Operator
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
)

Fields: TypeAlias = tuple[Field, ...]
Outer: TypeAlias = tuple[tuple[Fields, tuple[Sources, ...]], ...]
_PADDED = (JoinKind.LEFT, JoinKind.RIGHT, JoinKind.FULL)
"""Joins that may make columns null that are not nullable in the join's inputs."""


class SchemaDeriver:
    """Derives the Avro fields of plans. A field has the base column's name, or "" for an expression."""

    def __init__(
        self, upstreams: Mapping[RelationName, Interface], options: Options, lineage: Lineage
    ) -> None:
        self._upstreams = upstreams
        self._options = options
        self.lineage = lineage
        self._scans: dict[RelationName, Fields] = {}
        self._recursive: dict[int, Fields] = {}
        self._derived: dict[tuple[int, int], tuple[Plan, Outer, Fields]] = {}

    def fields(self, plan: Plan, outer: Outer = ()) -> Fields:
        """A field for each column, in order; shared sub-plans are derived once."""
        while isinstance(plan, Filter | Sort | Limit | Distinct):
            plan = plan.input
        key = (id(plan), id(outer) if outer else 0)
        found = self._derived.get(key)
        if found is None:
            fitted = self._fields(plan, outer)
            if not isinstance(plan, Join) or plan.kind in _PADDED:
                fitted = tuple(map(_match_nullability, fitted, plan.columns))
            found = self._derived[key] = (plan, outer, fitted)
        return found[2]

    def _fields(self, plan: Plan, outer: Outer) -> Fields:
        match plan:
            case Scan(relation):
                return self._scan(relation)
            case Values(rows, columns):
                return tuple(
                    self._merge_cells([row[i] for row in rows], column, outer)
                    for i, column in enumerate(columns)
                )
            case Project(below, items):
                return self._expressions(plan, below, items, outer)
            case Join(left, right, kind):
                first = self.fields(left, outer)
                if kind in {JoinKind.SEMI, JoinKind.ANTI}:
                    return first
                around = self._around(left, outer) if plan.lateral else outer
                return (*first, *self.fields(right, around))
            case Aggregate(below, keys, aggregates):
                return self._expressions(plan, below, (*keys, *aggregates), outer)
            case Window(below, calls):
                return (*self.fields(below, outer), *self._expressions(plan, below, calls, outer))
            case RecursiveScan(number=number):
                return self._recursive[number]
            case Recursion(anchor=anchor, step=step, number=number):
                # The lineage of the step is only known after that of the whole recursion.
                self.lineage.columns(plan, tuple(part[1] for part in outer))
                self._recursive[number] = self.fields(anchor, outer)
                each = [self._recursive[number], self.fields(step, outer)]
                return tuple(
                    self._unite(column, target)
                    for column, target in zip(zip(*each, strict=True), plan.columns, strict=True)
                )
            case SetOperation(inputs=branches):
                each = [self.fields(branch, outer) for branch in branches]
                return tuple(
                    self._unite(column, target)
                    for column, target in zip(zip(*each, strict=True), plan.columns, strict=True)
                )
            case Generate(below, call, produced):
                return (*self.fields(below, outer), *self._generate(below, call, produced, outer))
            case Filter() | Sort() | Limit() | Distinct():
                raise AssertionError("has the columns of the plan below it")
            case _:
                assert_never(plan)

    def _scan(self, relation: RelationName) -> Fields:
        found = self._scans.get(relation)
        if found is None:
            interface = self._upstreams[relation]
            fields = inline_fields(interface.schema, interface.definitions)
            found = self._scans[relation] = tuple(
                fields[place] if isinstance(place, int) else self._omitted(place.column)
                for place in interface.places
            )
        return found

    def _omitted(self, column: Column) -> Field:
        """The field of a column that its relation's schema omits."""
        name = legal_name(column.name)
        made = self.by_type(column.type, name)()
        if column.nullable:
            return Field(name, nullable(made), None, column.comment or None)
        return Field(name, made, doc=column.comment or None)

    def _around(self, plan: Plan, outer: Outer) -> Outer:
        sources = tuple(part[1] for part in outer)
        return ((self.fields(plan, outer), self.lineage.columns(plan, sources)), *outer)

    def _expressions(
        self,
        plan: Plan,
        below: Plan,
        items: Sequence[tuple[str, RowExpression]],
        outer: Outer,
    ) -> Fields:
        """The fields of a plan that adds columns to its input; ``items`` compute these last columns."""
        fields = self.fields(below, outer)
        outer_sources = tuple(part[1] for part in outer)
        sources = self.lineage.columns(below, outer_sources)
        made = self.lineage.columns(plan, outer_sources)[len(plan.columns) - len(items) :]
        over = _ExpressionSchemas(self, below, fields, sources, outer)
        return tuple([over.field(name, e, own) for (name, e), own in zip(items, made, strict=True)])

    def _merge_cells(
        self, cells: Sequence[RowExpression], column: PlanColumn, outer: Outer
    ) -> Field:
        over = _ExpressionSchemas(self, Values(((),), ()), (), (), outer)
        schemas = [over.schema(cell, column.name) for cell in cells]
        return Field("", common_schema(schemas, self.by_type(column.type, column.name)))

    def _unite(self, fields: Sequence[Field], column: PlanColumn) -> Field:
        first = fields[0]
        if all(field == first for field in fields):
            return first
        schema = common_schema([f.type for f in fields], self.by_type(column.type, column.name))
        same = all(field.default == first.default for field in fields)
        default = first.default if same and schema == first.type else NO_DEFAULT
        return replace(first, type=schema, default=default, properties=_properties(fields))

    def _generate(
        self, below: Plan, call: Call, produced: Sequence[PlanColumn], outer: Outer
    ) -> Fields:
        fields = self.fields(below, outer)
        sources = self.lineage.columns(below, tuple(part[1] for part in outer))
        over = _ExpressionSchemas(self, below, fields, sources, outer)
        return over.produced(call, produced)

    def by_type(self, type_: ColumnType, name: str) -> Callable[[], Schema]:
        """A function that makes the default schema of a SQL type."""

        def schema() -> Schema:
            return avro_type_or_placeholders(type_, name=name or "column", options=self._options)

        return schema


class _ExpressionSchemas:
    """Schemas of expressions over one input."""

    def __init__(
        self,
        deriver: SchemaDeriver,
        below: Plan,
        fields: Fields,
        sources: tuple[Sources, ...],
        outer: Outer,
    ) -> None:
        self._deriver = deriver
        self._below = below
        self._fields = fields
        self._sources = sources
        self._outer = outer
        self._unnamed: Mapping[int, str] | None = None

    def field(self, name: str, expression: RowExpression, sources: Sources | None = None) -> Field:
        """The field of an expression: the column's field for a reference, otherwise a new field.

        ``sources`` are the expression's source columns, if known.
        """
        match expression:
            case ColumnReference(index=index):
                return self._fields[index]
            case OuterReference(level=level, index=index):
                return self._outer[level - 1][0][index]
            case FieldAccess():
                return self._nested_field(expression, name, sources)
            case Cast(operand=operand, implicit=True):
                # After an implicit cast, readers still see the same column.
                kept = self.field(name, operand, sources)
                return replace(kept, type=self.schema(expression, name), default=NO_DEFAULT)
            case AggregateCall(operator, arguments) | WindowCall(operator, arguments) if (
                operator.keeps is not None
            ):
                kept = self.field(name, arguments[operator.keeps])
                doc = self._doc(expression, sources)
                return Field("", self.schema(expression, name), doc=doc, properties=kept.properties)
            case _:
                return Field(
                    "",
                    self.schema(expression, name),
                    doc=self._doc(expression, sources),
                    properties=self._inherited(expression),
                )

    def _doc(self, expression: RowExpression, sources: Sources | None) -> str | None:
        if sources is None:
            outer = tuple(part[1] for part in self._outer)
            sources = self._deriver.lineage.expression(expression, self._sources, outer)
        return derived_documentation(expression, self._calls(), sources, self._comment(expression))

    def _comment(self, expression: RowExpression) -> str | None:
        """The documentation of the column whose values the expression returns."""
        match expression:
            case ColumnReference(index=index):
                doc, call = self._fields[index].doc, self._calls().get(index)
                return doc if call is None else comment_behind(call, doc)
            case OuterReference(level=level, index=index):
                return self._outer[level - 1][0][index].doc
            case FieldAccess():
                found = self._nested(expression, "")
                return None if found is None else found.doc
            case Cast(operand=operand):
                return self._comment(operand)
            case (
                Call(operator, arguments)
                | AggregateCall(operator, arguments)
                | WindowCall(operator, arguments)
            ) if operator.keeps is not None:
                return self._comment(arguments[operator.keeps])
            case _:
                return None

    def _calls(self) -> Mapping[int, str]:
        """The texts of calls. They are made on demand, since most expressions need no documentation."""
        if self._unnamed is None:
            self._unnamed = unnamed_calls(self._below)
        return self._unnamed

    def _inherited(self, expression: RowExpression) -> Mapping[str, Json]:
        """The properties, such as tags of personal data, of all fields that the expression reads."""
        read: list[Field] = []
        for part in walk(expression):
            match part:
                case ColumnReference(index=index):
                    read.append(self._fields[index])
                case OuterReference(level=level, index=index):
                    read.append(self._outer[level - 1][0][index])
                case ScalarSubquery(plan):
                    read += self._deriver.fields(plan, self._around())
                case _:
                    pass
        return _properties(read)

    def _around(self) -> Outer:
        return ((self._fields, self._sources), *self._outer)

    def _nested_field(self, expression: FieldAccess, name: str, sources: Sources | None) -> Field:
        inherited = self._inherited(expression)
        found = self._nested(expression, name)
        if found is None:
            return Field("", self._by_type(expression, name), properties=inherited)
        schema = self.schema(expression, name)
        properties = MappingProxyType({**inherited, **found.properties})
        default = found.default if schema == found.type else NO_DEFAULT
        doc = found.doc if self._is_read(expression) else self._doc(expression, sources)
        return replace(found, type=schema, default=default, doc=doc, properties=properties)

    def _nested(self, expression: FieldAccess, name: str) -> Field | None:
        """The field that a path reads from its base's record; None if the base is not a record."""
        base = without_null(self.schema(expression.base, name))
        record = without_null(base.items) if isinstance(base, Array) else base
        return record.fields[expression.index] if isinstance(record, Record) else None

    def _is_read(self, expression: RowExpression) -> bool:
        """Whether the expression is a column or a field of a column, without a computation."""
        while isinstance(expression, FieldAccess):
            expression = expression.base
        match expression:
            case ColumnReference(index=index):
                return index not in self._calls()
            case _:
                return isinstance(expression, OuterReference)

    def schema(self, expression: RowExpression, name: str) -> Schema:
        """The expression's schema, with null exactly where the plan says so."""
        found = self._schema(expression, name)
        return nullable(found) if expression.nullable else without_null(found)

    def _schema(self, expression: RowExpression, name: str) -> Schema:
        match expression:
            case ColumnReference(index=index):
                return self._fields[index].type
            case OuterReference(level=level, index=index):
                return self._outer[level - 1][0][index].type
            case Literal(value):
                return NULL if value is None else self._by_type(expression, name)
            case FieldAccess(base=base, index=index):
                return self._field_schema(expression, self.schema(base, name), index, name)
            case Subscript(base=base):
                return self._element(expression, without_null(self.schema(base, name)), name)
            case Call(operator, arguments) | AggregateCall(operator, arguments):
                return self._call(expression, operator, arguments, name)
            case WindowCall(operator, arguments):
                return self._call(expression, operator, arguments, name)
            case Cast(operand, type_, by_name=True):
                return widen(self.schema(operand, name), type_, self._deriver.by_type)
            case Cast(operand, type_, implicit=implicit):
                same = equal_apart_from_nulls(operand.type, type_)
                if same and (implicit or not isinstance(operand, Literal)):
                    return self.schema(operand, name)
                return self._by_type(expression, name)
            case Case(branches, otherwise):
                values = [value for _, value in branches]
                if otherwise is not None:
                    values.append(otherwise)
                return self._merge(values, expression, name)
            case ScalarSubquery(plan):
                return self._deriver.fields(plan, self._around())[0].type
            case Exists() | InSubquery() | Lambda() | LambdaVariable():
                return self._by_type(expression, name)
            case _:
                assert_never(expression)

    def _by_type(self, expression: RowExpression, name: str) -> Schema:
        return self._deriver.by_type(expression.type, name)()

    def _merge(
        self, values: Sequence[RowExpression], expression: RowExpression, name: str
    ) -> Schema:
        schemas = [self.schema(value, name) for value in values]
        return common_schema(schemas, self._deriver.by_type(expression.type, name))

    def _field_schema(self, expression: FieldAccess, base: Schema, index: int, name: str) -> Schema:
        inner = without_null(base)
        if isinstance(inner, Record):
            return inner.fields[index].type
        if isinstance(inner, Array):
            element = without_null(inner.items)
            if isinstance(element, Record):
                found = element.fields[index].type
                return Array(nullable(found) if is_nullable(inner.items) else found)
        return self._by_type(expression, name)

    def _element(self, expression: Subscript, base: Schema, name: str) -> Schema:
        match expression.base.type, base:
            case MapType(), _ if (parts := map_parts(base)) is not None:
                return parts[1]
            case ArrayType(), Array(items):
                return items
            case _:
                return self._by_type(expression, name)

    def _call(
        self,
        expression: Call | AggregateCall | WindowCall,
        operator: Operator,
        arguments: tuple[RowExpression, ...],
        name: str,
    ) -> Schema:
        if operator.keeps is not None:
            return self.schema(arguments[operator.keeps], name)
        if operator.name in {"struct", "named_struct"}:
            return self._struct(expression, operator, arguments, name)
        if operator.name == "map" and isinstance(expression.type, MapType):
            made = self._by_type(expression, name)
            values = self._merge_types(arguments[1::2], expression.type.value, name)
            parts = map_parts(made)
            return made if parts is None else with_map_parts(made, parts[0], values)
        if operator.merges is None:
            return self._by_type(expression, name)
        branches = arguments[operator.merges :]
        if isinstance(expression.type, ArrayType) and not (
            branches and equal_apart_from_nulls(branches[0].type, expression.type)
        ):
            if not branches:
                return self._by_type(expression, name)
            items = self._merge_types(branches, expression.type.element, name)
            optional = expression.type.element_nullable
            return Array(nullable(items) if optional else without_null(items))
        return self._merge(branches, expression, name)

    def _merge_types(self, values: Sequence[RowExpression], type_: ColumnType, name: str) -> Schema:
        schemas = [self.schema(value, name) for value in values]
        return common_schema(schemas, self._deriver.by_type(type_, name))

    def _struct(
        self,
        expression: Call | AggregateCall | WindowCall,
        operator: Operator,
        arguments: tuple[RowExpression, ...],
        name: str,
    ) -> Schema:
        made = self._by_type(expression, name)
        values = arguments[1::2] if operator.name == "named_struct" else arguments
        if not isinstance(made, Record) or not isinstance(expression.type, StructType):
            return made
        names = [field.name for field in expression.type.fields]
        fields: list[Field] = []
        for value, written in zip(values, names, strict=True):
            schema = self.schema(value, written)
            legal = legal_name(written)
            default = None if is_nullable(schema) else NO_DEFAULT
            fields.append(Field(legal, schema, default, properties=name_properties(written, legal)))
        if len({field.name for field in fields}) < len(fields):
            return made
        return replace(made, fields=tuple(fields))

    def produced(self, call: Call, columns: Sequence[PlanColumn]) -> Fields:
        """The columns that a table function makes from its argument's schema."""
        kind = call.operator.name.removesuffix("_outer") if call.operator.udf is None else ""
        first = without_null(self.schema(call.arguments[0], "")) if call.arguments else NULL
        inherited = self._inherited(call)
        is_map = bool(call.arguments) and isinstance(call.arguments[0].type, MapType)
        parts = map_parts(first) if is_map else None
        match kind, first:
            case "explode", _ if parts is not None:
                made = [Field("", part) for part in parts]
            case "explode", Array(items):
                made = [Field("", items)]
            case "posexplode", _ if parts is not None:
                made = [Field("", INT), *(Field("", part) for part in parts)]
            case "posexplode", Array(items):
                made = [Field("", INT), Field("", items)]
            case "inline", Array(items) if isinstance(record := without_null(items), Record):
                made = list(record.fields)
            case "stack", _:
                cells = call.arguments[1:]
                made = [
                    Field("", self._merge_types(cells[i :: len(columns)], c.type, c.name))
                    for i, c in enumerate(columns)
                ]
            case _:
                made = [Field("", self._deriver.by_type(c.type, c.name)()) for c in columns]
        return tuple(
            replace(field, properties=MappingProxyType({**inherited, **field.properties}))
            for field in made
        )


def _match_nullability(field: Field, column: PlanColumn) -> Field:
    """The field with null added if the plan pads it with nulls; its default stays valid."""
    if is_nullable(field.type) == column.nullable or field.type == NULL:
        if column.nullable and field.default is NO_DEFAULT:
            return _with_type(field, _null_first(field.type), None)
        return field
    if not column.nullable:
        kept = NO_DEFAULT if field.default is None else field.default
        return _with_type(field, without_null(field.type), kept)
    if field.default in (NO_DEFAULT, None) or is_not_finite(field.default, field.type):
        # Java accepts the text of infinity as a default for a float, but not for a union.
        return _with_type(field, nullable(field.type), None)
    # A default must match the first branch: null goes last.
    branches = field.type.branches if isinstance(field.type, Union) else (field.type,)
    return _with_type(field, Union((*branches, NULL)), field.default)


def _with_type(field: Field, type_: Schema, default: Json | NoDefault) -> Field:
    properties = field.properties
    return Field(field.name, type_, default, field.doc, field.aliases, field.order, properties)


def _null_first(schema: Schema) -> Schema:
    return nullable(without_null(schema)) if isinstance(schema, Union) else schema


def _properties(fields: Sequence[Field]) -> Mapping[str, Json]:
    """The fields' combined properties; the first value wins."""
    result: dict[str, Json] = {}
    for field in fields:
        for key, value in field.properties.items():
            if key != ORIGINAL_NAME:
                result.setdefault(key, value)
    return MappingProxyType(result) if result else NO_PROPERTIES
