"""Writes arithmetic and comparisons, with each engine's rules for zero, overflow and NaN."""

from __future__ import annotations

import re
from collections.abc import Mapping

from lakeschema.catalog.column_types import (
    BIGINT,
    DOUBLE,
    FLOAT,
    INT,
    SMALLINT,
    TINYINT,
    ColumnType,
    DecimalType,
)
from lakeschema.translation.emission.rows import Writer, classes_of, letter
from lakeschema.translation.emission.trino.casts import (
    Mode,
    cast_template,
    low_bits,
    saturated,
    wrapped_to_bigint,
)
from lakeschema.translation.emission.trino.given import Given, constant
from lakeschema.translation.emission.trino.ordering import orderable
from lakeschema.translation.emission.trino.text import fails, null_if, type_text
from lakeschema.translation.functions.coercion import is_integer
from lakeschema.translation.plan.expressions import Cast, Literal, RowExpression

_MAX_DIGITS = 38
_WHOLE_DIGITS: Mapping[ColumnType, int] = {TINYINT: 3, SMALLINT: 5, INT: 10, BIGINT: 19}
_LEAST: Mapping[ColumnType, str] = {
    TINYINT: "-128",
    SMALLINT: "-32768",
    INT: "-2147483648",
    BIGINT: "(-9223372036854775807 - 1)",
}


def _is_zero(given: Given, index: int) -> bool | None:
    """Whether an argument is zero; None if it depends on the row."""
    value = given.constant(index)
    try:
        return None if value is None else float(value) == 0
    except ValueError:
        return None


def plus(given: Given) -> str:
    """Writes ``+``, ``-`` and ``*`` of numbers, and of dates with intervals."""
    letters = classes_of(given.arguments)
    if letters in {"Dv", "Tv", "Tw", "vT", "wT", "vD"}:
        return f"({given.texts[0]} {given.name} {given.texts[1]})"
    if letters in {"Dw", "wD"}:
        return _day_and_time(given)
    if letters == "DD" and given.name == "-" and letter(given.type) == "w":
        return f"({given.texts[0]} - {given.texts[1]})"
    if letters == "TT" and given.name == "-" and letter(given.type) == "w":
        return given.fill(_BETWEEN_MOMENTS)
    if letters == "tw":
        return _time_and_interval(given)
    if "x" in letters:
        return _decimal(given, given.name)
    if not set(letters) <= set("ifdn"):
        raise given.unsupported(f"arguments {letters}")
    if is_integer(given.type) and given.wraps and given.mode.is_lax:
        return _wrapping(given)
    return f"({given.texts[0]} {given.name} {given.texts[1]})"


# Trino's intervals have milliseconds.
_MICROS = "substr(CAST({0} AS varchar), -3)"
_BETWEEN_MOMENTS = (
    f"CASE WHEN {_MICROS} = {_MICROS.replace('{0}', '{1}')} THEN {{0}} - {{1}}"
    " WHEN {0} IS NOT NULL AND {1} IS NOT NULL THEN"
    f" {fails('a difference finer than milliseconds', 'interval day to second')} END"
)


def _time_and_interval(given: Given) -> str:
    """Writes a time plus an interval.

    Spark fails beyond the end of a day, where Trino starts the next day.
    """
    value = given.constant(1)
    if value is None or not re.fullmatch(r"[0-9.]{1,4}", value) or given.name != "+":
        raise given.unsupported("a time with an interval that is computed, negative or long")
    sum_ = "(CAST({0} AS time(6)) + {1})"
    beyond = "CAST(fail('beyond the end of the day') AS time(6))"
    return given.fill(f"CASE WHEN {sum_} < CAST({{0}} AS time(6)) THEN {beyond} ELSE {sum_} END")


def _day_and_time(given: Given) -> str:
    day = 0 if letter(given.arguments[0].type) == "D" else 1
    texts = list(given.texts)
    if type_text(given.type) != "date":
        texts[day] = f"CAST({texts[day]} AS timestamp(6))"
    return f"({texts[0]} {given.name} {texts[1]})"


def _wrapping(given: Given) -> str:
    """Writes an operation that wraps around: the lowest bits of the exact result."""
    one, other = given.texts
    if given.type == BIGINT:
        exact = f"(CAST({one} AS decimal(38,0)) {given.name} CAST({other} AS decimal(38,0)))"
        return given.fill(wrapped_to_bigint(exact))
    exact = f"CAST({one} AS bigint) {given.name} CAST({other} AS bigint)"
    return low_bits(f"({exact})", given.type)


