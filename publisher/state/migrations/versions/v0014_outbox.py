"""Stores notifications that wait for their receivers.

Revision ID: 0014
Revises: 0013
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "notice",
        sa.Column("receiver", sa.Text, primary_key=True),
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("details", sa.Text, nullable=False),
        sa.Column("happened_at", sa.Float, nullable=False),
        sa.Column("recorded_at", sa.Float, nullable=False),
        sa.Column("message", sa.Text),
    )
    op.create_index("notice_oldest", "notice", ["recorded_at"])
    op.create_index("notice_of_message", "notice", ["receiver", "message", "recorded_at"])
    op.create_table(
        "message",
        sa.Column("receiver", sa.Text, primary_key=True),
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("started_at", sa.Float, nullable=False),
        sa.Column("not_before", sa.Float, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("body", sa.Text),
        sa.Column("ended_at", sa.Float),
    )
    op.create_index("message_started", "message", ["receiver", "started_at"])
