"""The table of Hive's functions for Pig: names, classes of arguments, and a form.

A form is a template with ``{0}``, ``{1}`` … for the arguments and ``{*}`` for all. ``@name`` calls
Hive's own function. An empty form means Hive's function of the same name. The first row that fits a
call is used. A call that fits no row is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from lakeschema.catalog.column_types import ColumnType
from lakeschema.translation.emission.pig.arguments import fit

HIVES: Final = ""
# In an empty text, no text is found, not even an empty text. Hive 3's own function counts
# differently.
_POSITION: Final = (
    "({0} is null OR {1} is null ? (int)null : ({0} == '' ? 0 : INDEXOF({0}, {1}, 0) + 1))"
)
_DAY: Final = "ToDate(ToString({0}, 'yyyy-MM-dd'), 'yyyy-MM-dd')"


@dataclass(frozen=True, slots=True)
class Form:
    """A row of the table. ``names`` and ``arguments`` are separated by spaces.

    ``reason`` says why there is no form.
    """

    names: str
    arguments: str
    template: str = HIVES
    reason: str = ""


# fmt: off
_FORMS: Final = (
    # text
    Form("upper", "text", "UPPER({0})"),
    Form("lower", "text", "LOWER({0})"),
    Form("trim", "text", "@trim({0})"),
    Form("ltrim rtrim", "text"),
    Form("length char_length", "text", "@length({0})"),
    # Pig does not know the type of CONCAT's result while it reads a script.
    Form("concat ||", "text text...", "(chararray)CONCAT({*})"),
    Form("concat", "text", "{0}"),
    Form("concat_ws", "text text..."),
    Form("substr substring mid", "text int int?", "@substr({*})"),
    Form("replace", "text text text"),
    Form("translate", "text text text"),
    Form("regexp_replace", "text text text"),
    Form("regexp_extract", "text text int?"),
    Form("split", "text text"),
    Form("lpad rpad", "text int text"),
    Form("repeat", "text int"),
    Form("space", "int"),
    Form("reverse", "text"),
    Form("initcap", "text"),
    Form("length octet_length", "binary", "(int)SIZE({0})"),
    Form("instr", "text text", _POSITION),
    Form("locate", "text text int?"),
    Form("elt", "int text..."),
    Form("find_in_set", "text text"),
    Form("ascii", "text"),
    Form("soundex", "text"),
    Form("levenshtein", "text text"),
    Form("substring_index", "text text int"),
    Form("get_json_object", "text text"),
    Form("parse_url", "text text text?"),
    Form("md5 crc32", "text"),
    Form("sha1", "text", "@sha1({0})"),
    Form("sha2", "text int", "@sha2!({*})"),
    Form("hex", "text"),
    Form("hex", "whole"),
    Form("bin", "bigint"),
    Form("conv", "whole int int", "@conv((chararray){0}, {1}, {2})"),
    Form("unbase64 unhex", "text"),
    Form("base64", "binary"),
    Form("str_to_map", "text text? text?"),
    Form("format_number", "number int"),

    # numbers
    Form("abs", "whole"),
    Form("abs", "double", "ABS({0})"),
    Form("abs", "float", "ABS((double){0})"),
    Form("abs", "decimal", "ABS({0})"),
    Form("round", "double int?"),
    Form("round bround", "whole int?" ),
    Form("bround", "double int?"),
    Form("ceil", "double", "@ceil({0})"),
    Form("floor", "double"),
    # Hive converts longs to doubles here.
    Form("ceil", "bigint", "@ceil({0})"),
    Form("floor", "bigint"),
    Form("ceil floor", "int", "(long){0}"),
    Form("sqrt", "double"),
    Form("exp ln log10 log2 cbrt degrees radians", "double"),
    Form("sin cos tan asin acos atan", "double"),
    Form("log", "double double?"),
    Form("power", "double double", "@power({*})"),
    Form("pi e", ""),
    Form("factorial", "int"),
    Form("sign", "double"),
    Form("greatest least", "text text..."),
    Form("greatest least", "int int..."),
    Form("greatest least", "bigint bigint..."),
    Form("greatest least", "double double..."),
    Form("shiftleft shiftright shiftrightunsigned", "whole int"),

    # days
    Form("year", "time", "GetYear({0})"),
    Form("month", "time", "GetMonth({0})"),
    Form("day", "time", "GetDay({0})"),
    Form("hour", "timestamp", "GetHour({0})"),
    Form("minute", "timestamp", "GetMinute({0})"),
    Form("second", "timestamp", "GetSecond({0})"),
    Form("unix_timestamp to_unix_timestamp", "time", "(long)FLOOR((double)ToMilliSeconds({0}) / 1000.0)"),
    Form("to_date", "timestamp", _DAY),
    Form("to_date", "date", "{0}"),

    Form("date_add", "date int", "AddDuration({0}, CONCAT('P', (chararray){1}, 'D'))"),
    Form("date_sub", "date int", "AddDuration({0}, CONCAT('P', (chararray)(-{1}), 'D'))"),
    Form("date_add", "timestamp int", f"AddDuration({_DAY}, CONCAT('P', (chararray){{1}}, 'D'))"),
    Form("date_sub", "timestamp int", f"AddDuration({_DAY}, CONCAT('P', (chararray)(-{{1}}), 'D'))"),
    Form("datediff", "date date", "(int)DaysBetween({0}, {1})"),
    Form("datediff", "timestamp timestamp", f"(int)DaysBetween({_DAY}, {_DAY.replace('{0}', '{1}')})"),
    Form("datediff", "date timestamp", f"(int)DaysBetween({{0}}, {_DAY.replace('{0}', '{1}')})"),
    Form("datediff", "timestamp date", f"(int)DaysBetween({_DAY}, {{1}})"),
    Form("quarter weekofyear dayofweek", "time"),
    Form("last_day", "time"),
    Form("trunc", "time text"),
    Form("next_day", "time text"),
    Form("add_months", "date int"),
    Form("months_between", "time time"),
    Form("date_format", "time text", "ToString({0}, {1})"),
    Form("from_unixtime", "bigint text?"),

    # conditions
    Form("rlike regexp", "text text", "@rlike({*})"),
    Form("like", "text text", "@like({*})"),

    # nested
    Form("size", "array", "({0} is null ? -1 : (int)SIZE({0}))"),
    Form("size", "map", "({0} is null ? -1 : (int)SIZE({0}))"),
    Form("sort_array", "list"),
    Form("array_contains", "list plain", "({0} is null ? false : @array_contains({*}))"),
    Form("concat_ws", "text texts"),
)
# fmt: on

BY_NAME: Final[Mapping[str, Sequence[Form]]] = MappingProxyType(
    {
        name: tuple(form for form in _FORMS if name in form.names.split())
        for form_names in _FORMS
        for name in form_names.names.split()
    }
)


def form_of(name: str, types: Sequence[ColumnType]) -> Form | None:
    """The first row that fits a call; None if none fits."""
    return next((form for form in BY_NAME.get(name, ()) if fit(types, form.arguments)), None)
