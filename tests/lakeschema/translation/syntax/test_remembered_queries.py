"""The parser caches recent short texts, which changes no answer."""

from __future__ import annotations

import pytest

from lakeschema.catalog.relations import Dialect
from lakeschema.translation.model.errors import MalformedSql, TooLarge
from lakeschema.translation.syntax.parsing import MAX_REMEMBERED_CHARACTERS, parse_query


def test_a_text_is_parsed_once() -> None:
    assert parse_query("SELECT a FROM t", Dialect.HIVE) is parse_query(
        "SELECT a FROM t", Dialect.HIVE
    )


def test_a_long_text_is_not_kept_in_memory() -> None:
    text = f"SELECT '{'x' * MAX_REMEMBERED_CHARACTERS}' AS a"

    first, second = (parse_query(text, Dialect.HIVE) for _ in range(2))

    assert first == second
    assert first is not second


def test_dialects_read_the_same_text_each_in_its_own_way() -> None:
    text = "SELECT 'it''s' AS a"

    assert parse_query(text, Dialect.HIVE) != parse_query(text, Dialect.SPARK)


def test_a_remembered_text_is_still_refused_above_the_limit() -> None:
    parse_query("SELECT abc FROM t", Dialect.HIVE)

    with pytest.raises(TooLarge, match="more than the 10 allowed"):
        parse_query("SELECT abc FROM t", Dialect.HIVE, max_bytes=10)


def test_a_malformed_text_is_refused_each_time() -> None:
    for _ in range(2):
        with pytest.raises(MalformedSql):
            parse_query("SELECT FROM WHERE", Dialect.HIVE)
