"""Spark's functions of text, bytes and the session that Hive lacks or has in another form (Spark 4.3)."""

from __future__ import annotations

from typing import Final

from lakeschema.translation.functions.signature import NEVER, PARTIAL, TOTAL, Row

# fmt: off
ROWS: Final = (
    Row("elt", "int, any...", "@chosen", PARTIAL),
    Row("mask", "string, string?, string?, string?, string?", "string", PARTIAL),
    Row("sentences", "string, string?, string?", "array<array<string not null> not null>", PARTIAL),
    Row("quote", "string", "string", TOTAL),
    Row("overlay", "text_or_binary, text_or_binary, int, int?", "@same_text", TOTAL),
    Row("contains startswith endswith", "text_or_binary, text_or_binary", "boolean", TOTAL),
    Row("instr", "string, string, int?, int?", "int", TOTAL),
    Row("regexp_substr", "string, string", "string", PARTIAL),
    Row("regexp_instr", "string, string, int?", "int", TOTAL),
    Row("levenshtein", "string, string, int?", "int", TOTAL),
    Row("jaro_winkler_similarity", "string, string", "double", TOTAL),
    Row("luhn_check", "string", "boolean", TOTAL),
    Row("is_valid_utf8", "string", "boolean", TOTAL),
    Row("make_valid_utf8 validate_utf8", "string", "string", TOTAL),
    Row("try_validate_utf8", "string", "string", PARTIAL),
    Row("decode", "any, any...", "@decoded", PARTIAL),
    Row("to_number", "string, string", "@number_of_format", TOTAL),
    Row("try_to_number", "string, string", "@number_of_format", PARTIAL),

    # bytes
    Row("hex", "any", "@hexadecimal", TOTAL),
    Row("to_binary try_to_binary", "text_or_binary, string?", "binary", PARTIAL),
    Row("to_base32", "binary", "string", TOTAL),
    Row("from_base32", "string", "binary", PARTIAL),
    Row("hmac", "binary, binary, string?", "binary", PARTIAL),
    Row("aes_encrypt", "binary, binary, string?, string?, binary?, binary?", "binary", PARTIAL),
    Row("aes_decrypt try_aes_decrypt", "binary, binary, string?, string?, binary?", "binary", PARTIAL),

    # addresses
    Row("url_encode url_decode", "string", "string", TOTAL),
    Row("try_url_decode", "string", "string", PARTIAL),
    Row("try_parse_url", "string, string, string?", "string", PARTIAL),

    # the session, and the running task
    Row("current_catalog current_path current_timezone version", "", "string", NEVER),
    Row("input_file_block_start input_file_block_length", "", "bigint", NEVER, deterministic=False),
    Row("spark_partition_id", "", "int", NEVER, deterministic=False),
    Row("assert_true", "boolean, string?", "void", PARTIAL, deterministic=False),
    Row("raise_error", "string, any?", "void", PARTIAL, deterministic=False),
    Row("try_reflect", "string, string, any...", "string", PARTIAL, deterministic=False),
)
# fmt: on
