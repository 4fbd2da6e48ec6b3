"""Writes groups and their aggregates for Pig, by a table of forms like the table in ``forms``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from lakeschema.catalog.column_types import DOUBLE, INT, ColumnType, DecimalType, print_type
from lakeschema.translation.emission.pig.arguments import fit
from lakeschema.translation.emission.pig.expressions import ExpressionWriter, Field
from lakeschema.translation.emission.pig.functions import HIVE_AGGREGATE
from lakeschema.translation.emission.pig.literals import is_text
from lakeschema.translation.emission.pig.names import is_legal
from lakeschema.translation.emission.pig.statements import (
    Item,
    Relation,
    Statements,
    Writer,
    check_group,
    one_key,
)
from lakeschema.translation.emission.pig.texts import group_key, null, of_group_key
from lakeschema.translation.functions.decimals import SUMMED_DIGITS
from lakeschema.translation.model.errors import UnsupportedConstruct, UnsupportedFunction
from lakeschema.translation.plan.expressions import (
    AggregateCall,
    Literal,
    RowExpression,
    WindowCall,
    unconverted,
)
from lakeschema.translation.plan.relations import Aggregate

HIVES: Final = ""
_OF_BITS: Final = "({0}({{0}}) is null ? (boolean)null : ({0}({{0}}) == 1 ? true : false))"


@dataclass(frozen=True, slots=True)
class AggregateForm:
    """How an aggregate is written.

    Attributes:
        template: takes the bag of the argument's values; if empty, Hive's own aggregate is called.
        distinct: whether DISTINCT is supported.
        computed: the type to which the argument is converted first.
        plain: whether the form requires that no value is NaN, since Hive's result would depend on
            the order of rows.
        ordered: whether the result has the rows' order, which Pig does not keep; so only uses that
            ignore the order are allowed.
    """

    names: str
    arguments: str
    template: str = HIVES
    distinct: bool = True
    computed: ColumnType | None = None
    plain: bool = False
    ordered: bool = False


# fmt: off
# Until Pig knows the argument's type, it takes the result of MIN, MAX and SUM as a double, which cannot
# be cast to the types below. A later statement may need the type before that; for integers AS gives it.
FORMS: Final = (
    AggregateForm("sum", "whole", "SUM({0})"),
    AggregateForm("sum", "double", "SUM({0})"),
    AggregateForm("sum", "float", "SUM({0})", computed=DOUBLE),
    AggregateForm("sum", "decimal", "(bigdecimal)SUM({0})"),
    AggregateForm("avg", "whole", "AVG({0})"),
    AggregateForm("avg", "double", "AVG({0})"),
    AggregateForm("avg", "float", "AVG({0})", computed=DOUBLE),
    AggregateForm("min", "whole", "MIN({0})"),
    AggregateForm("max", "whole", "MAX({0})"),
    AggregateForm("min", "double", "MIN({0})", plain=True),
    AggregateForm("max", "double", "MAX({0})", plain=True),
    AggregateForm("min", "float", "MIN({0})", plain=True),
    AggregateForm("max", "float", "MAX({0})", plain=True),
    AggregateForm("min", "timestamp", "(datetime)MIN({0})", plain=True),
    AggregateForm("max", "timestamp", "(datetime)MAX({0})", plain=True),
    AggregateForm("min", "text", "(chararray)MIN({0})"),
    AggregateForm("max", "text", "(chararray)MAX({0})"),
    AggregateForm("min", "decimal", "(bigdecimal)MIN({0})"),
    AggregateForm("max", "decimal", "(bigdecimal)MAX({0})"),
    AggregateForm("min", "boolean", _OF_BITS.format("MIN"), computed=INT),
    AggregateForm("max", "boolean", _OF_BITS.format("MAX"), computed=INT),
    AggregateForm("min", "date", "(datetime)MIN({0})"),
    AggregateForm("max", "date", "(datetime)MAX({0})"),
    AggregateForm("stddev_pop stddev_samp var_pop var_samp", "double", distinct=False),
    AggregateForm("corr covar_pop covar_samp", "double double", distinct=False),
    AggregateForm("collect_list collect_set", "plain", distinct=False, ordered=True),
    AggregateForm("percentile", "whole double", distinct=False),
    AggregateForm("percentile", "whole decimal", distinct=False),
)
# fmt: on


def grouped(writer: Writer, plan: Aggregate) -> Relation:
    """The rows of an aggregate; with grouping sets, the union of one aggregate for each set."""
    if plan.sets is not None:
        return _of_sets(writer, plan)
    below = writer.rows(plan.input)
    return _Grouping(writer, below, plan, tuple(range(len(plan.keys)))).rows()


def _of_sets(writer: Writer, plan: Aggregate) -> Relation:
    assert plan.sets is not None
    below = writer.rows(plan.input)
    found = [_Grouping(writer, below, plan, chosen).rows() for chosen in plan.sets]
    if len(found) == 1:
        return found[0]
    aliases = ", ".join(relation.alias for relation in found)
    alias = writer.statements.add(f"{below.topic}_all_sets", f"UNION {aliases}")
    return Relation(alias, found[0].fields, below.topics)


class _Grouping:
    """One set of keys of an aggregate."""

    def __init__(
        self, writer: Writer, below: Relation, plan: Aggregate, chosen: Sequence[int]
    ) -> None:
        self._writer = writer
        self._plan = plan
        self._chosen = tuple(sorted(chosen))
        self._below = below
        self._nested: list[str] = []

    @property
    def _statements(self) -> Statements:
        return self._writer.statements

    def rows(self) -> Relation:
        for _, key in self._plan.keys:
            check_group(key.type, self._statements, "GROUP BY")
        prepared, arguments = self._prepared()
        keys = [prepared.fields[i].text for i in range(len(self._plan.keys))]
        chosen = [keys[i] for i in self._chosen]
        grouped_rows = self._group(prepared, chosen)
        items = []
        for index, (name, key) in enumerate(self._plan.keys):
            items.append(Item(self._key_text(index, key), name, key.type))
        for place, (name, call) in enumerate(self._plan.aggregates):
            fields = [prepared.fields[field].text for field in arguments[place]]
            text = self._call(call, place, prepared.alias, fields)
            items.append(Item(text, name, call.type))
        return self._statements.generate(grouped_rows, items, "groups", " ".join(self._nested))

    def _prepared(self) -> tuple[Relation, list[list[int]]]:
        """The rows with the keys and then the arguments as fields, and the places of the arguments.

        It is the input itself if the input has all these fields.
        """
        over = self._statements.over(self._below.fields)
        items = [
            Item(group_key(over.carried(key), key.type), name, key.type)
            for name, key in self._plan.keys
        ]
        arguments: list[list[int]] = []
        for name, call in self._plan.aggregates:
            places = []
            for text, type_ in _argument_texts(call, over):
                items.append(Item(text, _wanted_name(text, name), type_))
                places.append(len(items) - 1)
            arguments.append(places)
        if all(is_legal(item.text) for item in items):
            fields = tuple(Field(item.text, item.type) for item in items)
            return Relation(self._below.alias, fields, self._below.topics), arguments
        if not items:
            items.append(Item("1", "one", INT))
        found = self._statements.generate(self._below, items, "grouped_by")
        return found, arguments

    def _group(self, prepared: Relation, keys: Sequence[str]) -> Relation:
        topic = prepared.topic
        if keys:
            by = keys[0] if len(keys) == 1 else f"({', '.join(keys)})"
            alias = self._statements.add(f"{topic}_grouped", f"GROUP {prepared.alias} BY {by}")
            return Relation(alias, (), prepared.topics)
        some = self._writer.table_of(self._plan.input)
        if some is None or some.alias == prepared.alias:
            alias = self._statements.add(f"{topic}_grouped", f"GROUP {prepared.alias} ALL")
            return Relation(alias, (), prepared.topics)
        # Pig makes no group without rows, so one row of a table makes the group.
        one = self._statements.add(f"{topic}_one", f"LIMIT {some.alias} 1")
        keys_of_all = one_key(prepared if prepared.fields else self._below), one_key(some)
        sides = f"{prepared.alias} BY {keys_of_all[0]}, {one} BY {keys_of_all[1]}"
        alias = self._statements.add(f"{topic}_grouped", f"COGROUP {sides}")
        return Relation(alias, (), prepared.topics)

    def _key_text(self, index: int, key: RowExpression) -> str:
        if index not in self._chosen:
            return null(key.type)
        one = len(self._chosen) == 1
        return of_group_key("group" if one else f"group.${self._chosen.index(index)}", key.type)

    def _call(self, call: AggregateCall, place: int, bag: str, fields: Sequence[str]) -> str:
        name = call.operator.name
        if name in {"grouping", "grouping__id"}:
            return self._grouping(call)
        if call.order_by or call.ignores_nulls:
            raise UnsupportedFunction(name, "with an order or IGNORE NULLS is not in Pig")
        if name == "count":
            return self._count(call, bag, fields)
        form = form_of_call(call, plain_values=self._statements.plain_values)
        if form.ordered and not self._writer.is_orderless(self._plan, place):
            raise UnsupportedFunction(name, "orders its elements differently in Pig")
        values = f"{bag}.{fields[0]}" if len(fields) == 1 else f"{bag}.({', '.join(fields)})"
        if call.distinct and name not in {"min", "max"}:
            values = self._distinct(values)
        if form.template != HIVES:
            return filled_form(form, call, values)
        # Pig loses a text's quotes and cannot read negative numbers; no aggregate needs those as
        # constants.
        constants = [
            a.value if isinstance(a, Literal) and _is_readable(a) else None for a in call.arguments
        ]
        function = self._statements.functions.hive(HIVE_AGGREGATE, name, constants)
        return f"{function}({values})"

    def _count(self, call: AggregateCall, bag: str, fields: Sequence[str]) -> str:
        if not fields:
            return f"COUNT_STAR({bag})"
        if call.distinct:
            values = f"{bag}.{fields[0]}" if len(fields) == 1 else f"{bag}.({', '.join(fields)})"
            return self._counted_distinct(values, fields)
        if len(fields) == 1:
            return f"COUNT({bag}.{fields[0]})"
        return f"COUNT({bag}.{fields[-1]})"

    def _counted_distinct(self, values: str, fields: Sequence[str]) -> str:
        distinct = self._distinct(values)
        if len(fields) == 1:
            return f"COUNT({distinct})"
        known = " AND ".join(f"{field} is not null" for field in fields)
        number = len(self._nested)
        self._nested.append(f"known_{number} = FILTER {distinct} BY {known};")
        return f"COUNT_STAR(known_{number})"

    def _distinct(self, values: str) -> str:
        number = len(self._nested)
        self._nested.append(
            f"values_{number} = {values}; distinct_{number} = DISTINCT values_{number};"
        )
        return f"distinct_{number}"

    def _grouping(self, call: AggregateCall) -> str:
        """The value of ``grouping``: a bit for each key that the set lacks.

        The highest bit stands for the first argument.
        """
        keys = [key for _, key in self._plan.keys]
        asked: Sequence[RowExpression] = call.arguments or keys
        bits = 0
        for key in asked:
            bits = bits * 2 + (keys.index(key) not in self._chosen)
        return f"{bits}L"


def _argument_texts(call: AggregateCall, over: ExpressionWriter) -> list[tuple[str, ColumnType]]:
    name = call.operator.name
    if name in {"grouping", "grouping__id"}:
        return []
    if (
        name == "count"
        and all(isinstance(a, Literal) for a in call.arguments)
        and not call.distinct
    ):
        if any(a.nullable for a in call.arguments):
            raise UnsupportedConstruct("count of NULL for Pig")
        return [] if call.filter is None else [(_if(call.filter, "1", INT, over), INT)]
    form = None if name == "count" else form_of_call(call, plain_values=over.plain_values)
    found = []
    for place, argument in enumerate(call.arguments):
        type_ = (form.computed if form is not None else None) or argument.type
        if place and isinstance(argument, Literal) and isinstance(type_, DecimalType):
            # Hive's function gets this constant in advance, as a double.
            type_ = DOUBLE
        text = over.as_type(argument, type_)
        found.append((text if call.filter is None else _if(call.filter, text, type_, over), type_))
    if name == "count" and len(found) > 1 and not call.distinct:
        # Only rows without nulls are counted.
        known = " AND ".join(f"{text} is not null" for text, _ in found)
        return [(f"({known} ? 1 : {null(INT)})", INT)]
    return found


def _is_readable(constant: Literal) -> bool:
    """Whether Pig reads the constant correctly in DEFINE."""
    below_zero = constant.value is not None and constant.value.startswith("-")
    return not (below_zero or is_text(constant.type))


def _if(condition: RowExpression, text: str, type_: ColumnType, over: ExpressionWriter) -> str:
    return f"({over.certain(condition)} ? {text} : {null(type_)})"


def check_summed(call: AggregateCall | WindowCall) -> None:
    """Raises ``UnsupportedFunction`` for a sum of strings."""
    name = call.operator.name
    if name == "sum" and is_text(unconverted(call.arguments[0]).type):
        raise UnsupportedFunction(name, "of texts is 0 in Hive if no text is a number")


def form_of_call(call: AggregateCall, *, plain_values: bool) -> AggregateForm:
    """The form of a call. Raises ``UnsupportedFunction`` if the table has no form for it."""
    types = [argument.type for argument in call.arguments]
    name = call.operator.name
    check_summed(call)
    for form in FORMS:
        if name in form.names.split() and fit(types, form.arguments):
            if call.distinct and not form.distinct:
                break
            if form.plain and not plain_values:
                reason = "depends on the order of the rows where there is NaN, or is cut in Pig"
                raise UnsupportedFunction(
                    f"{name}({print_type(types[0])})",
                    reason,
                    hint="set the option pig_plain_values if no table has such values",
                )
            return form
    shown = ", ".join(map(print_type, types))
    raise UnsupportedFunction(f"{name}({shown})", "has no known equivalent in Pig")


def filled_form(form: AggregateForm, call: AggregateCall | WindowCall, values: str) -> str:
    """The form filled with values.

    A sum of decimals beyond 38 digits, which Pig keeps, becomes null.
    """
    text = form.template.replace("{0}", values)
    argument = call.arguments[0].type
    if call.operator.name != "sum" or not isinstance(argument, DecimalType):
        return text
    assert isinstance(call.type, DecimalType)
    if argument.precision <= SUMMED_DIGITS:
        return text
    limit = 10 ** (call.type.precision - call.type.scale)
    least, most_negative = f"(bigdecimal)'{limit}'", f"(bigdecimal)'-{limit}'"
    return f"({text} >= {least} OR {text} <= {most_negative} ? {null(call.type)} : {text})"


def _wanted_name(text: str, name: str) -> str:
    return text if is_legal(text) else f"{name}_argument"
