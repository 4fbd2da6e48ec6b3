"""Stores the full length of a dead letter's payload; only its beginning is kept.

Revision ID: 0008
Revises: 0007
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("dead_letter", sa.Column("payload_length", sa.Integer))
