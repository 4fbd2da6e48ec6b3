"""Random schemas, their later versions, and random bytes of each.

A family is a schema and its descendants; every step between two of them has a kind, named as in a
version's changelog. All is drawn from one ``random.Random``: a seed always gives the same family.
"""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from codegen.errors import CodegenError
from codegen.layout import lay_out
from lakeschema.avro.errors import MalformedAvroSchema
from tests.codegen.evolution_kinds import CHANGES
from tests.codegen.generated import record_of
from tests.codegen.schema_graph import Graph, Place, random_graph


@dataclass(frozen=True, slots=True)
class Version:
    """One schema of a family.

    Attributes:
        ancestry: the indexes of those that it descends from, itself last.
        step: the kind of change from its parent, and the innermost thing around it.
    """

    text: str
    graph: Graph
    ancestry: tuple[int, ...]
    step: tuple[str, Place] | None


def family(random: Random, size: int, told: Counter[str] | None = None) -> Sequence[Version]:
    """A first version and ``size - 1`` descendants.

    ``told`` counts kinds over many families; the rarest are drawn first.
    """
    told = Counter() if told is None else told
    graph = random_graph(random)
    while not _is_legal(graph):
        graph = random_graph(random)
    versions = [Version(graph.text(), graph, (0,), None)]
    while len(versions) < size:
        parent = random.randrange(len(versions))
        graph, step = _changed(random, versions[parent].graph, told)
        told[step[0]] += 1
        ancestry = (*versions[parent].ancestry, len(versions))
        versions.append(Version(graph.text(), graph, ancestry, step))
    return versions


def steps_between(versions: Sequence[Version], one: int, other: int) -> Sequence[tuple[str, Place]]:
    """What changed from one member of a family to another, whichever of them came first."""
    apart = set(versions[one].ancestry) ^ set(versions[other].ancestry)
    return [step for index in sorted(apart) if (step := versions[index].step) is not None]


def _changed(
    random: Random, graph: Graph, told: Mapping[str, int]
) -> tuple[Graph, tuple[str, Place]]:
    for kind in _rarest_first(random, told):
        for _ in range(4):
            candidate = copy.deepcopy(graph)
            place = CHANGES[kind](random, candidate)
            if place is not None and _is_legal(candidate) and candidate.text() != graph.text():
                return candidate, (kind, place)
    raise AssertionError("nothing can be changed in this schema")


def _rarest_first(random: Random, told: Mapping[str, int]) -> Iterator[str]:
    return iter(sorted(CHANGES, key=lambda kind: (told.get(kind, 0), random.random())))


def _is_legal(graph: Graph) -> bool:
    """A default may have become wrong by a change elsewhere, or two branches alike."""
    if next(iter(graph.named)) not in graph.heights():
        return False
    try:
        lay_out(record_of(json.loads(graph.text())))
    except (MalformedAvroSchema, CodegenError):
        return False
    return True
