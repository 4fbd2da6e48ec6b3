"""Writes text functions whose form depends on constant arguments."""

from __future__ import annotations

import json
import re

from lakeschema.catalog.column_types import BIGINT, STRING, DecimalType
from lakeschema.translation.emission.rows import classes_of, letter
from lakeschema.translation.emission.trino.casts import Mode, cast_template
from lakeschema.translation.emission.trino.given import Given
from lakeschema.translation.emission.trino.numbers import HALF_EVEN
from lakeschema.translation.emission.trino.text import fails, null_if, string, type_text
from lakeschema.translation.plan.expressions import Cast, Literal, RowExpression

_MAX_ROWS = 20
_MAX_LENGTH = 1_000_000_000
"""A length greater than any text's. With greater lengths, Trino's substr overflows from the end."""


def _number(given: Given, index: int) -> int | None:
    value = given.constant(index)
    return int(value) if value is not None and re.fullmatch(r"-?[0-9]+", value) else None


def substring(given: Given) -> str:
    """Writes SUBSTRING.

    A start before the beginning gives an empty text in Hive and Trino, the whole text in Spark.
    """
    start = _number(given, 1)
    numbers = [given.unconverted(place).type for place in range(1, len(given.arguments))]
    if given.mode is Mode.HIVE and BIGINT in numbers:
        raise given.unsupported("the position and the length must be int")
    binary = letter(given.arguments[0].type) == "b"
    if binary and (start is None or start < 1):
        raise given.unsupported("bytes from the end")
    length = _length(given)
    rest = "" if length is None else f", {length}"
    if start is not None and start >= 0:
        return given.fill(f"substr({{0}}, {max(start, 1)}{rest})")
    if given.mode is Mode.HIVE:
        if start is not None:
            return given.fill(f"substr({{0}}, {{1}}{rest})")
        some = "" if length is None else " AND {2} > 0"
        failing = (
            f"WHEN {{1}} = -2147483648 AND {{0}} IS NOT NULL{some}"
            " THEN CAST(fail('a position that Hive fails on') AS integer)"
        )
        at = f"CASE WHEN {{1}} = 0 THEN 1 {failing} ELSE {{1}} END"
        return given.fill(f"substr({{0}}, {at}{rest})")
    return _of_spark(given, start, length)


def _length(given: Given) -> str | None:
    if len(given.arguments) < 3:
        return None
    length = _number(given, 2)
    if length is None:
        return f"least(greatest({{2}}, 0), {_MAX_LENGTH})"
    return str(min(max(length, 0), _MAX_LENGTH))


def _of_spark(given: Given, start: int | None, length: str | None) -> str:
    """Writes Spark's SUBSTRING, which also counts missing characters before the beginning."""
    if length is None:
        whole = (
            f"length({{0}}) < {-start}"
            if start is not None
            else "{1} < 0 AND length({0}) + {1} < 0"
        )
        at = "{1}" if start is not None else "CASE WHEN {1} = 0 THEN 1 ELSE {1} END"
        return given.fill(f"CASE WHEN {whole} THEN {{0}} ELSE substr({{0}}, {at}) END")
    before = "length({0}) + {1}"
    at = "{1}" if start is not None else "CASE WHEN {1} = 0 THEN 1 ELSE {1} END"
    condition = f"{before} < 0" if start is not None else f"{{1}} < 0 AND {before} < 0"
    return given.fill(
        f"CASE WHEN {condition} THEN substr({{0}}, 1, greatest({before} + {length}, 0))"
        f" ELSE substr({{0}}, {at}, {length}) END"
    )


def instr(given: Given) -> str:
    """Writes INSTR; in Hive an empty text contains nothing, not even an empty text."""
    if len(given.arguments) > 2:
        raise given.unsupported("an occurrence other than the first")
    part = given.constant(1)
    if given.mode is Mode.HIVE and not part:
        found = "CASE WHEN {0} = '' AND {1} IS NOT NULL THEN 0 ELSE strpos({0}, {1}) END"
    else:
        found = "strpos({0}, {1})"
    return given.fill(f"CAST({found} AS integer)")


