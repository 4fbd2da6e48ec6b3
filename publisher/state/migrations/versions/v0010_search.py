"""Adds a full-text index of derived relations' fields and documentation.

Needs SQLite with FTS5, which usual builds contain.

Revision ID: 0010
Revises: 0009
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from publisher.state.search_words import searched_texts

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_CHUNK = 500


def upgrade() -> None:
    op.create_table(
        "searched",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("content_hash", sa.Text),
    )
    op.execute(
        "CREATE VIRTUAL TABLE search USING fts5("
        'fields, documentation, tokenize = "unicode61 remove_diacritics 0")'
    )
    op.execute(
        "INSERT INTO searched (name, content_hash) SELECT name, content_hash FROM schema"
        " WHERE derivation IS NOT NULL ORDER BY name"
    )
    connection = op.get_bind()
    known = connection.exec_driver_sql(
        "SELECT s.id, d.derivation FROM searched s JOIN schema d ON d.name = s.name ORDER BY s.id"
    )
    for rows in known.partitions(_CHUNK):
        texts = [(id_, searched_texts(derivation)) for id_, derivation in rows]
        connection.exec_driver_sql(
            "INSERT INTO search (rowid, fields, documentation) VALUES (?, ?, ?)",
            [(id_, found.fields, found.documentation) for id_, found in texts],
        )
