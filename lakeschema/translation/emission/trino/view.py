"""Writes the Trino SQL that returns the same rows as the view's engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, Relation
from lakeschema.translation.deriving.derivation import derive_view
from lakeschema.translation.emission.recorded_settings import refuse_settings_of_rows
from lakeschema.translation.emission.selects import RelationText
from lakeschema.translation.emission.trino.query import TrinoQuery, trino_query
from lakeschema.translation.functions.semantics import semantics_of
from lakeschema.translation.model.errors import UnsupportedConstruct, errors_of
from lakeschema.translation.model.interface import Interface, Options
from lakeschema.translation.plan.relations import Plan

_DEFAULT = Options()


def trino_view(
    relation: Relation,
    upstreams: Mapping[RelationName, Interface],
    options: Options = _DEFAULT,
    relation_text: RelationText | None = None,
) -> TrinoQuery:
    """The query of one view, with its Avro schema's column names.

    ``relation_text`` gives the names of relations in the text; None means their names in Trino.

    Raises:
        TranslationError: the view cannot be read, or Trino has no equivalent.
    """
    if not relation.is_view:
        raise ValueError(f"{relation.name} is a table")
    derivation, plan = derive_view(relation, upstreams, options)
    names = derivation.interface.names
    return trino_view_of(relation, plan, names, upstreams, options, relation_text)


def trino_view_of(
    relation: Relation,
    plan: Plan,
    names: Sequence[str],
    upstreams: Mapping[RelationName, Interface],
    options: Options,
    relation_text: RelationText | None = None,
) -> TrinoQuery:
    """The query of a view with this plan, which may be a rewritten plan.

    Args:
        relation: the view.
        plan: the plan of its rows.
        names: its columns' names.
        upstreams: the relations that the plan scans.
        options: the options for deriving the view's schema.
        relation_text: gives the names of relations in the text; None means their names in Trino.

    Raises:
        TranslationError: Trino has no equivalent.
    """
    view = relation.view
    if view is None:
        raise ValueError(f"{relation.name} is a table")
    with errors_of(relation.name):
        if view.dialect is Dialect.TRINO:
            raise UnsupportedConstruct("a view of Trino's own dialect for Trino")
        refuse_settings_of_rows(view, "Trino")
        stored = {
            name: {column.name.lower(): column.type for column in read.columns}
            for name, read in upstreams.items()
        }
        return trino_query(plan, semantics_of(view), names, options, stored, relation_text)