def locate(given: Given) -> str:
    if len(given.arguments) == 2:
        return given.fill("CAST(strpos({1}, {0}) AS integer)")
    start = _number(given, 2)
    if start is None or start < 1 or not given.constant(0):
        raise given.unsupported("the text to find and the position must be constants")
    if start == 1:
        return given.fill("CAST(strpos({1}, {0}) AS integer)")
    rest = f"strpos(substr({{1}}, {start}), {{0}})"
    return given.fill(
        f"CAST(CASE WHEN {rest} > 0 THEN {rest} + {start - 1} ELSE {rest} END AS integer)"
    )


def pad(given: Given) -> str:
    """Writes LPAD and RPAD; an empty padding gives null in Hive, and only truncation in Spark."""
    if set(classes_of(given.arguments)) - set("si"):
        raise given.unsupported("bytes")
    size = _number(given, 1)
    length = "greatest({1}, 0)" if size is None else str(max(size, 0))
    if size is None and given.mode is Mode.HIVE:
        length = "{1}"
    if len(given.arguments) == 2:
        return given.fill(f"{given.name}({{0}}, {length}, ' ')")
    filler = given.constant(2)
    empty = "CAST(NULL AS varchar)" if given.mode is Mode.HIVE else f"substr({{0}}, 1, {length})"
    if filler == "":
        return given.fill(empty)
    if filler is not None:
        return given.fill(f"{given.name}({{0}}, {length}, {{2}})")
    return given.fill(
        f"CASE WHEN {{2}} = '' THEN {empty} ELSE {given.name}({{0}}, {length}, {{2}}) END"
    )


def trimmed(given: Given) -> str:
    """Writes TRIM of blanks only; Trino's own functions trim all white space."""
    side = {"ltrim": "LEADING", "rtrim": "TRAILING"}.get(given.name, "BOTH")
    if len(given.arguments) == 1:
        return given.fill(f"trim({side} ' ' FROM {{0}})")
    # In Hive, and in BTRIM, the text comes first.
    first = given.mode is Mode.HIVE or given.name == "btrim"
    return given.fill(
        f"trim({side} {{1}} FROM {{0}})" if first else f"trim({side} {{0}} FROM {{1}})"
    )


BYTES = "TRY(from_hex(CASE WHEN length({0}) % 2 = 1 THEN '0' || {0} ELSE {0} END))"
"""The template of the bytes that hexadecimal digits mean."""


def hives_bytes(given: Given) -> str:
    """Writes UNHEX, which reads two letters as a number, possibly signed."""
    refused = fails("a sign among hexadecimal digits", "varbinary")
    return given.fill(f"IF(regexp_like({{0}}, '[-+]'), {refused}, {BYTES})")


def hives_distance(given: Given) -> str:
    """Writes LEVENSHTEIN, where a character beyond U+FFFF counts as two."""
    beyond = string("[\U00010000-\U0010ffff]")
    refused = fails("a distance of characters beyond U+FFFF", "integer")
    distance = "CAST(levenshtein_distance({0}, {1}) AS integer)"
    return given.fill(f"IF(regexp_like({{0}} || {{1}}, {beyond}), {refused}, {distance})")


def substring_index(given: Given) -> str:
    count = _number(given, 2)
    if count is None or not given.constant(1):
        raise given.unsupported("the delimiter and the count must be constants")
    if count == 0:
        return given.fill("CASE WHEN {0} IS NOT NULL THEN '' END")
    parts = "split({0}, {1})"
    if count > 0:
        return given.fill(f"array_join(slice({parts}, 1, {count}), {{1}})")
    return given.fill(f"array_join(reverse(slice(reverse({parts}), 1, {-count})), {{1}})")


def concat_ws(given: Given) -> str:
    """Writes CONCAT_WS; nulls are omitted, but Hive writes an array's nulls as a word."""
    letters = classes_of(given.arguments)
    if set(letters) <= set("sn") and len(letters) > 1:
        return f"concat_ws({', '.join(given.texts)})"
    if len(letters) == 1:
        return given.fill("CASE WHEN {0} IS NOT NULL THEN '' END")
    arrays = []
    for index, kind in enumerate(letters[1:], 1):
        if kind == "a":
            value = f"coalesce({{{index}}}, ARRAY[])"
            hive = given.mode is Mode.HIVE
            arrays.append(f"transform({value}, e -> coalesce(e, 'null'))" if hive else value)
        else:
            shown = cast_template(given.arguments[index].type, STRING, given.mode)
            arrays.append(f"ARRAY[CAST({shown.replace('{0}', f'{{{index}}}')} AS varchar)]")
    joined = arrays[0] if len(arrays) == 1 else f"concat({', '.join(arrays)})"
    return given.fill(f"array_join({joined}, {{0}})")


