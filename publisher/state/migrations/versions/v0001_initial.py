"""The first tables.

Revision ID: 0001
Revises:
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "counter",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("value", sa.BigInteger, nullable=False),
    )
    op.execute("INSERT INTO counter (name, value) VALUES ('tick', 0)")
    _create_graph()
    _create_work()
    op.create_table(
        "version",
        sa.Column("sequence", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("distribution", sa.Text, nullable=False),
        sa.Column("number", sa.Text, nullable=False),
        sa.Column("relation", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("content_hash", sa.Text),
        sa.Column("schema_text", sa.Text),
        sa.Column("wheel_sha256", sa.Text),
        sa.Column("filename", sa.Text, nullable=False),
        sa.Column("wheel", sa.LargeBinary),
        sa.Column("change", sa.Text, nullable=False),
        sa.Column("reasons", sa.Text, nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.UniqueConstraint("distribution", "number"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "version_open_reservation",
        "version",
        ["distribution"],
        unique=True,
        sqlite_where=sa.text("status = 'RESERVED'"),
        postgresql_where=sa.text("status = 'RESERVED'"),
    )
    op.create_table(
        "memo",
        sa.Column("inputs_hash", sa.Text, primary_key=True),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("derivation", sa.Text),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("remembered_at", sa.Float, nullable=False),
    )


def _create_graph() -> None:
    op.create_table(
        "relation",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("namespace", sa.Text, nullable=False, index=True),
        sa.Column("incarnation", sa.Integer, nullable=False),
        sa.Column("facts_hash", sa.Text),
        sa.Column("read_event_id", sa.BigInteger),
        sa.Column("missing_since", sa.Float),
        sa.Column("yanked", sa.Integer, nullable=False),
    )
    op.create_table(
        "schema",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("derivation", sa.Text),
        sa.Column("interface_hash", sa.Text, nullable=False),
        sa.Column("content_hash", sa.Text),
        sa.Column("inputs_hash", sa.Text),
        sa.Column("derived_facts_hash", sa.Text),
        sa.Column("published_hash", sa.Text),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("stale", sa.Integer, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
    )
    op.create_table(
        "edge",
        sa.Column("dependent", sa.Text, primary_key=True),
        sa.Column("upstream", sa.Text, primary_key=True, index=True),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("used", sa.Text),
    )


def _create_work() -> None:
    op.create_table(
        "work",
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("generation", sa.BigInteger, nullable=False),
        sa.Column("min_event_id", sa.BigInteger),
        sa.Column("not_before", sa.Float, nullable=False),
        sa.Column("first_asked", sa.Float, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("retries", sa.Integer, nullable=False),
        sa.Column("lease_until", sa.Float, nullable=False),
        sa.Column("fence", sa.BigInteger, nullable=False),
        sa.Column("reread_at", sa.Float),
        sa.Column("urgency", sa.Integer, nullable=False),
        sa.Column("last_error", sa.Text, nullable=False),
    )
    op.create_index("work_due", "work", ["urgency", "not_before"])
    op.create_table(
        "source_offset",
        sa.Column("source", sa.Text, primary_key=True),
        sa.Column("position", sa.Text, nullable=False),
    )
    op.create_table(
        "dead_letter",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("payload", sa.LargeBinary, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("namespace", sa.Text),
        sa.Column("received_at", sa.Float, nullable=False),
    )
    op.create_table(
        "singleton",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("fence", sa.BigInteger, nullable=False),
        sa.Column("lease_until", sa.Float, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
    )
