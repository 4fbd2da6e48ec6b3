"""The recorded keywords that engines read as an alias without AS.

``benchmarks/words_as_aliases.py`` asks them again, of every keyword in each place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from lakeschema.catalog.relations import Dialect
from tests.lakeschema.translation.asked_types import RECORDED

PATH: Final = RECORDED / "aliases.tsv"
COLUMNS: Final = ("SELECT a {}", "SELECT a {} FROM t", "SELECT a {}, b FROM t")
TABLES: Final = (
    "SELECT a FROM t {}",
    "SELECT a FROM t {}, u",
    "SELECT a FROM t {} WHERE b = 1",
    "SELECT a FROM t {} GROUP BY a",
    "SELECT a FROM t {} UNION ALL SELECT c FROM u",
    "SELECT a FROM (SELECT a FROM t) {}",
)
"""Places of an alias; it is one of the word if the engine reads it so in most of them."""


@dataclass(frozen=True, slots=True)
class AskedWord:
    dialect: Dialect
    word: str
    names_columns: bool
    names_tables: bool


def recorded_words() -> Sequence[AskedWord]:
    lines = PATH.read_text(encoding="utf-8").splitlines()
    asked = (line.split("\t") for line in lines)
    return [
        AskedWord(Dialect(dialect), word, "column" in places, "table" in places)
        for dialect, word, places in asked
    ]


def recorded_text(words: Sequence[AskedWord]) -> str:
    return "".join(
        "\t".join((w.dialect.value, w.word, "column " * w.names_columns + "table" * w.names_tables))
        + "\n"
        for w in words
    )
