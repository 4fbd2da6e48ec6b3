"""Writes aggregates whose form depends on more than their arguments' classes."""

from __future__ import annotations

from lakeschema.catalog.column_types import (
    BIGINT,
    DOUBLE,
    FLOAT,
    ArrayType,
    ColumnType,
    DecimalType,
    StructType,
)
from lakeschema.translation.emission.rows import Writer, letter
from lakeschema.translation.emission.trino.casts import Mode, wrapped_to_bigint
from lakeschema.translation.emission.trino.given import Given, constants
from lakeschema.translation.emission.trino.ordering import is_nested, orderable
from lakeschema.translation.emission.trino.text import fails, literal, quoted, type_text
from lakeschema.translation.functions.coercion import is_text
from lakeschema.translation.functions.decimals import SUMMED_DIGITS
from lakeschema.translation.plan.expressions import Literal, RowExpression, converted_from

_DEFAULTS = {
    "i": "0",
    "f": "0e0",
    "d": "0e0",
    "x": "0",
    "s": "''",
    "o": "false",
    "D": "DATE '1970-01-01'",
    "T": "TIMESTAMP '1970-01-01 00:00:00'",
}
_LARGE = "1e70"
"""The bound of values whose fourth powers, and their sums, do not overflow a double."""

_EMPTY = "CAST(ARRAY[] AS {t})"
PAIRS = "count(CASE WHEN {0} IS NOT NULL THEN {1} END){w}"
"""The template of the number of rows in which both arguments are not null."""
_DIGITS_OF_DOUBLES = 15
_DIGITS_OF_COUNTS = 10
_FIRST_EXACT, _LAST_EXACT = (
    "TIMESTAMP '1684-07-28 00:12:25.259008'",
    "TIMESTAMP '2255-06-05 23:47:34.740992'",
)
_INEXACT = "a percentile of times that are no exact doubles in microseconds"


def count(given: Given) -> str:
    """Writes COUNT; with several arguments it counts the rows in which none is null."""
    if not given.quantifier and all(map(_is_known, given.arguments)):
        return given.fill("count(*){w}")
    if len(given.arguments) == 1:
        if given.quantifier and given.is_windowed:
            return _distinct_in_window(given)
        return given.fill("count({q}{0}){w}")
    if given.is_windowed:
        raise given.unsupported("several values in a window")
    known = " AND ".join(f"{text} IS NOT NULL" for text in given.texts)
    value = f"ROW({', '.join(given.texts)})" if given.quantifier else "1"
    return given.fill(f"count({{q}}CASE WHEN {known} THEN {value} END){{w}}")


def _is_known(value: RowExpression) -> bool:
    return isinstance(value, Literal) and value.value is not None


def _distinct_in_window(given: Given) -> str:
    found = "filter(array_agg({0}){w}, e -> e IS NOT NULL)"
    return given.fill(f"CAST(coalesce(cardinality(array_distinct({found})), 0) AS bigint)")


def _refuse_distinct_window(given: Given) -> None:
    if given.quantifier and given.is_windowed:
        raise given.unsupported("DISTINCT over a window")


def total(given: Given) -> str:
    """Writes SUM: Trino's sum of floats is a real, and its sum of decimals has 38 digits."""
    _refuse_distinct_window(given)
    form = "sum({q}{0}){w}"
    match letter(given.arguments[0].type):
        case "i" if given.wraps and given.mode.is_lax:
            return given.fill(wrapped_to_bigint("sum({q}CAST({0} AS decimal(38,0))){w}"))
        case "d" if given.mode is Mode.HIVE and is_text((text := given.unconverted(0)).type):
            # Texts that are not numbers are not added, but count as rows.
            is_some = f"count({given.text_of(text)}){given.suffix} > 0"
            return f"coalesce({given.fill(form)}, CASE WHEN {is_some} THEN 0e0 END)"
        case "i" | "d":
            return given.fill(form)
        case "f":
            return given.fill("sum({q}CAST({0} AS double)){w}")
        case "s":
            return given.fill("sum({q}{d0}){w}")
        case "x":
            return _exact_in_hive(given, _of_decimals(given, form))
        case _:
            raise given.unsupported("its argument's type")


def _of_decimals(given: Given, form: str) -> str:
    if given.wraps and given.mode.is_lax and (found := _total_or_null(given)):
        return found
    return given.fill(f"{'TRY_CAST' if given.mode.is_lax else 'CAST'}({form} AS {{t}})")


