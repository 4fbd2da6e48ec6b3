"""Spark's functions of variants, of shapes and of vectors (Spark 4.3)."""

from __future__ import annotations

from typing import Final

from lakeschema.translation.functions.signature import NEVER, PARTIAL, TOTAL, Kind, Row

_AGGREGATE, _GENERATOR = Kind.AGGREGATE, Kind.GENERATOR

# fmt: off
ROWS: Final = (
    # variants
    Row("parse_json", "string", "variant", TOTAL),
    Row("try_parse_json", "string", "variant", PARTIAL),
    Row("variant_get try_variant_get", "variant, string, string?", "@variant_part", PARTIAL),
    Row("schema_of_variant", "variant", "string", TOTAL),
    Row("schema_of_variant_agg", "variant", "string", NEVER, _AGGREGATE),
    Row("is_variant_null", "variant", "boolean", NEVER),
    Row("is_valid_variant", "variant", "boolean", TOTAL),
    Row("to_variant_object", "any", "@variant_object", TOTAL),
    Row("variant_insert variant_array_append", "variant, string, any", "@variant_with", TOTAL),
    Row("variant_set", "variant, string, any, boolean?", "@variant_with", TOTAL),
    Row("variant_delete", "variant, string, string...", "variant", TOTAL),
    Row("variant_strip_nulls", "variant, boolean?", "variant", TOTAL),
    Row("try_variant_insert try_variant_array_append", "variant, string, any", "@variant_with", PARTIAL),
    Row("try_variant_set", "variant, string, any, boolean?", "@variant_with", PARTIAL),
    Row("variant_explode variant_explode_outer", "variant", "@rows", PARTIAL, _GENERATOR),

    # geometries and geographies
    Row("st_geomfromwkb", "binary, int?", "@geometry", TOTAL),
    Row("st_geogfromwkb", "binary", "@geography", TOTAL),
    Row("st_asbinary", "shape, string?", "binary", TOTAL),
    Row("st_srid", "shape", "int", TOTAL),
    Row("st_setsrid", "shape, int", "@shape_in", TOTAL),

    # vectors
    Row("vector_norm", "array<float>, any?", "float", PARTIAL),
    Row("vector_normalize", "array<float>, any?", "array<float>", PARTIAL),
    Row("vector_inner_product vector_l2_distance vector_cosine_similarity", "array<float>, array<float>", "float", PARTIAL),
    Row("vector_sum vector_avg", "array<float>", "array<float not null>", PARTIAL, _AGGREGATE),
)
# fmt: on
