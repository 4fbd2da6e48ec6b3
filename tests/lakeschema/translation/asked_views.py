"""Views in HiveQL with each construct of the language, and the columns that Hive 4.0.1 gives them.

Hive keeps a view's text in its own words, with every name qualified; that text is recorded, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from lakeschema.catalog.relations import Dialect
from tests.lakeschema.translation.asked_types import RECORDED, table_ddl

DATABASE: Final = "p"
TABLES: Final = (
    table_ddl(Dialect.HIVE),
    "CREATE TABLE u (id int, label string, i int)",
    "CREATE TABLE v (id int, other double)",
    "CREATE TABLE pt (id int, v string) PARTITIONED BY (p string)",
)

_PATH = RECORDED / "hive_views.tsv"


@dataclass(frozen=True, slots=True)
class AskedView:
    """``kept`` is the text in Hive's words; ``columns`` are names with types, in order."""

    text: str
    kept: str
    columns: tuple[str, ...]


def recorded_views() -> Sequence[AskedView]:
    views: list[AskedView] = []
    for line in _PATH.read_text(encoding="utf-8").splitlines():
        text, kept, *columns = line.split("\t")
        views.append(AskedView(text, kept, tuple(columns)))
    return views
