"""The names of an analysis and the typed plan of a view must say the same of each column."""

from __future__ import annotations

from types import MappingProxyType

import pytest

from lakeschema.analysis.catalog import KnownCatalog, KnownTable
from lakeschema.analysis.column_lineage import column_lineage
from lakeschema.analysis.scripts import analyse
from lakeschema.analysis.syntax.dialects import grammar_of
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.interface import Options
from tests.lakeschema.translation.relations import derived_in
from tests.lakeschema.translation.test_gallery import CASES, Case, shown

WITHOUT_TYPES = frozenset(
    {
        # Which columns a struct has, and what a setting of the view's makes of quotation marks.
        "spark_stars_of_structs",
        "spark_settings_of_a_view",
        # What Spark calls a column without an alias.
        "spark_reads_parts_of_variants",
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


@pytest.mark.parametrize("case", [c for c in CASES if str(c) not in WITHOUT_TYPES], ids=str)
def test_an_analysis_and_the_plan_agree(case: Case) -> None:
    relations, name, options = shown(case)
    view = relations[name].view
    assert view is not None
    catalog = known(relations, name, options)
    catalog = KnownCatalog(catalog.tables, namespace=view.current_namespace)

    (analysed,) = analyse(view.text, grammar_of(view.dialect.value), catalog)

    assert analysed.resolved is not None
    (found,) = column_lineage(analysed.resolved)
    planned = derived_in(relations, name, options).lineage
    assert [{(s.source, s.column, s.path) for s in column.direct} for column in found.columns] == [
        {(s.relation, s.column.lower(), tuple(map(str.lower, s.path))) for s in column.sources}
        for column in planned
    ]
