"""What became of a function's questions in another engine, and how it is told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from tests.judges.views.elsewhere import EQUAL, Verdict

_EXAMPLES = 4
_REASONS = 4


@dataclass
class Found:
    """What became of the questions about a function, what is wrong, and why others were refused."""

    asked: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)

    def count_refusal(self, verdict: Verdict) -> None:
        """The reason of one that is already counted."""
        self.reasons[f"{verdict.outcome}: {verdict.details[:150]}"] += 1


def show(name: str, found: Found) -> None:
    counts = ", ".join(f"{number} {outcome}" for outcome, number in found.asked.most_common())
    print(f"{name}: {counts or 'no call'}", flush=True)
    for text in found.wrong[:_EXAMPLES]:
        print(f"    WRONG: {text}")
    if len(found.wrong) > _EXAMPLES:
        print(f"    WRONG: {len(found.wrong) - _EXAMPLES} more")
    for reason, number in found.reasons.most_common(_REASONS):
        print(f"    {number} {reason}", flush=True)


def show_total(found: Mapping[str, Found], seconds: float, refusals: Collection[str]) -> None:
    """``refusals``: outcomes for which a function without equal rows is refused."""
    total = sum((one.asked for one in found.values()), Counter[str]())
    print(f"\n{len(found)} functions, {sum(total.values())} questions, {seconds:.0f} s")
    for outcome, number in total.most_common():
        print(f"{number:>8}  {outcome}")
    kinds: dict[str, list[str]] = {}
    for name, one in found.items():
        kinds.setdefault(_kind(one, refusals), []).append(name)
    for kind, names in kinds.items():
        print(f"{len(names)} {kind}: {', '.join(names)}")


def _kind(found: Found, refusals: Collection[str]) -> str:
    if found.wrong:
        return "with other rows or types, or an error of one engine's alone"
    if found.asked[EQUAL]:
        return "with equal rows"
    if any(found.asked[outcome] for outcome in refusals):
        return "refused"
    return "with nothing to compare"
