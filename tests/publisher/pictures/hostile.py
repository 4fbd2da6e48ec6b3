"""Names that would do harm in markup, in a terminal or in a reader's eyes."""

from __future__ import annotations

from typing import Final

from publisher.pictures.graph import Edge, EdgeKind, Graph, Node, NodeKind, Tone

NAMES: Final = (
    "<script>alert(1)</script>",
    '"/><script>alert(1)</script>',
    "</title></svg><img src=x onerror=alert(1)>",
    "]]><!--",
    "&lt;b&gt;&#x3c;",
    "a\x00\x07\x1b[31mb",
    "abc\u202ecod.exe\u2066x",
    "\ud800 alone",
    "\ufffe\uffff",
    "line\nbreak\r\u2028\tend",
    "'); DROP TABLE x; --",
    '"]; n0 -> n9 [label="',
    "back\\slash\\N\\",
    'end"]\n  click n0 "javascript:alert(1)"',
    "`**markdown**` #quot; #35; 1. one",
    "%%{init: {}}%%",
    "名前テーブル",
    "x" * 1_024,
)


def hostile_graph() -> Graph:
    """Each name as a label, a note, a key and an edge's label."""
    nodes = tuple(
        Node(
            name,
            name,
            NodeKind.VIEW,
            name,
            f"/lineage/{number}",
            name,
            Tone.BAD,
            is_focus=not number,
        )
        for number, name in enumerate(NAMES)
    )
    edges = tuple(Edge(NAMES[0], name, EdgeKind.INDIRECT, name) for name in NAMES[1:])
    return Graph(NAMES[0], nodes, edges)
