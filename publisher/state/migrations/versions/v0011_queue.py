"""Adds indexes, so that a claim and the next due time read only the rows that they return.

Revision ID: 0011
Revises: 0010
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_index("work_due", "work")
    op.create_index("work_due", "work", ["urgency", "not_before", "key"])
    claimable_at = "CASE WHEN (lease_until > not_before) THEN lease_until ELSE not_before END"
    op.create_index("work_claimable", "work", [sa.text(claimable_at)])
