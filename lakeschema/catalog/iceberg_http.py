"""The HTTP of catalogs with a JSON API: logins, retries, and limits on time and size.

Only GET requests are sent, and the POST that logs in.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import requests
from requests.auth import AuthBase

from lakeschema.catalog.errors import CatalogRefused, CatalogUnavailable
from lakeschema.catalog.iceberg_reply import Reply, parsed, seconds_of
from lakeschema.exchange import ExchangeTimeout, exchange
from lakeschema.http_sessions import bound_exchanges

_CHUNK = 1 << 16
_BUSY = frozenset({429, 503})
_TRANSIENT = _BUSY | {502, 504}
_MIN_PAUSE_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class RestLogin:
    """The service's login, if any: a ``token``, or a ``credential`` ``ID:SECRET`` (OAuth 2).

    Attributes:
        oauth_uri: the server that gives tokens; None for the catalog's own.
        scope: the scope of the token; "" for the server's default.
    """

    token: str | None = None
    credential: str | None = None
    oauth_uri: str | None = None
    scope: str = "catalog"


@dataclass(frozen=True, slots=True)
class RestServer:
    """A catalog's address and options of the connection. Files are PEM files, as ``requests`` takes them.

    Each request below ``uri`` gets the ``headers``; a separate server of tokens does not get them.
    """

    uri: str
    name: str
    warehouse: str | None = None
    prefix: str | None = None
    ca_file: str | None = None
    cert_file: str | None = None
    key_file: str | None = None
    timeout_seconds: float = 30.0
    max_bytes: int = 256 * 1024**2
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def certificate(self) -> str | tuple[str, str] | None:
        """The client's certificate in the form that ``requests`` takes."""
        if self.cert_file is None or self.key_file is None:
            return self.cert_file
        return self.cert_file, self.key_file


class HttpClient:
    """Sends requests to a catalog's server. Threads have their own connections and share the login.

    ``login`` is called for each login, so that a rotated secret is used.
    """

    def __init__(self, server: RestServer, login: Callable[[], RestLogin]) -> None:
        self.server = server
        self._login = login
        self._threads = threading.local()
        self._sessions: list[requests.Session] = []
        self._lock = threading.Lock()
        # A thread holds this lock while it logs in, so that other threads wait for the token.
        self._login_lock = threading.Lock()
        self._token: str | None = None
        self._closed = threading.Event()
        self._base = server.uri.rstrip("/")

    def ask(
        self, path: str, query: Mapping[str, str], headers: Mapping[str, str] | None = None
    ) -> Reply:
        """The answer to a GET of a path below the server's address.

        Waits as long as a busy server asks, up to the time-out of an answer.

        Raises:
            CatalogUnavailable: the server does not answer, or says that it is busy.
            CatalogRefused: the server refuses the login.
        """
        url = self._base + path
        waited = 0.0
        while True:
            reply = self._get_once(url, query, headers or {})
            pause = reply.retry_after_seconds
            if reply.status in _BUSY and pause is not None:
                pause = max(pause, _MIN_PAUSE_SECONDS)
                waited += pause
                if waited <= self.server.timeout_seconds and not self._closed.wait(pause):
                    continue
            if reply.status in _TRANSIENT:
                raise CatalogUnavailable(self.server.name, reply.reason)
            return reply

    def require(self, reply: Reply, what: str) -> Mapping[str, Any]:
        """The JSON object in a successful answer. ``what`` names the requested thing in errors.

        Raises:
            CatalogRefused: the answer is not successful, or not a JSON object.
        """
        if reply.status != 200:
            raise self.refused(what, reply.reason)
        if not isinstance(reply.document, dict):
            raise self.refused(what, "its answer is not a JSON object")
        return reply.document

    def refused(self, what: str, why: str) -> CatalogRefused:
        return CatalogRefused(self.server.name, what, why)

    def close(self) -> None:
        self._closed.set()
        with self._lock:
            sessions, self._sessions = self._sessions, []
        for session in sessions:
            session.close()

    def _get_once(self, url: str, query: Mapping[str, str], headers: Mapping[str, str]) -> Reply:
        token = self._current_token()
        reply = self._send("GET", url, headers, token, query=query)
        if reply.status == 401 and self._is_renewed(token):
            reply = self._send("GET", url, headers, self._current_token(), query=query)
        if reply.status in {401, 419}:
            raise self.refused("the login", reply.reason)
        return reply

    def _current_token(self) -> str | None:
        with self._login_lock:
            if self._token is None:
                self._token = self._log_in()
            return self._token

    def _is_renewed(self, refused: str | None) -> bool:
        """Forgets a refused token, which may have expired; returns whether a new login may help."""
        with self._login_lock:
            if self._token == refused:
                self._token = None
        return refused is not None

    def _log_in(self) -> str | None:
        login = self._login()
        if login.credential is None:
            return login.token
        client_id, colon, secret = login.credential.partition(":")
        form = {
            "grant_type": "client_credentials",
            "client_id": client_id if colon else "",
            "client_secret": secret if colon else login.credential,
            "scope": login.scope,
        }
        form = {key: value for key, value in form.items() if value}
        url = login.oauth_uri or f"{self._base}/v1/oauth/tokens"
        reply = self._send("POST", url, {}, None, form=form)
        if reply.status in _TRANSIENT:
            raise CatalogUnavailable(self.server.name, reply.reason)
        token = reply.document.get("access_token") if isinstance(reply.document, dict) else None
        if reply.status != 200 or not isinstance(token, str):
            raise self.refused("the login", reply.reason)
        return token

    def _send(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        token: str | None,
        *,
        query: Mapping[str, str] | None = None,
        form: Mapping[str, str] | None = None,
    ) -> Reply:
        own = self.server.headers if url.startswith(f"{self._base}/") else {}
        try:
            with (
                exchange(3 * self.server.timeout_seconds),
                self._session().request(
                    method,
                    url,
                    headers={**own, "Accept": "application/json", **headers},
                    auth=_Bearer(token),
                    timeout=self.server.timeout_seconds,
                    verify=self.server.ca_file,
                    cert=self.server.certificate,
                    # A redirect would send the token to another server, too.
                    allow_redirects=False,
                    stream=True,
                    params=query,
                    data=form,
                ) as response,
            ):
                content = self._content(response)
                return Reply(
                    response.status_code,
                    parsed(content),
                    response.headers.get("ETag"),
                    len(content),
                    seconds_of(response.headers.get("Retry-After")),
                )
        except (requests.RequestException, ExchangeTimeout) as error:
            why = f"{urlsplit(url).hostname} does not answer ({type(error).__name__})"
            raise CatalogUnavailable(self.server.name, why) from None

    def _content(self, response: requests.Response) -> bytes:
        content = bytearray()
        for chunk in response.iter_content(_CHUNK):
            content += chunk
            if len(content) > self.server.max_bytes:
                raise self.refused(
                    "an answer",
                    f"it is larger than {self.server.max_bytes} bytes; raise "
                    "catalog.table_files.max_megabytes, or expire snapshots of the table",
                )
        return bytes(content)

    def _session(self) -> requests.Session:
        session: requests.Session | None = getattr(self._threads, "session", None)
        if session is None:
            session = requests.Session()
            bound_exchanges(session)
            self._threads.session = session
            with self._lock:
                self._sessions.append(session)
        return session


class _Bearer(AuthBase):
    """Adds the token to requests.

    Also keeps ``requests`` from sending a password of the user's netrc file.
    """

    def __init__(self, token: str | None) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if self._token is not None:
            request.headers["Authorization"] = f"Bearer {self._token}"
        return request
