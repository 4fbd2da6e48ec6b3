"""Random views over tables with all columns masked: no text reads any of these columns."""

from __future__ import annotations

import re
from random import Random

import pytest

from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.model.errors import TranslationError
from lakeschema.translation.model.interface import Options
from lakeschema.translation.policies.reading import read_policies
from lakeschema.translation.products.governed import GovernedRelation, govern
from tests.lakeschema.translation.growing.tables import random_table
from tests.lakeschema.translation.growing.views import random_view

POLICIES = read_policies(
    {"rules": [{"columns": ["*"], "mask": "null"}, {"tables": ["*"], "filter": "1 = 1"}]}
)
VIEW = RelationName.of("default", "v")
_QUOTED = r"FROM `default`\.`t\d` AS (t\d+)"
_SCANS = {"spark": _QUOTED, "hive": _QUOTED, "trino": r'FROM "default"\."t\d" AS (t\d+)'}


def _text(found: GovernedRelation, engine: str) -> str:
    match engine:
        case "spark":
            return found.spark().sql
        case "hive":
            return found.hive().sql
        case _:
            return found.trino().sql


@pytest.mark.parametrize("engine", ["spark", "trino", "hive"])
def test_no_column_of_a_masked_table_is_read(engine: str) -> None:
    scans = written = 0
    for seed in range(80):
        random = Random(seed)
        tables = [random_table(random, f"t{number}") for number in range(3)]
        view = random_view(random, tables, random.randint(2, 5))
        if view.below:
            continue
        ddl = [*(table.ddl for table in tables), f"CREATE VIEW v AS {view.text}"]
        try:
            found = govern(VIEW, relations_from_ddl(ddl, Dialect.SPARK), POLICIES, Options())
            sql = _text(found, engine)
        except TranslationError:
            continue
        written += 1
        for alias in re.findall(_SCANS[engine], sql):
            scans += 1
            assert not re.search(rf"\b{alias}\.[`\"]", sql), sql

    # Hive has less of what these views call.
    assert written > (15 if engine == "hive" else 30)
    assert scans > written
