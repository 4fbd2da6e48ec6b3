"""Writes views of other dialects as queries for Trino, upstream views first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, Relation
from lakeschema.translation.deriving.direct_deriver import DirectDeriver
from lakeschema.translation.deriving.upstream_first import derive_all, interfaces_of
from lakeschema.translation.emission.selects import RelationText
from lakeschema.translation.emission.trino.query import TrinoQuery
from lakeschema.translation.emission.trino.view import trino_view
from lakeschema.translation.model.errors import TranslationError
from lakeschema.translation.model.interface import Derivation, Options
from lakeschema.translation.model.outcome import Failed, Outcome, failure


@dataclass(frozen=True, slots=True)
class ViewForTrino:
    derivation: Derivation
    query: TrinoQuery


def views_for_trino(
    relations: Mapping[RelationName, Relation], options: Options, text: RelationText
) -> Iterator[tuple[RelationName, ViewForTrino | Failed]]:
    """Each view that is not in Trino's dialect, with its query or the reason why it has no query.

    ``text`` gives the names of relations in a query. Views must be trusted: their text is read in
    this process.
    """
    outcomes = derive_all(relations, DirectDeriver(options))
    for name, outcome in outcomes.items():
        if is_foreign_view(relations[name]):
            yield name, _written(relations[name], outcome, outcomes, options, text)


def is_foreign_view(relation: Relation) -> bool:
    """Whether Trino cannot read the view itself."""
    return relation.view is not None and relation.view.dialect is not Dialect.TRINO


def _written(
    relation: Relation,
    outcome: Outcome,
    outcomes: Mapping[RelationName, Outcome],
    options: Options,
    text: RelationText,
) -> ViewForTrino | Failed:
    if isinstance(outcome, Failed):
        return outcome
    upstreams = interfaces_of(outcome.derivation.upstreams, outcomes)
    try:
        query = trino_view(relation, upstreams, options, text)
    except TranslationError as error:
        return failure(error)
    return ViewForTrino(outcome.derivation, query)
