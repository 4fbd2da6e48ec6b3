"""Writes row expressions as Pig Latin over one relation's fields.

In Pig a comparison is not a value, and a choice (``? :``) is null if its condition is null. So
conditions are written separately from values, if necessary in a form that is never null.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, assert_never

from lakeschema.catalog.column_types import (
    BIGINT,
    BOOLEAN,
    DATE,
    INT,
    STRING,
    TIMESTAMP,
    ArrayType,
    ColumnType,
    DecimalType,
    MapType,
    StructType,
    VarcharType,
    print_type,
)
from lakeschema.translation.emission.pig import arithmetic, patterns
from lakeschema.translation.emission.pig.arguments import is_of
from lakeschema.translation.emission.pig.casts import cast_form
from lakeschema.translation.emission.pig.conjuncts import places
from lakeschema.translation.emission.pig.forms import HIVES, form_of
from lakeschema.translation.emission.pig.functions import HIVE_FUNCTION, PigFunctions
from lakeschema.translation.emission.pig.literals import (
    are_alike,
    as_day,
    bit_of,
    compared_type,
    day_of,
    is_exact,
    is_text,
    survives_cut,
    written_instant,
)
from lakeschema.translation.emission.pig.names import field_names, is_legal
from lakeschema.translation.emission.pig.texts import (
    literal,
    null,
    one_zero,
    scalar_type,
    string,
    type_text,
)
from lakeschema.translation.functions.decimals import shown
from lakeschema.translation.model.errors import (
    UnsupportedConstruct,
    UnsupportedFunction,
    UnsupportedType,
)
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
)
from lakeschema.translation.plan.operators import NullClass, Operator, UserDefined

COMPARISONS: Final = {
    "=": "==",
    "<>": "!=",
    "!=": "!=",
    "<": "<",
    "<=": "<=",
    ">": ">",
    ">=": ">=",
}
_CAST: Final = re.compile(
    r"\((?:boolean|int|long|float|double|chararray|bytearray|big\w+|datetime|bag|tuple|map)\b[^()]*(?:\([^()]*\)[^()]*)*\)"
)
_FIELD: Final = re.compile(r"[\w:$]+")
_UNTYPED: Final = re.compile(r"(?:MIN|MAX|SUM)\(")
_PLACE: Final = re.compile(r"(\)?)\{([0-9]+|\*)\}|@([a-z_0-9]+|[&|^~])")
_IS_KNOWN: Final = Operator("isnotnull", NullClass.NEVER)
_NULL_BEYOND_INTEGERS: Final = frozenset({"substr", "substring", "mid"})
_OF_DAYS: Final = frozenset({"datediff", "date_add", "date_sub", "months_between"})
_CONDITIONS: Final = frozenset(
    {
        *COMPARISONS,
        *("and", "or", "not", "is null", "isnotnull", "between", "in"),
        *("<=>", "is distinct from"),
        *("like", "is true", "is false", "istrue", "isfalse", "isnottrue", "isnotfalse"),
    }
)


@dataclass(frozen=True, slots=True)
class Field:
    """A column of a relation: its text in expressions over the relation, and its type in Hive."""

    text: str
    type: ColumnType


@dataclass(frozen=True, slots=True)
class ExpressionWriter:
    """Writes expressions over ``fields``. ``plain_values``: no table has NaN or microseconds."""

    fields: Sequence[Field]
    functions: PigFunctions
    plain_values: bool = False

    def value(self, expression: RowExpression) -> str:
        """The text of a value, which may stand wherever a unary expression may.

        Raises:
            Unsupported: Pig has no equivalent.
        """
        if expression.type == TIMESTAMP and not self.plain_values:
            raise UnsupportedType(
                "a value for Pig",
                print_type(TIMESTAMP),
                "Pig's datetime only has milliseconds, so values may be cut",
            )
        return self._any_value(expression)

    def carried(self, expression: RowExpression) -> str:
        """The text of a value that is passed on unchanged; it may have any type."""
        if isinstance(expression, ColumnReference):
            return self.fields[expression.index].text
        return self.value(expression)

    def _any_value(self, expression: RowExpression) -> str:
        match expression:
            case ColumnReference(index=index):
                return self.fields[index].text
            case Literal(value, type_):
                return literal(value, type_)
            case Call(operator) if operator.name in _CONDITIONS:
                return f"({self.condition(expression)} ? true : false)"
            case Call():
                return self._call(expression)
            case Cast():
                return self._cast(expression)
            case Case():
                return self._case(expression)
            case FieldAccess():
                return self._field(expression)
            case Subscript():
                return self._subscript(expression)
            case OuterReference():
                raise UnsupportedConstruct("this kind of correlated sub-query for Pig")
            case ScalarSubquery() | Exists() | InSubquery():
                raise UnsupportedConstruct("a sub-query at this place for Pig")
            case AggregateCall() | WindowCall():
                raise UnsupportedConstruct("an aggregate at this place for Pig")
            case Lambda() | LambdaVariable():
                raise UnsupportedConstruct("a function as an argument for Pig")
            case _:
                assert_never(expression)

    # -- conditions ------------------------------------------------------------------------

    def condition(self, expression: RowExpression) -> str:
        """The text of a condition in parentheses; it is null if the expression is null."""
        match expression:
            case Literal(value):
                return "(1 == (int)null)" if value is None else f"(1 == {bit_of(value)})"
            case Call(operator, arguments) if operator.name in {"and", "or"}:
                word = f" {operator.name.upper()} "
                return f"({word.join(map(self.condition, arguments))})"
            case Call(operator, (operand,)) if operator.name == "not":
                return f"(NOT {self.condition(operand)})"
            case Call(operator, (left, right)) if operator.name in COMPARISONS:
                return self._comparison(operator.name, left, right)
            case Call(operator, (value, low, high)) if operator.name == "between":
                first = self._comparison(">=", value, low)
                return f"({first} AND {self._comparison('<=', value, high)})"
            case Call(operator, (value, *others)) if operator.name == "in":
                return f"({' OR '.join(self._comparison('=', value, each) for each in others)})"
            case Call(operator, arguments) if operator.name == "like":
                return self._like(arguments)
            case Call(operator) if operator.name in _CONDITIONS:
                return self.certain(expression)
            case _:
                return f"({self.value(expression)} == true)"

    def certain(self, expression: RowExpression) -> str:
        """The text of a condition that is true if the expression is true, and otherwise false, never null."""
        match expression:
            case Call(operator, arguments) if operator.name in {"and", "or"}:
                word = f" {operator.name.upper()} "
                return f"({word.join(map(self.certain, arguments))})"
            case Call(operator, (operand,)) if operator.name == "not":
                return self.denied(operand)
            case Call(operator, (operand,)) if operator.name == "is null":
                return f"({self._tested(operand)} is null)"
            case Call(operator, (operand,)) if operator.name == "isnotnull":
                return f"({self._tested(operand)} is not null)"
            case Call(operator, (operand,)) if operator.name in {"is true", "istrue"}:
                return self.certain(operand)
            case Call(operator, (operand,)) if operator.name in {"is false", "isfalse"}:
                return self.denied(operand)
            case Call(operator, (operand,)) if operator.name == "isnottrue":
                return f"(NOT {self.certain(operand)})"
            case Call(operator, (operand,)) if operator.name == "isnotfalse":
                return f"(NOT {self.denied(operand)})"
            case Call(operator, (left, right)) if operator.name == "<=>":
                return self._same(left, right)
            case Call(operator, (left, right)) if "distinct" in operator.name:
                return f"(NOT {self._same(left, right)})"
            case _:
                return self._known(expression, self.condition(expression))

    def denied(self, expression: RowExpression) -> str:
        """The text of a condition that is true if the expression is false, and otherwise false, never null."""
        match expression:
            case Call(operator, arguments) if operator.name in {"and", "or"}:
                word = " OR " if operator.name == "and" else " AND "
                return f"({word.join(map(self.denied, arguments))})"
            case Call(operator, (operand,)) if operator.name == "not":
                return self.certain(operand)
            case _:
                condition = self.condition(expression)
                return self._known(expression, f"(NOT {condition})")

    def _known(self, expression: RowExpression, condition: str) -> str:
        if not expression.nullable:
            return condition
        parts = expression.arguments if isinstance(expression, Call) else (expression,)
        plain = isinstance(expression, Call) and expression.operator.name in COMPARISONS
        if plain or isinstance(expression, ColumnReference):
            nullable = (part for part in parts if part.nullable)
            tests = (f"{self._tested(part)} is not null" for part in nullable)
            return f"({' AND '.join((*dict.fromkeys(tests), condition))})"
        return f"(({condition} ? 1 : 0) is not null AND {condition})"

    def _tested(self, expression: RowExpression) -> str:
        """The operand of a test for null, which also works on timestamps."""
        return self._any_value(expression)

    def _same(self, left: RowExpression, right: RowExpression) -> str:
        equal = self._comparison("=", left, right)
        one, other = self._tested(left), self._tested(right)
        return (
            f"(({one} is null AND {other} is null)"
            f" OR ({one} is not null AND {other} is not null AND {equal}))"
        )

    def _comparison(self, name: str, left: RowExpression, right: RowExpression) -> str:
        type_ = compared_type(left.type, right.type)
        if type_ == TIMESTAMP and not self.plain_values and survives_cut(name, left, right):
            texts = [self._instant(left), self._instant(right)]
            return f"({texts[0]} {COMPARISONS[name]} {texts[1]})"
        if type_ is None:
            pair = f"{print_type(left.type)} with {print_type(right.type)}"
            raise UnsupportedConstruct(f"comparing {pair} in Pig")
        texts = [self._compared_text(each, type_, name) for each in (left, right)]
        return f"({texts[0]} {COMPARISONS[name]} {texts[1]})"

    def _instant(self, expression: RowExpression) -> str:
        """The text of a timestamp, cut to milliseconds."""
        written = written_instant(expression)
        return self._any_value(expression) if written is None else literal(written, TIMESTAMP)

    def _compared_text(self, expression: RowExpression, type_: ColumnType, name: str) -> str:
        if isinstance(expression, Literal) and expression.value is None:
            return null(type_)
        text = self.as_type(expression, type_)
        if type_ == BOOLEAN and COMPARISONS[name] not in {"==", "!="}:
            return f"({text} ? 1 : 0)"
        return text if isinstance(expression, Literal) else one_zero(text, type_)

    def _like(self, arguments: Sequence[RowExpression]) -> str:
        text, pattern, *escape = arguments
        if escape:
            raise UnsupportedConstruct("LIKE with ESCAPE for Pig")
        is_constant = not places(text)
        if is_constant or not isinstance(pattern, Literal) or pattern.value is None:
            # Pig evaluates constant expressions in advance, and takes MATCHES as null there.
            texts = [self.as_type(text, STRING), self.as_type(pattern, STRING)]
            return self.filled("(@like({*}) == true)", texts)
        return f"({self.as_type(text, STRING)} MATCHES {string(patterns.of_like(pattern.value))})"

    # -- values ----------------------------------------------------------------------------

    def as_type(self, expression: RowExpression, type_: ColumnType) -> str:
        """The value converted to another of Hive's types.

        Raises:
            UnsupportedConstruct: Pig cannot convert it as Hive does.
        """
        if isinstance(expression, Literal) and expression.value is None:
            return null(type_)
        if (
            isinstance(expression, Literal)
            and expression.value is not None
            and is_exact(expression.value, expression.type, type_)
        ):
            is_decimal = isinstance(type_, DecimalType)
            return literal(
                shown(Decimal(expression.value)) if is_decimal else expression.value, type_
            )
        if isinstance(expression, Literal) and type_ == DATE and is_text(expression.type):
            # A text without digits is not a date.
            named = any(map(str.isdecimal, str(expression.value)))
            return literal(day_of(expression), DATE) if named else null(DATE)
        written = written_instant(expression) if type_ == TIMESTAMP else None
        if written is not None and self.plain_values:
            return literal(written, TIMESTAMP)
        text = self.value(expression)
        return self._converted(text, expression.type, type_)

    def _converted(self, text: str, source: ColumnType, target: ColumnType) -> str:
        if isinstance(target, VarcharType) and cast_form(source, STRING) is not None:
            whole = self._converted(text, source, STRING)
            if isinstance(source, VarcharType) and source.length <= target.length:
                return whole
            return self.filled("@substr({0}, 1, {1})", [whole, str(target.length)])
        form = "{0}" if are_alike(source, target) else cast_form(source, target)
        if form is None:
            pair = f"{print_type(source)} to {print_type(target)}"
            raise UnsupportedConstruct(f"the conversion of {pair} for Pig")
        return self.filled(
            f"({form})" if " ? " in form and not form.startswith("(") else form, [text]
        )

    def filled(self, template: str, texts: Sequence[str]) -> str:
        """A form's template filled with the arguments, with its functions declared."""

        def put(place: re.Match[str]) -> str:
            closing, argument, function = place.groups()
            if function is not None:
                return self.functions.hive(HIVE_FUNCTION, function)
            if argument == "*":
                return closing + ", ".join(texts)
            text = texts[int(argument)]
            return closing + (unary(text) if closing else text)

        return _PLACE.sub(put, template)

    def _cast(self, cast: Cast) -> str:
        if cast.by_name and scalar_type(cast.type) is None:
            raise UnsupportedConstruct("structs united by name for Pig")
        if cast.operand.type == TIMESTAMP and cast_form(TIMESTAMP, cast.type) is not None:
            return self._converted(self._any_value(cast.operand), TIMESTAMP, cast.type)
        return self.as_type(cast.operand, cast.type)

    def _case(self, case: Case) -> str:
        last = case.otherwise
        text = null(case.type) if last is None else self.as_type(last, case.type)
        for when, then in reversed(case.branches):
            text = f"({self.certain(when)} ? {self.as_type(then, case.type)} : {text})"
        return text

    def _call(self, call: Call) -> str:
        name, arguments = call.operator.name, call.arguments
        if call.operator.udf is not None:
            return self._user_defined(call.operator.udf, call)
        if name == "if":
            return self._case(Case(((arguments[0], arguments[1]),), arguments[2], call.type))
        if name in {"coalesce", "nvl"}:
            return self._first_known(arguments, call.type)
        if name == "nvl2":
            known = Call(_IS_KNOWN, (arguments[0],), BOOLEAN, nullable=False)
            return self._case(Case(((known, arguments[1]),), arguments[2], call.type))
        if name == "nullif":
            equal = self._known(call, self._comparison("=", *arguments))
            return f"({equal} ? {null(call.type)} : {self.value(arguments[0])})"
        if name in arithmetic.OPERATORS:
            texts = [self._operand(name, argument, call.type) for argument in arguments]
            return self.filled(arithmetic.template(name, call), texts)
        if name in {"array", "map", "struct", "named_struct"}:
            return self._collected(name, call)
        return self._function(call)

    def _user_defined(self, udf: UserDefined, call: Call) -> str:
        """Calls Hive's class from Pig, which supports fewer types than Hive."""
        for type_ in (*(argument.type for argument in call.arguments), call.type):
            if not (is_of(type_, "plain") or is_of(type_, "list")):
                raise UnsupportedFunction(
                    udf.name, f"takes or returns {print_type(type_)}, which Pig passes differently"
                )
        texts = ", ".join(self.value(argument) for argument in call.arguments)
        return f"{self.functions.user_defined(udf)}({texts})"

    def _operand(self, name: str, argument: RowExpression, type_: ColumnType) -> str:
        if isinstance(type_, DecimalType):
            return self.as_type(argument, arithmetic.decimal_of(argument) or argument.type)
        if arithmetic.keeps_argument(name):
            return self.value(argument)
        return self.as_type(argument, arithmetic.computed_type(type_))

    def _first_known(self, arguments: Sequence[RowExpression], type_: ColumnType) -> str:
        *first, last = arguments
        text = self.as_type(last, type_)
        for argument in reversed(first):
            tested = self._tested(argument)
            text = f"({tested} is not null ? {self.as_type(argument, type_)} : {text})"
        return text

    def _collected(self, name: str, call: Call) -> str:
        arguments = call.arguments
        match call.type:
            case ArrayType(element) if name == "array":
                texts = (self.as_type(each, element) for each in arguments)
                return f"TOBAG({', '.join(texts)})"
            case MapType(_, value_type) if name == "map":
                keys = [self.as_type(each, STRING) for each in arguments[::2]]
                values = [self.as_type(each, value_type) for each in arguments[1::2]]
                pairs = ", ".join(f"{k}, {v}" for k, v in zip(keys, values, strict=True))
                return f"TOMAP({pairs})"
            case StructType(fields):
                given = arguments[1::2] if name == "named_struct" else arguments
                pairs_of = zip(given, fields, strict=True)
                return f"TOTUPLE({', '.join(self.as_type(v, f.type) for v, f in pairs_of)})"
            case _:
                raise UnsupportedFunction(name, "returns a type that Pig lacks")

    def _function(self, call: Call) -> str:
        name, arguments = call.operator.name, call.arguments
        if name in _OF_DAYS:
            arguments = tuple(map(as_day, arguments))
        types = [argument.type for argument in arguments]
        form = form_of(name, types)
        if form is None or form.reason:
            shown = ", ".join(map(print_type, types))
            reason = form.reason if form is not None else "has no known equivalent in Pig"
            raise UnsupportedFunction(f"{name}({shown})", reason)
        if name == "date_format":
            patterns.check_of_days(arguments[1])
        template = f"@{name}({{*}})" if form.template == HIVES else form.template
        within = name in _NULL_BEYOND_INTEGERS
        texts = [self._integer(a) if within else self._any_value(a) for a in arguments]
        return self.filled(template, texts)

    def _integer(self, argument: RowExpression) -> str:
        """The text of a long as an integer; null if it does not fit."""
        match argument:
            case Cast(operand, type_, implicit=True) if (operand.type, type_) == (BIGINT, INT):
                text = self.value(operand)
                within = f"{text} >= -2147483648L AND {text} <= 2147483647L"
                return f"({within} ? (int){unary(text)} : (int)null)"
            case _:
                return self._any_value(argument)

    def _field(self, access: FieldAccess) -> str:
        base = access.base.type
        struct = base.element if isinstance(base, ArrayType) else base
        assert isinstance(struct, StructType)
        names = field_names([field.name for field in struct.fields])
        own = struct.fields[access.index].name.lower()
        named = isinstance(access.base, (ColumnReference, FieldAccess))
        legal = named and is_legal(own) and names[access.index] == own
        return f"{unary(self.value(access.base))}.{own if legal else f'${access.index}'}"

    def _subscript(self, subscript: Subscript) -> str:
        index = subscript.index
        base, scalar = subscript.base, scalar_type(subscript.type)
        if not isinstance(index, Literal) or index.value is None:
            raise UnsupportedConstruct("a computed index or key for Pig")
        if scalar is None:
            raise UnsupportedConstruct(f"an element of type {print_type(subscript.type)} for Pig")
        text = unary(self.value(base))
        if isinstance(base.type, MapType):
            if isinstance(subscript.type, DecimalType):
                # Pig's lookup has no decimals, and Hive's function does not learn a loaded map's
                # type.
                shown = f"a value of type {print_type(subscript.type)} of a map, for Pig"
                raise UnsupportedConstruct(shown)
            return f"({scalar}){text}#{string(index.value)}"
        if int(index.value) < 0:
            return null(subscript.type)
        beyond = f"{text} is null OR SIZE({text}) < {int(index.value) + 1}"
        return f"({beyond} ? {null(subscript.type)} : ({scalar})BagToTuple({text}).${index.value})"


def unary(text: str) -> str:
    """The text as an operand of a cast or projection; a cast gets parentheses."""
    return f"({text})" if _CAST.match(text) else text


def output(text: str, name: str, type_: ColumnType) -> str:
    """An item of GENERATE, with its type if Pig cannot infer it.

    Pig cannot infer nested types, aggregates' results, and nulls without a cast.
    """
    if text == name:
        return name
    nested = scalar_type(type_) is None
    if _UNTYPED.match(text) or (nested and (text == "null" or not _FIELD.fullmatch(text))):
        return f"{text} AS {name}:{type_text(type_)}"
    return f"{text} AS {name}"