def format_number(given: Given) -> str:
    """Writes FORMAT_NUMBER: a tie goes to the even digit, where Trino rounds up."""
    digits = _number(given, 1)
    if digits is None or digits < 0:
        raise given.unsupported("the format must be a number of digits")
    kind, type_ = letter(given.arguments[0].type), given.arguments[0].type
    if kind in "fd":
        return given.fill(_shown_double(kind, digits))
    value = "{0}"
    if kind == "i":
        value = "CAST({0} AS decimal(38,0))"
    elif isinstance(type_, DecimalType) and type_.scale > digits:
        value = _tie_to_even(value, digits, type_text(type_))
    return given.fill(f"CASE WHEN {{0}} IS NOT NULL THEN format('%,.{digits}f', {value}) END")


def _shown_double(kind: str, digits: int) -> str:
    """The text of a double. The shortest text would not show on which side of a tie the double is."""
    value = "CAST({0} AS double)" if kind == "f" else "{0}"
    form = f"format('%,.{digits}f', {{}})"
    cases = [
        f"{value} IS NULL THEN NULL",
        f"is_nan({value}) THEN {form.format(value)}",
        f"abs({value}) >= {2**53}e0 THEN {fails(_UNSHOWN, 'varchar')}",
    ]
    # A number that rounds to zero keeps its sign.
    even = HALF_EVEN.replace("{0}", value)
    plain = f"IF(abs({value}) <= 5e-1, {value} * 8e-1, {even})"
    if digits:
        plain, exact = value, f"CAST({value} AS {_EXACT})"
        tie = f"regexp_like(CAST({exact} AS varchar), '{_tie(digits, '[0-9]')}')"
        shown = form.format(_tie_to_even(exact, digits, _EXACT))
        cases.append(f"{tie} AND {value} * {2 ** (digits + 1)}e0 % 1e0 = 0e0 THEN {shown}")
        cases.append(f"{tie} THEN {fails(_NEAR_TIE, 'varchar')}")
    return f"CASE {' '.join(f'WHEN {case}' for case in cases)} ELSE {form.format(plain)} END"


_EXACT = "decimal(38,20)"
_UNSHOWN = "a number of more digits than a double has, or infinity, as text"
_NEAR_TIE = "a double next to a tie, as text"


def _tie_to_even(value: str, digits: int, type_: str) -> str:
    """A decimal that rounds half up to the same number to which ``value`` rounds half to even."""
    tie = f"'{_tie(digits, '[02468]')}'"
    return f"CAST(regexp_replace(CAST({value} AS varchar), {tie}, m -> m[1] || '4' || m[2]) AS {type_})"


def _tie(digits: int, last: str) -> str:
    """The pattern of numbers halfway between two numbers with ``digits`` fractional digits.

    The last of these digits matches ``last``.
    """
    kept = r"\." + r"\d" * (digits - 1) + last if digits else last + r"\."
    return rf"^(-?\d*{kept})5(0*)$"


def printf(given: Given) -> str:
    """Writes PRINTF of %s and %d, which Java's formatter and Trino's write in the same way."""
    pattern = given.text_constant(0, "a format")
    places = re.findall(r"%(?:%|[-0-9]*([a-zA-Z]))", pattern)
    if len(re.findall("%", pattern.replace("%%", ""))) != len([p for p in places if p]):
        raise given.unsupported(f"format {pattern!r:.40}")
    kinds = classes_of(given.arguments[1:])
    for place, kind in zip([p for p in places if p], kinds, strict=False):
        if (place, kind) not in {("s", "s"), ("s", "i"), ("d", "i")}:
            raise given.unsupported(f"%{place} of a value of this type")
    # Trino's FORMAT requires at least one value.
    if not kinds:
        return string(pattern.replace("%%", "%"))
    return given.fill("format({*})")


