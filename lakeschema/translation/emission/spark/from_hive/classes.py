"""Hive functions without an equivalent in Spark. Spark runs them by Hive's own classes.

Spark's class path has the classes of Hive 2.3. Classes that only Hive 4 has come from its artifacts
and run on Hive 2.3's interfaces; ``missing`` lists those that cannot.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class HiveClass:
    """A class of Hive that implements a function.

    ``artifacts`` are Ivy addresses that provide the class; empty if Spark's class path has it.
    """

    name: str
    artifacts: tuple[str, ...] = ()


_EXEC: Final = "ivy://org.apache.hive:hive-exec:4.0.1?transitive=false"
_ESRI: Final = "ivy://com.esri.geometry:esri-geometry-api:2.2.4?transitive=false"
_HIVE_4: Final = (_EXEC,)
_UDF: Final = "org.apache.hadoop.hive.ql.udf"
_SKETCHES: Final = "org.apache.hive.org.apache.datasketches.hive"

# fmt: off
_TABLE: Final = (
    # package, artifacts, functions with their classes
    (f"{_UDF}.generic", _HIVE_4, (
        "json_read GenericUDFJsonRead, ndv_compute_bit_vector GenericUDFNDVComputeBitVector, "
        "split_map_privs GenericUDFStringToPrivilege"
    )),
    (f"{_UDF}.generic", (), (
        "hash GenericUDFHash"
    )),
    (f"{_SKETCHES}.cpc", _HIVE_4, (
        "ds_cpc_estimate GetEstimateUDF, ds_cpc_estimate_bounds GetEstimateAndErrorBoundsUDF, "
        "ds_cpc_sketch DataToSketchUDAF, ds_cpc_stringify SketchToStringUDF, ds_cpc_union UnionSketchUDAF, "
        "ds_cpc_union_f UnionSketchUDF"
    )),
    (f"{_SKETCHES}.frequencies", _HIVE_4, (
        "ds_freq_frequent_items GetFrequentItemsFromStringsSketchUDTF, ds_freq_sketch DataToStringsSketchUDAF, "
        "ds_freq_union UnionStringsSketchUDAF"
    )),
    (f"{_SKETCHES}.hll", _HIVE_4, (
        "ds_hll_estimate SketchToEstimateUDF, ds_hll_estimate_bounds SketchToEstimateAndErrorBoundsUDF, "
        "ds_hll_sketch DataToSketchUDAF, ds_hll_stringify SketchToStringUDF, ds_hll_union UnionSketchUDAF, "
        "ds_hll_union_f UnionSketchUDF"
    )),
    (f"{_SKETCHES}.kll", _HIVE_4, (
        "ds_kll_cdf GetCdfUDF, ds_kll_n GetNUDF, ds_kll_pmf GetPmfUDF, ds_kll_quantile GetQuantileUDF, "
        "ds_kll_quantiles GetQuantilesUDF, ds_kll_rank GetRankUDF, ds_kll_sketch DataToSketchUDAF, "
        "ds_kll_stringify SketchToStringUDF, ds_kll_union UnionSketchUDAF"
    )),
    (f"{_SKETCHES}.quantiles", _HIVE_4, (
        "ds_quantile_doubles_cdf GetCdfFromDoublesSketchUDF, ds_quantile_doubles_k GetKFromDoublesSketchUDF, "
        "ds_quantile_doubles_n GetNFromDoublesSketchUDF, ds_quantile_doubles_pmf GetPmfFromDoublesSketchUDF, "
        "ds_quantile_doubles_quantile GetQuantileFromDoublesSketchUDF, "
        "ds_quantile_doubles_quantiles GetQuantilesFromDoublesSketchUDF, "
        "ds_quantile_doubles_sketch DataToDoublesSketchUDAF, ds_quantile_doubles_stringify DoublesSketchToStringUDF, "
        "ds_quantile_doubles_union UnionDoublesSketchUDAF, ds_quantile_strings_cdf GetCdfFromStringsSketchUDF, "
        "ds_quantile_strings_k GetKFromStringsSketchUDF, ds_quantile_strings_n GetNFromStringsSketchUDF, "
        "ds_quantile_strings_pmf GetPmfFromStringsSketchUDF, "
        "ds_quantile_strings_quantile GetQuantileFromStringsSketchUDF, "
        "ds_quantile_strings_quantiles GetQuantilesFromStringsSketchUDF, "
        "ds_quantile_strings_sketch DataToStringsSketchUDAF, ds_quantile_strings_stringify StringsSketchToStringUDF, "
        "ds_quantile_strings_union UnionStringsSketchUDAF"
    )),
    (f"{_SKETCHES}.theta", _HIVE_4, (
        "ds_theta_estimate EstimateSketchUDF, ds_theta_exclude ExcludeSketchUDF, "
        "ds_theta_intersect IntersectSketchUDAF, ds_theta_intersect_f IntersectSketchUDF, "
        "ds_theta_sketch DataToSketchUDAF, ds_theta_union UnionSketchUDAF, ds_theta_union_f UnionSketchUDF"
    )),
    (f"{_SKETCHES}.tuple", _HIVE_4, (
        "ds_tuple_arrayofdouble_estimate ArrayOfDoublesSketchToEstimatesUDF, "
        "ds_tuple_arrayofdouble_estimate_bounds ArrayOfDoublesSketchToEstimateAndErrorBoundsUDF, "
        "ds_tuple_arrayofdouble_means ArrayOfDoublesSketchToMeansUDF, "
        "ds_tuple_arrayofdouble_n_retained ArrayOfDoublesSketchToNumberOfRetainedEntriesUDF, "
        "ds_tuple_arrayofdouble_quantiles_sketch ArrayOfDoublesSketchToQuantilesSketchUDF, "
        "ds_tuple_arrayofdouble_sketch DataToArrayOfDoublesSketchUDAF, "
        "ds_tuple_arrayofdouble_ttest ArrayOfDoublesSketchesTTestUDF, "
        "ds_tuple_arrayofdouble_union UnionArrayOfDoublesSketchUDAF, "
        "ds_tuple_arrayofdouble_values ArrayOfDoublesSketchToValuesUDTF, "
        "ds_tuple_arrayofdouble_variances ArrayOfDoublesSketchToVariancesUDF, "
        "ds_tuple_doublesummary_estimate DoubleSummarySketchToEstimatesUDF, "
        "ds_tuple_doublesummary_percentile DoubleSummarySketchToPercentileUDF, "
        "ds_tuple_doublesummary_sketch DataToDoubleSummarySketchUDAF, "
        "ds_tuple_doublesummary_union UnionDoubleSummarySketchUDAF"
    )),
)
_GEOMETRY: Final = (
    # The functions' names in lower case.
    "ST_Aggr_ConvexHull ST_Aggr_Union ST_Area ST_AsBinary ST_AsGeoJson ST_AsJson ST_AsShape ST_AsText "
    "ST_Bin ST_BinEnvelope ST_Boundary ST_Buffer ST_Centroid ST_Contains ST_ConvexHull ST_CoordDim "
    "ST_Crosses ST_Difference ST_Dimension ST_Disjoint ST_Distance ST_EndPoint ST_Envelope "
    "ST_EnvIntersects ST_Equals ST_ExteriorRing ST_GeodesicLengthWGS84 ST_GeomCollection ST_GeometryN "
    "ST_GeometryType ST_GeomFromGeoJson ST_GeomFromJson ST_GeomFromShape ST_GeomFromText "
    "ST_GeomFromWKB ST_InteriorRingN ST_Intersection ST_Intersects ST_Is3D ST_IsClosed ST_IsEmpty "
    "ST_IsMeasured ST_IsRing ST_IsSimple ST_Length ST_LineFromWKB ST_LineString ST_M ST_MaxM ST_MaxX "
    "ST_MaxY ST_MaxZ ST_MinM ST_MinX ST_MinY ST_MinZ ST_MLineFromWKB ST_MPointFromWKB ST_MPolyFromWKB "
    "ST_MultiLineString ST_MultiPoint ST_MultiPolygon ST_NumGeometries ST_NumInteriorRing "
    "ST_NumPoints ST_Overlaps ST_Point ST_PointFromWKB ST_PointN ST_PointZ ST_PolyFromWKB ST_Polygon "
    "ST_Relate ST_SetSRID ST_SRID ST_StartPoint ST_SymmetricDiff ST_Touches ST_Union ST_Within ST_X "
    "ST_Y ST_Z"
)
_WHERE_SPARKS_DIFFER: Final = (
    (_UDF, (), (
        "mid UDFSubstr, rand UDFRand, regexp_extract UDFRegExpExtract, replace UDFReplace, substr UDFSubstr, "
        "substring UDFSubstr, unhex UDFUnhex"
    )),
    (f"{_UDF}.generic", (), (
        "covar_pop GenericUDAFCovariance, covar_samp GenericUDAFCovarianceSample, levenshtein GenericUDFLevenshtein, "
        "add_months GenericUDFAddMonths, java_method GenericUDFReflect, map_keys GenericUDFMapKeys, "
        "map_values GenericUDFMapValues, reflect GenericUDFReflect, str_to_map GenericUDFStringToMap, "
        "substring_index GenericUDFSubstringIndex, percentile_approx GenericUDAFPercentileApprox"
    )),
    (f"{_UDF}.xml", (), (
        "xpath GenericUDFXPath, xpath_boolean UDFXPathBoolean, xpath_double UDFXPathDouble, "
        "xpath_float UDFXPathFloat, xpath_int UDFXPathInteger, xpath_long UDFXPathLong, "
        "xpath_number UDFXPathDouble, xpath_short UDFXPathShort, xpath_string UDFXPathString"
    )),
)
# fmt: on


def _classes(
    table: tuple[tuple[str, tuple[str, ...], str], ...],
) -> Iterator[tuple[str, HiveClass]]:
    for package, artifacts, functions in table:
        for pair in functions.split(", "):
            function, name = pair.split()
            yield function, HiveClass(f"{package}.{name}", artifacts)


ALONE: Final[Mapping[str, HiveClass]] = MappingProxyType(
    {
        **dict(_classes(_TABLE)),
        **{
            name.lower(): HiveClass(f"{_UDF}.esri.{name}", (_EXEC, _ESRI))
            for name in _GEOMETRY.split()
        },
    }
)
"""Functions for which Spark has no substitute."""

BESIDE_SPARKS: Final[Mapping[str, HiveClass]] = MappingProxyType(
    dict(_classes(_WHERE_SPARKS_DIFFER))
)
"""Functions that Spark's own replace, except for some values."""

ARTIFACTS: Final = (_EXEC, _ESRI)
"""The artifacts that a session needs for all functions here."""
