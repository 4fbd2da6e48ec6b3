"""Forms that Hive's and Spark's calls share; an engine's own table takes precedence."""

from __future__ import annotations

from typing import Final

from lakeschema.translation.emission.rows import Row, Unsupported, table
from lakeschema.translation.emission.trino import (
    aggregates,
    collections,
    dates,
    letters,
    numbers,
    patterns,
    strings,
)

_SKETCH: Final = Unsupported("Trino's sketches and approximations give other values")
_FILES: Final = Unsupported("Trino names files and their pieces differently")
_XML: Final = Unsupported("Trino has no functions of XML")
_JAVA: Final = Unsupported("Trino runs no Java methods")
_HASH: Final = Unsupported("Trino's hashes are other numbers")
_CIPHER: Final = Unsupported("Trino has no ciphers")
_SESSION: Final = Unsupported("it depends on the reader's session")
_FACTORIALS: Final = ", ".join(
    f"BIGINT '{n}'"
    for n in (
        *(1, 1, 2, 6, 24, 120, 720, 5040, 40320, 362880, 3628800, 39916800, 479001600, 6227020800),
        *(87178291200, 1307674368000, 20922789888000, 355687428096000, 6402373705728000),
        *(121645100408832000, 2432902008176640000),
    )
)
_MASKED: Final = r"regexp_replace(regexp_replace(regexp_replace({0}, '\p{Ll}', 'x'), '\p{Lu}', 'X'), '[0-9]', 'n')"
_NOW: Final = "CAST(current_timestamp AT TIME ZONE 'UTC' AS {t})"

