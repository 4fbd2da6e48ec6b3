"""Writes the Spark SQL that returns the same rows as the view's engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.deriving.derivation import derive_view
from lakeschema.translation.emission.selects import RelationText
from lakeschema.translation.emission.spark.query import SparkQuery, spark_query
from lakeschema.translation.emission.spark.text import relation as own_name
from lakeschema.translation.emission.spark.udfs import SparkFunctions
from lakeschema.translation.functions.semantics import semantics_of
from lakeschema.translation.functions.settings import carried
from lakeschema.translation.model.errors import errors_of
from lakeschema.translation.model.interface import Interface, Options
from lakeschema.translation.plan.relations import Plan

_DEFAULT = Options()


def spark_view(
    relation: Relation,
    upstreams: Mapping[RelationName, Interface],
    options: Options = _DEFAULT,
    relation_text: RelationText = own_name,
    functions: SparkFunctions | None = None,
) -> SparkQuery:
    """The query of one view, with its Avro schema's column names.

    ``functions`` assigns names to functions to register; by default it is new for this view.

    Raises:
        TranslationError: the view cannot be read, or Spark has no equivalent.
    """
    if not relation.is_view:
        raise ValueError(f"{relation.name} is a table")
    derivation, plan = derive_view(relation, upstreams, options)
    functions = functions or SparkFunctions.of(options)
    return spark_view_of(relation, plan, derivation.interface.names, relation_text, functions)


def spark_view_of(
    relation: Relation,
    plan: Plan,
    names: Sequence[str],
    relation_text: RelationText,
    functions: SparkFunctions,
) -> SparkQuery:
    """The query of a view with this plan and these column ``names``. The plan may be a rewritten one.

    Raises:
        TranslationError: Spark has no equivalent.
    """
    view = relation.view
    if view is None:
        raise ValueError(f"{relation.name} is a table")
    with errors_of(relation.name):
        query = spark_query(plan, semantics_of(view), names, relation_text, functions)
        return replace(query, settings=MappingProxyType({**query.settings, **carried(view)}))
