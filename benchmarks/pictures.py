"""Layout and SVG text of a large graph, in milliseconds: ``make bench-pictures``.

The graph is larger than the pages draw: they cut it to a number of nodes first.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time

from publisher.pictures.graph import Edge, EdgeKind, Graph, Node, NodeKind
from publisher.pictures.svg import svg


def graph_of(nodes: int, seed: int = 1) -> Graph:
    """A third are tables; each view reads one or two of the relations before it."""
    chosen = random.Random(seed)
    found = tuple(
        Node(str(n), f"shop.relation_{n}", NodeKind.VIEW, "view", f"/lineage/shop.relation_{n}")
        for n in range(nodes)
    )
    edges = dict.fromkeys(
        Edge(str(chosen.randrange(max(0, n - 120), n)), str(n), EdgeKind.READS)
        for n in range(nodes // 3, nodes)
        for _ in range(chosen.randint(1, 2))
    )
    return Graph("a large graph", found, tuple(edges))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, nargs="+", default=[150, 1_000])
    parser.add_argument("--times", type=int, default=20)
    chosen = parser.parse_args()
    for nodes in chosen.nodes:
        graph = graph_of(nodes)
        taken = []
        for _ in range(chosen.times):
            begun = time.thread_time()
            text = svg(graph)
            taken.append(1_000 * (time.thread_time() - begun))
        print(
            f"{nodes} nodes, {len(graph.edges)} edges: median {statistics.median(taken):.1f} ms, "
            f"best {min(taken):.1f} ms, {len(text) // 1_000} kB"
        )


if __name__ == "__main__":
    main()
