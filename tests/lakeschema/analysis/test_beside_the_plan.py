"""The names of an analysis and the typed plan of a view must agree about each column."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import TypeAlias

import pytest

from lakeschema.analysis import influences as traced
from lakeschema.analysis.catalog import KnownCatalog, KnownTable
from lakeschema.analysis.column_lineage import RelationLineage, column_lineage
from lakeschema.analysis.conventions import Conventions
from lakeschema.analysis.scripts import analyse
from lakeschema.analysis.syntax.dialects import grammar_of
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation, ViewText
from lakeschema.translation.model.interface import Influence, Options
from tests.lakeschema.translation.relations import derived_in
from tests.lakeschema.translation.test_gallery import CASES, Case, shown

WITHOUT_TYPES = frozenset(
    {
        # Which columns a struct has, and what a setting of the view's makes of quotation marks.
        "spark_stars_of_structs",
        "spark_settings_of_a_view",
        # What the body of a SQL function reads.
        "spark_calls_sql_functions",
        # What Spark calls a column without an alias.
        "spark_reads_parts_of_variants",
    }
)

MORE_IN_THE_PLAN = frozenset(
    {
        # What orders the values of an aggregate.
        "hive_percentiles_of_ordered_groups",
        "spark_aggregates_order_their_values",
        # What a pipe, a pivot and a generator do to rows.
        "spark_explodes_what_it_collects",
        "spark_pipes_are_queries_in_a_row",
        "spark_pivots_by_value",
        "spark_unpivots_to_rows",
    }
)


def known(
    relations: dict[RelationName, Relation], view: RelationName, options: Options
) -> KnownCatalog:
    tables = {}
    for name, relation in relations.items():
        if name == view:
            continue
        if relation.is_view:
            columns = tuple(c.column for c in derived_in(relations, name, options).lineage)
        else:
            columns = tuple(c.name for c in (*relation.columns, *relation.partition_columns))
        tables[name] = KnownTable(columns, is_view=relation.is_view)
    return KnownCatalog(MappingProxyType(tables))


def analysed_lineage(
    view: ViewText, catalog: KnownCatalog, conventions: Conventions
) -> RelationLineage:
    catalog = KnownCatalog(catalog.tables, namespace=view.current_namespace)
    (analysed,) = analyse(view.text, grammar_of(view.dialect.value), catalog)
    assert analysed.resolved is not None
    (found,) = column_lineage(analysed.resolved, conventions)
    return found


Said: TypeAlias = set[tuple[str, object, str]]


def analysed_influences(influences: Iterable[traced.Influence]) -> Said:
    return {(clause.value, s.source, s.column) for clause, s in influences}


def planned_influences(influences: Iterable[Influence]) -> Said:
    return {(i.clause.value, i.source.relation, i.source.column.lower()) for i in influences}


@pytest.mark.parametrize("case", [c for c in CASES if str(c) not in WITHOUT_TYPES], ids=str)
def test_an_analysis_and_the_plan_agree(case: Case) -> None:
    relations, name, options = shown(case)
    view = relations[name].view
    assert view is not None

    found = analysed_lineage(view, known(relations, name, options), Conventions())

    planned = derived_in(relations, name, options).lineage
    assert [{(s.source, s.column, s.path) for s in column.direct} for column in found.columns] == [
        {(s.relation, s.column.lower(), tuple(map(str.lower, s.path))) for s in column.sources}
        for column in planned
    ]


@pytest.mark.parametrize("case", [c for c in CASES if str(c) not in WITHOUT_TYPES], ids=str)
def test_they_agree_about_what_decides_rows_and_values(case: Case) -> None:
    relations, name, options = shown(case)
    view = relations[name].view
    assert view is not None
    # The plan keeps a condition only where no value is made of the same column.
    conventions = Conventions(conditions_are_direct=False)

    found = analysed_lineage(view, known(relations, name, options), conventions)

    planned = derived_in(relations, name, options)
    assert planned.rows is not None
    both = [(analysed_influences(found.rows), planned_influences(planned.rows))]
    for analysed, column in zip(found.columns, planned.lineage, strict=True):
        values = {("condition", s.relation, s.column.lower()) for s in column.direct}
        both.append(
            (analysed_influences(analysed.indirect) - values, planned_influences(column.indirect))
        )
    if str(case) in MORE_IN_THE_PLAN:
        assert all(fewer <= more for fewer, more in both)
        assert any(fewer != more for fewer, more in both)
    else:
        assert [fewer for fewer, _ in both] == [more for _, more in both]
