"""Pairs of types that only Spark has, compared with Spark 4.3's answers (``recorded/``)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import pytest

from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.deriving.derivation import derive
from lakeschema.translation.model.errors import TranslationError
from tests.lakeschema.translation.asked_pairs import TABLE_DDL, questions, settings
from tests.lakeschema.translation.asked_types import RECORDED, REFUSED, Engine, recorded
from tests.lakeschema.translation.relations import DEFAULT, derived_in

TABLE = RelationName.of("default", "t")
VIEW = RelationName.of("default", "v")
ENGINES = (Engine.SPARK, Engine.SPARK_WITHOUT_ANSI)
SUFFIX = "_pairs"

OTHERWISE: Mapping[Engine, Mapping[str, str]] = {
    Engine.SPARK: {
        # Spark calls a written 1 nullable once it is a decimal; it is not.
        "de + 1": "decimal(11,2) not null",
        "de - 1": "decimal(11,2) not null",
        "de * 2": "decimal(12,2) not null",
        "2 * de": "decimal(12,2) not null",
    },
    Engine.SPARK_WITHOUT_ANSI: {},
}
"""Where we answer otherwise, and why."""


def our_answers(engine: Engine, asked: Sequence[str]) -> Mapping[str, str]:
    """A type, with "not null" behind it, or ``REFUSED``."""
    view = "CREATE VIEW v AS SELECT i AS x FROM t"
    relations = relations_from_ddl([TABLE_DDL, view], Dialect.SPARK)
    interfaces = {TABLE: derived_in(relations, TABLE).interface}
    relation = relations[VIEW]
    assert relation.view is not None
    answers: dict[str, str] = {}
    for question in asked:
        text = f"SELECT {question} AS x FROM t"
        recorded_settings = MappingProxyType(dict(settings(engine)))
        written = replace(
            relation.view, text=text, original_text=text, sql_configs=recorded_settings
        )
        try:
            found = derive(replace(relation, view=written), interfaces, DEFAULT).interface
            (column,) = (*found.columns, *(each.column for each in found.omitted))
        except TranslationError:
            answers[question] = REFUSED
        else:
            answers[question] = print_type(column.type) + ("" if column.nullable else " not null")
    return answers


def check(engine: Engine, asked: Sequence[str]) -> set[str]:
    """Asserts that no type is another one; what Spark answers and we refuse."""
    theirs = {q: _in_our_words(answer) for q, answer in recorded(engine, SUFFIX).items()}
    ours = our_answers(engine, asked)
    wrong = {
        question: (theirs[question], answer)
        for question, answer in ours.items()
        if REFUSED not in (answer, theirs[question])
        and answer != OTHERWISE[engine].get(question, theirs[question])
    }
    assert wrong == {}
    return {q for q, answer in ours.items() if answer == REFUSED and theirs[q] != REFUSED}


def _in_our_words(answer: str) -> str:
    """A time of day without its usual digits, text without its collation."""
    return re.sub(r" collate \w+", "", answer.replace("time(6)", "time"))


@pytest.mark.parametrize("engine", ENGINES)
def test_every_pair_has_a_recorded_answer(engine: Engine) -> None:
    hint = "ask Spark: pytest tests/integration/translation/test_pairs_of_types.py --accept"
    assert list(recorded(engine, SUFFIX)) == list(questions()), hint


@pytest.mark.parametrize("engine", ENGINES)
def test_a_pair_in_twenty_has_the_type_that_spark_gives_it(engine: Engine) -> None:
    check(engine, list(recorded(engine, SUFFIX))[::20])


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_pairs_have_the_types_that_spark_gives_them(
    engine: Engine, pytestconfig: pytest.Config
) -> None:
    """Those that we refuse stand in a file of their own: a list to work off."""
    refused = sorted(check(engine, list(recorded(engine, SUFFIX))))
    path = RECORDED / f"{engine.value}{SUFFIX}_refused_by_us.txt"
    if pytestconfig.getoption("--accept"):
        path.write_text("".join(f"{question}\n" for question in refused), encoding="utf-8")
    assert refused == path.read_text(encoding="utf-8").splitlines()


def test_recorded_differences_still_differ() -> None:
    for engine, answers in OTHERWISE.items():
        assert our_answers(engine, list(answers)) == answers
        assert all(recorded(engine, SUFFIX)[q] != a for q, a in answers.items())
