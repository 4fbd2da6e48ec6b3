"""Adds stored counts of rows, and indexes of relations in trouble.

With the stored counts, metrics and health checks need not count rows.

Triggers update the tallies, so no statement can forget them. They are written for SQLite. A later
migration that rebuilds one of these tables must create its triggers again; a test compares the
tallies.

Revision ID: 0004
Revises: 0003
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

# For each subject of a tally: the table, and the expression by whose value the rows are counted.
COUNTED = {
    "relation": ("schema", "CASE WHEN {row}stale THEN 'STALE' ELSE {row}status END"),
    "version": ("version", "{row}status"),
    "work": ("work", "''"),
    "dead letter": ("dead_letter", "''"),
}


def upgrade() -> None:
    op.create_table(
        "tally",
        sa.Column("subject", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, primary_key=True),
        sa.Column("number", sa.BigInteger, nullable=False),
    )
    for subject, (table, value) in COUNTED.items():
        _count(subject, table, value)
        _keep(subject, table, value)
    op.create_index(
        "schema_in_trouble",
        "schema",
        ["name"],
        sqlite_where=sa.text("reason != ''"),
        postgresql_where=sa.text("reason != ''"),
    )
    op.create_index(
        "version_conflict",
        "version",
        ["sequence"],
        sqlite_where=sa.text("status = 'CONFLICT'"),
        postgresql_where=sa.text("status = 'CONFLICT'"),
    )


def _count(subject: str, table: str, value: str) -> None:
    op.execute(
        "INSERT INTO tally (subject, value, number)"  # noqa: S608  of constants
        f" SELECT '{subject}', {value.format(row='')}, COUNT(*) FROM \"{table}\" GROUP BY 2"
    )


def _keep(subject: str, table: str, value: str) -> None:
    old, new = value.format(row="OLD."), value.format(row="NEW.")
    more, less = _add(subject, new, 1), _add(subject, old, -1)
    triggers = {"INSERT": ("", more), "DELETE": ("", less)}
    if old != new:
        triggers["UPDATE"] = (f"WHEN {old} IS NOT {new}", f"{less} {more}")
    for event, (condition, action) in triggers.items():
        op.execute(
            f'CREATE TRIGGER tally_{table}_{event.lower()} AFTER {event} ON "{table}"'
            f" FOR EACH ROW {condition} BEGIN {action} END"
        )


def _add(subject: str, value: str, number: int) -> str:
    return (
        f"INSERT INTO tally (subject, value, number) VALUES ('{subject}', {value}, {number})"  # noqa: S608
        f" ON CONFLICT (subject, value) DO UPDATE SET number = number + {number};"
    )