def hexadecimal(given: Given) -> str:
    """Writes HEX of a number's integer part (in Spark), and of other values' text."""
    type_ = given.arguments[0].type
    match letter(type_):
        case "s":
            return given.fill("to_hex(to_utf8({0}))")
        case "n":
            return f"CAST(NULL AS {type_text(given.type)})"
        case "x" | "d" | "f" if given.mode.is_spark:
            whole = cast_template(type_, BIGINT, given.mode)
            digits = "regexp_replace(to_hex(to_big_endian_64(w)), '^0+', '')"
            made = f"w -> CASE WHEN w = 0 THEN '0' ELSE {digits} END"
            return given.fill(f"element_at(transform(ARRAY[{whole}], {made}), 1)")
        case "o" | "D" | "T" if given.mode.is_spark:
            return given.fill(f"to_hex(to_utf8({cast_template(type_, STRING, given.mode)}))")
        case "b":
            return given.fill("to_hex({0})")
        case "i":
            digits = "regexp_replace(to_hex(to_big_endian_64(CAST({0} AS bigint))), '^0+', '')"
            return given.fill(f"CASE WHEN {{0}} = 0 THEN '0' ELSE {digits} END")
        case _:
            raise given.unsupported("its argument's type")


def conv(given: Given) -> str:
    """Writes CONV of digits only; other texts that Java reads fail at run time."""
    one, other = _number(given, 1), _number(given, 2)
    if one is None or other is None or not (2 <= one <= 36 and 2 <= other <= 36):
        raise given.unsupported("the bases must be positive constants")
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"[:one]
    value = "CAST({0} AS varchar)"
    if given.mode.is_spark:
        value = f"trim({value})"
    prefix = f"regexp_extract(lower({value}), '^[{digits}]+')"
    made = f"upper(to_base(from_base({prefix}, {one}), {other}))"
    if given.mode.is_spark:
        # As many digits as there are; without any it is zero, and null for an empty text.
        return given.fill(
            f"CASE WHEN {value} LIKE '-%' THEN {fails('conv of a negative number', 'varchar')}"
            f" WHEN {value} <> '' THEN coalesce({made}, '0') END"
        )
    return given.fill(
        f"CASE WHEN {prefix} = lower({value}) THEN {made} WHEN {{0}} IS NOT NULL"
        f" THEN {fails('conv of a text that is not a number', 'varchar')} END"
    )


def binary_digits(given: Given) -> str:
    return given.fill(
        "CASE WHEN {0} >= 0 THEN to_base({0}, 2) ELSE"
        " '1' || lpad(to_base(({0} + 9223372036854775807) + 1, 2), 63, '0') END"
    )


def encode(given: Given) -> str:
    charset = given.text_constant(1, "a charset")
    if charset.upper().replace("_", "-") not in {"UTF-8", "UTF8"} or len(given.arguments) != 2:
        raise given.unsupported(f"charset {charset!r:.20}")
    if given.name == "encode":
        return given.fill("to_utf8({0})")
    return given.fill(
        "CASE WHEN to_utf8(from_utf8({0})) <> {0} THEN CAST(fail('bytes that are not UTF-8') AS varchar)"
        " ELSE from_utf8({0}) END"
    )


def decode(given: Given) -> str:
    """Writes DECODE: pairs of a value to compare with, even null, and its result; then a default."""
    letters = classes_of(given.arguments)
    if len(letters) < 3:
        raise given.unsupported("no value to compare with")
    compared = {letters[0], *letters[1 : len(letters) - 1 : 2]} - {"n"}
    if compared & set("armufd") or not (len(compared) == 1 or compared <= set("ix")):
        raise given.unsupported("unsupported types of values")
    pairs = range(1, len(letters) - 1, 2)
    whens = " ".join(f"WHEN {{0}} IS NOT DISTINCT FROM {{{i}}} THEN {{{i + 1}}}" for i in pairs)
    last = f" ELSE {{{len(letters) - 1}}}" if len(letters) % 2 == 0 else ""
    if len(letters) > 9:
        raise given.unsupported("more than four pairs")
    return given.fill(f"CASE {whens}{last} END")


_MASKS = (("X", r"\p{Lu}"), ("x", r"\p{Ll}"), ("n", r"[0-9]"), (None, r"[\s\S]"))


