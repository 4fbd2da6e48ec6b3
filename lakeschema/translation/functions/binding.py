"""Binds a call's name and arguments to an operator, coerced arguments, type and nullability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Final

from lakeschema.catalog.column_types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    STRING,
    TIME,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VARIANT,
    VOID,
    ArrayType,
    ColumnType,
    DecimalType,
    MapType,
    parse_type,
    print_type,
    time_digits,
)
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.functions import (
    hive,
    hive_geometry,
    hive_overloads,
    hive_sketches,
    hive_system,
    shared,
    spark,
    spark_aggregates,
    spark_clock,
    spark_collections,
    spark_documents,
    spark_math,
    spark_sketches,
    spark_tables,
    spark_text,
    spark_time,
    spark_variants,
    trino,
)
from lakeschema.translation.functions.aliases import ALIASES, canonical
from lakeschema.translation.functions.casts import can_cast, may_turn_null
from lakeschema.translation.functions.coercion import (
    Use,
    common_type,
    is_integer,
    is_narrower,
    is_numeric,
    is_primitive,
    is_shape,
    is_text,
    is_time,
    is_time_of_day,
)
from lakeschema.translation.functions.results import CallResult
from lakeschema.translation.functions.rules import RULES
from lakeschema.translation.functions.semantics import Semantics
from lakeschema.translation.functions.signature import Kind, Parameter, Row, parameters_of
from lakeschema.translation.model.errors import TypeMismatch
from lakeschema.translation.plan.expressions import Cast, Literal, RowExpression
from lakeschema.translation.plan.operators import EQUATING, NullClass, Operator


@dataclass(frozen=True, slots=True)
class Function:
    """A built-in function: a parsed row of the function tables."""

    operator: Operator
    kind: Kind
    parameters: tuple[Parameter, ...]
    result: str


@dataclass(frozen=True, slots=True)
class Bound:
    """A call with its operator, coerced arguments, type and nullability.

    The nullability of an aggregate also depends on its group, which is not known here.
    """

    operator: Operator
    arguments: tuple[RowExpression, ...]
    type: ColumnType
    nullable: bool


def find(name: str, dialect: Dialect) -> Function | None:
    """The dialect's built-in function; ``name`` is in lower case. None if the tables lack it."""
    if dialect is Dialect.TRINO:
        return _trinos(name)
    known = canonical(name, dialect)
    return _read(known, name, dialect) if known in _rows(dialect) else None


def rows_by_name(dialect: Dialect) -> Mapping[str, Row]:
    """The row of each function and operator of the dialect, by name, alias or symbol."""
    rows = _rows(dialect)
    return {**rows, **{alias: rows[name] for alias, name in ALIASES[dialect].items()}}


def rows_of(dialect: Dialect) -> tuple[Row, ...]:
    """The rows of a dialect's tables; a later row replaces an earlier row of the same name."""
    own = _OF_SPARK if dialect is Dialect.SPARK else _OF_HIVE
    return (*shared.ROWS, *(row for table in own for row in table.ROWS))


_OF_SPARK = (
    *(spark, spark_math, spark_text, spark_time, spark_collections, spark_documents),
    *(spark_aggregates, spark_sketches, spark_variants, spark_clock, spark_tables),
)
_OF_HIVE = (hive, hive_system, hive_sketches, hive_geometry)


@cache
def _rows(dialect: Dialect) -> Mapping[str, Row]:
    return MappingProxyType({name: row for row in rows_of(dialect) for name in _names(row)})


def _names(row: Row) -> tuple[str, ...]:
    """The names in a row; ``_`` stands for the blank in an operator's name (IS NULL)."""
    return tuple(n.replace("_", " ") if n in SPELLED_APART else n for n in row.names.split())


SPELLED_APART: Final = frozenset(
    {"is_null", "is_true", "is_false", "is_distinct_from"}
    | set(hive_system.QUANTIFIED)
    | {f"hypothetical_{name}" for name in ("rank", "dense_rank", "percent_rank", "cume_dist")}
    | {f"{n}{w}_{q}" for n in ("", "not_") for w in ("like", "ilike") for q in ("any", "all")}
)


@cache
def _trinos(name: str) -> Function | None:
    found = trino.known(name)
    return None if found is None else Function(found.operator, found.kind, (), "")


@cache
def _read(name: str, written: str, dialect: Dialect) -> Function:
    row = _rows(dialect)[name]
    alias = "" if written == name else written
    operator = Operator(name, row.nulls, row.deterministic, row.keeps, row.merges, written=alias)
    return Function(operator, row.kind, parameters_of(row.parameters), row.result)


