"""Cones, waves and cycles of a large dependency graph, ours and networkx's: ``make bench-graph``.

Each question runs in a separate process, which builds the graph first. Processor time covers only the
question; memory is the process's peak after its imports.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

Edges = list[tuple[int, int]]
Asked = Callable[[Edges], Callable[[], object]]


def edges_of(relations: int, seed: int = 1) -> Edges:
    """Each view reads one to three relations before it, most of them tables: (dependent, upstream)."""
    chosen = random.Random(seed)
    found: Edges = []
    for name in range(relations // 2, relations):
        for _ in range(chosen.randint(1, 3)):
            found.append(
                (name, chosen.randrange(relations // 2 if chosen.random() < 0.7 else name))
            )
    return found


def ours(name: str) -> Asked:
    from dependency_graph import graph

    def build(edges: Edges) -> Callable[[], object]:
        made = graph.graph_of(edges)
        return {
            "build": lambda: graph.graph_of(edges),
            "cones": lambda: [len(graph.affected_cone(made, [n])) for n in range(200)],
            "waves": lambda: len(graph.levels(made)),
            "cycles": lambda: len(graph.cycles(made)),
        }[name]

    return build


def networkx(name: str) -> Asked:
    import networkx as nx

    def build(edges: Edges) -> Callable[[], object]:
        made: Any = nx.DiGraph(edges)

        def waves() -> int:
            condensed = nx.condensation(made)
            return len(list(nx.topological_generations(condensed)))

        return {
            "build": lambda: nx.DiGraph(edges),
            "cones": lambda: [len(nx.ancestors(made, n)) for n in range(200) if n in made],
            "waves": waves,
            "cycles": lambda: len(
                [c for c in nx.strongly_connected_components(made) if len(c) > 1]
            ),
        }[name]

    return build


QUESTIONS = ("build", "cones", "waves", "cycles")
PEERS = {"ours": ours, "networkx": networkx}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--relations", type=int, default=130_000)
    parser.add_argument("--ask", nargs=2, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.ask:
        peer, question = chosen.ask
        print(*_answer(peer, question, chosen.relations))
        return
    print(f"{'question':10}{'peer':12}{'seconds':>9}{'MiB':>7}{'import ms':>11}")
    for question in QUESTIONS:
        for peer in PEERS:
            command = [sys.executable, "-m", "benchmarks.graph", "--ask", peer, question]
            command += ["--relations", str(chosen.relations)]
            said = subprocess.run(
                command, check=True, capture_output=True, text=True
            ).stdout.split()
            seconds, mebibytes, milliseconds = map(float, said)
            print(f"{question:10}{peer:12}{seconds:9.3f}{mebibytes:7.0f}{milliseconds:11.0f}")


def _answer(peer: str, question: str, relations: int) -> tuple[float, float, float]:
    edges = edges_of(relations)
    began = time.process_time()
    build = PEERS[peer](question)
    imported = time.process_time() - began
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ask = build(edges)
    began = time.process_time()
    ask()
    seconds = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return seconds, (peak - before) / 1024, imported * 1000


if __name__ == "__main__":
    main()
