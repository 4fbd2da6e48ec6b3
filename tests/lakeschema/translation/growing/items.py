"""Spark's further forms of a SELECT item: a construct's name, and the function that makes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lakeschema.catalog.column_types import ColumnType
from tests.lakeschema.translation.growing.expressions import Typed
from tests.lakeschema.translation.growing.ground import Ground
from tests.lakeschema.translation.growing.languages import FAMILIES

_I, _M, _F, _S, _B, _D, _T = FAMILIES
Form = tuple[str, Sequence[ColumnType], ColumnType]


def _forms(*forms: Form) -> Callable[[Ground], Typed]:
    def make(ground: Ground) -> Typed:
        text, kinds, result = ground.random.choice(forms)
        return Typed(text.format(*(ground.of(kind) for kind in kinds)), result)

    return make


ITEMS: Mapping[str, Callable[[Ground], Typed]] = {
    "LIKE ANY": _forms(
        ("({} LIKE ANY ('a%', '%b', {}))", (_S, _S), _B),
        ("({} NOT LIKE ANY ('a%', NULL))", (_S,), _B),
    ),
    "LIKE ALL": _forms(
        ("({} LIKE ALL ('a%', {}))", (_S, _S), _B), ("({} NOT LIKE ALL ('a%', 'b'))", (_S,), _B)
    ),
    "ILIKE": _forms(
        ("({} ILIKE '%A%')", (_S,), _B),
        ("({} NOT ILIKE ANY ('A%', {}))", (_S, _S), _B),
        ("({} LIKE '!_%' ESCAPE '!')", (_S,), _B),
    ),
    "::": _forms(
        ("({} :: STRING)", (_I,), _S),
        ("({} :: DECIMAL(20,4) :: DOUBLE)", (_I,), _F),
        ("({} :: DATE)", (_T,), _D),
        ("- 1 :: BIGINT + ({})", (_I,), _I),
    ),
    "named arguments": _forms(
        ("mask(str => {}, lowerChar => 'q')", (_S,), _S),
        ("mask({}, otherChar => '-')", (_S,), _S),
        ("cardinality(transform(sequence(1, 2), x -> x + {}))", (_I,), _I),
    ),
    "raw string": _forms(
        (r"regexp_replace({}, r'\d+', r'\\')", (_S,), _S),
        (r"({} RLIKE r'^\w')", (_S,), _B),
        ('concat({}, R"a\\n")', (_S,), _S),
    ),
    "comment": _forms(
        ("/* of a /* nested */ kind */ ({})", (_S,), _S),
        ("({} -- to the end ) of the line\n)", (_I,), _I),
    ),
    "interval": _forms(
        ("({} + INTERVAL '1-2' YEAR TO MONTH)", (_D,), _D),
        ("({} - INTERVAL '1 02:03:04' DAY TO SECOND)", (_T,), _T),
        ("extract(DAY FROM ({} - {}))", (_T, _T), _I),
        ("({} + make_dt_interval(1, {} % 5))", (_T, _I), _T),
        ("CAST(({} - {}) AS STRING)", (_D, _D), _S),
        ("(INTERVAL 3 DAYS > ({} - {}))", (_T, _T), _B),
    ),
    "TIME": _forms(
        ("hour(TIME '12:34:56.789')", (), _I),
        ("CAST(TIME '01:02:03' AS STRING)", (), _S),
        ("(CAST({} AS TIME) > TIME '12:00:00')", (_T,), _B),
        ("minute(coalesce(try_to_time({}), TIME '00:00:00'))", (_S,), _I),
        ("CAST((CAST({} AS TIME(3)) + INTERVAL '1' SECOND) AS STRING)", (_T,), _S),
    ),
    "try": _forms(
        ("try_cast({} AS INT)", (_S,), _I),
        ("try_divide({}, {})", (_I, _I), _F),
        ("try_element_at(array({}, 1), 2)", (_I,), _I),
    ),
    "TRIM … FROM": _forms(
        ("TRIM(LEADING 'a' FROM {})", (_S,), _S), ("TRIM(BOTH FROM {})", (_S,), _S)
    ),
    "lambda": _forms(
        ("array_join(transform(array({}, 'z'), (x, i) -> x || i), ',')", (_S,), _S),
        ("aggregate(array({}, 2), 0L, (acc, x) -> acc + coalesce(x % 3, 0))", (_I,), _I),
        ("size(filter(array({}, {}), x -> x IS NOT NULL))", (_S, _S), _I),
        ("map_filter(map('a', {}), (k, v) -> v > 0)['a']", (_I,), _I),
        ("exists(array({}), x -> x > 3)", (_I,), _B),
    ),
    "CASE": _forms(
        ("CASE {} WHEN 1 THEN {} WHEN NULL THEN 'n' END", (_I, _S), _S),
        ("decode({}, 1, 'one', 2, {}, 'many')", (_I, _S), _S),
        ("if({}, {}, {})", (_B, _I, _I), _I),
    ),
}
"""Over a row."""

AGGREGATES: Mapping[str, Callable[[Ground], Typed]] = {
    "WITHIN GROUP": _forms(
        ("percentile_cont(0.5) WITHIN GROUP (ORDER BY {})", (_F,), _F),
        ("percentile_disc(0.25) WITHIN GROUP (ORDER BY {} DESC)", (_F,), _F),
        ("listagg(DISTINCT {0}, '/') WITHIN GROUP (ORDER BY {0})", (_S,), _S),
        ("mode() WITHIN GROUP (ORDER BY {} % 1)", (_I,), _I),
    ),
    "FILTER": _forms(
        ("count(*) FILTER (WHERE {})", (_B,), _I),
        ("max({}) FILTER (WHERE {})", (_S, _B), _S),
        ("sum({} % 7) FILTER (WHERE {})", (_I, _B), _I),
        ("size(collect_list({}) FILTER (WHERE {}))", (_S, _B), _I),
    ),
    "aggregate": lambda ground: ground.aggregate(),
}
"""Over a group."""
