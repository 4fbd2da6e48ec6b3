"""Calls of Hive's sketches and geometries, with arguments from functions of the same family."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from lakeschema.translation.functions import hive_geometry, hive_sketches
from lakeschema.translation.functions.signature import Kind, Parameter, Row, parameters_of

_GEOMETRIES: Final = (
    "st_point(d, d2)",
    "st_geomfromtext('linestring (0 0, 3 4, 6 0)')",
    "st_polygon(0, 0, 4, 0, 4, 4, 0, 4)",
    "st_geomfromtext('polygon ((0 0, 8 0, 0 8), (1 1, 1 2, 2 1))')",
    "st_polygon(0, 0, i, 0, i, i2, 0, i2)",
    "st_multipoint(1, 2, i, 4)",
    "st_geomfromtext('multilinestring ((1 1, 2 2), (3 3, 4 5))')",
    "st_setsrid(st_point(si, ti), 4326)",
    "st_geomfromtext('point zm (1 2 3 4)')",
    "st_linestring(0, 0, 1, 1, 0, 1, 0, 0)",
    "st_geomfromtext('multipolygon (((0 0, 0 1, 1 0)), ((2 2, 2 3, 3 2)))')",
    "st_geomfromtext('linestring z (1 2 3, 4 5 6)')",
)
_WRITTEN: Final[Mapping[str, str]] = MappingProxyType(
    {
        "st_geomfromjson": "st_asjson({})",
        "st_geomfromgeojson": "st_asgeojson({})",
        "st_geomfromshape": "st_asshape({})",
        "st_geomfromtext": "st_astext({})",
        **{
            f"st_{word}fromwkb": "st_asbinary({})"
            for word in ("geom", "point", "line", "poly", "mpoint", "mline", "mpoly")
        },
    }
)
"""How a geometry is written for the function that reads it."""

_SKETCHES: Final[Mapping[str, Sequence[str]]] = MappingProxyType(
    {
        "ds_cpc_": ("ds_cpc_sketch(i)", "ds_cpc_sketch(s, 12)"),
        "ds_hll_": ("ds_hll_sketch(i)", "ds_hll_sketch(s, 12)", "ds_hll_sketch(d, 8, 'HLL_8')"),
        "ds_theta_": ("ds_theta_sketch(i)", "ds_theta_sketch(s, 1024)", "ds_theta_sketch(s2)"),
        "ds_kll_": ("ds_kll_sketch(de)", "ds_kll_sketch(i, 100)", "ds_kll_sketch(f)"),
        "ds_quantile_doubles_": (
            *("ds_quantile_doubles_sketch(CAST(i AS DOUBLE))", "ds_quantile_doubles_sketch(d, 32)"),
        ),
        "ds_quantile_strings_": (
            *("ds_quantile_strings_sketch(s)", "ds_quantile_strings_sketch(s2, 32)"),
        ),
        "ds_tuple_arrayofdouble_": (
            "ds_tuple_arrayofdouble_sketch(s, CAST(i AS DOUBLE))",
            "ds_tuple_arrayofdouble_sketch(i, CAST(si AS DOUBLE), 1024)",
        ),
        "ds_tuple_doublesummary_": (
            "ds_tuple_doublesummary_sketch(s, CAST(i AS DOUBLE))",
            "ds_tuple_doublesummary_sketch(i, CAST(si AS DOUBLE), 1024)",
        ),
        "ds_freq_": ("ds_freq_sketch(s, 16)", "ds_freq_sketch(s2, 8)"),
    }
)
_OTHERS: Final[Mapping[str, Sequence[str]]] = MappingProxyType(
    {
        "double": ("0.5D", "0.25D", "1D", "0D", "0.9D"),
        "number": ("1.5", "5", "0", "-1", "100"),
        "int": ("2", "1", "3"),
        "string": ("'a'", "'b'", "'12'"),
        "any": ("1", "2.5", "'a'"),
    }
)
_BY_NAME: Final[Mapping[str, Sequence[str]]] = MappingProxyType(
    {
        "st_buffer": ("1D", "0.5D"),
        "st_relate": ("'T********'", "'FF*FF****'", "'****T****'"),
        "st_bin": ("2", "0.5", "1D"),
        "ds_freq_frequent_items": ("'NO_FALSE_POSITIVES'", "'NO_FALSE_NEGATIVES'"),
    }
)
"""The function's arguments other than its geometry or sketch."""


def nested_calls(name: str) -> Iterator[tuple[str, Sequence[str]]]:
    """Forms with their arguments, as in ``written_calls``."""
    row = next((row for row in _ROWS if name in row.names.split()), None)
    if row is None:
        return
    parameters = parameters_of(row.parameters)
    needed = [parameter for parameter in parameters if not parameter.optional]
    prefix = next((prefix for prefix in _SKETCHES if name.startswith(prefix)), None)
    if name in _WRITTEN:
        for geometry in _GEOMETRIES:
            yield f"{name}({{}})", (_WRITTEN[name].format(geometry),)
    elif any(parameter.pattern == "binary" for parameter in needed) and prefix is not None:
        yield from _of_sketches(name, row, needed, _SKETCHES[prefix])
    elif name.startswith("st_"):
        for number in range(len(_GEOMETRIES)):
            yield _call(name, needed, _GEOMETRIES, number)


_ROWS: Final = (*hive_sketches.ROWS, *hive_geometry.ROWS)


def _of_sketches(
    name: str, row: Row, parameters: Sequence[Parameter], sketches: Sequence[str]
) -> Iterator[tuple[str, Sequence[str]]]:
    for number in range(6):
        if row.kind is Kind.SCALAR:
            yield _call(name, parameters, sketches, number)
            continue
        sketch = sketches[number % len(sketches)]
        arguments = ("q.k", *_others(name, parameters, number))
        named = "" if row.kind is Kind.GENERATOR else " AS x"
        groups = ("", " GROUP BY bo", " GROUP BY r % 3")[number // len(sketches) % 3]
        # The table's name is filled in later, like the arguments.
        inner = f"(SELECT {sketch} AS k FROM {{{{t}}}}{groups}) q"
        yield f"SELECT {name}({', '.join(arguments)}){named} FROM {inner}", ()


def _call(
    name: str, parameters: Sequence[Parameter], made: Sequence[str], number: int
) -> tuple[str, Sequence[str]]:
    arguments = []
    for place, parameter in enumerate(parameters):
        is_made = parameter.pattern == "binary" or (name == "st_bin" and place == 1)
        texts = made if is_made else _BY_NAME.get(name) or _OTHERS.get(parameter.pattern, ("1",))
        arguments.append(texts[(number + place * (number // 3 + 1)) % len(texts)])
    return f"{name}({', '.join(['{}'] * len(arguments))})", tuple(arguments)


def _others(name: str, parameters: Sequence[Parameter], number: int) -> Iterator[str]:
    for parameter in parameters:
        if parameter.pattern != "binary":
            texts = _BY_NAME.get(name) or _OTHERS.get(parameter.pattern, ("1",))
            yield texts[number % len(texts)]
