"""Several worlds in one table, and queries over one world and over many."""

from __future__ import annotations

from random import Random

import pytest

from tests.judges.lineage.claims import Claimants
from tests.judges.lineage.views import Grower, of_many_worlds, of_one_world, tables
from tests.judges.lineage.worlds import UNCHANGED, worlds


def test_a_world_differs_from_its_base_in_one_column_alone() -> None:
    lake = tables()

    made = worlds(Random(1), lake, bases=2)

    for number, version in enumerate(made.versions):
        for table in lake:
            base, here = (
                [row[2:] for row in made.rows[table.name] if row[1] == world]
                for world in (version.base, number)
            )
            assert len(base) == len(here)
            differing = {
                (table.name, name)
                for before, after in zip(base, here, strict=True)
                for (name, _), old, new in zip(table.columns, before, after, strict=True)
                if old != new
            }
            allowed = set() if version.changed == UNCHANGED else {made.columns[version.changed]}
            assert differing <= allowed


def test_every_column_but_the_keys_is_changed_in_some_world() -> None:
    made = worlds(Random(1), tables(), bases=1)

    assert {version.changed for version in made.versions} == {UNCHANGED, *range(12)}
    assert not any(column.endswith(("_id", "_g")) for _, column in made.columns)


@pytest.mark.parametrize("seed", range(40))
def test_a_query_over_many_worlds_says_what_one_over_a_world_says(seed: int) -> None:
    """Compares the analyses, which know no worlds of a table."""
    random = Random(seed)
    marked = Grower(random, tables()).query(random.randint(1, 3))
    claimants = Claimants(tables())

    one, many = of_one_world(marked), of_many_worlds(marked)

    assert "world" not in one
    assert "world" in many
    alone, together = claimants.analysed(one), claimants.analysed(many)
    assert alone is not None
    assert together is not None
    assert list(together[:-1]) == list(alone)
    assert together[-1].name == "world"