def _exact_in_hive(given: Given, form: str) -> str:
    """The form, with Hive's rounding: Hive rounds if an intermediate sum exceeds 38 digits."""
    type_ = given.arguments[0].type
    assert isinstance(type_, DecimalType)
    if given.mode is not Mode.HIVE or type_.scale == 0 or type_.precision <= SUMMED_DIGITS:
        return form
    most = "CAST(max(abs({0})){w} AS double) * count({0}){w}"
    is_rounded = given.fill(f"{most} >= 1e{38 - type_.scale}")
    refused = given.fill(fails("a sum of decimals with more than 38 digits on the way", "{t}"))
    return f"CASE WHEN {is_rounded} AND {form} IS NOT NULL THEN {refused} ELSE {form} END"


_LOW_DIGITS = 19


def _total_or_null(given: Given) -> str | None:
    """The text of a sum that is null beyond 38 digits, where Trino's sum would fail.

    It adds two halves separately, or the distinct values one by one. None if this is not needed, or
    if the numbers have no such halves.
    """
    type_ = given.arguments[0].type
    assert isinstance(type_, DecimalType)
    if type_.precision <= SUMMED_DIGITS:
        return None
    if given.quantifier:
        added = f"decimal(38,{type_.scale})"
        values = "filter(array_agg(DISTINCT {0}){w}, e -> e IS NOT NULL)"
        summed = f"reduce({values}, CAST(0 AS {added}), (s, e) -> CAST(s + e AS {added}), s -> s)"
        return given.fill(f"TRY(CAST(CASE WHEN count({{0}}){{w}} > 0 THEN {summed} END AS {{t}}))")
    if type_.scale >= SUMMED_DIGITS:
        return None
    unit = f"DECIMAL '1{'0' * (_LOW_DIGITS - type_.scale)}'"
    low = f"({{0}}) % {unit}"
    high = f"sum(CAST((({{0}}) - {low}) / {unit} AS decimal(38,0))){{w}}"
    return given.fill(f"TRY(CAST({high} * {unit} + sum({low}){{w}} AS {{t}}))")


def average(given: Given) -> str:
    _refuse_distinct_window(given)
    match letter(given.arguments[0].type):
        case "i" | "d":
            return given.fill("avg({q}{0}){w}")
        case "f":
            return given.fill("avg({q}CAST({0} AS double)){w}")
        case "s":
            return given.fill("avg({q}{d0}){w}")
        case "x" if isinstance(given.type, DecimalType):
            return _average_of_decimals(given, given.type)
        case _:
            raise given.unsupported("its argument's type")


def _average_of_decimals(given: Given, type_: DecimalType) -> str:
    """Writes AVG; it fails at run time if the sum cannot keep the average's fractional digits."""
    of = given.arguments[0].type
    assert isinstance(of, DecimalType)
    sum_, number = "sum({q}{0}){w}", "nullif(count({q}{0}){w}, 0)"
    average_ = f"(CAST({sum_} AS decimal(38,{type_.scale})) / {number} AS {{t}})"
    if not given.mode.is_lax:
        return given.fill(f"CAST{average_}")
    if of.precision - of.scale + _DIGITS_OF_COUNTS + type_.scale <= 38:
        return given.fill(f"TRY_CAST{average_}")
    # Null if the average itself does not fit.
    return given.fill(
        f"CASE WHEN TRY_CAST({sum_} / {number} AS {{t}}) IS NOT NULL THEN TRY_CAST{average_} END"
    )


def extreme(given: Given) -> str:
    """Writes MIN and MAX. NaN is the greatest.

    Null fields are the least in Spark, and ignored in Hive.
    """
    type_ = given.arguments[0].type
    if given.mode.is_spark and is_nested(type_):
        return given.fill(f"{given.name}_by({{0}}, {orderable('{0}', type_)}){{w}}")
    match letter(type_):
        case "f" | "d":
            return given.fill(_of_floats(given))
        case "r" if isinstance(type_, StructType):
            return _of_structs(given, type_)
        case "m" | "a" | "u" | "n":
            raise given.unsupported("Trino orders these values differently")
        case _:
            return given.fill(f"{given.name}({{q}}{{0}}){{w}}")


def _of_floats(given: Given) -> str:
    is_nan, plain = "is_nan({0})", f"{given.name}({{0}}){{w}}"
    if given.mode is Mode.HIVE:
        # Hive's result depends on the order of the rows.
        reason = "an extreme of NaN, which in Hive the order of rows decides"
        return _refused_if(is_nan, reason, plain)
    if given.name == "max":
        return f"CASE WHEN bool_or({is_nan}){{w}} THEN CAST(nan() AS {{t}}) ELSE {plain} END"
    return f"coalesce(min(CASE WHEN NOT {is_nan} THEN {{0}} END){{w}}, {plain})"


def _of_structs(given: Given, type_: StructType) -> str:
    parts = []
    for field in type_.fields:
        default = _DEFAULTS.get(letter(field.type))
        if default is None or letter(field.type) in "fd":
            raise given.unsupported("structs of nested values")
        value = f"{{0}}.{quoted(field.name)}"
        # The least value must not have a null field, either.
        known = "IS NOT NULL" if given.name == "max" else "IS NULL"
        parts += [f"{value} {known}", f"coalesce({value}, {_typed(default, field.type)})"]
    key = f"CASE WHEN {{0}} IS NOT NULL THEN ROW({', '.join(parts)}) END"
    return given.fill(f"{given.name}_by({{0}}, {key}){{w}}")


