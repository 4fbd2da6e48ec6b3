"""The log of DDL → the contents that each relation's packages may have had, and when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.chaos.lake import (
    Content,
    Definition,
    Lake,
    Name,
    Statement,
    apply,
    content_of,
    statement_from_json,
)


@dataclass(frozen=True, slots=True)
class Executed:
    """A statement that took effect between two moments, in seconds since the run began."""

    issued: float
    acknowledged: float
    statement: Statement


@dataclass(frozen=True, slots=True)
class Epoch:
    """The time between two statements about a relation; no content if the relation had none."""

    issued: float
    acknowledged: float
    content: Content | None


@dataclass(frozen=True, slots=True)
class History:
    """``final``: the lake after all statements."""

    epochs: Mapping[Name, Sequence[Epoch]]
    final: Lake


def executed_statements(log: Sequence[Mapping[str, Any]]) -> Sequence[Executed]:
    """The statements that were acknowledged, or found in the metastore after a lost answer."""
    issued = {line["number"]: line for line in log if line["event"] == "issued"}
    return [
        Executed(
            issued[line["number"]]["at"], line["at"], statement_from_json(issued[line["number"]])
        )
        for line in log
        if line["event"] in {"acknowledged", "applied"}
    ]


def history_of(statements: Sequence[Executed]) -> History:
    lake: dict[Name, Definition] = {}
    epochs: dict[Name, list[Epoch]] = {}
    for each in statements:
        lake = apply(lake, each.statement)
        for name in {*epochs, *lake}:
            content = content_of(lake, name)
            known = epochs.setdefault(name, [])
            if not known or known[-1].content != content:
                known.append(Epoch(each.issued, each.acknowledged, content))
    return History(epochs, lake)