def mask(given: Given) -> str:
    """Writes MASK: one pass replaces each character by its kind, so that no character is masked twice."""
    chosen: list[str | None] = []
    for place, (default, _) in enumerate(_MASKS, 1):
        if place >= len(given.arguments):
            chosen.append(default)
            continue
        value = given.constant(place)
        is_null = isinstance(_without_casts(given.arguments[place]), Literal) and value is None
        if not is_null and (value is None or len(value) != 1):
            raise given.unsupported("the mask characters must be constants")
        chosen.append(value)
    pattern = "|".join(f"({kind})" for _, kind in _MASKS)
    cases = " ".join(
        f"WHEN m[{place}] IS NOT NULL THEN {string(value) if value is not None else f'm[{place}]'}"
        for place, value in enumerate(chosen, 1)
    )
    return f"regexp_replace({given.texts[0]}, '{pattern}', m -> CASE {cases} END)"


def _without_casts(value: RowExpression) -> RowExpression:
    return _without_casts(value.operand) if isinstance(value, Cast) else value


_DIGESTS = {0: "sha256", 256: "sha256", 512: "sha512"}


def sha2(given: Given) -> str:
    length = _number(given, 1)
    found = None if length is None else _DIGESTS.get(length)
    if found is None:
        raise given.unsupported("a digest of this length")
    bytes_ = "{0}" if letter(given.arguments[0].type) == "b" else "to_utf8({0})"
    return given.fill(f"lower(to_hex({found}({bytes_})))")


_PARTS = {
    "HOST": null_if("url_extract_host({0})", "''"),
    "PATH": "url_extract_path({0})",
    "QUERY": null_if("url_extract_query({0})", "''"),
    "REF": null_if("url_extract_fragment({0})", "''"),
    "PROTOCOL": null_if("url_extract_protocol({0})", "''"),
}


def parse_url(given: Given) -> str:
    """Writes PARSE_URL.

    Trino decodes the result, so texts with encoded characters fail at run time.
    """
    part = given.text_constant(1, "a part")
    form = _PARTS.get(part)
    if len(given.arguments) > 2:
        if part != "QUERY":
            raise given.unsupported("a key of a part other than QUERY")
        key = given.text_constant(2, "a key")
        if not re.fullmatch(r"[\w-]+", key):
            raise given.unsupported("the key must not be a pattern")
        # Trino returns an empty text for a key without "=".
        form = f"IF(regexp_like({{0}}, '[?&]{key}='), url_extract_parameter({{0}}, {{2}}))"
    if form is None:
        raise given.unsupported(f"part {part!r:.20}")
    refused = f"WHEN regexp_like({{0}}, '[%+]') THEN {fails('an encoded URL', 'varchar')}"
    if not given.mode.is_lax:
        # For invalid URLs Trino's functions return null, and for a missing part an empty text.
        read = "{0} IS NULL OR url_extract_fragment({0}) IS NOT NULL"
        refused = f"WHEN NOT ({read}) THEN CAST(fail('an invalid URL') AS varchar) {refused}"
    if given.mode is not Mode.HIVE:
        if part in {"PROTOCOL", "REF"}:
            return given.fill(f"CASE {refused} ELSE {form} END")
        opaque = f"WHEN regexp_like({{0}}, '{_NO_HIERARCHY}') THEN NULL"
        return given.fill(f"CASE {refused} {opaque} ELSE {form} END")
    # Hive returns null for texts whose protocol Java does not know.
    form = f"lower({form})" if part == "PROTOCOL" else form
    known = f"WHEN regexp_like({{0}}, '{_PROTOCOL}') THEN {form}"
    opaque = f"WHEN regexp_like({{0}}, '{_OPAQUE}') THEN {fails('a URL without a host', 'varchar')}"
    return given.fill(f"CASE {refused} {opaque} {known} END")


_NO_HIERARCHY = "^[A-Za-z][A-Za-z0-9+.-]*:[^/]"
"""Matches URIs without a hierarchy after the scheme, such as ``mailto:``; they have no parts."""
_PROTOCOL, _OPAQUE = "(?i)^(?:https?|ftp|file):", "(?i)^(?:jar|mailto):"


def soundex(given: Given) -> str:
    text = given.constant(0)
    if text is None or not re.fullmatch("[A-Za-z]+", text):
        raise given.unsupported("Trino refuses texts with characters other than A to Z")
    return given.fill("soundex({0})")


