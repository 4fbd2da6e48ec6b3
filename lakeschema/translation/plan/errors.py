"""An inconsistent plan: always a defect of this program, never of the view."""

from __future__ import annotations


class InvalidPlan(AssertionError):
    """Raised by a node's own checks when it is made."""
