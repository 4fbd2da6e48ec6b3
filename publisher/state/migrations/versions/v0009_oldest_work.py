"""Adds an index that finds the oldest work without a scan; a metric shows the age of this work.

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
