"""Stores the surface of a version's package, so that a changed naming rule is noticed.

Revision ID: 0002
Revises: 0001
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("version", sa.Column("surface_hash", sa.Text, nullable=False, server_default=""))
