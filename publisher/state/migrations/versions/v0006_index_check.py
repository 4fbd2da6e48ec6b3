"""Marks packages whose ledger and index may differ, and stores the data to rebuild a wheel.

Revision ID: 0006
Revises: 0005
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    due = sa.Column("index_check_due", sa.Integer, nullable=False, server_default="0")
    op.add_column("relation", due)
    provenance = sa.Column("provenance", sa.Text, nullable=False, server_default="")
    op.add_column("version", provenance)
    # Earlier releases recorded a yank after it was done, and "yanked" alone requested its reversal.
    op.execute(
        "UPDATE relation SET index_check_due = 1, yanked = 0 WHERE yanked = 1 AND name IN "
        "(SELECT name FROM schema WHERE status != 'MISSING')"
    )
    op.execute(
        "UPDATE relation SET index_check_due = 1 WHERE yanked = 0 AND name IN "
        "(SELECT name FROM schema WHERE status = 'MISSING')"
    )
