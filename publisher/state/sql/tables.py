"""The tables after the newest migration; a test compares them.

Text columns must sort by code point, which only SQLite does by default: PostgreSQL needs the
collation "C".
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Dialect,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    case,
    literal_column,
)

from publisher.redaction import SECRETS
from publisher.state.records import VersionStatus

METADATA = MetaData()


class FreeText(TypeDecorator[str]):
    """Words for people, without known secrets: they may come from a server that echoes a request."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        return None if value is None else SECRETS.redact(value)


COUNTER = Table(
    "counter",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("value", BigInteger, nullable=False),
)

RELATION = Table(
    "relation",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("namespace", Text, nullable=False, index=True),
    Column("incarnation", Integer, nullable=False),
    Column("facts_hash", Text),
    Column("read_event_id", BigInteger),
    Column("missing_since", Float),
    Column("yanked", Integer, nullable=False),
    Column("read_at", Float),
    Column("index_check_due", Integer, nullable=False, server_default="0"),
)

SCHEMA = Table(
    "schema",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("derivation", Text),
    Column("interface_hash", Text, nullable=False),
    Column("content_hash", Text),
    Column("inputs_hash", Text),
    Column("derived_facts_hash", Text),
    Column("published_hash", Text),
    Column("status", Text, nullable=False),
    Column("stale", Integer, nullable=False),
    Column("reason", FreeText, nullable=False),
    Column("fingerprint", Text),
    Column("republish_after", BigInteger),
)
"""The derivation of each relation, separate from its row in ``relation``."""

# Literals here and below: SQLite does not use a partial index for a condition with a bound value.
IN_TROUBLE = SCHEMA.c.reason != literal_column("''", Text)

Index("schema_in_trouble", SCHEMA.c.name, sqlite_where=IN_TROUBLE, postgresql_where=IN_TROUBLE)

EDGE = Table(
    "edge",
    METADATA,
    Column("dependent", Text, primary_key=True),
    Column("upstream", Text, primary_key=True, index=True),
    Column("position", Integer, nullable=False),
    Column("used", Text),
)

WORK = Table(
    "work",
    METADATA,
    Column("key", Text, primary_key=True),
    Column("generation", BigInteger, nullable=False),
    Column("min_event_id", BigInteger),
    Column("not_before", Float, nullable=False),
    Column("first_asked", Float, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("retries", Integer, nullable=False),
    Column("lease_until", Float, nullable=False),
    Column("fence", BigInteger, nullable=False),
    Column("reread_at", Float),
    Column("urgency", Integer, nullable=False),
    Column("last_error", FreeText, nullable=False),
    Column("failures", Integer, nullable=False, server_default="0"),
    Index("work_due", "urgency", "not_before", "key"),
    Index("work_oldest", "failures", "first_asked"),
)

CLAIMABLE_AT = case(
    (WORK.c.lease_until > WORK.c.not_before, WORK.c.lease_until), else_=WORK.c.not_before
)
"""When work may be claimed: GREATEST in PostgreSQL, but MAX in SQLite."""

Index("work_claimable", CLAIMABLE_AT)

VERSION = Table(
    "version",
    METADATA,
    Column("sequence", Integer, primary_key=True, autoincrement=True),
    Column("distribution", Text, nullable=False),
    Column("number", Text, nullable=False),
    Column("relation", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("content_hash", Text),
    Column("schema_text", Text),
    Column("wheel_sha256", Text),
    Column("filename", Text, nullable=False),
    Column("wheel", LargeBinary),
    Column("change", Text, nullable=False),
    Column("reasons", Text, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("surface_hash", Text, nullable=False, server_default=""),
    Column("runtime", Text, nullable=False, server_default=""),
    Column("provenance", Text, nullable=False, server_default=""),
    UniqueConstraint("distribution", "number"),
    # Without it SQLite reuses the sequence of a deleted newest row, as PostgreSQL never does.
    sqlite_autoincrement=True,
)

IS_RESERVED = VERSION.c.status == literal_column(f"'{VersionStatus.RESERVED.value}'", Text)

Index(
    "version_open_reservation",
    VERSION.c.distribution,
    unique=True,
    sqlite_where=IS_RESERVED,
    postgresql_where=IS_RESERVED,
)

IS_CONFLICT = VERSION.c.status == literal_column(f"'{VersionStatus.CONFLICT.value}'", Text)

Index(
    "version_conflict", VERSION.c.sequence, sqlite_where=IS_CONFLICT, postgresql_where=IS_CONFLICT
)

MEMO = Table(
    "memo",
    METADATA,
    Column("inputs_hash", Text, primary_key=True),
    Column("status", Text, nullable=False),
    Column("derivation", Text),
    Column("reason", FreeText, nullable=False),
    Column("remembered_at", Float, nullable=False),
)

SOURCE_OFFSET = Table(
    "source_offset",
    METADATA,
    Column("source", Text, primary_key=True),
    Column("position", Text, nullable=False),
)

DEAD_LETTER = Table(
    "dead_letter",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("source", Text, nullable=False),
    Column("payload", LargeBinary, nullable=False),
    Column("reason", FreeText, nullable=False),
    Column("namespace", Text),
    Column("received_at", Float, nullable=False),
    Column("payload_length", Integer),
)

SINGLETON = Table(
    "singleton",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("fence", BigInteger, nullable=False),
    Column("lease_until", Float, nullable=False),
    Column("note", Text, nullable=False),
)

SEARCHED = Table(
    "searched",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("content_hash", Text),
)
"""Relations that were derived, each with its row in ``search``, SQLite's full-text index of the last
derivation.

``content_hash`` is that of the derivation's package; NULL without a package."""

TALLY = Table(
    "tally",
    METADATA,
    Column("subject", Text, primary_key=True),
    Column("value", Text, primary_key=True),
    Column("number", BigInteger, nullable=False),
)
"""The number of rows of a table with each value; only triggers write it."""

FILLING = Table(
    "filling",
    METADATA,
    Column("target", Text, primary_key=True),
    Column("source", Text, primary_key=True, index=True),
    Column("mark", Text, primary_key=True),
    Column("first_at", Float, nullable=False),
    Column("last_at", Float, nullable=False, index=True),
    Column("statement", FreeText, nullable=False),
    Column("user", Text, nullable=False),
    Column("columns", Text, nullable=False),
)
"""Which statement fills a table from which other table. A row with an empty source tells when the
table was last overwritten, which ends earlier fillings."""
