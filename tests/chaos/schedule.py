"""The schedule of faults, determined by the seed alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of fault. ``shortest`` and ``longest``: seconds from its start to its stop."""

    name: str
    target: str
    weight: int
    shortest: float
    longest: float


@dataclass(frozen=True, slots=True)
class Planned:
    at: float
    seconds: float
    kind: str


def plan(
    kinds: Sequence[Kind], gaps: Mapping[str, float], seed: str, seconds: float
) -> Mapping[str, Sequence[Planned]]:
    """The faults of each target in order, ``gaps`` seconds apart on average; all end by ``seconds``."""
    found: dict[str, list[Planned]] = {}
    for target in sorted({kind.target for kind in kinds}):
        random = Random(f"{seed} {target}")
        choices = [kind for kind in kinds if kind.target == target]
        weights = [kind.weight for kind in choices]
        at = random.uniform(0.0, gaps[target])
        planned = found.setdefault(target, [])
        while at < seconds:
            (kind,) = random.choices(choices, weights)
            lasting = random.uniform(kind.shortest, kind.longest)
            if at + lasting < seconds:
                planned.append(Planned(round(at, 2), round(lasting, 2), kind.name))
            at += lasting + random.expovariate(1.0 / gaps[target])
    return found
