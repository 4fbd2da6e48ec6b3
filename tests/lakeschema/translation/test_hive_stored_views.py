from __future__ import annotations

import pytest

from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.translation.model.interface import Options, ViewEvolution
from tests.lakeschema.translation.asked_stored_views import VIEWS, name_of, statements
from tests.lakeschema.translation.relations import columns_in

RELATIONS = relations_from_ddl(["; ".join(statements())])


@pytest.mark.parametrize("evolution", ViewEvolution)
@pytest.mark.parametrize(("number", "text"), list(enumerate(VIEWS)))
def test_a_view_has_the_columns_that_hive_returns(
    number: int, text: str, evolution: ViewEvolution
) -> None:
    options = Options(view_evolution=evolution)

    assert columns_in(RELATIONS, name_of(number), options) == VIEWS[text]


def test_a_materialized_view_stored_outside_of_hive_is_read() -> None:
    made = [
        (
            "CREATE MATERIALIZED VIEW m PARTITIONED ON SPEC (bucket(16, a), b) STORED BY ICEBERG"
            " STORED AS ORC LOCATION '/x' TBLPROPERTIES ('format-version'='2')"
            " AS SELECT 1 AS a, 'x' AS b"
        ),
        (
            "CREATE MATERIALIZED VIEW n STORED BY 'a.B' WITH SERDEPROPERTIES ('p'='q')"
            " AS SELECT 1 AS a, 'x' AS b"
        ),
    ]

    relations = relations_from_ddl(["; ".join(made)])

    assert [columns_in(relations, name) for name in relations] == ["a int, b string"] * 2