def _digits(type_: ColumnType) -> DecimalType:
    if isinstance(type_, DecimalType):
        return type_
    whole = _WHOLE_DIGITS.get(type_, _MAX_DIGITS)
    return DecimalType(whole, 0)


_TRIED = {"try_add": "+", "try_subtract": "-", "try_multiply": "*"}


def tried(given: Given) -> str:
    """Writes ``try_…``: null on overflow.

    If Spark converts an argument from text, an error in this conversion gives null too.
    """
    made = f"{{0}} {_TRIED[given.name]} {{1}}"
    if "s" in classes_of(map(given.unconverted, range(len(given.arguments)))):
        return f"TRY({made})".format(*given.texts)
    return given.fill(f"TRY({made})" if is_integer(given.type) else f"({made})")


def _decimal(given: Given, symbol: str) -> str:
    one, other = (_digits(a.type) for a in given.arguments)
    if symbol == "*":
        digits, scale = one.precision + other.precision, one.scale + other.scale
    else:
        scale = max(one.scale, other.scale)
        digits = max(one.precision - one.scale, other.precision - other.scale) + scale + 1
    if digits > _MAX_DIGITS:
        return _of_many_digits(given, symbol, scale)
    return _as_decimal(given, f"({given.texts[0]} {symbol} {given.texts[1]})")


def _of_many_digits(given: Given, symbol: str, scale: int) -> str:
    """Writes an operation on many digits.

    It is exact within Trino's decimals. Other results, which Spark may round, fail at run time.
    """
    if scale > _MAX_DIGITS:
        raise given.unsupported("a product of more than 38 fractional digits")
    made = f"TRY({{0}} {symbol} {{1}})"
    is_too_long = f"{{0}} IS NOT NULL AND {{1}} IS NOT NULL AND {made} IS NULL"
    refused = fails("a number of more than 38 digits", type_text(given.type))
    return given.fill(f"CASE WHEN {is_too_long} THEN {refused} ELSE {_as_decimal(given, made)} END")


def _as_decimal(given: Given, text: str) -> str:
    # In Hive a result that does not fit is null.
    return f"{'TRY_CAST' if given.mode.is_lax else 'CAST'}({text} AS {type_text(given.type)})"


def _checked_quotient(given: Given, scale: int) -> str:
    """A quotient whose dividend may exceed 38 digits after scaling."""
    longer = f"TRY_CAST({{0}} AS decimal(38,{scale}))"
    keeps_zero = _is_zero(given, 1) is False or not given.mode.is_lax
    divisor = "{1}" if keeps_zero else "IF({1} = 0, NULL, {1})"
    refused = fails("a number of more than 38 digits", type_text(given.type))
    return (
        f"CASE WHEN {{0}} IS NOT NULL AND {longer} IS NULL THEN {refused}"
        f" ELSE {_as_decimal(given, f'({longer} / {divisor})')} END"
    )


def divide(given: Given) -> str:
    letters = classes_of(given.arguments)
    if isinstance(given.type, DecimalType) and set(letters) <= set("xin"):
        scale = max(given.type.scale, _digits(given.arguments[1].type).scale)
        one, dividend = (
            f"CAST({given.texts[0]} AS decimal(38,{scale}))",
            _digits(given.arguments[0].type),
        )
        made = _as_decimal(given, f"({one} / {_divisor(given, '0')})")
        if dividend.precision - dividend.scale + scale <= _MAX_DIGITS:
            return made
        return given.fill(_checked_quotient(given, scale))
    if not set(letters) <= set("fdn"):
        raise given.unsupported(f"arguments {letters}")
    return _of_doubles(given, "/")


def _of_doubles(given: Given, symbol: str) -> str:
    """Writes a division of doubles.

    Division by zero is infinite or NaN in Trino, an error in ANSI Spark, and null in Hive.
    """
    zero = _is_zero(given, 1)
    if zero is False:
        return f"({given.texts[0]} {symbol} {given.texts[1]})"
    if given.mode.is_lax:
        return f"({given.texts[0]} {symbol} {null_if(given.texts[1], '0e0')})"
    return given.fill(
        "CASE WHEN {1} = 0e0 AND {0} IS NOT NULL THEN CAST(fail('division by zero') AS {t})"
        f" ELSE {{0}} {symbol} {{1}} END"
    )


