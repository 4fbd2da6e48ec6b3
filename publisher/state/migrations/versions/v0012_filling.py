"""Stores which tables statements fill, and from which tables.

Revision ID: 0012
Revises: 0011
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "filling",
        sa.Column("target", sa.Text, primary_key=True),
        sa.Column("source", sa.Text, primary_key=True),
        sa.Column("mark", sa.Text, primary_key=True),
        sa.Column("first_at", sa.Float, nullable=False),
        sa.Column("last_at", sa.Float, nullable=False),
        sa.Column("statement", sa.Text, nullable=False),
        sa.Column("user", sa.Text, nullable=False),
        sa.Column("columns", sa.Text, nullable=False),
    )
    op.create_index("ix_filling_source", "filling", ["source"])
    op.create_index("ix_filling_last_at", "filling", ["last_at"])
