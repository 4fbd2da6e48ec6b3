"""Writes a plan as Trino SQL that returns its rows, with the plan's names and types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lakeschema.translation.emission.engines import JOINS, Engine
from lakeschema.translation.emission.selects import RelationText, SelectWriter
from lakeschema.translation.emission.trino.forms import TrinoForms
from lakeschema.translation.emission.trino.functions import TrinoFunctions
from lakeschema.translation.emission.trino.text import literal, quoted, relation_text, type_text
from lakeschema.translation.functions.semantics import Semantics
from lakeschema.translation.model.interface import Options, Overflow
from lakeschema.translation.plan.relations import Plan, PlanColumn
from lakeschema.translation.rewriting.chars_as_texts import Stored, chars_as_texts
from lakeschema.translation.rewriting.full_join_by_union import full_join_by_union
from lakeschema.translation.rewriting.group_keys_as_columns import group_keys_as_columns
from lakeschema.translation.rewriting.grouping_of_keys import grouping_of_keys
from lakeschema.translation.rewriting.hive_groups import HIVE_GROUPS
from lakeschema.translation.rewriting.keys_of_no_set_as_nulls import keys_of_no_set_as_nulls
from lakeschema.translation.rewriting.lateral_conditions_moved import lateral_conditions_moved
from lakeschema.translation.rewriting.nan_order_explicit import nan_order_explicit
from lakeschema.translation.rewriting.no_group_of_nothing import no_group_of_nothing
from lakeschema.translation.rewriting.nodes import Rewriting, rewrite_in_turn
from lakeschema.translation.rewriting.outer_fields_as_columns import outer_fields_as_columns
from lakeschema.translation.rewriting.semi_joins_as_exists import semi_joins_as_exists
from lakeschema.translation.rewriting.sort_within_dropped import sort_within_dropped
from lakeschema.translation.rewriting.subquery_out_of_on import subquery_out_of_on
from lakeschema.translation.rewriting.tuples_in_as_exists import tuples_in_as_exists
from lakeschema.translation.rewriting.untyped_columns_as_nulls import untyped_columns_as_nulls
from lakeschema.translation.rewriting.window_filters_as_cases import window_filters_as_cases
from lakeschema.translation.rewriting.zeros_united import zeros_united


@dataclass(frozen=True, slots=True)
class TrinoQuery:
    """A query for Trino 476.

    Attributes:
        functions: user-defined functions that Trino must have, ordered by name.
        columns: the columns of the result, with letter case, types and nullability.
    """

    sql: str
    columns: tuple[PlanColumn, ...]
    functions: tuple[str, ...]

    @property
    def types(self) -> tuple[str, ...]:
        """The columns' types in Trino."""
        return tuple(type_text(column.type) for column in self.columns)


def trino_query(
    plan: Plan,
    semantics: Semantics,
    names: Sequence[str],
    options: Options,
    stored: Stored,
    named: RelationText | None = None,
) -> TrinoQuery:
    """The query of a view's plan with these column ``names``.

    ``stored`` has the stored types of the columns that the plan reads. ``named`` returns a relation's
    name in the text; None means its name in Trino.

    Raises:
        UnsupportedConstruct: Trino has no equivalent.
        UnsupportedType: Trino has no such type.
        UnsupportedFunction: a user-defined function has no name on Trino.
    """
    functions = TrinoFunctions(options.trino_udfs)
    forms = TrinoForms(semantics, functions, options.overflow is Overflow.WRAP)
    engine = Engine(
        quoted=quoted,
        literal=literal,
        joins=JOINS,
        values="(VALUES {rows}) AS {alias} ({names})",
        grouping_sets="GROUPING SETS ({sets})",
        # A value that is a row would be spread.
        value="ROW({})",
        forms=forms,
        offset_first=True,
        always_on=True,
        groups_by_names=True,
        correlates_by_names=True,
        tuples_need_values=True,
        # Spark uses a semi join: an unknown IN counts as false.
        unknown_is_not_in=semantics.is_spark,
        max_recursion=10,
    )
    named = named or (lambda name: relation_text(name, options.trino_catalogs))
    writer = SelectWriter(engine, named)
    sql = writer.view(shaped(plan, semantics, stored), names)
    columns = tuple(replace(c, name=n) for c, n in zip(plan.columns, names, strict=True))
    return TrinoQuery(sql, columns, functions.given)


_SHAPES: Sequence[Rewriting] = (
    sort_within_dropped,
    untyped_columns_as_nulls,
    window_filters_as_cases,
    subquery_out_of_on,
    full_join_by_union,
    semi_joins_as_exists,
    lateral_conditions_moved,
    tuples_in_as_exists,
    outer_fields_as_columns,
    grouping_of_keys,
    keys_of_no_set_as_nulls,
    zeros_united,
    no_group_of_nothing,
    group_keys_as_columns,
    nan_order_explicit,
)
# Spark uses a semi join: an unknown tuple IN counts as false.
_OF_SPARK_ALONE = frozenset({tuples_in_as_exists, zeros_united, no_group_of_nothing})
_SHAPES_OF_HIVE: Sequence[Rewriting] = (
    *HIVE_GROUPS,
    *(shape for shape in _SHAPES if shape not in _OF_SPARK_ALONE),
)


def shaped(plan: Plan, semantics: Semantics, stored: Stored) -> Plan:
    """The plan in shapes that Trino supports."""
    if not semantics.is_spark:
        return rewrite_in_turn(plan, _SHAPES_OF_HIVE)
    return rewrite_in_turn(plan, (chars_as_texts(stored), *_SHAPES))