def _divisor(given: Given, zero: str) -> str:
    """The divisor, null where Hive's result is null.

    ANSI Spark and Trino both fail on zero.
    """
    if _is_zero(given, 1) is False or not given.mode.is_lax:
        return given.texts[1]
    return null_if(given.texts[1], zero)


def remainder(given: Given) -> str:
    letters = classes_of(given.arguments)
    if "x" in letters and set(letters) <= set("xin"):
        return _as_decimal(given, f"({given.texts[0]} % {_divisor(given, '0')})")
    if set(letters) <= set("in"):
        return f"({given.texts[0]} % {_divisor(given, '0')})"
    if set(letters) <= set("fdn"):
        return _of_doubles(given, "%")
    raise given.unsupported(f"arguments {letters}")


def integer_divide(given: Given) -> str:
    letters = classes_of(given.arguments)
    if set(letters) <= set("in"):
        lax = given.mode is Mode.LEGACY
        other = (
            null_if(given.texts[1], "0")
            if lax and _is_zero(given, 1) is not False
            else given.texts[1]
        )
        return f"CAST({given.texts[0]} / {other} AS {type_text(given.type)})"
    if set(letters) <= set("xin"):
        other = null_if(given.texts[1], "0") if given.mode is Mode.LEGACY else given.texts[1]
        quotient = f"({given.texts[0]} - {given.texts[0]} % {other}) / {other}"
        return f"CAST(truncate({quotient}) AS {type_text(given.type)})"
    raise given.unsupported(f"arguments {letters}")


def positive_remainder(given: Given) -> str:
    letters = classes_of(given.arguments)
    if not (set(letters) <= set("i") or set(letters) <= set("d")) or isinstance(
        given.type, DecimalType
    ):
        raise given.unsupported(f"arguments {letters}")
    zero = "0" if set(letters) == {"i"} else "0e0"
    is_checked = _is_zero(given, 1) is False
    divisor = "{1}"
    if not is_checked and given.mode.is_lax:
        divisor = f"IF({{1}} = {zero}, NULL, {{1}})"
    rest = f"({{0}} % {divisor})"
    if given.mode is Mode.HIVE or (
        _is_zero(given, 1) is False and (given.constant(1) or "-")[0] != "-"
    ):
        # Hive always adds the divisor; for a positive divisor the result is the same.
        return given.fill(f"(({rest} + {{1}}) % {divisor})")
    # Trino, too, refuses an integer remainder by zero; for doubles it returns NaN.
    fails_by_zero = not is_checked and not given.mode.is_lax and zero == "0e0"
    by_zero = (
        "WHEN {1} = 0e0 AND {0} IS NOT NULL THEN CAST(fail('remainder by zero') AS {t}) "
        if fails_by_zero
        else ""
    )
    return given.fill(
        f"CASE {by_zero}WHEN {rest} < {zero} THEN ({rest} + {{1}}) % {divisor} ELSE {rest} END"
    )


def bucket(given: Given) -> str:
    """Writes WIDTH_BUCKET.

    A value equal to the first bound is in the first bucket, even if bounds descend.
    """
    value, first, last = (f"CAST({{{place}}} AS double)" for place in range(3))
    none = f"{{3}} <= 0 OR {first} = {last}"
    if given.mode.is_spark:
        is_number = " AND ".join(f"is_finite({bound})" for bound in (first, last))
        none = f"{none} OR {{3}} = {2**63 - 1} OR is_nan({value}) OR NOT ({is_number})"
        nowhere = "NULL"
    else:
        nowhere = "CAST(fail('no buckets, or none between equal bounds') AS {t})"
    before = f"IF({first} < {last}, {value} < {first}, {value} > {first})"
    after = f"IF({first} < {last}, {value} >= {last}, {value} <= {last})"
    part = f"CAST({{3}} AS double) * ({value} - {first}) / ({last} - {first})"
    absent = " OR ".join(f"{{{place}}} IS NULL" for place in range(4))
    return given.fill(
        f"CAST(CASE WHEN {absent} THEN NULL WHEN {none} THEN {nowhere} WHEN {before} THEN 0"
        f" WHEN {after} THEN {{3}} + 1 ELSE CAST(floor({part}) AS bigint) + 1 END AS {{t}})"
    )


def negative(given: Given) -> str:
    if is_integer(given.type) and given.mode.is_lax and given.constant(0) is None:
        return given.fill(f"CASE WHEN {{0}} = {_LEAST[given.type]} THEN {{0}} ELSE - {{0}} END")
    return _of_exact_digits(given, "(- {0})", "abs({0}) >= ")


