"""Hive's functions of geometry, which are Esri's (since Hive 4).

A geometry is bytes in Hive's own format.
"""

from __future__ import annotations

from typing import Final

from lakeschema.translation.functions.signature import PARTIAL, Kind, Row

# The functions return null for bytes that are not a geometry, or a geometry of the wrong kind.
# fmt: off
ROWS: Final = (
    # made of numbers, text, bytes and JSON
    Row("st_point", "any, double?, double?, double?", "binary", PARTIAL),
    Row("st_pointz", "double, double, double, double?", "binary", PARTIAL),
    Row("st_linestring st_polygon st_multipoint", "any, any...", "binary", PARTIAL),
    Row("st_multilinestring st_multipolygon", "any, any...", "binary", PARTIAL),
    Row("st_geomfromtext st_geomcollection", "string, int?", "binary", PARTIAL),
    Row("st_geomfromwkb st_geomfromshape st_pointfromwkb st_linefromwkb", "binary, int?", "binary", PARTIAL),
    Row("st_polyfromwkb st_mpointfromwkb st_mlinefromwkb st_mpolyfromwkb", "binary, int?", "binary", PARTIAL),
    Row("st_geomfromjson st_geomfromgeojson", "any", "binary", PARTIAL),

    # written as text, bytes and JSON
    Row("st_astext st_asjson st_asgeojson st_geometrytype", "binary", "string", PARTIAL),
    Row("st_asbinary st_asshape", "binary", "binary", PARTIAL),

    # another geometry
    Row("st_boundary st_centroid st_envelope st_exteriorring st_startpoint st_endpoint", "binary", "binary", PARTIAL),
    Row("st_buffer", "binary, double", "binary", PARTIAL),
    Row("st_geometryn st_interiorringn st_pointn st_setsrid", "binary, int", "binary", PARTIAL),
    Row("st_difference st_intersection st_symmetricdiff", "binary, binary", "binary", PARTIAL),
    Row("st_union st_convexhull", "binary...", "binary", PARTIAL),
    Row("st_aggr_union st_aggr_convexhull", "binary", "binary", PARTIAL, Kind.AGGREGATE),

    # measured and counted
    Row("st_x st_y st_z st_m st_area st_length st_geodesiclengthwgs84", "binary", "double", PARTIAL),
    Row("st_minx st_miny st_minz st_minm st_maxx st_maxy st_maxz st_maxm", "binary", "double", PARTIAL),
    Row("st_distance", "binary, binary", "double", PARTIAL),
    Row("st_coorddim st_dimension st_srid", "binary", "int", PARTIAL),
    Row("st_numgeometries st_numinteriorring st_numpoints", "binary", "int", PARTIAL),

    # true or false
    Row("st_is3d st_ismeasured st_isclosed st_isempty st_isring st_issimple", "binary", "boolean", PARTIAL),
    Row("st_contains st_crosses st_disjoint st_equals st_intersects", "binary, binary", "boolean", PARTIAL),
    Row("st_overlaps st_touches st_within st_envintersects", "binary, binary", "boolean", PARTIAL),
    Row("st_relate", "binary, binary, string", "boolean", PARTIAL),

    # squares that a plane is divided into
    Row("st_bin", "number, any", "bigint", PARTIAL),
    Row("st_binenvelope", "number, any", "binary", PARTIAL),
)
# fmt: on
