"""Computes horizontal positions of nodes in layers: near their neighbours, but never too close."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_SWEEPS: Final = 4
_FEW_SWEEPS: Final = 2
_MANY_CELLS: Final = 1_000
_STRAIGHT: Final = 8.0
"""The weight of a bend in a long edge; a node has 1. A large weight makes long edges straight."""


def centres(
    layers: Sequence[Sequence[int]],
    neighbours: tuple[Sequence[Sequence[int]], Sequence[Sequence[int]]],
    widths: Sequence[float],
    gaps: Sequence[float],
) -> list[float]:
    """The centre of each cell.

    Args:
        layers: cells from left to right.
        neighbours: each cell's neighbours in the layer above, and in the layer below.
        widths: the width of each cell.
        gaps: the least distance of each cell from its neighbour in the layer, on each side.
    """
    above, below = neighbours
    found = [0.0] * len(widths)
    offsets = [_offsets(layer, widths, gaps) for layer in layers]
    for layer, steps in zip(layers, offsets, strict=True):
        for cell, step in zip(layer, steps, strict=True):
            found[cell] = step
    for sweep in range(_SWEEPS if len(widths) <= _MANY_CELLS else _FEW_SWEEPS):
        is_down = sweep % 2 == 0
        near = above if is_down else below
        rows = range(len(layers)) if is_down else range(len(layers) - 1, -1, -1)
        for row in rows:
            _settle(layers[row], offsets[row], near, found, widths)
    return found


def _offsets(layer: Sequence[int], widths: Sequence[float], gaps: Sequence[float]) -> list[float]:
    """The centres of cells at their least distances."""
    found: list[float] = []
    at = 0.0
    for number, cell in enumerate(layer):
        if number:
            before = layer[number - 1]
            at += (widths[before] + widths[cell]) / 2 + max(gaps[before], gaps[cell])
        found.append(at)
    return found


def _settle(
    layer: Sequence[int],
    offsets: Sequence[float],
    near: Sequence[Sequence[int]],
    found: list[float],
    widths: Sequence[float],
) -> None:
    """Moves the cells as near to their neighbours as the least distances allow.

    It minimises the sum of weighted squares by pooling adjacent violators (Ayer and others, "An
    empirical distribution function for sampling with incomplete information", 1955).
    """
    # Each block: the weighted sum of the ideal offsets, the weight, the number of cells.
    blocks: list[tuple[float, float, int]] = []
    for cell, offset in zip(layer, offsets, strict=True):
        others = near[cell]
        if others:
            alone = len(others) == 1
            wished = found[others[0]] if alone else sum([found[o] for o in others]) / len(others)
            weight = 1.0 if widths[cell] else _STRAIGHT
        else:
            wished, weight = found[cell], 0.01
        total, size = (wished - offset) * weight, 1
        while blocks and blocks[-1][0] * weight >= total * blocks[-1][1]:
            last_total, last_weight, last_size = blocks.pop()
            total += last_total
            weight += last_weight
            size += last_size
        blocks.append((total, weight, size))
    number = 0
    for total, weight, size in blocks:
        mean = total / weight
        for _ in range(size):
            found[layer[number]] = mean + offsets[number]
            number += 1