def absolute(given: Given) -> str:
    """Writes ABS; the result has the plan's type, which is wider in Hive."""
    if is_integer(given.type) and given.mode.is_lax:
        value = "CAST({0} AS {t})" if given.arguments[0].type != given.type else "{0}"
        return given.fill(
            f"CASE WHEN {{0}} = {_LEAST[given.type]} THEN {value} ELSE abs({value}) END"
        )
    return _of_exact_digits(given, "CAST(abs({0}) AS {t})", "{0} <= -")


def _of_exact_digits(given: Given, form: str, beyond: str) -> str:
    """The form for exact digits.

    Spark rounds a negated number to 34 digits, and fails if it needs more.
    """
    type_ = given.arguments[0].type
    if not given.mode.is_spark or not isinstance(type_, DecimalType) or type_.precision <= 34:
        return given.fill(form)
    refused = fails("a number of more than 34 digits, which Spark rounds", "{t}")
    limit = f"CAST('1E{34 - type_.scale}' AS {type_text(type_)})"
    return given.fill(f"CASE WHEN {beyond}{limit} THEN {refused} ELSE {form} END")


def shift(given: Given) -> str:
    """Writes shifts; Java takes the distance modulo the number of bits."""
    bits = 64 if given.type == BIGINT else 32
    distance = given.constant(1)
    by = (
        str(int(distance) % bits)
        if distance is not None and distance.lstrip("-").isdigit()
        else f"CAST(bitwise_and({given.texts[1]}, {bits - 1}) AS integer)"
    )
    function = {
        "<<": "bitwise_left_shift",
        "shiftleft": "bitwise_left_shift",
        ">>": "bitwise_right_shift_arithmetic",
        "shiftright": "bitwise_right_shift_arithmetic",
    }.get(given.name, "bitwise_right_shift")
    value = given.texts[0]
    if given.arguments[0].type != given.type:
        value = f"CAST({value} AS {type_text(given.type)})"
    return f"{function}({value}, {by})"


def whole(given: Given) -> str:
    """Writes CEIL and FLOOR: doubles become integers as in Java."""
    if len(given.arguments) > 1:
        raise given.unsupported("rounding to a number of digits")
    function = "floor" if given.name == "floor" else "ceiling"
    source = given.arguments[0].type
    match letter(source):
        # Hive converts longs to doubles.
        case "i" if given.mode is not Mode.HIVE or source != BIGINT:
            return f"CAST({given.texts[0]} AS {type_text(given.type)})"
        case "x":
            return f"CAST({function}({given.texts[0]}) AS {type_text(given.type)})"
        case "i" | "d" | "f" if given.type == BIGINT:
            value = f"{function}(CAST({given.texts[0]} AS double))"
            # Beyond the greatest integer Spark fails in ANSI mode, like the cast.
            failing = "CASE WHEN is_nan(w) THEN 0 ELSE CAST(w AS bigint) END"
            made = saturated("w", BIGINT) if given.mode.is_lax else failing
            return f"element_at(transform(ARRAY[{value}], w -> {made}), 1)"
        case _:
            raise given.unsupported("its argument's type")


def rounded(given: Given) -> str:
    kind = letter(given.arguments[0].type)
    digits = given.constant(1) if len(given.arguments) > 1 else "0"
    if digits is None:
        raise given.unsupported("the number of digits must be a constant")
    if kind == "i" and len(given.arguments) == 1:
        return given.texts[0]
    if given.name == "bround":
        if digits != "0" or kind != "d":
            raise given.unsupported("half to even at a digit other than the last integer digit")
        return given.fill(HALF_EVEN)
    if kind not in "ixdf":
        raise given.unsupported("its argument's type")
    if kind == "d" and digits.isdigit() and digits != "0":
        # The double is rounded by its shortest decimal digits, like Java's BigDecimal.
        exact = "CAST(round(CAST(CAST({0} AS varchar) AS decimal(38,20)), {1}) AS double)"
        return given.fill(f"CASE WHEN abs({{0}}) < 1e15 THEN {exact} ELSE round({{0}}, {{1}}) END")
    if kind == "x" and isinstance(given.type, DecimalType):
        # Trino's own round overflows if the greatest numbers need one more digit.
        if _is_number(digits) and int(digits) >= given.type.scale:
            return given.fill("CAST({0} AS {t})" if _has_room(given) else "TRY_CAST({0} AS {t})")
        return given.fill("CAST(round(truncate({0}), {1}) AS {t})")
    text = f"round({', '.join(given.texts)})"
    return text if kind == "d" else f"CAST({text} AS {type_text(given.type)})"


