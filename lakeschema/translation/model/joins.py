"""The kinds of join, for syntax trees and plans."""

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
