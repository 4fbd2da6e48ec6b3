"""Adds an index to find the oldest work without reading all of it: a metric shows its age.

Revision ID: 0009
Revises: 0008
"""

from __future__ import annotations

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("work_oldest", "work", ["failures", "first_asked"])
