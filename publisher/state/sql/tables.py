"""The tables of the state. The migrations make the same tables; a test compares them."""

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
    text,
)

from publisher.redaction import SECRETS
from publisher.state.records import VersionStatus
from publisher.state.sql.dialects import SERIAL, TEXT, Indexed, LastThree

METADATA = MetaData()


class FreeText(TypeDecorator[str]):
    """A text for people, stored without known secrets: a server may have echoed a request in it."""

    impl = TEXT
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        return None if value is None else SECRETS.redact(value)


COUNTER = Table(
    "counter",
    METADATA,
    Column("name", TEXT, primary_key=True),
    Column("value", BigInteger, nullable=False),
)

NAME_BEGINNING = literal_column("lower(substr(substr(name, length(namespace) + 2), 1, 3))", Text)
"""The first three characters of a relation's name, without its namespace."""
NAME_END = LastThree()

RELATION = Table(
    "relation",
    METADATA,
    Column("name", TEXT, primary_key=True),
    Column("namespace", TEXT, nullable=False),
    Column("incarnation", Integer, nullable=False),
    Column("facts_hash", TEXT),
    Column("read_event_id", BigInteger),
    Column("missing_since", Float),
    Column("yanked", Integer, nullable=False),
    Column("read_at", Float),
    Column("index_check_due", Integer, nullable=False, server_default="0"),
    Column("catalog", TEXT, nullable=False, server_default=""),
    Column("kind", TEXT, nullable=False, server_default=""),
    Column("owner", FreeText, nullable=False, server_default=""),
    Index("relation_namespace", "namespace", "kind"),
    Index("relation_catalog", "catalog", "name"),
    Index("relation_kind", "kind", "name"),
    Index("relation_name_beginning", text(NAME_BEGINNING.name)),
    Index("relation_name_end", NAME_END),
)

SCHEMA = Table(
    "schema",
    METADATA,
    Column("name", TEXT, primary_key=True),
    Column("derivation", TEXT),
    Column("interface_hash", TEXT, nullable=False),
    Column("content_hash", TEXT),
    Column("inputs_hash", TEXT),
    Column("derived_facts_hash", TEXT),
    Column("published_hash", TEXT),
    Column("status", TEXT, nullable=False),
    Column("stale", Integer, nullable=False),
    Column("reason", FreeText, nullable=False),
    Column("fingerprint", TEXT),
    Column("republish_after", BigInteger),
)
"""The derivation of each relation, separate from its row in ``relation``."""

# Conditions here and below have literals, since SQLite does not use a partial index for a condition
# with a bound value.
IN_TROUBLE = SCHEMA.c.reason != literal_column("''", Text)

Index("schema_in_trouble", SCHEMA.c.name, sqlite_where=IN_TROUBLE, postgresql_where=IN_TROUBLE)

SHOWN_STATUS = case(
    (SCHEMA.c.stale == literal_column("0", Integer), SCHEMA.c.status),
    else_=literal_column("'STALE'", Text),
)
"""The status that people see: STALE while the relation must be derived again."""

Index("schema_shown_status", Indexed(SHOWN_STATUS), SCHEMA.c.name)