def bind(function: Function, arguments: Sequence[RowExpression], semantics: Semantics) -> Bound:
    """Checks and coerces the arguments.

    Raises:
        TypeMismatch: the number of arguments is wrong, or an argument cannot be cast to its
            parameter's type.
        Unsupported: the type depends on a fact that is unknown, such as a value.
    """
    known, name = function.operator.name, function.operator.spelling
    if semantics.is_trino:
        return Bound(*trino.result_of(trino.known_operator(function.operator), arguments))
    parameters = _match_parameters(function.parameters, len(arguments))
    if parameters is None:
        raise TypeMismatch(f"{name} does not take {len(arguments)} arguments")
    if semantics.is_hive:
        hive_overloads.require_overload(known, arguments)
    variables = _variables(name, parameters, arguments, semantics)
    compared = _comparison_type(function.operator, parameters, arguments, semantics)
    coerced: list[RowExpression] = []
    for number, (parameter, argument) in enumerate(zip(parameters, arguments, strict=True), 1):
        target = _target(parameter.pattern, argument.type, variables, compared, semantics)
        if target is None:
            raise TypeMismatch(
                f"argument {number} of {name} has type {print_type(argument.type)},"
                f" expected {_IN_WORDS.get(parameter.pattern, parameter.pattern)}"
            )
        coerced.append(_convert(name, number, argument, target, semantics))
    result = _result(function.result, coerced, variables, semantics)
    if result is None:
        if not arguments:
            raise TypeMismatch(f"{name} does not take 0 arguments")
        shown = ", ".join(print_type(a.type) for a in arguments)
        raise TypeMismatch(f"{name} does not accept the types ({shown})")
    if result.arguments:
        coerced = [
            a if to is None else _convert(name, number, a, to, semantics)
            for number, (a, to) in enumerate(zip(coerced, result.arguments, strict=True), 1)
        ]
    nullable = result.may_be_null or _result_is_nullable(function.operator, coerced, result)
    operator = function.operator
    if operator.keeps is not None and result.type == ArrayType(coerced[operator.keeps].type):
        # The result is an array, not the argument itself (MAX_BY with a count).
        operator = replace(operator, keeps=None)
    return Bound(operator, tuple(coerced), result.type, nullable)


def implicit_cast(
    expression: RowExpression, target: ColumnType, semantics: Semantics
) -> RowExpression:
    """The expression, cast if its type differs; the caller has checked that the dialect has the cast."""
    if semantics.is_trino:
        return trino.converted(expression, target)
    if expression.type == target:
        return expression
    nullable = expression.nullable or may_turn_null(expression.type, target, semantics)
    if not semantics.is_spark and is_narrower(target, expression.type):
        # In Hive an argument that does not fit becomes null; a CAST would wrap it. Literals fit.
        nullable = nullable or not isinstance(expression, Literal)
    return Cast(expression, target, nullable, implicit=True)


def _match_parameters(parameters: tuple[Parameter, ...], count: int) -> list[Parameter] | None:
    matched: list[Parameter] = []
    for parameter in parameters:
        if parameter.variadic:
            matched += [parameter] * (count - len(matched))
        elif len(matched) < count:
            matched.append(parameter)
        elif not parameter.optional:
            return None
    return matched if len(matched) == count else None


def _result_is_nullable(
    operator: Operator, arguments: Sequence[RowExpression], result: CallResult
) -> bool:
    if result.null_with is not None:
        return any(arguments[place].nullable for place in result.null_with)
    if result.total:
        return any(argument.nullable for argument in arguments)
    return _nullable(operator, arguments)


def _nullable(operator: Operator, arguments: Sequence[RowExpression]) -> bool:
    match operator.nulls:
        case NullClass.NEVER:
            return False
        case NullClass.PARTIAL:
            return bool(arguments)
        case NullClass.TOTAL:
            return any(argument.nullable for argument in arguments)
        case NullClass.ABSORBING:
            branches = arguments[operator.merges or 0 :]
            if operator.name in {"coalesce", "nvl"}:
                return all(branch.nullable for branch in branches)
            return any(branch.nullable for branch in branches)


def _variables(
    name: str,
    parameters: Sequence[Parameter],
    arguments: Sequence[RowExpression],
    semantics: Semantics,
) -> dict[str, ColumnType]:
    """Binds each type variable to the common type of its arguments."""
    found: dict[str, ColumnType] = {}
    for parameter, argument in zip(parameters, arguments, strict=True):
        for variable, type_ in _parts(parameter.pattern, argument.type):
            known = found.get(variable)
            met = type_ if known is None else common_type(known, type_, Use.BRANCH, semantics)
            if met is None:
                assert known is not None
                raise TypeMismatch(
                    f"the arguments of {name} have incompatible types:"
                    f" {print_type(known)} and {print_type(type_)}"
                )
            found[variable] = met
    return found