# fmt: off
SHARED: Final = table((
    # logic and comparison
    Row("not", "[on]", "(NOT {0})"),
    Row("[is null]", None, "({0} IS NULL)"),
    Row("isnotnull", None, "({0} IS NOT NULL)"),
    Row("[is true] istrue", "[on]", numbers.truth("coalesce({0}, false)")),
    Row("[is false] isfalse", "[on]", numbers.truth("coalesce(NOT {0}, false)")),
    Row("isnottrue", "[on]", numbers.truth("coalesce(NOT {0}, true)")),
    Row("isnotfalse", "[on]", numbers.truth("coalesce({0}, true)")),
    Row("= <> < <= > >=", "..", numbers.compare),
    Row("<=>", "[^mul]{2}", "({0} IS NOT DISTINCT FROM {1})"),
    Row("[is distinct from]", "[^mul]{2}", "({0} IS DISTINCT FROM {1})"),
    Row("[is nan]", "[fd]", "is_nan({0})"),
    Row("between", "...", numbers.between),
    Row("in", "..+", numbers.one_of),
    Row("like ilike", "ss.?", patterns.like),
    Row("[like any] [like all] [ilike any] [ilike all] [not like any] [not like all] [not ilike any] [not ilike all]", "s+", patterns.like_several),
    Row("likeany likeall", "s+", patterns.like_several),
    Row("rlike regexp regexp_like", "ss", patterns.rlike),

    # arithmetic
    Row("+ - *", "..", numbers.plus),
    Row("/", "..", numbers.divide),
    Row("% mod", "..", numbers.remainder),
    Row("div", "..", numbers.integer_divide),
    Row("pmod", "..", numbers.positive_remainder),
    Row("negative", "[ifdx]", numbers.negative),
    Row("positive", "[ifdx]", "{0}"),
    Row("abs", "[ifdx]", numbers.absolute),
    Row("&", "ii", "bitwise_and({0}, {1})", cast=True),
    Row("|", "ii", "bitwise_or({0}, {1})", cast=True),
    Row("^", "ii", "bitwise_xor({0}, {1})", cast=True),
    Row("~", "i", "bitwise_not({0})", cast=True),
    Row("<< shiftleft >> shiftright >>> shiftrightunsigned", "ii", numbers.shift),
    Row("ceil floor", "[ifdx]i?", numbers.whole),
    Row("round bround", "[ifdx]i?", numbers.rounded),
    Row("ln log10 log2", "d", "CASE WHEN NOT ({0} <= 0e0) THEN {f}({0}) END"),
    Row("exp cbrt degrees radians sin cos tan atan sinh cosh tanh", "d", "{f}({0})"),
    Row("power", "dd", "power({0}, {1})"),
    # Spark returns the same angle for -0.0 and 0.0.
    Row("atan2", "dd", "atan2({0} + 0e0, {1} + 0e0)"),
    Row("pi e", "", "{f}()"),
    Row("[is in sample]", "d", "(random() < {0})"),
    Row("[is in sampled pieces]", None, Unsupported("Trino has no pieces of files or buckets")),
    Row("[nothing of]", None, "CAST(NULL AS {t})"),
    Row("rand", "", "random()"),
    Row("rand", "i", Unsupported("Trino's random numbers have no seed")),
    Row("factorial", "i", f"CASE WHEN {{0}} BETWEEN 0 AND 20 THEN element_at(ARRAY[{_FACTORIALS}], {{0}} + 1) END"),
    Row("greatest least", "([ifdxn]+|[sn]+|[Dn]+|[Tn]+|[on]+)", numbers.extreme),
    Row("sign", "[ifd]", "sign({0})", cast=True),
    Row("bit_count", "i", "bit_count({0}, 64)", cast=True),

    # null and choice
    Row("coalesce nvl", ".", "{0}"),
    Row("coalesce nvl", "..+", "coalesce({*})"),
    Row("nvl2", "...", "CASE WHEN {0} IS NOT NULL THEN {1} ELSE {2} END"),
    Row("if", "[on]..", "IF({0}, {1}, {2})"),
    Row("nullif", "..", numbers.nullif),

    # text
    Row("concat ||", ".+", collections.concatenated),
    Row("concat_ws", "s.*", strings.concat_ws),
    Row("upper", "s", letters.capitals),
    Row("lower", "s", letters.small_letters),
    Row("trim ltrim rtrim btrim", "ss?", strings.trimmed),
    Row("lpad rpad", "[sb]i[sb]?", strings.pad),
    Row("substr substring mid", "[sb]ii?", strings.substring),
    Row("left", "si", "substr({0}, 1, greatest({1}, 0))"),
    Row("right", "si", "CASE WHEN {1} <= 0 AND {0} IS NOT NULL THEN '' WHEN length({0}) <= {1} THEN {0} ELSE substr({0}, - {1}) END"),
    Row("substring_index", "ssi", strings.substring_index),
    Row("length char_length", "[sb]", "length({0})", cast=True),
    Row("octet_length", "s", "length(to_utf8({0}))", cast=True),
    Row("bit_length", "s", "length(to_utf8({0})) * 8", cast=True),
    Row("chr", "i", "CASE WHEN {0} < 0 THEN '' ELSE chr({0} % 256) END"),
    Row("instr", "ssi?i?", strings.instr),
    Row("locate", "ssi?", strings.locate),
    Row("elt", "is+", strings.elt),
    Row("find_in_set", "ss", "array_position(split({1}, ','), {0})", cast=True),
    Row("levenshtein", "ss", "levenshtein_distance({0}, {1})", cast=True),
    Row("repeat", "si", "CASE WHEN {0} IS NOT NULL THEN array_join(repeat({0}, greatest({1}, 0)), '') END"),
    Row("space", "i", "rpad('', greatest({0}, 0), ' ')"),
    Row("replace", "sss", "CASE WHEN {1} = '' THEN {0} ELSE replace({0}, {1}, {2}) END"),
    Row("replace", "ss", "CASE WHEN {1} = '' THEN {0} ELSE replace({0}, {1}) END"),
    Row("translate", "sss", "translate({0}, {1}, {2})"),
    Row("regexp_replace", "sssi?", patterns.regexp_replace),
    Row("regexp_extract", "ssi?", patterns.regexp_extract),
    Row("regexp_extract_all", "ssi?", patterns.regexp_extract_all),
    Row("regexp_count", "ss", patterns.regexp_count),
    Row("regexp_substr", "ss", patterns.regexp_substr),
    Row("regexp_instr", "ssi?", patterns.regexp_instr),
    Row("split", "ssi?", patterns.split),
    Row("get_json_object", "ss", strings.get_json_object),
    Row("parse_url", "sss?", strings.parse_url),
    Row("format_number", "[ifdx].", strings.format_number),
    Row("printf", "s.*", strings.printf),
    Row("soundex", "s", strings.soundex),
    Row("width_bucket", "[ifdx]{3}i", numbers.bucket),
    Row("quote", "s", r"('''' || replace({0}, '''', '\''') || '''')"),
    Row("mask", "s", _MASKED),
    Row("mask", "s[sn]{1,4}", strings.mask),
    Row("md5 sha1", "s", "lower(to_hex({f}(to_utf8({0}))))"),
    Row("md5 sha1", "b", "lower(to_hex({f}({0})))"),
    Row("sha2", "[sb]i", strings.sha2),
    Row("crc32", "s", "crc32(to_utf8({0}))"),
    Row("crc32", "b", "crc32({0})"),
    Row("hex", ".", strings.hexadecimal),
    Row("unhex", "s", strings.BYTES),
    Row("encode", "ss", strings.encode),
    Row("decode", "bs", strings.encode),
    Row("decode", "..+", strings.decode),
    Row("bin", "i", strings.binary_digits),
    Row("conv", "[is]ii", strings.conv),
    Row("uuid", "", "CAST(uuid() AS varchar)"),
    Row("hash murmur_hash xxhash64", None, _HASH),
    Row("aes_encrypt aes_decrypt try_aes_decrypt hmac", None, _CIPHER),
    Row("xpath xpath_string xpath_boolean xpath_int xpath_short xpath_long xpath_float xpath_double xpath_number", None, _XML),
    Row("reflect try_reflect", None, _JAVA),
    Row("sentences", None, Unsupported("Trino does not split sentences")),
    Row("typeof", None, Unsupported("Trino names types differently")),
    Row("version buildversion", None, Unsupported("it is the version of the view's own engine")),
    Row("current_user user session_user current_database current_schema current_catalog", None, _SESSION),
    Row("input_file_name input_file_block_start input_file_block_length input__file__name block__offset__inside__file row__id row__is__deleted", None, _FILES),

    # dates
    Row("current_date", "", "CAST(current_timestamp AT TIME ZONE 'UTC' AS date)"),
    Row("current_timestamp localtimestamp", "", _NOW),
    Row("year quarter month", "[DTs]", "{f}({D0})", cast=True),
    Row("day", "[DTs]", "day({D0})", cast=True),
    Row("weekofyear", "[DTs]", "week({D0})", cast=True),
    Row("dayofweek", "[DTs]", "day_of_week({D0}) % 7 + 1", cast=True),
    Row("weekday", "[DTs]", "day_of_week({D0}) - 1", cast=True),
    Row("dayofyear", "[DTs]", "day_of_year({D0})", cast=True),
    Row("hour minute second", "[DTs]", "{f}({T0})", cast=True),
    Row("hour minute second", "t", "{f}({0})", cast=True),
    Row("date_add", "[DTs]i", "date_add('day', {1}, {D0})"),
    Row("date_sub", "[DTs]i", "date_add('day', - CAST({1} AS bigint), {D0})"),
    Row("datediff", "[DTs][DTs]", "date_diff('day', {D1}, {D0})", cast=True),
    Row("months_between", "[DTs][DTs]o?", dates.months_between),
    Row("next_day", "[DTs]s", dates.next_day),
    Row("date_format", "[DTs]s", dates.date_format),
    Row("from_unixtime", "is?", dates.from_unixtime),
    Row("unix_timestamp to_unix_timestamp", "([DTs]s?)?", dates.unix_timestamp),
    Row("to_date try_to_date", "[DTs]s?", dates.to_date),
    Row("trunc", "..?", dates.trunc),
    Row("extract date_part", "s[DTsw]", dates.extract),
    Row("from_utc_timestamp to_utc_timestamp", "[DTs]s", dates.in_zone),

    # arrays, maps, structs
    Row("array", ".*", collections.array),
    Row("map", ".*", collections.map_of),
    Row("named_struct struct", ".*", collections.struct),
    Row("size", "[am]", collections.size),
    Row("array_contains", "a.", collections.array_contains),
    Row("sort_array", "ao?", collections.sort_array),
    Row("str_to_map", "ss?s?", collections.str_to_map),
    Row("array_distinct", "a", "array_distinct({0})"),
    Row("array_except array_intersect array_union", "aa", "{f}({0}, {1})"),
    Row("array_remove", "a[^armu]", "array_remove({0}, {1})"),
    Row("array_join", "ass?", collections.array_join),
    Row("array_max array_min", "a", collections.array_extreme),

    # aggregates
    Row("count", ".*", aggregates.count),
    Row("sum", ".", aggregates.total),
    Row("avg", ".", aggregates.average),
    Row("min max", ".", aggregates.extreme),
    Row("first last first_value last_value", ".o?", aggregates.first_or_last),
    Row("any_value", None, Unsupported("the value it takes is undefined")),
    Row("collect_set collect_list", ".", aggregates.collected),
    Row("corr", "dd", aggregates.correlation),
    Row("stddev_pop stddev_samp var_pop var_samp covar_pop covar_samp", "dd?", aggregates.of_powers("{f}({q}{*}){w}")),
    Row("regr_slope regr_intercept", "dd", aggregates.regression),
    Row("regr_count", "dd", aggregates.PAIRS),
    Row("percentile", ".+", aggregates.percentile),
    Row("histogram_numeric", None, _SKETCH),
    Row("grouping grouping_id grouping__id", ".+", "grouping({*})", cast=True),

    # windows
    Row("row_number rank dense_rank", "", aggregates.ranked),
    Row("ntile", "i", aggregates.ranked),
    Row("percent_rank cume_dist", "", "{f}(){w}"),
    Row("lag lead", ".i?.?", "{f}({*}){w}"),
))
# fmt: on
