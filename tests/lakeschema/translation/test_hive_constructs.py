"""Views with each construct of HiveQL have the columns that Hive 4.0.1 gives them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat

import pytest

from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.errors import TranslationError
from tests.lakeschema.translation.asked_views import DATABASE, TABLES, recorded_views
from tests.lakeschema.translation.hive_decimals import agree
from tests.lakeschema.translation.relations import derived_in

VIEW = RelationName.of(DATABASE, "asked")
TABLES_TEXT = "; ".join((f"CREATE DATABASE {DATABASE}", f"USE {DATABASE}", *TABLES))


def columns_of(text: str) -> tuple[str, ...]:
    """As Hive describes them, or the reason against it."""
    relations = relations_from_ddl([f"{TABLES_TEXT}; CREATE VIEW asked AS {text}"])
    try:
        interface = derived_in(relations, VIEW).interface
    except TranslationError as error:
        return (str(error),)
    found = (*interface.columns, *(omitted.column for omitted in interface.omitted))
    return tuple(f"{column.name.lower()} {print_type(column.type)}" for column in found)


def all_agree(text: str, ours: Sequence[str], theirs: Sequence[str]) -> bool:
    return len(ours) == len(theirs) and all(map(agree, ours, theirs, repeat(text)))


def in_our_words(column: str) -> str:
    column = column.replace("interval_day_time", "interval day to second")
    return column.replace("interval_year_month", "interval year to month")


@pytest.mark.parametrize("kept", [False, True], ids=["as written", "as Hive keeps it"])
def test_a_view_of_each_construct_has_the_columns_that_hive_gives_it(*, kept: bool) -> None:
    asked = {view.kept if kept else view.text: view.columns for view in recorded_views()}

    found = {text: columns_of(text) for text in asked}

    # Columns that Avro cannot hold come last.
    wrong = {
        text: (columns, found[text])
        for text, columns in asked.items()
        if not all_agree(text, sorted(found[text]), sorted(map(in_our_words, columns)))
    }
    assert wrong == {}
    assert len(asked) > 200
