"""Views read from Hive's own metastore have the columns that Hive returns."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from deploy.hive import HiveAnswer, HiveQueries
from lakeschema.catalog.hive_metastore import HiveMetastoreCatalog
from lakeschema.catalog.identifiers import Namespace
from tests.lakeschema.translation.asked_stored_views import DATABASE, VIEWS, name_of, statements
from tests.lakeschema.translation.relations import columns_in


@pytest.fixture(scope="module")
def views(hive: HiveQueries) -> Iterator[HiveQueries]:
    for statement in statements():
        hive.answer(statement)
    yield hive
    hive.run(f"DROP DATABASE {DATABASE} CASCADE")


def test_views_of_a_metastore_have_the_columns_that_hive_returns(
    views: HiveQueries, hive_catalog: HiveMetastoreCatalog
) -> None:
    names = [name_of(number) for number in range(len(VIEWS))]
    answers = views.compile(*(f"SELECT * FROM {name}" for name in names))
    stored = hive_catalog.read(hive_catalog.relations(Namespace((DATABASE,))))

    returned = [
        ", ".join(f"{column.partition('.')[2]} {type_}" for column, type_ in answer.columns)
        for answer in answers
        if isinstance(answer, HiveAnswer)
    ]
    assert returned == list(VIEWS.values())
    assert [columns_in(stored, name) for name in names] == returned
