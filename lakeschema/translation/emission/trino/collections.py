"""Writes functions of arrays, maps and structs whose form depends on more than argument classes."""

from __future__ import annotations

from lakeschema.catalog.column_types import (
    BINARY,
    STRING,
    ArrayType,
    ColumnType,
    MapType,
    StructType,
    Uniontype,
)
from lakeschema.translation.emission.rows import classes_of, letter
from lakeschema.translation.emission.trino.casts import Mode, cast_template
from lakeschema.translation.emission.trino.given import Given, constant
from lakeschema.translation.emission.trino.ordering import is_nested, orderable
from lakeschema.translation.emission.trino.text import quoted, type_text
from lakeschema.translation.functions.coercion import is_text
from lakeschema.translation.plan.expressions import Lambda, LambdaVariable, RowExpression

_NOT_NULL = "e -> e IS NOT NULL"
_ORDERABLE = frozenset("ifdxsboDT")


def array(given: Given) -> str:
    made = f"ARRAY[{', '.join(given.texts)}]"
    return (
        made
        if given.texts and set(classes_of(given.arguments)) != {"n"}
        else given.fill(f"CAST({made} AS {{t}})")
    )


def map_of(given: Given) -> str:
    """Writes MAP. With equal keys, Hive keeps the last value, and Spark and Trino fail."""
    keys, values = given.texts[::2], given.texts[1::2]
    if not keys:
        return given.fill("CAST(MAP() AS {t})")
    known = [constant(key) for key in given.arguments[::2]]
    distinct = None not in known and len(set(known)) == len(known)
    if given.mode is Mode.HIVE and len(keys) > 1 and not distinct:
        single = (f"MAP(ARRAY[{k}], ARRAY[{v}])" for k, v in zip(keys, values, strict=True))
        return given.fill(f"CAST(map_concat({', '.join(single)}) AS {{t}})")
    return f"MAP(ARRAY[{', '.join(keys)}], ARRAY[{', '.join(values)}])"


def struct(given: Given) -> str:
    texts = given.texts
    if isinstance(given.type, StructType) and len(texts) == 2 * len(given.type.fields):
        texts = texts[1::2]
    return given.fill(f"CAST(ROW({', '.join(texts)}) AS {{t}})")


def concatenated(given: Given) -> str:
    """Writes CONCAT; Hive makes a string of binary values."""
    letters = set(classes_of(given.arguments))
    if not (letters <= set("sn") or letters <= set("bn") or letters <= set("an")):
        raise given.unsupported("its arguments' types")
    made = f"concat({', '.join(given.texts)})" if len(given.texts) > 1 else given.texts[0]
    return f"from_utf8({made})" if "b" in letters and is_text(given.type) else made


def size(given: Given) -> str:
    counted = "cardinality({0})"
    if given.mode is Mode.HIVE or given.size_of_null:
        counted = "coalesce(cardinality({0}), -1)"
    return given.fill(f"CAST({counted} AS integer)")


def array_contains(given: Given) -> str:
    """Writes ARRAY_CONTAINS; with null elements, Hive returns false, and Spark and Trino return null."""
    if letter(given.arguments[1].type) in "arm":
        raise given.unsupported("nested values")
    found = "contains({0}, {1})"
    return given.fill(f"coalesce({found}, false)" if given.mode is Mode.HIVE else found)


def sort_array(given: Given) -> str:
    """Writes SORT_ARRAY; nulls come first, in descending order last."""
    type_ = given.arguments[0].type
    ascending = (given.constant(1) or "true").lower() if len(given.arguments) > 1 else "true"
    if len(given.arguments) > 1 and given.constant(1) is None:
        raise given.unsupported("the order must be a constant")
    element = letter(type_.element) if isinstance(type_, ArrayType) else "u"
    if element in "mu":
        raise given.unsupported("elements without an order")
    first, last = ("-1", "1") if ascending == "true" else ("1", "-1")
    one, other, nan = "x", "y", ""
    if given.mode is Mode.HIVE and element in "fd":
        raise given.unsupported("elements that may be NaN")
    if given.mode.is_spark and isinstance(type_, ArrayType) and is_nested(type_.element):
        one, other = (orderable(each, type_.element) for each in "xy")
    if element in "fd":
        nan = f" WHEN is_nan(x) AND is_nan(y) THEN 0 WHEN is_nan(x) THEN {last} WHEN is_nan(y) THEN {first}"
    return given.fill(
        "array_sort({0}, (x, y) -> CASE WHEN x IS NULL AND y IS NULL THEN 0"
        f" WHEN x IS NULL THEN {first} WHEN y IS NULL THEN {last}{nan}"
        f" WHEN {one} < {other} THEN {first} WHEN {one} > {other} THEN {last} ELSE 0 END)"
    )


