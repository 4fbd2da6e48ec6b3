"""The kinds of join, which a raw tree and a plan tell apart alike."""

from __future__ import annotations

from enum import Enum


class JoinKind(Enum):
    INNER = "inner"
    LEFT = "left"
    RIGHT = "right"
    FULL = "full"
    CROSS = "cross"
    SEMI = "semi"
    ANTI = "anti"
