from __future__ import annotations

import pytest

from lakeschema.catalog.relations import Dialect
from lakeschema.translation.model.errors import TranslationError
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.from_items import NO_ALIAS
from lakeschema.translation.syntax.grammars import GRAMMARS
from lakeschema.translation.syntax.parsing import parse_query
from tests.lakeschema.translation.asked_aliases import COLUMNS, TABLES, recorded_words

DIALECTS = [Dialect.SPARK, Dialect.HIVE]


def names_column(text: str, word: str, dialect: Dialect) -> bool:
    match parse_query(text, dialect):
        case tree.Select(items=(item, *_)):
            return item.aliases == (word,)
        case _:
            return False


def names_table(text: str, word: str, dialect: Dialect) -> bool:
    query = parse_query(text, dialect)
    first = query.branches[0] if isinstance(query, tree.SetQuery) else query
    source = first.source if isinstance(first, tree.Select) else None
    item = source.left if isinstance(source, tree.Join) else source
    return isinstance(item, tree.TableName | tree.FromQuery) and item.alias == word


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_word_that_the_engine_reads_as_an_alias_is_read_so(dialect: Dialect) -> None:
    asked = [word for word in recorded_words() if word.dialect is dialect]
    wrong: list[str] = []

    for each in asked:
        word = each.word.lower()
        columns = [(names_column, place) for place in COLUMNS if each.names_columns]
        tables = [(names_table, place) for place in TABLES if each.names_tables]
        for reads, place in (*columns, *tables):
            text = place.format(word)
            try:
                if not reads(text, word, dialect):
                    wrong.append(text)
            except TranslationError:
                wrong.append(text)

    assert wrong == []
    assert len(asked) > 400


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_words_that_the_grammar_keeps_from_aliases_are_the_engines(dialect: Dialect) -> None:
    asked = [w for w in recorded_words() if w.dialect is dialect and w.word in NO_ALIAS]
    grammar = GRAMMARS[dialect]

    assert {w.word for w in asked if not w.names_tables} == grammar.no_alias
    assert {w.word for w in asked if not w.names_columns} == grammar.no_column_alias