def _parts(pattern: str, type_: ColumnType) -> tuple[tuple[str, ColumnType], ...]:
    """The types that an argument gives to a pattern's variables; a NULL gives the type VOID."""
    if len(pattern) == 1:
        return ((pattern, type_),)
    match pattern, type_:
        case "array<T>" | "array<K>" | "array<V>", ArrayType(element):
            return ((pattern[6], element),)
        case "array<T>" | "array<K>" | "array<V>", _ if type_ == VOID:
            return ((pattern[6], VOID),)
        case "map<K,V>", MapType(key, value):
            return (("K", key), ("V", value))
        case "map<K,V>", _ if type_ == VOID:
            return (("K", VOID), ("V", VOID))
        case _:
            return ()


def _comparison_type(
    operator: Operator,
    parameters: Sequence[Parameter],
    arguments: Sequence[RowExpression],
    semantics: Semantics,
) -> ColumnType | None:
    """The common type of the arguments that are compared with each other."""
    met: ColumnType | None = None
    name = operator.spelling
    for parameter, argument in zip(parameters, arguments, strict=True):
        if parameter.pattern not in _COMPARED:
            continue
        previous, type_ = met, argument.type
        if isinstance(type_, MapType) and not (semantics.is_hive and operator.name in EQUATING):
            raise TypeMismatch(f"{name} cannot compare maps")
        met = type_ if met is None else _comparable(operator.name, met, type_, semantics)
        if met is None and previous is not None:
            raise TypeMismatch(
                f"{name} cannot compare {print_type(previous)} with {print_type(type_)}"
            )
    return met


def _comparable(
    name: str, left: ColumnType, right: ColumnType, semantics: Semantics
) -> ColumnType | None:
    if semantics.is_spark and not semantics.ansi and name in _EQUALITIES:
        # Equality, unlike < and >, reads a boolean as 1 or 0 (Spark's BooleanEquality).
        for truth, number in ((left, right), (right, left)):
            if truth == BOOLEAN and is_numeric(number):
                return number
    # Spark coerces the values of IN like branches.
    use = Use.BRANCH if semantics.is_spark and name == "in" else Use.COMPARISON
    return common_type(left, right, use, semantics)


_COMPARED = frozenset({"compared", "kept_compared"})
"""Patterns of arguments that need a common type; ``kept_compared`` arguments are not cast to it."""
_EQUALITIES = frozenset({"=", "<>", "<=>", "nullif"})

_CONCRETE: Mapping[str, ColumnType] = MappingProxyType(
    {
        "string": STRING,
        "int": INT,
        "bigint": BIGINT,
        "double": DOUBLE,
        "boolean": BOOLEAN,
        "date": DATE,
        "timestamp": TIMESTAMP,
        "binary": BINARY,
    }
)


_OF_NULL: Mapping[str, ColumnType] = MappingProxyType(
    {
        **dict.fromkeys(("number", "summed", "measured"), DOUBLE),
        "bits": INT,
        **dict.fromkeys(("array<T>", "array<K>", "array<V>"), ArrayType(VOID)),
        "map<K,V>": MapType(VOID, VOID),
    }
)
"""The type that Spark gives a NULL argument, by pattern, if the pattern allows several types."""


