"""Writes the HiveQL that returns a Spark view's rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lakeschema.catalog.column_types import CharType
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, Relation
from lakeschema.translation.deriving.derivation import derive_view
from lakeschema.translation.emission.hive.query import HiveQuery, hive_query
from lakeschema.translation.emission.hive.text import relation as own_name
from lakeschema.translation.emission.recorded_settings import refuse_settings_of_rows
from lakeschema.translation.emission.selects import RelationText
from lakeschema.translation.functions.semantics import semantics_of
from lakeschema.translation.model.errors import UnsupportedConstruct, errors_of
from lakeschema.translation.model.interface import Interface, Options
from lakeschema.translation.plan.relations import Plan

_DEFAULT = Options()


def hive_view(
    relation: Relation,
    upstreams: Mapping[RelationName, Interface],
    options: Options = _DEFAULT,
    relation_text: RelationText = own_name,
) -> HiveQuery:
    """The query of one Spark view, with its Avro schema's column names.

    ``relation_text`` returns a relation's name in the text.

    Raises:
        TranslationError: the view cannot be read, or Hive has no equivalent.
    """
    if not relation.is_view:
        raise ValueError(f"{relation.name} is a table")
    derivation, plan = derive_view(relation, upstreams, options)
    names = derivation.interface.names
    return hive_view_of(relation, plan, names, upstreams, relation_text)


def hive_view_of(
    relation: Relation,
    plan: Plan,
    names: Sequence[str],
    upstreams: Mapping[RelationName, Interface],
    relation_text: RelationText = own_name,
) -> HiveQuery:
    """The query of a view with this plan, which may be a rewritten plan.

    Args:
        relation: the view.
        plan: the plan of its rows.
        names: its columns' names.
        upstreams: the relations that the plan scans.
        relation_text: returns a relation's name in the text.

    Raises:
        TranslationError: Hive has no equivalent.
    """
    view = relation.view
    if view is None:
        raise ValueError(f"{relation.name} is a table")
    with errors_of(relation.name):
        if view.dialect is Dialect.HIVE:
            raise UnsupportedConstruct("a view of Hive's own dialect for Hive")
        if view.dialect is Dialect.TRINO:
            raise UnsupportedConstruct("a view of Trino for Hive")
        refuse_settings_of_rows(view, "Hive")
        padded = {
            column.name.lower()
            for read in upstreams.values()
            for column in read.columns
            if isinstance(column.type, CharType)
        }
        return hive_query(plan, semantics_of(view), names, relation_text, padded)
