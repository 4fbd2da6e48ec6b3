"""No reader of untrusted text takes more than linear time, whatever the text is.

Growth is measured in processor time at two sizes, as a ratio.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Final

import pytest

from lakeschema.analysis.batch import answer as analyse
from lakeschema.analysis.fingerprints import Fingerprints
from lakeschema.analysis.statements_logged import may_define
from lakeschema.analysis.syntax.dialects import grammar_of
from lakeschema.analysis.syntax.lexing import statement_tokens
from lakeschema.analysis.syntax.scripts import read_script
from lakeschema.avro.errors import MalformedAvroSchema
from lakeschema.avro.parsing import parse_schema
from lakeschema.catalog.column_types import parse_type_or_unknown
from lakeschema.catalog.ddl_reader import read_statements
from lakeschema.catalog.errors import MalformedName
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.catalog.spark_schema import columns_from_json
from lakeschema.catalog.sql_functions import called_names
from lakeschema.catalog.trino_types import parse_trino_type_or_unknown
from lakeschema.translation.emission.pig.user_scripts import relations_loaded
from lakeschema.translation.emission.spark.from_trino.patterns import may_be_skipped
from lakeschema.translation.model.errors import TranslationError
from lakeschema.translation.requests.batch import answer as translate
from lakeschema.translation.syntax.grammars import GRAMMARS
from lakeschema.translation.syntax.lexing import tokens_of
from lakeschema.translation.syntax.parsing import parse_body, parse_query
from lakeschema.translation.syntax.trino_lexing import trino_tokens
from publisher.commands.audience.query_log import query_in
from publisher.commands.registering.statements import read_mark
from publisher.events.apiary_events import decode_apiary
from publisher.events.metastore_events import LogEvent, decode
from publisher.index.page_parsing import (
    MalformedPage,
    parse_html_page,
    parse_html_root,
    parse_json_page,
)
from tests.hostile_texts import (
    FOUND,
    LARGE,
    MAX_GROWTH,
    NEGLIGIBLE_SECONDS,
    SMALL,
    Text,
    growth,
    hostile_texts,
    numbered_texts,
    seconds,
)

DIALECTS: Final = (
    "spark",
    "hive",
    "trino",
    "postgres",
    "tsql",
    "mysql",
    "bigquery",
    "snowflake",
    "oracle",
)
Reader = Callable[[str], object]


def tokens(dialect: str, text: str) -> None:
    with suppress(TranslationError):
        statement_tokens(text, grammar_of(dialect))


def statements(dialect: str, text: str) -> None:
    read_script(text, grammar_of(dialect))


def view(dialect: Dialect, text: str) -> None:
    with suppress(TranslationError):
        parse_query(text, dialect)


def definitions(dialect: Dialect, text: str) -> None:
    for _ in read_statements(text, dialect):
        pass


def refusing(error: type[Exception], read: Reader) -> Reader:
    def reader(text: str) -> None:
        with suppress(error):
            read(text)

    return reader


def translated(text: str) -> None:
    ddl = "CREATE TABLE a (a INT, b STRING)"
    translate({"id": "1", "ddl": [ddl], "query": text, "to": "avro", "dialect": "spark"}, None)


def altered(text: str) -> None:
    decode(LogEvent(1, 0, "ALTER_TABLE", "a", "b", text, "json-0.2"))


LEXERS: Final[Mapping[str, Reader]] = {
    **{f"tokens of {name}": partial(tokens, name) for name in DIALECTS},
    **{
        f"tokens of a view in {dialect.value}": refusing(
            TranslationError, partial(tokens_of, grammar=GRAMMARS[dialect])
        )
        for dialect in (Dialect.HIVE, Dialect.SPARK)
    },
    "tokens of a view in trino": refusing(TranslationError, trino_tokens),
    "fingerprint": lambda text: Fingerprints().of(text, grammar_of("spark")),
    "may define": may_define,
    "functions called": lambda text: called_names(text, ("a",)),
    "a query in a statement": query_in,
    "a Pig script": refusing(TranslationError, relations_loaded),
    "a pattern": lambda text: may_be_skipped(text, 1),
    "a name": refusing(MalformedName, RelationName.parse),
    "a type": parse_type_or_unknown,
    "a type in trino": parse_trino_type_or_unknown,
    "columns in a property": columns_from_json,
    "a schema": refusing(MalformedAvroSchema, parse_schema),
    "a mark of ours": read_mark,
    "an event": lambda text: decode_apiary(text.encode()),
    "an alteration": altered,
    "a page": refusing(MalformedPage, lambda text: parse_html_page(text, "a")),
    "a list of projects": refusing(MalformedPage, parse_html_root),
    "a page in json": refusing(MalformedPage, lambda text: parse_json_page(text.encode(), "a")),
}
PARSERS: Final[Mapping[str, Reader]] = {
    **{f"statements of {name}": partial(statements, name) for name in DIALECTS},
    **{f"ddl of {dialect.value}": partial(definitions, dialect) for dialect in Dialect},
    **{f"a view in {dialect.value}": partial(view, dialect) for dialect in Dialect},
    "the body of a function": refusing(TranslationError, parse_body),
    "an analysis": lambda text: analyse({"id": "1", "sql": text, "dialect": "spark"}),
    "a translation": translated,
}
READERS: Final = {**LEXERS, **PARSERS}
PAIRS: Final = 300
TEXTS: Final = 4


@pytest.mark.thorough
@pytest.mark.seeded
@pytest.mark.parametrize("name", READERS)
@pytest.mark.alike("name", keep=3)
def test_time_grows_with_the_text_alone(name: str, first_seed: int) -> None:
    chosen = random.Random(f"{name} {first_seed}")
    texts = hostile_texts(chosen, PAIRS)

    asked = [*(Text("", unit) for unit in FOUND), *chosen.sample(texts, TEXTS)]
    slow = [text for text in asked if growth(READERS[name], text) > MAX_GROWTH]

    assert slow == []


@pytest.mark.thorough
@pytest.mark.parametrize("name", LEXERS)
@pytest.mark.alike("name", keep=2)
def test_time_grows_with_the_text_alone_where_no_two_openings_are_equal(name: str) -> None:
    for small, large in zip(numbered_texts(SMALL), numbered_texts(LARGE), strict=True):
        fast = max(seconds(LEXERS[name], small) for _ in range(2))
        slow = min(seconds(LEXERS[name], large) for _ in range(2))

        assert slow < NEGLIGIBLE_SECONDS or slow <= MAX_GROWTH * fast, large[:20]
