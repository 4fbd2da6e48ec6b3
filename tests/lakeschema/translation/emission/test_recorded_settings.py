"""Settings that a Spark view recorded, compared with Spark 4.3's answers under them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import pytest

from lakeschema.catalog.column_types import ColumnType, print_type
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, Relation, ViewText
from lakeschema.translation.deriving.derivation import derive_view
from lakeschema.translation.functions.settings import SETTINGS, Effect
from lakeschema.translation.model.errors import TranslationError, UnsupportedConstruct
from lakeschema.translation.model.interface import Options
from tests.lakeschema.translation.asked_settings import (
    CASES,
    questions,
    recorded,
    settings_of,
    settings_text,
)
from tests.lakeschema.translation.asked_types import REFUSED

_NULLABLE_IN_SPARK = {
    # Spark calls a written integer nullable once it is a decimal; it is not.
    "SELECT 2 * 1.50 AS x",
    "SELECT 1.5 + 1 AS x",
    "SELECT 1e3 + 1 AS x",
    "SELECT coalesce(1.5, 1) AS x",
    "SELECT CAST(1 AS decimal(38,18)) - 1L AS x",
}


def view_of(query: str, settings: Mapping[str, str]) -> Relation:
    view = ViewText(
        Dialect.SPARK, query, query, ("default",), sql_configs=MappingProxyType(dict(settings))
    )
    return Relation(RelationName.of("default", "v"), (), view=view)


def columns_of(query: str, settings: Mapping[str, str]) -> str:
    try:
        columns = derive_view(view_of(query, settings), {}, Options())[1].columns
    except TranslationError:
        return REFUSED
    return ", ".join(
        f"{c.name} {_in_sparks_words(c.type)}{'' if c.nullable else ' not null'}" for c in columns
    )


def _in_sparks_words(type_: ColumnType) -> str:
    """Spark writes any name of a field without back-ticks."""
    return print_type(type_).replace("`", "")


def test_every_query_has_a_recorded_answer() -> None:
    hint = "ask Spark: pytest tests/integration/translation/test_recorded_settings.py --accept"
    assert list(recorded()) == list(questions()), hint


@pytest.mark.parametrize("case", CASES, ids=lambda case: settings_text(case[0]) or "defaults")
def test_columns_are_what_spark_gives_them_under_the_settings(
    case: tuple[Mapping[str, str], tuple[str, ...]],
) -> None:
    settings, asked = case

    ours = {query: columns_of(query, settings) for query in asked}

    theirs = {query: recorded()[settings_text(settings), query] for query in asked}
    for query, answer in ours.items():
        expected = theirs[query]
        certain = f"{expected} not null" if query in _NULLABLE_IN_SPARK else expected
        assert answer in {expected, certain} or expected == REFUSED, query


def test_a_setting_changes_something_in_every_case_but_the_defaults() -> None:
    """Else the case would say nothing of the setting."""
    answers = recorded()
    for settings, asked in CASES:
        changed = [
            query
            for query in asked
            if answers[settings_text(settings), query] != answers.get(("", query))
        ]
        off = settings.get("spark.sql.ansi.enabled") == "false"
        assert changed or off or not settings, settings
    assert settings_of(settings_text(CASES[2][0])) == CASES[2][0]


@pytest.mark.parametrize(
    ("setting", "query"),
    [
        ("spark.sql.parser.quotedRegexColumnNames=true", "SELECT `a.*` FROM (SELECT 1 AS ab)"),
        ("spark.sql.ansi.relationPrecedence=true", "SELECT 1 AS a FROM VALUES (1) JOIN VALUES (2)"),
        ("spark.sql.preserveCharVarcharTypeInfo=true", "SELECT CAST('a' AS CHAR(3)) AS a"),
    ],
)
def test_a_setting_that_is_not_supported_is_named_where_the_text_depends_on_it(
    setting: str, query: str
) -> None:
    name, _, _ = setting.partition("=")

    with pytest.raises(UnsupportedConstruct, match=f"setting {name}="):
        derive_view(view_of(query, settings_of(setting)), {}, Options())


@pytest.mark.parametrize(
    "setting",
    [
        "spark.sql.parser.quotedRegexColumnNames=true",
        "spark.sql.legacy.parser.havingWithoutGroupByAsWhere=true",
        "spark.sql.legacy.ctePrecedencePolicy=EXCEPTION",
        "spark.sql.mapKeyDedupPolicy=LAST_WIN",
        "spark.sql.storeAssignmentPolicy=LEGACY",
        "spark.sql.vendor.own=1",
    ],
)
def test_a_setting_on_which_the_text_does_not_depend_changes_nothing(setting: str) -> None:
    query = "SELECT `a`, count(1) AS c FROM (SELECT 1 AS a) GROUP BY 1"

    assert columns_of(query, settings_of(setting)) == columns_of(query, {})


def test_every_refused_setting_says_what_it_depends_on() -> None:
    assert all(s.where for s in SETTINGS if s.effect is Effect.REFUSED)
    assert len({s.name.lower() for s in SETTINGS}) == len(SETTINGS)
