"""Adds indexes for the web pages: the readers of a relation in order, and beginnings and ends of names.

Revision ID: 0015
Revises: 0014
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_index("ix_edge_upstream", "edge")
    op.create_index("edge_upstream", "edge", ["upstream", "dependent"])
    beginning = sa.text("lower(substr(substr(name, length(namespace) + 2), 1, 3))")
    op.create_index("relation_name_beginning", "relation", [beginning])
    op.create_index("relation_name_end", "relation", [sa.text("lower(substr(name, -3))")])
