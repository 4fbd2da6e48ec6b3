"""Trino's functions by name, with their kinds and null behaviour, and the signature of a call.

Trino's ``FunctionBinder`` prefers a signature that fits without conversions. Otherwise it takes the
most specific signature: its parameters convert to those of every other signature that fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Final

from lakeschema.catalog.column_types import ColumnType
from lakeschema.catalog.relations import Dialect
from lakeschema.catalog.trino_types import print_trino_type
from lakeschema.translation.functions import (
    trino_aggregates,
    trino_operators,
    trino_scalars,
    trino_text,
)
from lakeschema.translation.functions.aliases import ALIASES, canonical
from lakeschema.translation.functions.signature import Kind
from lakeschema.translation.functions.trino_coercion import can_coerce, same_type
from lakeschema.translation.functions.trino_signatures import (
    AS_GIVEN,
    Applied,
    Binding,
    Of,
    Pattern,
    Signature,
    signature_of,
)
from lakeschema.translation.model.errors import TypeMismatch
from lakeschema.translation.plan.expressions import Cast, Literal, RowExpression
from lakeschema.translation.plan.operators import NullClass, Operator

_TABLES: Final = (
    (trino_operators.TOTAL, NullClass.TOTAL, Kind.SCALAR),
    (trino_operators.PARTIAL, NullClass.PARTIAL, Kind.SCALAR),
    (trino_operators.NEVER, NullClass.NEVER, Kind.SCALAR),
    (trino_operators.ABSORBING, NullClass.ABSORBING, Kind.SCALAR),
    (trino_scalars.TOTAL, NullClass.TOTAL, Kind.SCALAR),
    (trino_scalars.PARTIAL, NullClass.PARTIAL, Kind.SCALAR),
    (trino_scalars.NEVER, NullClass.NEVER, Kind.SCALAR),
    (trino_text.TOTAL, NullClass.TOTAL, Kind.SCALAR),
    (trino_text.PARTIAL, NullClass.PARTIAL, Kind.SCALAR),
    (trino_text.NEVER, NullClass.NEVER, Kind.SCALAR),
    (trino_aggregates.PARTIAL, NullClass.PARTIAL, Kind.AGGREGATE),
    (trino_aggregates.NEVER, NullClass.NEVER, Kind.AGGREGATE),
    (trino_aggregates.WINDOWS, NullClass.PARTIAL, Kind.WINDOW),
    (trino_aggregates.WINDOWS_NEVER, NullClass.NEVER, Kind.WINDOW),
    (trino_aggregates.GENERATORS, NullClass.PARTIAL, Kind.GENERATOR),
)
_KEEPS: Final[Mapping[str, int]] = MappingProxyType(
    {
        **dict.fromkeys(("min", "max", "arbitrary", "any_value", "min_by", "max_by"), 0),
        **dict.fromkeys(("first_value", "last_value", "nth_value", "lag", "lead"), 0),
        **dict.fromkeys(("nullif", "try", "positive"), 0),
    }
)
_MERGES: Final[Mapping[str, int]] = MappingProxyType({"coalesce": 0, "if": 1, "array": 0})
_SPELLED: Final[Mapping[str, str]] = MappingProxyType({"map": "map_from_arrays"})
"""The plan's names of operators, if they differ: the plan's MAP takes keys and values in turn."""
_RANDOM: Final = frozenset({"random", "rand", "uuid", "shuffle"})
_APART: Final = frozenset(
    {"is_null", "is_distinct_from", "is_true", "is_false", "unnest_with_ordinality"}
    | {
        f"{symbol}_{word}"
        for symbol in ("=", "<>", "<", "<=", ">", ">=")
        for word in ("all", "any")
    }
)
"""Names in which ``_`` stands for a blank."""
_NULL_WITH: Final[Mapping[str, int]] = MappingProxyType(
    # The place of the argument that alone decides whether the result may be null.
    {"concat_ws": 0, "format": 0}
)


@dataclass(frozen=True, slots=True)
class Known:
    """A function or operator with its signatures."""

    operator: Operator
    kind: Kind
    signatures: tuple[Signature, ...]


@dataclass(frozen=True, slots=True)
class Chosen:
    """The signature that a call uses, and the values of the names in the signature."""

    signature: Signature
    parameters: tuple[Pattern, ...]
    binding: Binding


def known(name: str) -> Known | None:
    """The function or operator with this lower-case name; None if it does not exist."""
    found = _known().get(canonical(name, Dialect.TRINO))
    if found is None or name not in ALIASES[Dialect.TRINO]:
        return found
    return replace(found, operator=replace(found.operator, written=name))


def names() -> tuple[str, ...]:
    """The names of all functions and operators, aliases included."""
    return (*_known(), *ALIASES[Dialect.TRINO])


def known_operator(operator: Operator) -> Known:
    """The entry for an operator that ``known`` returned before."""
    return replace(_by_operator()[operator.name], operator=operator)


@cache
def _by_operator() -> Mapping[str, Known]:
    return MappingProxyType({each.operator.name: each for each in _known().values()})


@cache
def _known() -> Mapping[str, Known]:
    found: dict[str, Known] = {}
    for table, nulls, kind in _TABLES:
        for name, text in _lines(table):
            before = found.get(name)
            if before is None:
                operator = Operator(
                    _SPELLED.get(name, name),
                    nulls,
                    name not in _RANDOM,
                    _KEEPS.get(name),
                    _MERGES.get(name),
                )
                found[name] = Known(operator, kind, (signature_of(text),))
            else:
                added = (*before.signatures, signature_of(text))
                found[name] = Known(before.operator, before.kind, added)
    return MappingProxyType(found)


def _lines(table: str) -> Iterator[tuple[str, str]]:
    for line in filter(None, table.splitlines()):
        written, _, rest = line.partition(": ")
        text, _, types = rest.partition(" for ")
        for name in written.split():
            spelled = name.replace("_", " ") if name in _APART else name
            for type_ in types.split() or [""]:
                yield spelled, text.replace("#", type_.replace("_", " ") if type_ else "#")


def result_of(
    found: Known, arguments: Sequence[RowExpression]
) -> tuple[Operator, tuple[RowExpression, ...], ColumnType, bool]:
    """The operator, the converted arguments, the type, and whether the result may be null.

    Raises:
        TypeMismatch: no signature takes such arguments.
    """
    name = found.operator.name
    chosen = choose(found, [(a.type, a.nullable) for a in arguments])
    targets = [chosen.binding.type_of(p) for p in chosen.parameters]
    if name == "nullif":
        # Trino compares in the common type, but returns the first argument as it is.
        targets = [a.type for a in arguments]
    coerced = tuple(
        a if isinstance(p, AS_GIVEN) else converted(a, target)
        for a, p, target in zip(arguments, chosen.parameters, targets, strict=True)
    )
    type_ = targets[0] if name == "nullif" else chosen.binding.type_of(chosen.signature.result)
    operator = found.operator
    if operator.keeps is not None and isinstance(chosen.signature.result, Of):
        # The result is an array, not the argument itself (MAX with a count).
        operator = replace(operator, keeps=None)
    return operator, coerced, type_, _nullable(operator, chosen, coerced)


def _nullable(operator: Operator, chosen: Chosen, arguments: Sequence[RowExpression]) -> bool:
    nulls, name = operator.nulls, operator.name
    if name in _NULL_WITH:
        return arguments[_NULL_WITH[name]].nullable
    match nulls:
        case NullClass.NEVER:
            return False
        case NullClass.PARTIAL:
            return True
        case NullClass.TOTAL:
            inside = name == "[]" and chosen.binding.may_be_null(chosen.signature.result)
            return inside or any(a.nullable for a in arguments)
        case NullClass.ABSORBING if name == "coalesce":
            return all(a.nullable for a in arguments)
        case NullClass.ABSORBING:
            return len(arguments) == 2 or any(a.nullable for a in arguments[1:])


def converted(argument: RowExpression, target: ColumnType) -> RowExpression:
    """The argument, cast where its type differs."""
    if same_type(argument.type, target):
        return argument
    if isinstance(argument, Literal) and argument.value is None:
        return Cast(argument, target, nullable=True, implicit=True)
    return Cast(argument, target, argument.nullable, implicit=True)


def choose(
    found: Known,
    given: Sequence[tuple[ColumnType, bool]],
    is_lambda: Callable[[int], bool] = lambda _: False,
) -> Chosen:
    """The signature of a call; ``given`` are the arguments' types, and whether each may be null.

    Raises:
        TypeMismatch: no signature fits.
    """
    fitting: list[Chosen] = []
    for signature in found.signatures:
        parameters = signature.of_count(len(given))
        if parameters is None or any(
            isinstance(p, Applied) != is_lambda(i) for i, p in enumerate(parameters)
        ):
            continue
        binding = Binding()
        if all(
            binding.accept(p, type_, nullable)
            for p, (type_, nullable) in zip(parameters, given, strict=True)
        ):
            chosen = Chosen(signature, parameters, binding)
            if binding.exact:
                return chosen
            fitting.append(chosen)
    if not fitting:
        name = found.operator.name
        if all(s.of_count(len(given)) is None for s in found.signatures):
            raise TypeMismatch(f"{name} does not take {len(given)} arguments")
        shown = ", ".join(print_trino_type(type_) for type_, _ in given)
        raise TypeMismatch(f"{name} does not accept the types ({shown})")
    return _most_specific(fitting)


def _most_specific(fitting: Sequence[Chosen]) -> Chosen:
    for one in fitting:
        if all(_is_as_specific(one, other) for other in fitting):
            return one
    # Several signatures fit only for an untyped NULL, which is null in every type.
    return fitting[0]


def _is_as_specific(one: Chosen, other: Chosen) -> bool:
    pairs = zip(one.parameters, other.parameters, strict=True)
    return all(
        can_coerce(one.binding.type_of(a), other.binding.type_of(b))
        for a, b in pairs
        if not isinstance(a, (Applied, *AS_GIVEN)) and not isinstance(b, (Applied, *AS_GIVEN))
    )