def _has_room(given: Given) -> bool:
    """Whether the type can hold all integer digits; if not, Hive returns null."""
    whole = [
        t.precision - t.scale
        for t in (given.arguments[0].type, given.type)
        if isinstance(t, DecimalType)
    ]
    return whole == sorted(whole)


HALF_EVEN = (
    "CASE WHEN abs({0} - truncate({0})) = 5e-1 THEN 2e0 * round({0} / 2e0) ELSE round({0}) END"
)


def _is_number(text: str | None) -> bool:
    return text is not None and text.strip()[-1:].isdigit()


def _never_nan(expression: RowExpression) -> bool:
    match expression:
        case Literal():
            return True
        case Cast(operand=operand):
            return (
                letter(operand.type) in "ixoDn"
                or (letter(operand.type) in "fds" and _is_number(constant(operand)))
                or (letter(operand.type) in "fd" and _never_nan(operand))
            )
        case _:
            return letter(expression.type) not in "fd"


_COMPARED = {
    "=": "({0} = {1} OR (is_nan({0}) AND is_nan({1})))",
    "<>": "({0} <> {1} AND NOT (is_nan({0}) AND is_nan({1})))",
    "<": "({0} < {1} OR (is_nan({1}) AND NOT is_nan({0})))",
    "<=": "({0} <= {1} OR (is_nan({1}) AND {0} IS NOT NULL))",
    ">": "({0} > {1} OR (is_nan({0}) AND NOT is_nan({1})))",
    ">=": "({0} >= {1} OR (is_nan({0}) AND {1} IS NOT NULL))",
}
_ABOVE = frozenset({">", ">="})
_BELOW = frozenset({"<", "<="})


def compare(given: Given) -> str:
    """Writes comparisons: NaN equals NaN and is greater than anything else."""
    letters = classes_of(given.arguments)
    if set(letters) & set("arm"):
        return _of_shapes(given, given.name, letters)
    if "u" in letters and not set(letters) & set("fd"):
        raise given.unsupported("Trino does not compare these types")
    return given.fill(_comparison(given, given.name, 0, 1))


def _comparison(given: Given, name: str, one: int, other: int) -> str:
    """The template that compares two non-nested arguments of a call."""
    plain = f"({{{one}}} {name} {{{other}}})"
    compared = given.arguments[one], given.arguments[other]
    left, right = map(_never_nan, compared)
    if (left and right) or not set(classes_of(compared)) & set("fd"):
        return plain
    if right:
        return _above(given, plain, one, other) if name in _ABOVE else plain
    if left:
        return _above(given, plain, other, one) if name in _BELOW else plain
    return _COMPARED[name].replace("{1}", f"{{{other}}}").replace("{0}", f"{{{one}}}")


def _above(given: Given, plain: str, one: int, other: int) -> str:
    """The text for ``>`` where one argument may be NaN, which is greater than any other value."""
    is_nan = f"is_nan({{{one}}})"
    if given.constant(other) is None:
        is_nan = f"({is_nan} AND {{{other}}} IS NOT NULL)"
    return f"({plain[1:-1]} OR {is_nan})"


_EQUAL_SHAPES = (
    "CASE WHEN {0} IS NOT NULL AND {1} IS NOT NULL THEN {0} IS NOT DISTINCT FROM {1} END"
)


def _of_shapes(given: Given, name: str, letters: str) -> str:
    """The text that compares structs, in which Spark compares null fields as values."""
    if given.mode.is_spark and letters in {"aa", "rr"} and name not in {"=", "<>"}:
        one, other = (orderable(f"{{{i}}}", given.arguments[i].type) for i in (0, 1))
        return given.fill(f"({one} {name} {other})")
    if given.mode is Mode.HIVE or name not in {"=", "<>"} or "m" in letters:
        raise given.unsupported("nested values, which Trino compares as null if they contain nulls")
    distinct = "IS NOT DISTINCT FROM" if name == "=" else "IS DISTINCT FROM"
    return given.fill(
        f"CASE WHEN {{0}} IS NOT NULL AND {{1}} IS NOT NULL THEN {{0}} {distinct} {{1}} END"
    )