def _target(
    pattern: str,
    type_: ColumnType,
    variables: Mapping[str, ColumnType],
    compared: ColumnType | None,
    semantics: Semantics,
) -> ColumnType | None:
    """The type to which an argument is cast; None if the pattern refuses the argument."""
    if len(pattern) == 1:
        return variables[pattern]
    concrete = _CONCRETE.get(pattern) or _decimal(pattern)
    if concrete is not None:
        return concrete if _is_accepted(type_, concrete, semantics) else None
    if type_ == VOID:
        return (_OF_NULL.get(pattern) if semantics.is_spark else None) or (
            STRING if pattern == "text_or_binary" else VOID
        )
    match pattern:
        case "any" | "kept_compared":
            return type_
        case "compared":
            return compared
        case "number" | "summed":
            # Spark converts a timestamp to seconds only in sums.
            in_seconds = type_ == TIMESTAMP and (pattern == "summed" or not semantics.is_spark)
            if is_text(type_) or in_seconds:
                return DOUBLE
            return type_ if is_numeric(type_) or _is_interval(type_) else None
        case "measured":
            kept = _is_interval(type_) or is_time_of_day(type_)
            return type_ if kept else DOUBLE if _is_accepted(type_, DOUBLE, semantics) else None
        case "integer" | "bits":
            return type_ if is_integer(type_) or type_ == BOOLEAN else None
        case "text_or_binary":
            if type_ == BINARY:
                return type_
            return STRING if is_primitive(type_) else None
        case "time":
            known = time_digits(type_) is not None
            read = is_text(type_) or type_ in (TIMESTAMP, TIMESTAMP_NTZ)
            return type_ if known else TIME if read else None
        case "moment":
            known = time_digits(type_) is not None or type_ == TIMESTAMP_NTZ
            return type_ if known else TIMESTAMP if is_time(type_) or is_text(type_) else None
        case "variant":
            return type_ if type_ == VARIANT else None
        case "shape":
            return type_ if is_shape(type_) else None
        case "array<float>":
            return type_ if isinstance(type_, ArrayType) and type_.element == FLOAT else None
        case "collection":
            return type_ if isinstance(type_, (ArrayType, MapType)) else None
        case "array<T>" | "array<K>" | "array<V>":
            return type_ if isinstance(type_, ArrayType) else None
        case "map<K,V>":
            return type_ if isinstance(type_, MapType) else None
        case _:
            raise AssertionError(f"the tables have an unknown pattern {pattern!r}")


_IN_WORDS: Mapping[str, str] = MappingProxyType({"summed": "number", "bits": "integer"})
"""Patterns that have another name in messages."""


def _decimal(pattern: str) -> ColumnType | None:
    return _fixed_type(pattern) if pattern.startswith("decimal(") else None


def _is_interval(type_: ColumnType) -> bool:
    return print_type(type_).startswith("interval")


def _is_accepted(type_: ColumnType, wanted: ColumnType, semantics: Semantics) -> bool:
    """Whether the dialect has the implicit cast; it has fewer implicit casts than explicit ones."""
    if type_ in (wanted, VOID):
        return True
    if not is_primitive(type_):
        return False
    if wanted == STRING:
        return True
    if wanted in (INT, BIGINT, DOUBLE) or isinstance(wanted, DecimalType):
        return is_numeric(type_) or is_text(type_)
    if wanted in (DATE, TIMESTAMP):
        of_day = is_time_of_day(type_) and wanted == TIMESTAMP
        return is_time(type_) or is_text(type_) or (of_day and semantics.is_spark)
    if wanted == BINARY:
        return is_text(type_)
    return wanted == BOOLEAN and (is_text(type_) or not semantics.is_spark)


def _convert(
    name: str, number: int, argument: RowExpression, target: ColumnType, semantics: Semantics
) -> RowExpression:
    if argument.type == target:
        return argument
    if is_text(argument.type) and target == STRING:
        # Every function takes char and varchar as text, without a visible conversion.
        return argument
    if not can_cast(argument.type, target, semantics):
        raise TypeMismatch(
            f"argument {number} of {name} has type {print_type(argument.type)},"
            f" which cannot be converted to {print_type(target)}"
        )
    return implicit_cast(argument, target, semantics)


def _result(
    result: str,
    arguments: Sequence[RowExpression],
    variables: Mapping[str, ColumnType],
    semantics: Semantics,
) -> CallResult | None:
    if result.startswith("@"):
        return RULES[result](arguments, semantics)
    if len(result) == 1:
        # Without arguments the variable has no type.
        return CallResult(variables[result]) if result in variables else None
    for pattern in ("array<K not null>", "array<K>", "map<K,V>"):
        if result == pattern:
            return _build(pattern, variables)
    return CallResult(_fixed_type(result))


def _build(pattern: str, variables: Mapping[str, ColumnType]) -> CallResult:
    if pattern.startswith("array"):
        return CallResult(ArrayType(variables["K"], "not null" not in pattern))
    return CallResult(MapType(variables["K"], variables["V"]))


@cache
def _fixed_type(text: str) -> ColumnType:
    """Parses a type without variables; ``not null`` may follow an array's element type."""
    return _required_inside(parse_type(text.replace(" not null", "")), text)


def _required_inside(type_: ColumnType, text: str) -> ColumnType:
    if not isinstance(type_, ArrayType) or not text.startswith("array<"):
        return type_
    inside = text.removeprefix("array<").removesuffix(">")
    element = inside.removesuffix(" not null")
    return ArrayType(_required_inside(type_.element, element), element == inside)
