"""Stores the fingerprint of each schema, and the data that a republication needs.

Revision ID: 0003
Revises: 0002
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("schema", sa.Column("fingerprint", sa.Text))
    op.add_column("schema", sa.Column("republish_after", sa.BigInteger))
    op.add_column("version", sa.Column("runtime", sa.Text, nullable=False, server_default=""))
