"""Runs statements on Trino over HTTP, with Trino's Python client."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any
from urllib.parse import urlsplit

from requests import RequestException, Response
from trino.auth import BasicAuthentication
from trino.dbapi import Connection
from trino.exceptions import DatabaseError, HttpError, TrinoConnectionError, TrinoQueryError

from lakeschema.http_sessions import BoundedSession
from lakeschema.translation.emission.trino.text import quoted, string
from publisher.commands.registering.registration import ServerUnavailable, StatementRefused


class TrinoServer:
    """Implements ``Server``; ``open_server`` closes it."""

    def __init__(self, connection: Connection, address: str) -> None:
        self._connection = connection
        self._address = address

    def comments(self, catalog: str, schema: str) -> Mapping[str, str | None] | None:
        within = f"{quoted(catalog)}.information_schema"
        named = string(schema)
        if not self._rows(f"SELECT 1 FROM {within}.schemata WHERE schema_name = {named}"):  # noqa: S608 (quoted)
            return None
        tables = self._rows(f"SELECT table_name FROM {within}.tables WHERE table_schema = {named}")  # noqa: S608 (quoted)
        comments = self._rows(
            "SELECT table_name, comment FROM system.metadata.table_comments"  # noqa: S608 (quoted)
            f" WHERE catalog_name = {string(catalog)} AND schema_name = {named}"
        )
        return {**dict.fromkeys((name for (name,) in tables), None), **dict(map(tuple, comments))}

    def run(self, statement: str) -> None:
        self._rows(statement)

    def _rows(self, statement: str) -> Sequence[Sequence[Any]]:
        try:
            with closing(self._connection.cursor()) as cursor:
                cursor.execute(statement)
                rows: Sequence[Sequence[Any]] = cursor.fetchall()
                return rows
        except TrinoQueryError as error:
            raise StatementRefused(error.message) from error
        except (DatabaseError, HttpError, TrinoConnectionError, RequestException) as error:
            raise ServerUnavailable(f"{self._address} does not answer: {error}") from error
        except (ValueError, LookupError, AttributeError, TypeError) as error:
            # The client accepts any server's answer, so another server causes an odd error here.
            raise ServerUnavailable(f"{self._address} does not answer like Trino") from error


@contextmanager
def open_server(
    address: str, username: str, password: str | None, timeout_seconds: float
) -> Iterator[TrinoServer]:
    """A server at ``http://HOST:PORT`` or ``https://HOST:PORT``."""
    parts = urlsplit(address)
    assert parts.hostname is not None, "settings check addresses"
    session = BoundedSession(timeout_seconds)
    # Otherwise the client would sleep as long as the server demands.
    session.hooks["response"].append(_forget_when_to_retry)
    connection = Connection(
        host=parts.hostname,
        port=parts.port or (443 if parts.scheme == "https" else 80),
        user=username,
        source="schema-publisher",
        http_scheme=parts.scheme,
        auth=None if password is None else BasicAuthentication(username, password),
        request_timeout=timeout_seconds,
        http_session=session,
    )
    with closing(connection):
        yield TrinoServer(connection, address)


def _forget_when_to_retry(answer: Response, **_: object) -> None:
    answer.headers.pop("Retry-After", None)