def elt(given: Given) -> str:
    """Writes ELT; Trino counts negative numbers from the end."""
    values = "element_at(ARRAY[{1*}], {0})"
    if given.mode.is_lax:
        return given.fill(f"CASE WHEN {{0}} > 0 THEN {values} END")
    return given.fill(
        f"CASE WHEN {{0}} BETWEEN 1 AND {len(given.arguments) - 1} THEN {values}"
        " WHEN {0} IS NOT NULL THEN CAST(fail('no argument of this number') AS varchar) END"
    )


def overlay(given: Given) -> str:
    """Writes OVERLAY; the replaced part begins at position 1 or later.

    A negative length means the length of the new text.
    """
    length = "length({1})"
    if len(given.arguments) > 3:
        length = "IF({3} < 0, length({1}), {3})"
    after = f"(CAST({{2}} AS bigint) + {length})"
    refused = fails("OVERLAY of what ends before the text's first letter", "varchar")
    return given.fill(
        f"(substr({{0}}, 1, greatest({{2}}, 1) - 1) || {{1}} || CASE WHEN {after} > 0"
        f" THEN substr({{0}}, {after}) WHEN {after} IS NOT NULL THEN {refused} END)"
    )


def split_part(given: Given) -> str:
    """Writes SPLIT_PART. A missing part is empty, not null; negative numbers count from the end."""
    place = _number(given, 2)
    if not place or not given.constant(1):
        raise given.unsupported("the delimiter and the place must be constants")
    part = "split_part({0}, {1}, {2})" if place > 0 else "element_at(split({0}, {1}), {2})"
    return given.fill(f"coalesce({part}, CASE WHEN {{0}} IS NOT NULL THEN '' END)")


_STEP = re.compile(r"\.(\w+)|\[([0-9]+)\]|\['([^'\]]*)'\]|\[(\*)\]")


def get_json_object(given: Given) -> str:
    """Writes GET_JSON_OBJECT: a scalar's text, otherwise JSON.

    Numbers with a fraction are written as in Java.
    """
    path = given.text_constant(1, "a path")
    place, steps = 1, []
    while path.startswith("$") and place < len(path):
        found = _STEP.match(path, place)
        if found is None:
            raise given.unsupported(f"path {path!r:.40}")
        place = found.end()
        steps.append(found)
    if not path.startswith("$") or any(s[3] is not None for s in steps if given.mode is Mode.HIVE):
        raise given.unsupported(f"path {path!r:.40}")
    if any(step[4] for step in steps):
        return _all_of_json(given, steps)
    written = "$" + "".join(
        f"[{step[2]}]"
        if step[2]
        else f"[{json.dumps(step[1] or step[3])}]"
        if not re.fullmatch(r"[a-zA-Z_]\w*", step[1] or "")
        else f".{step[1]}"
        for step in steps
    )
    if not steps:
        return given.fill(
            _checked(
                "CASE WHEN TRY(json_parse({0})) IS NOT NULL THEN json_format(json_parse({0})) END"
            )
        )
    at = string(written)
    found_text = f"json_format(json_extract({{0}}, {at}))"
    scalar = f"json_extract_scalar({{0}}, {at})"
    whole = null_if(_checked(found_text), "'null'")
    return given.fill(
        f"CASE WHEN regexp_like({found_text}, '^-?\\d+\\.|^-?\\d+[eE]') THEN"
        f" json_format(CAST(CAST({scalar} AS double) AS json))"
        f" ELSE coalesce({scalar}, {whole}) END"
    )


def _checked(text: str) -> str:
    """The text of JSON; it fails at run time if Java would write a number differently."""
    return (
        f"element_at(transform(ARRAY[{text}], j -> CASE WHEN regexp_like(j,"
        " '[:,\\[]-?\\d+(\\.\\d*0[,\\]}]|(\\.\\d+)?[eE])')"
        f" THEN {fails('JSON with numbers that are written otherwise', 'varchar')} ELSE j END), 1)"
    )


def _all_of_json(given: Given, steps: list[re.Match[str]]) -> str:
    if given.mode is not Mode.HIVE or any(step[3] for step in steps):
        raise given.unsupported("a wildcard in a path")
    path = "lax $" + "".join(step[0] for step in steps)
    return given.fill(f"json_query({{0}}, {string(path)} WITH CONDITIONAL ARRAY WRAPPER)")
