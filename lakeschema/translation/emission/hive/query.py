"""Writes a Spark view's plan as HiveQL with the same rows, names and types."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace

from lakeschema.translation.emission.engines import JOINS, Engine
from lakeschema.translation.emission.hive.forms import HiveForms
from lakeschema.translation.emission.hive.given import require_short
from lakeschema.translation.emission.hive.shapes import check
from lakeschema.translation.emission.hive.text import literal, quoted, relation, type_text
from lakeschema.translation.emission.selects import RelationText, SelectWriter
from lakeschema.translation.functions.semantics import Semantics
from lakeschema.translation.plan.relations import Plan, PlanColumn
from lakeschema.translation.rewriting.aggregate_filters_as_cases import aggregate_filters_as_cases
from lakeschema.translation.rewriting.no_group_of_nothing import no_group_of_nothing
from lakeschema.translation.rewriting.nodes import Rewriting, rewrite_in_turn
from lakeschema.translation.rewriting.semi_joins_as_exists import semi_joins_as_exists
from lakeschema.translation.rewriting.sort_within_dropped import sort_within_dropped
from lakeschema.translation.rewriting.tuples_in_as_exists import tuples_in_as_exists
from lakeschema.translation.rewriting.uncorrelated_exists_as_counts import (
    uncorrelated_exists_as_counts,
)
from lakeschema.translation.rewriting.window_filters_as_cases import window_filters_as_cases
from lakeschema.translation.rewriting.zeros_united import zeros_united

_SHAPES: Sequence[Rewriting] = (
    sort_within_dropped,
    window_filters_as_cases,
    aggregate_filters_as_cases,
    semi_joins_as_exists,
    tuples_in_as_exists,
    uncorrelated_exists_as_counts,
    zeros_united,
    no_group_of_nothing,
)


@dataclass(frozen=True, slots=True)
class HiveQuery:
    sql: str
    columns: tuple[PlanColumn, ...]

    @property
    def types(self) -> tuple[str, ...]:
        """The types of the columns in Hive."""
        return tuple(type_text(column.type) for column in self.columns)


def hive_query(
    plan: Plan,
    semantics: Semantics,
    names: Sequence[str],
    named: RelationText = relation,
    padded: Container[str] = (),
) -> HiveQuery:
    """The query of a Spark view's plan, with these column ``names``.

    ``named`` returns a relation's name in the text. ``padded`` has the names of stored CHAR columns.

    Raises:
        UnsupportedConstruct: Hive has no equivalent.
        UnsupportedType: Hive has no such type.
        TooLarge: the text would be too long for Hive.
    """
    shaped = rewrite_in_turn(plan, _SHAPES)
    check(shaped, padded)
    engine = Engine(
        quoted=quoted,
        literal=literal,
        joins=JOINS,
        values="(SELECT inline(array({rows})) AS ({names})) AS {alias}",
        row="struct({})",
        value="struct({})",
        grouping_sets="{keys} GROUPING SETS ({sets})",
        forms=HiveForms(semantics),
        always_on=True,
        lateral_views_of_one=True,
        # Spark uses a semi join: an unknown IN counts as false.
        unknown_is_not_in=True,
    )
    writer = SelectWriter(engine, named)
    sql = writer.view(shaped, names)
    require_short("{0}", [sql])
    columns = tuple(replace(c, name=n) for c, n in zip(plan.columns, names, strict=True))
    query = HiveQuery(sql, columns)
    query.types  # noqa: B018 (raises for a type that Hive has not)
    return query
