"""Stores when each relation was last read, so that an event id is trusted for a limited time only.

Revision ID: 0005
Revises: 0004
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("relation", sa.Column("read_at", sa.Float))
