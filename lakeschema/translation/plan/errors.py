"""A plan that contradicts itself: always a defect of ours, never of the view."""

from __future__ import annotations


class InvalidPlan(AssertionError):
    """Raised by a node's own check when it is made."""
