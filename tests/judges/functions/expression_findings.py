"""The results of random expressions: counts, and each fault as it is found."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from lakeschema.catalog.relations import Dialect
from tests.judges.functions.expression_templates import callable_names
from tests.judges.functions.expression_trees import Tree

_CALLED: Final = re.compile(r"(\w+)\(")


class Outcome(Enum):
    EQUAL = "equal"
    WRONG_TYPE = "WRONG: type"
    FALSE_REQUIRED = "WRONG: null where we say that there is none"
    OURS_REFUSED = "refused by us only"
    ENGINE_REFUSED = "refused by the engine only"
    BOTH_REFUSED = "refused by both"


WRONG = frozenset({Outcome.WRONG_TYPE, Outcome.FALSE_REQUIRED})


@dataclass(slots=True)
class Findings:
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    computed: int = 0
    not_computed: int = 0
    names: Counter[str] = field(default_factory=Counter)
    worlds: Counter[str] = field(default_factory=Counter)
    depths: Counter[int] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)

    @property
    def judged(self) -> int:
        """How many expressions the engine gave a type."""
        refused = (Outcome.ENGINE_REFUSED, Outcome.BOTH_REFUSED)
        return sum(n for outcome, n in self.outcomes.items() if outcome not in refused)

    def add(self, tree: Tree, outcome: Outcome, details: str) -> None:
        self.outcomes[outcome] += 1
        if outcome in WRONG:
            print(f"{outcome.value}: {tree.text}\n    {details}", flush=True)
        if outcome in {Outcome.OURS_REFUSED, Outcome.ENGINE_REFUSED}:
            reason = f"{outcome.value}: {_general(details)}"
            self.reasons[reason] += 1
            if len(tree.text) < len(self.examples.get(reason, tree.text + " ")):
                self.examples[reason] = tree.text
        if outcome in {Outcome.EQUAL, *WRONG}:
            self.names.update({tree.name, *(n.lower() for n in _CALLED.findall(tree.text))})
            self.worlds[tree.world.value] += 1
            self.depths[tree.depth] += 1

    def report(self, dialect: Dialect) -> None:
        for outcome in Outcome:
            print(f"{self.outcomes[outcome]:>8}  {outcome.value}")
        print(f"\n{self.computed} computed, as we say of a part that it is never null;", end=" ")
        print(f"{self.not_computed} of them raise an error for each row")
        print("depths:", ", ".join(f"{depth}: {n}" for depth, n in sorted(self.depths.items())))
        print("over:", ", ".join(f"{world}: {n}" for world, n in self.worlds.most_common()))
        roots = {name: self.names[name] for name in callable_names(dialect)}
        never = sorted(name for name, n in roots.items() if not n)
        print(f"functions in them: {len(roots) - len(never)} of {len(roots)}; never: {never}")
        for reason, number in self.reasons.most_common(60):
            print(f"{number:>6}  {reason}\n            {self.examples[reason]}")


def _general(reason: str) -> str:
    """The reason without the parts that differ in each case."""
    text = re.sub(r'"(?:[^"\\]|\\.)*"|`[^`]*`|\'[^\']*\'', "…", reason)
    return re.sub(r"\d+", "0", text)[:110]
