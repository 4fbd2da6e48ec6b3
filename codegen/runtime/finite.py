"""Computes the nesting depth of the smallest value of each type: infinite if a record requires itself."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping

from .binding import Binding
from .schema import Node


@functools.cache
def heights(binding: Binding) -> Mapping[str, float]:
    """The depth for each record of a package, by full name."""
    records = [node for node in binding.nodes.values() if node.kind == "record"]
    found = dict.fromkeys((record.name for record in records), math.inf)
    while True:
        better = {
            record.name: 1 + max((height(field.node, found) for field in record.fields), default=0)
            for record in records
        }
        if better == found:
            return found
        found = better


def height(node: Node, records: Mapping[str, float]) -> float:
    """The depth for a type: 0 for arrays and maps, whose smallest values are empty."""
    match node.kind:
        case "record":
            return records[node.name]
        case "union":
            return min((height(branch, records) for branch in node.branches), default=math.inf)
        case _:
            return 0
