"""Adds columns for lists of relations: catalog, kind and owner, with indexes.

The owner stays empty until the relation is read again. Kinds come from the last derivations. Needs
SQLite's functions for JSON.

Revision ID: 0013
Revises: 0012
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from lakeschema.catalog.identifiers import Namespace

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

_KIND = """
UPDATE relation SET kind = coalesce((
    SELECT CASE
        WHEN NOT json_valid(derivation) THEN ''
        WHEN json_array_length(derivation, '$.lineage') > 0 THEN 'view'
        ELSE 'table' END
    FROM schema WHERE schema.name = relation.name
), '')
"""
_READERS_ARE_VIEWS = "UPDATE relation SET kind = 'view' WHERE name IN (SELECT dependent FROM edge)"


def upgrade() -> None:
    for name in ("catalog", "kind", "owner"):
        op.add_column("relation", sa.Column(name, sa.Text, nullable=False, server_default=""))
    connection = op.get_bind()
    for (key,) in connection.exec_driver_sql("SELECT DISTINCT namespace FROM relation").fetchall():
        if catalog := Namespace.from_key(key).catalog:
            connection.exec_driver_sql(
                "UPDATE relation SET catalog = ? WHERE namespace = ?", (catalog, key)
            )
    op.execute(_KIND)
    op.execute(_READERS_ARE_VIEWS)
    op.drop_index("ix_relation_namespace", "relation")
    op.create_index("relation_namespace", "relation", ["namespace", "kind"])
    op.create_index("relation_catalog", "relation", ["catalog", "name"])
    op.create_index("relation_kind", "relation", ["kind", "name"])
    shown_status = "CASE WHEN (stale = 0) THEN status ELSE 'STALE' END"
    op.create_index("schema_shown_status", "schema", [sa.text(shown_status), "name"])
    published = sa.text("status = 'PUBLISHED'")
    for index, columns in (
        ("version_published", ["distribution", "sequence"]),
        ("version_created", ["created_at"]),
    ):
        op.create_index(
            index, "version", columns, sqlite_where=published, postgresql_where=published
        )
