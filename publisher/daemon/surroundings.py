"""Finds the relations that a translation request reads but does not define.

Interfaces come from the last derivation; facts, including a view's text, come from the catalog.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import islice

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.functions.udfs import resolver_answers
from lakeschema.translation.model.interface import Options
from lakeschema.translation.requests.limited_answers import MAX_RELATIONS, Told, Wanted
from publisher.daemon.definitions import Definitions, Unanswered
from publisher.state.protocol import State, StateUnavailable
from publisher.web.limited_requests import Unavailable


class KnownSurroundings:
    def __init__(self, state: State, definitions: Definitions, options: Options) -> None:
        """``options`` include the deployment's resolver, which also serves relations of the catalog."""
        self._state = state
        self._definitions = definitions
        self._options = options

    def tell(self, wanted: Wanted, told: Told) -> None:
        """Adds the wanted relations.

        Raises:
            Unavailable: the catalog or the state does not answer.
        """
        try:
            if wanted.relations:
                # A second question also gets the upstreams of views, so that no third is needed.
                goes_on = bool(told.relations)
                names = self._with_upstreams(wanted.relations) if goes_on else wanted.relations
                self._tell_relations([n for n in names if str(n) not in told.relations], told)
            if wanted.interfaces:
                self._tell_interfaces(wanted.interfaces, told)
        except StateUnavailable as error:
            raise Unavailable("the state cannot be read") from error

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

    def _tell_interfaces(self, names: Sequence[RelationName], told: Told) -> None:
        derivations = self._state.read(lambda tx: tx.graph.derivations(names))
        for name in names:
            text = derivations.get(name)
            told.interfaces[str(name)] = None if text is None else json.loads(text)["interface"]
