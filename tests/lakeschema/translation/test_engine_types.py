"""Types of expressions, compared with the answers of Hive 4.0.1 and Spark 4.3 (``recorded/``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.deriving.derivation import derive
from lakeschema.translation.model.errors import TranslationError
from tests.lakeschema.translation.asked_types import (
    RECORDED,
    REFUSED,
    Engine,
    questions,
    recorded,
    table_ddl,
)
from tests.lakeschema.translation.hive_decimals import agree
from tests.lakeschema.translation.relations import DEFAULT, derived_in

TABLE = RelationName.of("default", "t")
VIEW = RelationName.of("default", "v")

_TOO_LARGE: Mapping[str, str] = {
    # What does not fit into the type is null, of which Spark's analysis knows nothing.
    "uniform(1.25, 100, 1)": "decimal(3,2)",
}
OTHERWISE: Mapping[Engine, Mapping[str, str]] = {
    Engine.HIVE: {},
    Engine.SPARK: {
        # Spark calls a written 2 nullable once it is a decimal; it is not.
        "2 * 1.50": "decimal(5,2) not null",
        **_TOO_LARGE,
    },
    Engine.SPARK_WITHOUT_ANSI: {
        # Spark's analyser takes it for a text's, which may be null.
        "unix_timestamp()": "bigint not null",
        **_TOO_LARGE,
    },
}
"""Where we answer otherwise, and why."""


def our_answers(engine: Engine, asked: Sequence[str]) -> Mapping[str, str]:
    """A type, with "not null" where nullability is the engine's to say too, or ``REFUSED``."""
    dialect = engine.dialect
    tables = relations_from_ddl([table_ddl(dialect)], dialect)
    interfaces = {TABLE: derived_in(tables, TABLE).interface}
    answers: dict[str, str] = {}
    for question in asked:
        view = f"CREATE VIEW v AS SELECT {question} AS x FROM t"
        relation = relations_from_ddl([view], dialect)[VIEW]
        assert relation.view is not None
        text = replace(relation.view, sql_configs=engine.settings)
        try:
            found = derive(replace(relation, view=text), interfaces, DEFAULT).interface
            (column,) = (*found.columns, *(each.column for each in found.omitted))
        except TranslationError:
            answers[question] = REFUSED
        else:
            required = dialect is Dialect.SPARK and not column.nullable
            answers[question] = print_type(column.type) + (" not null" if required else "")
    return answers


def check(engine: Engine, asked: Sequence[str]) -> set[str]:
    """Asserts that no type is another one; what the engine answers and we refuse.

    Where Hive folds literals, our decimals may have more digits.
    """
    theirs = {question: _in_our_words(answer) for question, answer in recorded(engine).items()}
    ours = our_answers(engine, asked)
    allowed = OTHERWISE[engine]
    wrong = {
        question: (theirs[question], answer)
        for question, answer in ours.items()
        if REFUSED not in (answer, theirs[question])
        and not _agree(engine, answer, allowed.get(question, theirs[question]), question)
    }
    assert wrong == {}
    return {q for q, answer in ours.items() if answer == REFUSED and theirs[q] != REFUSED}


def _agree(engine: Engine, ours: str, theirs: str, question: str) -> bool:
    return agree(ours, theirs, question) if engine is Engine.HIVE else ours == theirs


def _in_our_words(answer: str) -> str:
    """Hive's names of intervals in Spark's words, and a time's usual digits left out."""
    answer = answer.replace("interval_day_time", "interval day to second").replace(
        "time(6)", "time"
    )
    return answer.replace("interval_year_month", "interval year to month")


@pytest.mark.parametrize("engine", Engine)
def test_every_question_has_a_recorded_answer(engine: Engine) -> None:
    hint = "ask the engine: pytest tests/integration/translation/test_engine_types.py --accept"
    assert list(recorded(engine)) == list(questions(engine.dialect)), hint


@pytest.mark.thorough
@pytest.mark.parametrize("engine", Engine)
def test_an_expression_in_twenty_has_the_type_that_the_engine_gives_it(engine: Engine) -> None:
    check(engine, list(recorded(engine))[::20])


@pytest.mark.parametrize("engine", Engine)
def test_nullif_refuses_all_that_the_engine_refuses(engine: Engine) -> None:
    """Else a column's new type would not be said to break a view that compares it so."""
    answers = {q: a for q, a in recorded(engine).items() if q.startswith("nullif(")}

    ours = our_answers(engine, list(answers))

    refused = {question for question, answer in answers.items() if answer == REFUSED}
    assert refused
    assert {question for question, answer in ours.items() if answer == REFUSED} == refused


@pytest.mark.slow
@pytest.mark.parametrize("engine", Engine)
def test_expressions_have_the_types_that_the_engine_gives_them(
    engine: Engine, pytestconfig: pytest.Config
) -> None:
    """Those that we refuse, with a reason, stand in a file of their own: a list to work off."""
    refused = sorted(check(engine, list(recorded(engine))))
    path = RECORDED / f"{engine.value}_refused_by_us.txt"
    if pytestconfig.getoption("--accept"):
        path.write_text("".join(f"{question}\n" for question in refused), encoding="utf-8")
    assert refused == path.read_text(encoding="utf-8").splitlines()


def test_recorded_differences_still_differ() -> None:
    for engine, answers in OTHERWISE.items():
        assert our_answers(engine, list(answers)) == answers
        assert all(recorded(engine)[q] != a for q, a in answers.items())
