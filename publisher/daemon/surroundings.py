"""Finds the relations that a translation request reads but does not define.

Interfaces come from the last derivation. Facts, such as a view's text, come from the catalog.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

from lakeschema.catalog.errors import SessionRefused
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.typed_names import NamingRules, resolve_name
from lakeschema.translation.functions.udfs import resolver_answers
from lakeschema.translation.model.interface import Options
from lakeschema.translation.requests.limited_answers import MAX_RELATIONS, Told, Wanted
from publisher.daemon.definitions import Definitions, Unanswered
from publisher.lineage.questions import meant_relations
from publisher.state.protocol import State, StateUnavailable
from publisher.web.limited_requests import Unavailable

_MAX_EXPLAINED: Final = 3
"""A request may name many missing relations, and each search reads every name."""


class KnownSurroundings:
    def __init__(
        self, state: State, definitions: Definitions, options: Options, names: NamingRules
    ) -> None:
        """``options`` must contain the deployment's resolver: relations of the catalog need it, too."""
        self._state = state
        self._definitions = definitions
        self._options = options
        self._names = names

    def tell(self, wanted: Wanted, told: Told) -> None:
        """Adds the wanted relations.

        Raises:
            Unavailable: the catalog or the state does not answer.
        """
        told.names |= {text: self._named(text) for text in wanted.names}
        try:
            if wanted.relations:
                # The second answer includes the upstreams of views, so that a third request is not needed.
                goes_on = bool(told.relations)
                names = self._with_upstreams(wanted.relations) if goes_on else wanted.relations
                self._tell_relations([n for n in names if str(n) not in told.relations], told)
            if wanted.interfaces:
                self._tell_interfaces(wanted.interfaces, told)
        except StateUnavailable as error:
            raise Unavailable("the state cannot be read") from error

    def _named(self, text: str) -> str | None:
        try:
            return str(resolve_name(text, self._names))
        except SessionRefused:
            return None

    def _with_upstreams(self, names: Sequence[RelationName]) -> Iterable[RelationName]:
        edges = self._state.read(lambda tx: tx.graph.upstream_edges(names))
        return dict.fromkeys((*names, *(edge.upstream for edge in edges)))

    def _tell_relations(self, names: Sequence[RelationName], told: Told) -> None:
        asked = list(islice(names, MAX_RELATIONS))
        found = self._definitions.read_all(asked)
        if isinstance(found, Unanswered):
            raise Unavailable(f"relations that the request names cannot be read: {found.reason}")
        for name in asked:
            relation = found.get(name)
            udfs = {} if relation is None else resolver_answers(relation, self._options)
            told.add_relation(name, relation, udfs)
        self._explain([name for name in asked if name not in found], told)

    def _tell_interfaces(self, names: Sequence[RelationName], told: Told) -> None:
        derivations = self._state.read(lambda tx: tx.graph.derivations(names))
        for name in names:
            text = derivations.get(name)
            told.interfaces[str(name)] = None if text is None else json.loads(text)["interface"]
        self._explain([name for name in names if name not in derivations], told)

    def _explain(self, missing: Sequence[RelationName], told: Told) -> None:
        room = _MAX_EXPLAINED - len(told.similar)
        names = [name for name in missing if str(name) not in told.similar][: max(0, room)]
        if names:
            told.similar |= self._state.read(
                lambda tx: {str(name): meant_relations(tx, name) for name in names}
            )
