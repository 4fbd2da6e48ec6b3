"""Findings about lineage that execution judges: counts, and cases for people, kept in a file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from tests.judges.lineage.claims import Claims
from tests.judges.lineage.worlds import Changed

Edge: TypeAlias = tuple[Changed, int]
"""The changed column, and the position of the output column."""


@dataclass(slots=True)
class Precision:
    """``idle``: claimed edges along which nothing moved, by the clause for which they are claimed."""

    edges: int = 0
    moving: int = 0
    idle: Counter[str] = field(default_factory=Counter)

    def merge(self, other: Precision) -> None:
        self.edges += other.edges
        self.moving += other.moving
        self.idle += other.idle

    def add(self, claims: Sequence[Claims], moved: Collection[Edge]) -> list[str]:
        """Returns the idle edges, for people to read."""
        found = []
        for place, claim in enumerate(claims):
            for changed, why in claim.because.items():
                if changed[1].endswith(("_id", "_g")):
                    continue
                self.edges += 1
                self.moving += (changed, place) in moved
                if (changed, place) not in moved:
                    self.idle[why] += 1
                    found.append(f"{'.'.join(changed)} → {claim.name}: {why}")
        return found


@dataclass(slots=True)
class Truth:
    """The findings about queries; ``missed``: edges that moved but were not claimed, with the query."""

    outcomes: Counter[str] = field(default_factory=Counter)
    analysed: Precision = field(default_factory=Precision)
    planned: Precision = field(default_factory=Precision)
    missed: list[str] = field(default_factory=list)
    idle: list[str] = field(default_factory=list)

    def merge(self, other: Truth) -> None:
        self.outcomes += other.outcomes
        self.analysed.merge(other.analysed)
        self.planned.merge(other.planned)
        self.missed += other.missed
        self.idle += other.idle


def keep(path: Path, seed: int, truth: Truth) -> None:
    """Appends a line, so that an interrupted run loses nothing."""
    value = {
        "seed": seed,
        "outcomes": truth.outcomes,
        "analysed": _written(truth.analysed),
        "planned": _written(truth.planned),
        "missed": truth.missed,
        "idle": truth.idle,
    }
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(value) + "\n")


def kept(path: Path) -> Iterator[tuple[int, Truth]]:
    """The findings by seed, without an incomplete last line."""
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            value = json.loads(line)
        except json.JSONDecodeError:
            continue
        truth = Truth(
            Counter(value["outcomes"]),
            _precision(value["analysed"]),
            _precision(value["planned"]),
            value["missed"],
            value["idle"],
        )
        yield value["seed"], truth


def _written(precision: Precision) -> dict[str, Any]:
    return {"edges": precision.edges, "moving": precision.moving, "idle": precision.idle}


def _precision(value: dict[str, Any]) -> Precision:
    return Precision(value["edges"], value["moving"], Counter(value["idle"]))
