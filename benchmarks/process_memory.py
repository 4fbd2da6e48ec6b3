"""Resident memory of a process and its descendants, from Linux's /proc."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Parts:
    """The memory of a Spark program's JVM, and of the Python workers that the JVM started."""

    jvm: int
    workers: int


def tree_resident_bytes(root: int) -> int:
    """The sum over the tree; shared pages count once per process. 0 after the process has ended."""
    return sum(map(_resident_bytes, _tree(root, _children())))


def resident_bytes_by_part(root: int) -> Parts:
    children = _children()
    jvms = [process for process in _tree(root, children) if _command(process) == "java"]
    below = (each for jvm in jvms for each in _tree(jvm, children) if each != jvm)
    # A process that the JVM forks is as large as the JVM until it runs its command.
    workers = [each for each in below if _command(each).startswith("python")]
    return Parts(sum(map(_resident_bytes, jvms)), sum(map(_resident_bytes, workers)))


def processor_seconds_by_process(root: int) -> dict[int, float]:
    """The processor seconds that each process of the tree has used so far."""
    return {process: _ticks(process) / _TICKS for process in _tree(root, _children())}


def _children() -> defaultdict[int, list[int]]:
    found: defaultdict[int, list[int]] = defaultdict(list)
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            parent = _parent(entry)
            if parent is not None:
                found[parent].append(int(entry.name))
    return found


def _tree(root: int, children: defaultdict[int, list[int]]) -> Iterator[int]:
    waiting = [root]
    while waiting:
        process = waiting.pop()
        yield process
        waiting += children[process]


def _parent(entry: Path) -> int | None:
    found = _stat(entry)
    return int(found[1]) if found else None


def _ticks(process: int) -> int:
    """The ticks in user and kernel mode."""
    return sum(map(int, _stat(Path(f"/proc/{process}"))[11:13]))


def _stat(entry: Path) -> list[str]:
    """The fields from the state on; empty after the process has ended."""
    try:
        # The name, in brackets, may contain spaces and brackets.
        return (entry / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _command(process: int) -> str:
    try:
        return Path(f"/proc/{process}/comm").read_text().strip()
    except OSError:
        return ""


def _resident_bytes(process: int) -> int:
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * _PAGE_BYTES
    except (OSError, IndexError):
        return 0
