"""Connects to a database of PostgreSQL without SQLAlchemy, and explains its errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from publisher.redaction import SECRETS
from publisher.state.places import Database
from publisher.state.protocol import StateUnavailable

if TYPE_CHECKING:
    from psycopg import Connection as _Connection

    Connection: TypeAlias = _Connection[tuple[Any, ...]]

BUSY_SECONDS: Final = 30
LOCKS: Final = 0x5C4E4A
"""The first number of this program's advisory locks; it differs from the numbers of other programs."""

_DEFAULTS: Final[Mapping[str, object]] = {
    "application_name": "schema-publisher",
    "connect_timeout": 10,
    # With these, a connection to a vanished server fails within a minute.
    "keepalives_idle": 20,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 50_000,
}
# With these, the server frees a lost client's locks within a minute. Short statements gain nothing
# from compilation, so it is off.
_SESSION: Final = (
    f"SET lock_timeout = '{BUSY_SECONDS}s'; SET jit = off; SET tcp_keepalives_idle = 20;"
    " SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3"
)
# ``to_regclass`` may give an outdated answer after the session has waited for a lock.
_HAS_REVISION: Final = (
    "SELECT 1 FROM pg_class WHERE relname = 'alembic_version' AND pg_table_is_visible(oid)"
)
_ASK_RIGHTS: Final = "give the user of state.url the right to create and change the state's tables"
_RESTORE: Final = "restore the database; or restart the service, which makes a new state and adopts the index's packages"
_HINTS: Final[Mapping[str, str]] = {
    "42501": _ASK_RIGHTS,
    "42P01": _RESTORE,
    "3F": "create the schema of state.url's search_path",
    "55P03": "another process writes for too long: end it, or the session that holds its lock (pg_locks)",
    "25006": "name the primary server in state.url: this one is read-only",
    "53100": "free some space on the disk of the database",
    "XX": "check the database's disk, and restore the database",
}
"""Remedies, by the beginning of PostgreSQL's error code."""
_REFUSALS: Final[Mapping[str, str]] = {
    "does not exist": "create the user and database of state.url: CREATE DATABASE … ENCODING 'UTF8'",
    "authentication failed": "check the user of state.url and its password",
    "no password supplied": "set state.password_file",
    "pg_hba.conf": "allow the user, this machine and its encryption in the server's pg_hba.conf",
    "connection slots": "raise the server's max_connections",
    "too many clients": "raise the server's max_connections",
    "certificate": "check sslmode and sslrootcert in state.url",
}
"""Remedies, by words of the server's message, since a refused connection has no error code."""
_UNREACHABLE: Final = "check that the server of state.url runs and accepts connections from here"


class DriverMissing(StateUnavailable):
    """The extra ``postgresql`` is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "a state in PostgreSQL needs psycopg, which is not installed",
            "pip install '.[postgresql]' in the checkout of schema-publisher",
        )


def connect(place: Database) -> Connection:
    """A connection without a transaction.

    Raises:
        StateUnavailable: the driver is missing, or the server does not answer or refuses the login.
    """
    psycopg = _driver()
    with reporting(place):
        given = psycopg.conninfo.conninfo_to_dict(place.url)
        password = place.password()
        if password is not None:
            given["password"] = password
        connection: Connection = psycopg.connect(
            **{**_DEFAULTS, **given, "client_encoding": "utf8"}, autocommit=True
        )
        try:
            connection.adapters.register_dumper(str, _text_dumper())
            connection.execute(_SESSION, prepare=False)
        except BaseException:
            connection.close()
            raise
    return connection


@contextmanager
def reporting(place: Database) -> Iterator[None]:
    """Converts errors of the server and the network; the program's own errors pass through.

    Raises:
        StateUnavailable
    """
    from psycopg import Error, InternalError, OperationalError

    try:
        yield
    except Error as error:
        code = error.sqlstate or ""
        hint = next((hint for begin, hint in _HINTS.items() if code.startswith(begin)), "")
        if not hint and not isinstance(error, OperationalError | InternalError):
            raise
        # The driver may quote a part of an address that it cannot read.
        message = SECRETS.redact(str(error).strip().partition("\n")[0])
        refusals = (hint for words, hint in _REFUSALS.items() if not code and words in message)
        hint = hint or next(refusals, _UNREACHABLE)
        raise StateUnavailable(f"{place}: {message}", hint) from None


def revision_of(connection: Connection) -> str | None:
    """The revision of the state's tables; None without tables."""
    if not connection.execute(_HAS_REVISION).fetchall():
        return None
    rows = connection.execute("SELECT version_num FROM alembic_version").fetchall()
    return ",".join(number for (number,) in rows)


def time_of(place: Database) -> float:
    """The server's time, in seconds since the epoch. Raises ``StateUnavailable``."""
    with closing(connect(place)) as connection, reporting(place):
        ((now,),) = connection.execute(
            "SELECT extract(epoch FROM clock_timestamp())::double precision"
        ).fetchall()
        return float(now)


def _driver() -> Any:
    try:
        import psycopg
    except ImportError:
        raise DriverMissing from None
    return psycopg


def _text_dumper() -> Any:
    """A dumper of texts that replaces the character U+0000, which PostgreSQL cannot store."""
    from psycopg.types.string import StrDumperUnknown

    class Text(StrDumperUnknown):
        def dump(self, obj: str) -> Any:
            return super().dump(obj.replace("\0", "\ufffd"))

    return Text
