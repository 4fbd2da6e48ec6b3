"""The error for an inconsistent plan, which is always a defect of this program, never of the view."""

from __future__ import annotations


class InvalidPlan(AssertionError):
    """The error that a node raises if it is made with inconsistent parts."""
