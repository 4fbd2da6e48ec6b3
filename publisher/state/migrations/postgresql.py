"""The tables of a new state in PostgreSQL, in the form of the newest revision.

PostgreSQL has been supported since revision 0015, so no state there needs an earlier migration. Besides
the tables of ``METADATA`` there are, as in SQLite, triggers that keep the tallies (0004), and the
full-text index (0010). If a migration changes one of these, change it here, too.
"""

from __future__ import annotations

from sqlalchemy import Connection

from publisher.state.sql.tables import METADATA

_SEARCH = """
CREATE TABLE search (
    rowid BIGINT PRIMARY KEY,
    fields TEXT COLLATE "C" NOT NULL,
    documentation TEXT COLLATE "C" NOT NULL,
    field_words TSVECTOR NOT NULL,
    documentation_words TSVECTOR NOT NULL
);
CREATE INDEX search_field_words ON search USING gin (field_words);
CREATE INDEX search_documentation_words ON search USING gin (documentation_words)
"""
_COUNTERS = "INSERT INTO counter (name, value) VALUES ('tick', 0), ('generation', 0)"

# For each subject of a tally: the table, and the expression by whose value the rows are counted.
_COUNTED = {
    "relation": ("schema", "CASE WHEN {row}.stale = 0 THEN {row}.status ELSE 'STALE' END"),
    "version": ("version", "{row}.status"),
    "work": ("work", "''"),
    "dead letter": ("dead_letter", "''"),
}
_TALLIED = """
CREATE FUNCTION tally_{table}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN {less} END IF;
    IF TG_OP <> 'DELETE' THEN {more} END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER tally_{table}_rows AFTER INSERT OR DELETE ON {table}
    FOR EACH ROW EXECUTE FUNCTION tally_{table}();
CREATE TRIGGER tally_{table}_changes AFTER UPDATE ON {table}
    FOR EACH ROW WHEN ({old} IS DISTINCT FROM {new}) EXECUTE FUNCTION tally_{table}()
"""
_ADD = """
    INSERT INTO tally (subject, value, number) VALUES ('{subject}', {value}, {number})
    ON CONFLICT (subject, value) DO UPDATE SET number = tally.number + {number};
"""


def create(connection: Connection) -> None:
    METADATA.create_all(connection)
    connection.exec_driver_sql(_COUNTERS)
    connection.exec_driver_sql(_SEARCH)
    for subject, (table, value) in _COUNTED.items():
        old, new = (value.format(row=row) for row in ("OLD", "NEW"))
        less = _ADD.format(subject=subject, value=old, number=-1)
        more = _ADD.format(subject=subject, value=new, number=1)
        connection.exec_driver_sql(
            _TALLIED.format(table=table, old=old, new=new, less=less, more=more)
        )