def _typed(default: str, type_: ColumnType) -> str:
    return f"CAST({default} AS {type_text(type_)})"


def collected(given: Given) -> str:
    """Writes COLLECT_LIST and similar; they omit nulls by default, and over no rows they are empty."""
    made = "array_agg({0}){w}" if given.is_windowed else "array_agg({q}{0}){w}"
    if not given.keeps_nulls:
        made = f"filter({made}, e -> e IS NOT NULL)"
    made = f"coalesce({made}, {_EMPTY})"
    return given.fill(f"array_distinct({made})" if given.name == "collect_set" else made)


def percentile(given: Given, *, descending: bool = False) -> str:
    """Writes exact and interpolated percentiles; Trino only has approximate percentiles."""
    place = given.constant(1) if len(given.arguments) > 1 else "0.5"
    of_one = len(given.arguments) < 3 or (len(given.arguments) == 3 and given.constant(2) == "1")
    if place is None or not of_one or not _is_share(place):
        raise given.unsupported("the share must be a single constant number")
    if letter(given.arguments[0].type) not in "idfx":
        raise given.unsupported("its argument's type")
    values = "array_sort(filter(array_agg(CAST({0} AS double)){w}, e -> e IS NOT NULL))"
    share = 1 - float(place) if descending else float(place)
    at = f"{literal(repr(share), DOUBLE)} * (cardinality(a) - 1)"
    low = f"element_at(a, CAST(floor({at}) AS bigint) + 1)"
    high = f"element_at(a, CAST(ceiling({at}) AS bigint) + 1)"
    between = f"(ceiling({at}) - {at}) * {low} + ({at} - floor({at})) * {high}"
    found = (
        f"CASE WHEN cardinality(a) > 0 THEN IF(floor({at}) = ceiling({at}), {low}, {between}) END"
    )
    return given.fill(f"element_at(transform(ARRAY[{values}], a -> {found}), 1)")


def percentile_approx(given: Given) -> str:
    """Writes PERCENTILE_APPROX by the nearest doubles: Spark's result while it keeps all values."""
    places = constants(given.arguments[1]) if len(given.arguments) > 1 else None
    if places is None or not all(map(_is_share, places)):
        raise given.unsupported("the shares must be constant numbers")
    if letter(given.arguments[0].type) not in "idfxDT" or given.constant(2) == "0":
        raise given.unsupported("its arguments' types")
    values = "array_sort(filter(array_agg({q}{0}){w}, e -> e IS NOT NULL))"
    nearest = _as_double(given.arguments[0].type)
    if nearest is not None:
        values = f"transform({values}, e -> {nearest})"
    at = [
        f"element_at(a, greatest(CAST(ceiling({literal(place, DOUBLE)} * cardinality(a)) AS bigint), 1))"
        for place in places
    ]
    made = at[0]
    if isinstance(given.type, ArrayType):
        made = f"CASE WHEN cardinality(a) > 0 THEN ARRAY[{', '.join(at)}] END"
    found = f"element_at(transform(ARRAY[{values}], a -> {made}), 1)"
    if letter(given.arguments[0].type) == "T":
        test, reason = f"NOT {{0}} BETWEEN {_FIRST_EXACT} AND {_LAST_EXACT}", _INEXACT
    elif letter(given.arguments[0].type) in "fd":
        test, reason = "is_nan({0})", "a percentile of NaN, whose place Spark does not decide"
    else:
        return given.fill(found)
    return given.fill(_refused_if(test, reason, found))


def _as_double(type_: ColumnType) -> str | None:
    """The text of an element as the nearest double; None if this changes no value."""
    if type_ == BIGINT:
        return f"coalesce(TRY_CAST(CAST(e AS double) AS bigint), {2**63 - 1})"
    if isinstance(type_, DecimalType) and type_.precision > _DIGITS_OF_DOUBLES:
        shortest = "CAST(CAST(CAST(e AS varchar) AS double) AS varchar)"
        return f"TRY_CAST({shortest} AS {type_text(type_)})"
    return None


def of_powers(form: str) -> Writer:
    """Writes sums of squares and higher powers.

    If they overflow, the result depends on how rows are split.
    """

    def written(given: Given) -> str:
        return _bounded(given, form)

    return written