EDGE = Table(
    "edge",
    METADATA,
    Column("dependent", TEXT, primary_key=True),
    Column("upstream", TEXT, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("used", TEXT),
    # The first readers of a relation are listed, and a part is counted, from the index alone.
    Index("edge_upstream", "upstream", "dependent"),
)

WORK = Table(
    "work",
    METADATA,
    Column("key", TEXT, primary_key=True),
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
"""The time from which work may be claimed. It is a CASE, since only PostgreSQL has GREATEST."""

Index("work_claimable", Indexed(CLAIMABLE_AT))

VERSION = Table(
    "version",
    METADATA,
    Column("sequence", SERIAL, primary_key=True, autoincrement=True),
    Column("distribution", TEXT, nullable=False),
    Column("number", TEXT, nullable=False),
    Column("relation", TEXT, nullable=False),
    Column("status", TEXT, nullable=False),
    Column("content_hash", TEXT),
    Column("schema_text", TEXT),
    Column("wheel_sha256", TEXT),
    Column("filename", TEXT, nullable=False),
    Column("wheel", LargeBinary),
    Column("change", TEXT, nullable=False),
    Column("reasons", TEXT, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("surface_hash", TEXT, nullable=False, server_default=""),
    Column("runtime", TEXT, nullable=False, server_default=""),
    Column("provenance", TEXT, nullable=False, server_default=""),
    UniqueConstraint("distribution", "number"),
    # Without this, SQLite reuses the sequence of a deleted newest row; PostgreSQL never does.
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

IS_PUBLISHED = VERSION.c.status == literal_column(f"'{VersionStatus.PUBLISHED.value}'", Text)

Index(
    "version_published",
    VERSION.c.distribution,
    VERSION.c.sequence,
    sqlite_where=IS_PUBLISHED,
    postgresql_where=IS_PUBLISHED,
)

Index(
    "version_created",
    VERSION.c.created_at,
    sqlite_where=IS_PUBLISHED,
    postgresql_where=IS_PUBLISHED,
)

MEMO = Table(
    "memo",
    METADATA,
    Column("inputs_hash", TEXT, primary_key=True),
    Column("status", TEXT, nullable=False),
    Column("derivation", TEXT),
    Column("reason", FreeText, nullable=False),
    Column("remembered_at", Float, nullable=False),
)

SOURCE_OFFSET = Table(
    "source_offset",
    METADATA,
    Column("source", TEXT, primary_key=True),
    Column("position", TEXT, nullable=False),
)

DEAD_LETTER = Table(
    "dead_letter",
    METADATA,
    Column("id", SERIAL, primary_key=True, autoincrement=True),
    Column("source", TEXT, nullable=False),
    Column("payload", LargeBinary, nullable=False),
    Column("reason", FreeText, nullable=False),
    Column("namespace", TEXT),
    Column("received_at", Float, nullable=False),
    Column("payload_length", Integer),
)

SINGLETON = Table(
    "singleton",
    METADATA,
    Column("name", TEXT, primary_key=True),
    Column("fence", BigInteger, nullable=False),
    Column("lease_until", Float, nullable=False),
    Column("note", TEXT, nullable=False),
)

SEARCHED = Table(
    "searched",
    METADATA,
    Column("id", SERIAL, primary_key=True),
    Column("name", TEXT, nullable=False, unique=True),
    Column("content_hash", TEXT),
)
"""Derived relations. Each has a row in ``search``, SQLite's full-text index of the last derivation.

``content_hash`` is the content hash of the derivation's package; NULL without a package."""

TALLY = Table(
    "tally",
    METADATA,
    Column("subject", TEXT, primary_key=True),
    Column("value", TEXT, primary_key=True),
    Column("number", BigInteger, nullable=False),
)
"""For each value of a column, the number of rows with it. Only triggers write this table."""

FILLING = Table(
    "filling",
    METADATA,
    Column("target", TEXT, primary_key=True),
    Column("source", TEXT, primary_key=True, index=True),
    Column("mark", TEXT, primary_key=True),
    Column("first_at", Float, nullable=False),
    Column("last_at", Float, nullable=False, index=True),
    Column("statement", FreeText, nullable=False),
    Column("user", TEXT, nullable=False),
    Column("columns", TEXT, nullable=False),
)
"""The statements that fill a table from another table. A row with an empty source holds the time at which
the table was last overwritten; earlier fillings no longer count."""

NOTICE = Table(
    "notice",
    METADATA,
    Column("receiver", TEXT, primary_key=True),
    Column("id", TEXT, primary_key=True),
    Column("kind", TEXT, nullable=False),
    Column("subject", TEXT, nullable=False),
    Column("details", TEXT, nullable=False),
    Column("happened_at", Float, nullable=False),
    Column("recorded_at", Float, nullable=False),
    Column("message", TEXT),
    Index("notice_oldest", "recorded_at"),
    Index("notice_of_message", "receiver", "message", "recorded_at"),
)
"""Facts that a receiver has not got yet. ``message`` is NULL until a message with the fact starts."""

MESSAGE = Table(
    "message",
    METADATA,
    Column("receiver", TEXT, primary_key=True),
    Column("id", TEXT, primary_key=True),
    Column("started_at", Float, nullable=False),
    Column("not_before", Float, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("body", TEXT),
    Column("ended_at", Float),
    Index("message_started", "receiver", "started_at"),
)
"""Messages to receivers. An ended message stays for a time, because it counts towards the pace."""
