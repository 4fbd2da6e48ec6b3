"""Asks Spark and Hive about each of their keywords whether it can be an alias without AS.

Rewrites ``recorded/aliases.tsv``, with which the tests compare the parser.
"""

from __future__ import annotations

import re
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pyspark.errors import ParseException
from pyspark.sql import SparkSession

from deploy.hive import HiveAnswer, HiveQueries
from deploy.jars import downloaded_jars
from deploy.jdk import find_jdk
from lakeschema.catalog.relations import Dialect
from tests.judges.sessions import start_spark
from tests.lakeschema.translation.asked_aliases import (
    COLUMNS,
    PATH,
    TABLES,
    AskedWord,
    recorded_text,
    recorded_words,
)

_TABLES = ("CREATE TABLE t (a int, b int)", "CREATE TABLE u (c int)")
_ROUND = 100

Reads = Callable[[Sequence[str], Sequence[str]], Sequence[bool]]
"""Whether the engine reads each text with its word as an alias."""


def main() -> int:
    before = recorded_words() if PATH.exists() else []
    with tempfile.TemporaryDirectory() as directory, HiveQueries.start(Path(directory)) as hive:
        spark = start_spark()
        keywords = [row[0] for row in spark.sql("SELECT keyword FROM sql_keywords()").collect()]
        found = list(_asked(Dialect.SPARK, keywords, lambda t, w: _spark_reads(spark, t, w)))
        hive.run(*_TABLES)
        both = sorted({*keywords, *_hive_keywords()})
        found += _asked(Dialect.HIVE, both, lambda t, w: _hive_reads(hive, t, w))
    PATH.write_text(recorded_text(found), encoding="utf-8")
    for dialect in (Dialect.SPARK, Dialect.HIVE):
        words = [word for word in found if word.dialect is dialect]
        columns, tables = sum(w.names_columns for w in words), sum(w.names_tables for w in words)
        print(f"{dialect.value}: {len(words)} words, of columns {columns}, of tables {tables}")
    print(f"{len(set(found) ^ set(before))} differences from what was recorded")
    return 0


def _asked(dialect: Dialect, words: Sequence[str], reads: Reads) -> Iterator[AskedWord]:
    def names(places: Sequence[str]) -> Sequence[bool]:
        votes = [0] * len(words)
        for place in places:
            answers = reads([place.format(word.lower()) for word in words], words)
            votes = [vote + answer for vote, answer in zip(votes, answers, strict=True)]
        return [2 * vote > len(places) for vote in votes]

    answered = zip(words, names(COLUMNS), names(TABLES), strict=True)
    return (AskedWord(dialect, word, column, table) for word, column, table in answered)


def _spark_reads(spark: SparkSession, texts: Sequence[str], words: Sequence[str]) -> Sequence[bool]:
    parser = spark._jsparkSession.sessionState().sqlParser()  # noqa: SLF001

    def reads(text: str, word: str) -> bool:
        try:
            plan = parser.parsePlan(text).toString()
        except ParseException:
            return False
        name = re.escape(word.lower())
        return (
            re.search(rf"'a AS {name}#|SubqueryAlias `?{name}`?$", plan, re.MULTILINE) is not None
        )

    return [reads(text, word) for text, word in zip(texts, words, strict=True)]


def _hive_reads(hive: HiveQueries, texts: Sequence[str], words: Sequence[str]) -> Sequence[bool]:
    """Whether Hive reads each word as an alias: a column has the name, or a table's alias compiles."""
    found: list[bool] = []
    for start in range(0, len(texts), _ROUND):
        for text, answer in zip(
            texts[start : start + _ROUND], hive.compile(*texts[start : start + _ROUND]), strict=True
        ):
            word = words[len(found)].lower()
            is_column = f"a {word}" in text.partition("FROM")[0]
            found.append(
                isinstance(answer, HiveAnswer) and (not is_column or answer.columns[0][0] == word)
            )
    return found


def _hive_keywords() -> set[str]:
    """The names of the tokens of Hive's lexer."""
    for jar in downloaded_jars(find_jdk(), "hive"):
        with zipfile.ZipFile(jar) as archive:
            for name in archive.namelist():
                if name.endswith("/parse/HiveLexer.class"):
                    tokens = re.findall(rb"KW_([A-Z][A-Z_0-9]*)", archive.read(name))
                    return {token.decode() for token in tokens}
    return set()


if __name__ == "__main__":
    sys.exit(main())
