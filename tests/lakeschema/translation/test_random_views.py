"""Random views over random nested tables: an answer or one of our errors, never anything else."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeschema.avro.parsing import parse_schema
from lakeschema.avro.printing import to_text
from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.emission.spark.view import spark_view
from lakeschema.translation.model.errors import TranslationError
from tests.effort import examples
from tests.lakeschema.translation.growing.constructs import CONSTRUCTS
from tests.lakeschema.translation.growing.ground import Ground, Query
from tests.lakeschema.translation.growing.languages import BOTH, SPARK
from tests.lakeschema.translation.growing.tables import random_table
from tests.lakeschema.translation.growing.views import random_view
from tests.lakeschema.translation.relations import derived, derived_in, interfaces

NAME = RelationName.of("default", "v")


def grown(random: Random, dialect: Dialect) -> str:
    tables = [random_table(random, name) for name in ("t", "u")]
    budget = random.randint(1, 6)
    view = random_view(random, tables, budget, BOTH if dialect is Dialect.HIVE else SPARK)
    views = [*view.below, ("v", view.text)]
    return ";".join([*(t.ddl for t in tables), *(f"CREATE VIEW {n} AS {q}" for n, q in views)])


@pytest.mark.slow
@settings(max_examples=examples(300))
@given(st.randoms(use_true_random=False), st.sampled_from([Dialect.HIVE, Dialect.SPARK]))
def test_a_random_view_derives_or_is_refused(random: Random, dialect: Dialect) -> None:
    ddl = grown(random, dialect)
    try:
        derivation = derived(ddl, dialect=dialect)
    except TranslationError as error:
        refused: RelationName | None = error.relation
    else:
        refused = None
        interface = derivation.interface
        assert len(interface.columns) == len(interface.schema.fields) == len(derivation.lineage)
        assert parse_schema(to_text(interface.schema)) == interface.schema
        return

    assert refused is not None


@pytest.mark.slow
@settings(max_examples=examples(200))
@given(st.randoms(use_true_random=False))
def test_what_is_emitted_means_the_same_when_it_is_read_again(random: Random) -> None:
    relations = dict(relations_from_ddl([grown(random, Dialect.SPARK)], Dialect.SPARK))
    try:
        emitted = spark_view(relations[NAME], interfaces(relations, NAME))
    except TranslationError:
        return
    view = relations[NAME].view
    assert view is not None
    relations[NAME] = replace(
        relations[NAME], view=replace(view, text=emitted.sql, original_text=emitted.sql)
    )

    again = spark_view(relations[NAME], interfaces(relations, NAME))

    assert [(c.name, print_type(c.type)) for c in again.columns] == [
        (c.name, print_type(c.type)) for c in emitted.columns
    ]


@pytest.mark.parametrize("name", CONSTRUCTS)
@pytest.mark.parametrize("seed", range(3))
def test_each_construct_that_is_grown_for_spark_derives_with_its_columns(
    name: str, seed: int
) -> None:
    random = Random(seed)
    table = random_table(random, "t")
    read = Query("SELECT * FROM t", table.columns)
    query, _ = CONSTRUCTS[name](
        Ground(random, read, "g", iter(map("n{}".format, count())), [table])
    )

    found = derived(f"{table.ddl}; CREATE VIEW v AS {query.text}", dialect=Dialect.SPARK).interface

    names = [c.name.lower() for c in (*found.columns, *(o.column for o in found.omitted))]
    assert sorted(names) == sorted(name.lower() for name, _ in query.columns)


@settings(max_examples=examples(200))
@given(st.text(max_size=60))
def test_any_text_at_all_is_answered_or_refused(text: str) -> None:
    relations = dict(relations_from_ddl(["CREATE TABLE t (a INT); CREATE VIEW v AS SELECT 1 AS x"]))
    view = relations[NAME].view
    assert view is not None
    relations[NAME] = replace(relations[NAME], view=replace(view, text=text, original_text=text))

    try:
        found = derived_in(relations, NAME).interface.name
    except TranslationError as error:
        found = error.relation or RelationName.of("nobody")

    assert found == NAME