def between(given: Given) -> str:
    """Writes BETWEEN; Hive ignores the upper bound if the lower one is null."""
    if set(classes_of(given.arguments)) & set("armu"):
        raise given.unsupported("nested values")
    text = "({0} BETWEEN {1} AND {2})"
    if not all(map(_never_nan, given.arguments)):
        text = f"({_comparison(given, '>=', 0, 1)} AND {_comparison(given, '<=', 0, 2)})"
    if given.mode is Mode.HIVE and given.constant(1) is None:
        return given.fill(f"CASE WHEN {{1}} IS NOT NULL THEN {text} END")
    return given.fill(text)


def one_of(given: Given) -> str:
    letters = classes_of(given.arguments)
    if given.mode.is_spark and letters[0] == "r" and set(letters) <= {"r"}:
        each = (_EQUAL_SHAPES.replace("{1}", f"{{{place}}}") for place in range(1, len(letters)))
        return given.fill(f"({' OR '.join(each)})")
    if set(classes_of(given.arguments)) & set("armu"):
        raise given.unsupported("nested values, which Trino compares as null if they contain nulls")
    if not _never_nan(given.arguments[0]) and not all(map(_never_nan, given.arguments[1:])):
        raise given.unsupported("the list may contain NaN")
    return given.fill("({0} IN ({1*}))")


def truth(form: str) -> Writer:
    """Writes a test of a boolean; Hive tests numbers after narrowing them to int."""

    def written(given: Given) -> str:
        if given.mode is Mode.HIVE and given.unconverted(0).type in {FLOAT, DOUBLE, BIGINT}:
            raise given.unsupported("the number must be an int")
        return given.fill(form)

    return written


def extreme(given: Given) -> str:
    """Writes GREATEST and LEAST; NaN is the greatest.

    In Spark they ignore nulls; in Hive and Trino any null makes them null.
    """
    values = f"ARRAY[{', '.join(given.texts)}]"
    if given.mode is Mode.HIVE and letter(given.type) in "ifdx":
        sources = map(given.unconverted, range(len(given.arguments)))
        if set(classes_of(sources)) & set("sDT"):
            raise given.unsupported("a text or a time among numbers")
    floats = letter(given.type) in "fd" and not all(map(_never_nan, given.arguments))
    if not floats and given.mode is Mode.HIVE:
        return f"{given.name}({', '.join(given.texts)})"
    known = "filter(a, e -> e IS NOT NULL)"
    if not floats:
        function = "array_max" if given.name == "greatest" else "array_min"
        return f"{function}({known.replace('(a,', f'({values},')})"
    numbers = "filter(a, e -> NOT is_nan(e))"
    if given.name == "greatest":
        found = f"IF(cardinality({numbers}) < cardinality({known}), nan(), array_max({numbers}))"
    else:
        found = f"coalesce(array_min({numbers}), element_at({known}, 1))"
    if given.mode is Mode.HIVE:
        found = f"IF(cardinality({known}) = cardinality(a), {found})"
    return given.fill(f"CAST(element_at(transform(ARRAY[{values}], a -> {found}), 1) AS {{t}})")


def nullif(given: Given) -> str:
    if given.compared is not None:
        return _nullif_as(given, given.compared)
    letters = classes_of(given.arguments)
    if letters[0] != letters[1] and not set(letters) <= set("ixfdn"):
        raise given.unsupported(f"arguments {letters}")
    one, other = (argument.type for argument in given.arguments)
    if given.mode is Mode.HIVE and one != other and set(letters) <= set("ixfd"):
        return _nullif_as(given, one)
    if set(letters) & set("fd") and not any(map(_never_nan, given.arguments)):
        return given.fill(f"CASE WHEN {_COMPARED['=']} THEN NULL ELSE {{0}} END")
    return given.fill("CASE WHEN {0} = {1} THEN NULL ELSE {0} END")


def _nullif_as(given: Given, type_: ColumnType) -> str:
    """Writes NULLIF that compares both values as ``type_``."""
    values = [
        cast_template(argument.type, type_, given.mode).replace("{0}", f"{{{place}}}")
        if argument.type != type_
        else f"{{{place}}}"
        for place, argument in enumerate(given.arguments)
    ]
    may_be_nan = letter(type_) in "fd" and not any(map(_never_nan, given.arguments))
    equal = _COMPARED["="] if may_be_nan else "{0} = {1}"
    compared = re.sub(r"\{([01])\}", lambda place: values[int(place[1])], equal)
    return given.fill(f"CASE WHEN {compared} THEN NULL ELSE {{0}} END")
