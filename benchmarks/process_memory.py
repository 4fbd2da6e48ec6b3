"""Resident memory of a process and its descendants, from Linux's /proc."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def tree_resident_bytes(root: int) -> int:
    """Sum over the tree; shared pages count once for each process. 0 once it has ended."""
    children: defaultdict[int, list[int]] = defaultdict(list)
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            parent = _parent(entry)
            if parent is not None:
                children[parent].append(int(entry.name))
    total, waiting = 0, [root]
    while waiting:
        process = waiting.pop()
        total += _resident_bytes(process)
        waiting += children[process]
    return total


def _parent(entry: Path) -> int | None:
    try:
        # The name, in brackets, may hold spaces and brackets of its own.
        return int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, IndexError):
        return None


def _resident_bytes(process: int) -> int:
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * _PAGE_BYTES
    except (OSError, IndexError):
        return 0