def array_sort(given: Given) -> str:
    type_ = given.arguments[0].type
    if len(given.arguments) > 1:
        return f"array_sort({', '.join(given.texts)})"
    if not isinstance(type_, ArrayType) or letter(type_.element) in "mufd":
        raise given.unsupported("elements without Trino's order")
    return given.fill("array_sort({0})")


def array_extreme(given: Given) -> str:
    """Writes ARRAY_MIN and ARRAY_MAX, which ignore nulls."""
    type_ = given.arguments[0].type
    if not isinstance(type_, ArrayType) or letter(type_.element) not in _ORDERABLE - {"f", "d"}:
        raise given.unsupported("elements without Trino's order")
    return given.fill(f"{given.name}(filter({{0}}, {_NOT_NULL}))")


def element_at(given: Given) -> str:
    """Writes ELEMENT_AT, which counts from 1.

    In ANSI mode Spark fails on missing elements of arrays, but not of maps.
    """
    if (
        letter(given.arguments[0].type) == "m"
        or given.mode is Mode.LEGACY
        or given.name.startswith("try")
    ):
        return given.fill("element_at({0}, {1})")
    return given.fill(
        "CASE WHEN abs({1}) > cardinality({0}) THEN CAST(fail('no such element') AS {t})"
        " ELSE element_at({0}, {1}) END"
    )


def array_slice(given: Given) -> str:
    """Writes SLICE; in Hive it counts from zero, and returns an empty array beyond the end."""
    return given.fill(
        "CASE WHEN {1} + {2} > cardinality({0}) THEN slice({0}, 1, 0)"
        " ELSE slice({0}, {1} + 1, {2}) END"
    )


def array_join(given: Given) -> str:
    type_ = given.arguments[0].type
    if not isinstance(type_, ArrayType):
        raise given.unsupported("its argument's type")
    if letter(type_.element) in "dfxoDT" and given.mode.is_spark:
        text = cast_template(type_.element, STRING, given.mode).replace("{0}", "e")
        return _joined(given, f"transform({{0}}, e -> {text})")
    if letter(type_.element) not in "si":
        raise given.unsupported("elements that are not texts")
    if given.unconverted(1).type == BINARY:
        raise given.unsupported("bytes between the elements")
    return _joined(given, "{0}")


def _joined(given: Given, texts: str) -> str:
    if len(given.arguments) > 2 and given.constant(2) is None:
        raise given.unsupported("the replacement for null must be a constant")
    instead = ", {2}" if len(given.arguments) > 2 else ""
    joined = f"array_join({texts}, {{1}}{instead})"
    if given.mode is Mode.HIVE:
        # In Hive the result is null for an empty array.
        return given.fill(f"CASE WHEN cardinality({{0}}) > 0 THEN {joined} END")
    return given.fill(joined)


def value_of_key(given: Given) -> str:
    type_ = given.arguments[0].type
    if not isinstance(type_, MapType) or type_.key != given.arguments[1].type:
        raise given.unsupported("a key of another type")
    return given.fill("element_at({0}, {1})")


def map_concat(given: Given) -> str:
    """Writes MAP_CONCAT; if maps share a key, Trino takes the last value, where Spark fails."""
    if len(given.arguments) != 2:
        raise given.unsupported("it requires exactly two maps")
    return given.fill(
        "CASE WHEN arrays_overlap(map_keys({0}), map_keys({1}))"
        " THEN CAST(fail('a key is in both maps') AS {t}) ELSE map_concat({0}, {1}) END"
    )


