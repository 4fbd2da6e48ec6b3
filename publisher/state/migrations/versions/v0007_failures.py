"""Counts the failures in a row that concern one relation only, so that its delay grows to hours.

Revision ID: 0007
Revises: 0006
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("work", sa.Column("failures", sa.Integer, nullable=False, server_default="0"))
