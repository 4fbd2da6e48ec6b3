"""The contest of ``benchmarks.json_speed``: runs in its peers' environment, without imports of this project.

Arguments: a folder with the generated modules, and a number of records. The output is a JSON object:
for reading and writing, the microseconds per record and the median ratio; the versions.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import platform
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

_TURNS = 10
_RECORDS_OF_ROUND = 100
"""A round takes less than a millisecond, so that most rounds are not interrupted."""


def main() -> None:
    folder, records = sys.argv[1], int(sys.argv[2])
    sys.path.insert(0, folder)
    ours: Any = importlib.import_module("ours").RECORD
    peer: Any = getattr(importlib.import_module("pydantic_model"), ours.__name__)
    values = [ours.example(seed) for seed in range(records)]
    texts = [value.to_json() for value in values]
    models = [peer.model_validate_json(text) for text in texts]
    assert [ours.from_json(text) for text in texts] == values
    assert ours.from_json(models[0].model_dump_json()) == values[0]
    answer = {
        "read": _compared(ours.from_json, texts, peer.model_validate_json, texts),
        "write": _compared(ours.to_json, values, peer.model_dump_json, models),
        "versions": _versions(),
    }
    print(json.dumps(answer))


def _compared(
    ours: Callable[[Any], Any],
    given: Sequence[Any],
    peer: Callable[[Any], Any],
    peers: Sequence[Any],
) -> dict[str, float]:
    # In turns, so that other load of the machine affects both.
    rounds = [
        (_once(ours, given[start:end]), _once(peer, peers[start:end]))
        for _ in range(_TURNS)
        for start in range(0, len(given), _RECORDS_OF_ROUND)
        for end in (start + _RECORDS_OF_ROUND,)
    ]
    return {
        "ours": statistics.median(own for own, _ in rounds),
        "peer": statistics.median(other for _, other in rounds),
        "ratio": statistics.median(own / other for own, other in rounds),
    }


def _once(work: Callable[[Any], Any], given: Sequence[Any]) -> float:
    """Microseconds of one call."""
    began = time.perf_counter()
    for each in given:
        work(each)
    return (time.perf_counter() - began) / len(given) * 1e6


def _versions() -> str:
    names = ("pydantic", "datamodel-code-generator")
    found = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in names)
    return f"Python {platform.python_version()}, {found}"


if __name__ == "__main__":
    main()