def str_to_map(given: Given) -> str:
    """Writes STR_TO_MAP; an entry without a value has null.

    For a null text Hive returns an empty map.
    """
    delimiters = [
        given.text_constant(i, "a delimiter") if len(given.arguments) > i else default
        for i, default in ((1, ","), (2, ":"))
    ]
    if any(len(each) != 1 or each in "\\^$.|?*+()[]{}'" for each in delimiters):
        raise given.unsupported("the delimiters must not be patterns")
    entry, pair = delimiters
    value = f"CASE WHEN strpos(e, '{pair}') > 0 THEN substr(e, strpos(e, '{pair}') + 1) END"
    key = f"split_part(e, '{pair}', 1)"
    entries = f"transform(split({{0}}, '{entry}'), e -> ROW({key}, {value}))"
    made = f"map_from_entries({entries})"
    return given.fill(
        f"coalesce({made}, CAST(MAP() AS {{t}}))" if given.mode is Mode.HIVE else made
    )


def flatten(given: Given) -> str:
    """Writes FLATTEN, which is null if any inner array is null."""
    return given.fill("CASE WHEN none_match({0}, e -> e IS NULL) THEN flatten({0}) END")


def sequence(given: Given) -> str:
    if set(classes_of(given.arguments)) != {"i"}:
        raise given.unsupported("a sequence of values other than integers")
    if len(given.arguments) == 2:
        return given.fill(
            "CAST(sequence({0}, {1}, CASE WHEN {0} <= {1} THEN 1 ELSE -1 END) AS {t})"
        )
    return given.fill("CAST(sequence({*}) AS {t})")


def _lambda(given: Given, index: int, parameters: int) -> Lambda:
    found = given.arguments[index]
    if not isinstance(found, Lambda) or len(found.parameters) != parameters:
        raise given.unsupported("a lambda with the element's position")
    return found


_POSITIONS = (
    "transform(IF(cardinality({0}) = 0, CAST(ARRAY[] AS array(bigint)),"
    " sequence(0, cardinality({0}) - 1)), i -> CAST(i AS integer))"
)


def higher_order(given: Given) -> str:
    name = {"exists": "any_match", "forall": "all_match"}.get(given.name, given.name)
    function = given.arguments[1]
    if name == "transform" and isinstance(function, Lambda) and len(function.parameters) == 2:
        return given.fill(f"zip_with({{0}}, {_POSITIONS}, {{1}})")
    _lambda(given, 1, 1)
    return f"{name}({', '.join(given.texts)})"


def reduce(given: Given) -> str:
    _lambda(given, 2, 2)
    finish = given.texts[3] if len(given.texts) > 3 else "r -> r"
    state: RowExpression = given.arguments[1]
    start = (
        f"CAST({given.texts[1]} AS {{t1}})"
        if not isinstance(state, LambdaVariable)
        else given.texts[1]
    )
    return given.fill(f"reduce({{0}}, {start}, {{2}}, {finish})")


def extract_union(given: Given) -> str:
    """Writes EXTRACT_UNION: a struct of all branches, including nested branches.

    A null union has no value in any branch.
    """
    source = given.arguments[0].type
    return given.fill(_branches("{0}", source, given.type, given))


def _branches(text: str, source: ColumnType, target: ColumnType, given: Given) -> str:
    if source == target:
        return text
    if not isinstance(target, StructType) or not isinstance(source, (StructType, Uniontype)):
        raise given.unsupported("unions inside arrays or maps")
    if isinstance(source, Uniontype):
        parts = [(f"{text}.field{place}", branch) for place, branch in enumerate(source.branches)]
    else:
        parts = [(f"{text}.{quoted(field.name)}", field.type) for field in source.fields]
    values = ", ".join(
        _branches(part, type_, field.type, given)
        for (part, type_), field in zip(parts, target.fields, strict=True)
    )
    made = f"CAST(ROW({values}) AS {type_text(target)})"
    return (
        made if isinstance(source, Uniontype) else f"CASE WHEN {text} IS NOT NULL THEN {made} END"
    )
