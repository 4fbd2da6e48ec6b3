"""Counts, for metrics, the requests for checks by result, and the rules that statements broke."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from lakeschema.analysis.defence import RULES
from publisher.runtime import Counters


class Verdict(Enum):
    """The result of a request.

    VIOLATIONS also counts statements whose user lacks privileges. INVALID: the request is invalid.
    FAILED: it exceeded a limit. REFUSED: too many requests waited, or the service was starting or
    ending.
    """

    OK = "ok"
    VIOLATIONS = "violations"
    MISSING_PRIVILEGES = "missing_privileges"
    INVALID = "invalid"
    FAILED = "failed"
    REFUSED = "refused"


class CheckCounts:
    def __init__(self) -> None:
        self._verdicts = Counters()
        self._rules = Counters()

    def add(self, verdict: Verdict) -> None:
        self._verdicts.add(verdict.value)

    def add_answer(self, answer: Mapping[str, Any]) -> None:
        """Counts an answer. Each broken rule counts once for a request."""
        self.add(_verdict(answer))
        result = answer.get("result", {})
        broken = (*result.get("violations", ()), *result.get("warnings", ()))
        for rule in {each["rule"] for each in broken}:
            self._rules.add(rule)

    def verdicts(self) -> Mapping[str, int]:
        """The count of each verdict, also if it is zero.

        Without the zero, a rate in Prometheus would miss the first request.
        """
        counted = self._verdicts.values()
        return {verdict.value: counted.get(verdict.value, 0) for verdict in Verdict}

    def rules(self) -> Mapping[str, int]:
        counted = self._rules.values()
        return {name: counted.get(name, 0) for name in RULES}


def _verdict(answer: Mapping[str, Any]) -> Verdict:
    if "result" not in answer:
        return Verdict.INVALID
    result = answer["result"]
    if result["violations"]:
        return Verdict.VIOLATIONS
    return Verdict.OK if result["ok"] else Verdict.MISSING_PRIVILEGES