def _bounded(given: Given, form: str) -> str:
    is_large = f"abs({{0}}) > {_LARGE}"
    # With infinity the results are NaN. Spark's covariance and Hive's results depend on the order of
    # rows.
    of_any = given.mode is Mode.HIVE or given.name.startswith(("covar_", "regr_"))
    if not of_any:
        is_large += " AND is_finite({0})"
    large = " OR ".join(
        is_large.replace("{0}", f"{{{place}}}")
        for place, argument in enumerate(given.arguments)
        if _may_be_large(argument, or_infinite=of_any)
    )
    if not large:
        return given.fill(form)
    return given.fill(
        _refused_if(large, f"{given.operator.spelling} of numbers beyond {_LARGE}", form)
    )


def _refused_if(test: str, reason: str, form: str) -> str:
    """The form of an aggregate that fails at run time if the test is true for any row."""
    return f"CASE WHEN bool_or({test}){{w}} THEN {fails(reason, '{t}')} ELSE {form} END"


def _may_be_large(argument: RowExpression, *, or_infinite: bool) -> bool:
    type_ = converted_from(argument).type
    return (or_infinite and type_ == FLOAT) or type_ == DOUBLE or is_text(type_)


def correlation(given: Given) -> str:
    """Writes CORR. If the pairs vary, NaN in a pair makes the result NaN; in Trino it would be null."""
    form = "corr({q}{*}){w}"
    if given.quantifier:
        return _bounded(given, form)
    varies = " AND ".join(_varies(_of_pairs(one, other)) for one, other in ((0, 1), (1, 0)))
    return _bounded(given, f"CASE WHEN {PAIRS} > 1 AND {varies} THEN coalesce({form}, nan()) END")


def regression(given: Given) -> str:
    """Writes REGR_SLOPE and REGR_INTERCEPT. NaN in a pair makes them NaN; in Trino they would be null."""
    form = "{f}({*}){w}"
    varies = _varies(_of_pairs(1, 0))
    return _bounded(given, f"CASE WHEN {varies} THEN coalesce({form}, nan()) END")


def _of_pairs(one: int, other: int) -> str:
    return f"CASE WHEN {{{other}}} IS NOT NULL THEN {{{one}}} END"


def _varies(value: str) -> str:
    """The text of a test whether the values differ.

    Trino rounds the mean even for equal values, so that the variance may not be 0.
    """
    variance = f"var_pop({value}){{w}}"
    differ = f"max({value}){{w}} - min({value}){{w}} <> 0e0"
    return f"({variance} <> 0e0 AND (is_nan({variance}) OR {differ}))"


def shape(given: Given) -> str:
    """Writes SKEWNESS and KURTOSIS of a population.

    Trino's kurtosis is of a sample, and null for few values.
    """
    _refuse_distinct_window(given)
    spread, n = "var_pop({q}{0}){w}", "CAST(count({q}{0}){w} AS double)"
    few, form = "{n} <= 2e0 THEN 0e0 * {spread}", "skewness({q}{0}){w}"
    if given.name == "kurtosis":
        few = "{n} <= 3e0 THEN ({n} - 6e0) / 2e0 + 0e0 * {spread}"
        form = "(({n} - 2e0) * ({n} - 3e0) / ({n} - 1e0) * kurtosis({q}{0}){w} - 6e0) / ({n} + 1e0)"
    text = f"CASE WHEN NOT {_varies('{0}')} THEN NULL WHEN {few} ELSE {form} END"
    return _bounded(given, text.replace("{n}", n).replace("{spread}", spread))


def _is_share(text: str) -> bool:
    try:
        return 0 <= float(text) <= 1
    except ValueError:
        return False


def first_or_last(given: Given) -> str:
    """Writes FIRST and LAST over windows; without an order there is no first row."""
    if not given.is_windowed:
        raise given.unsupported("without a window's order there is no first row")
    name = "first_value" if given.name.startswith("first") else "last_value"
    skips = ""
    if len(given.arguments) > 1:
        known = given.constant(1)
        if known not in {"true", "false"}:
            raise given.unsupported("the flag for skipping nulls must be a constant")
        skips = " IGNORE NULLS" if known == "true" else ""
    return given.fill(f"{name}({{0}}){skips}{{w}}")


def nth_value(given: Given) -> str:
    skips = " IGNORE NULLS" if given.constant(2) == "true" else ""
    return given.fill(f"nth_value({{0}}, {{1}}){skips}{{w}}")


def best(given: Given) -> str:
    if len(given.arguments) > 2 or letter(given.arguments[1].type) in "fdarmu":
        raise given.unsupported("its arguments' types")
    return given.fill(f"{given.name}({{0}}, {{1}}){{w}}")


def listed(given: Given) -> str:
    raise given.unsupported("the order of its values is undefined")


def ranked(given: Given) -> str:
    if given.arguments and not (given.constant(0) or "").isdigit():
        raise given.unsupported("the number of groups must be a constant")
    return given.fill(f"CAST({given.name}({{*}}){{w}} AS integer)")
