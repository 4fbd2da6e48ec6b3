"""Reads any index's simple API over HTTP: uncached, bounded, and with credentials for one origin.

A project's page must not redirect to another host: such an index falls back to a public index for
unknown names, so its users would install untrusted packages.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import SplitResult, urljoin, urlsplit, urlunsplit

import requests

from lakeschema.exchange import ExchangeTimeout, exchange
from lakeschema.http_sessions import bound_exchanges
from publisher.index.page_parsing import (
    MalformedPage,
    parse_html_page,
    parse_html_root,
    parse_json_page,
    parse_json_root,
)
from publisher.index.protocol import IndexRefused, IndexUnavailable
from publisher.index.simple_page import HTML_TYPE, JSON_TYPE, ProjectPage

ACCEPT = f"{JSON_TYPE}, {HTML_TYPE};q=0.2, text/html;q=0.1"
JSON_TYPES = frozenset({JSON_TYPE, "application/json"})
HTML_TYPES = frozenset({HTML_TYPE, "text/html", "application/xhtml+xml"})
MAX_PAGE_BYTES = 16 * 1024 * 1024
MAX_FILE_BYTES = 128 * 1024 * 1024
_MAX_REDIRECTS = 5
_TIMEOUTS_PER_EXCHANGE = 3
_TRANSIENT_STATUSES = frozenset({408, 421, 425, 429, 500, 502, 503, 504})
_DEFAULT_PORTS = {"http": 80, "https": 443}
_SLOW = "look why the index is slow, or raise index.timeout_seconds"
_ADDRESSES = "check that the index runs, and its addresses in [index]"
_NOT_AN_INDEX = "check index.simple_url: this server is not the simple API of an index"
_NO_INDEX = "check index.simple_url, and create the index if the server needs that"
_CREDENTIALS = "check the username and password in [index]"
_HINTS = {
    401: _CREDENTIALS,
    403: "unless that file exists, check the username, its password and its permissions",
    404: "check index.repository_url",
    405: "check index.repository_url, and whether the repository is read-only",
    407: _CREDENTIALS,
    429: "the index asks for fewer requests: raise its limit, or lower index.checks_per_second",
    507: "free some space on the disk of the index",
}
_UNCACHED = {"Cache-Control": "no-cache, max-age=0", "Pragma": "no-cache"}


@dataclass(frozen=True, slots=True)
class Credentials:
    username: str
    password: str

    def __repr__(self) -> str:
        return "Credentials(…)"


@dataclass(frozen=True, slots=True)
class Server:
    """An index's address, safe to show without credentials, and the credentials."""

    url: str
    credentials: Credentials | None

    @classmethod
    def of(cls, url: str, username: str | None = None, password: str | None = None) -> Server:
        """The server at an address, with the given credentials or else those in the address.

        Raises:
            ValueError: the address is not http or https.
        """
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError(
                "expected the address of a package index to start with http:// or https://"
            )
        username = username or parts.username or ""
        password = password or parts.password or ""
        bare = parts._replace(netloc=parts.netloc.rpartition("@")[2])
        found = Credentials(username, password) if username or password else None
        return cls(urlunsplit(bare), found)


class SimpleClient:
    def __init__(
        self, server: Server, timeout_seconds: float, file_hosts: Collection[str] = ()
    ) -> None:
        """Downloads files only from the index's host and from ``file_hosts``: hosts, or ``host:port``."""
        url = server.url if server.url.endswith("/") else server.url + "/"
        self._server = Server(url, server.credentials)
        self._session = requests.Session()
        bound_exchanges(self._session)
        self._timeout_seconds = timeout_seconds
        self._file_hosts = frozenset(file_hosts)

    def close(self) -> None:
        self._session.close()

    def page(self, distribution: str) -> ProjectPage:
        """A project's page, with absolute addresses; without files if the index does not know the project."""
        url = urljoin(self._server.url, f"{distribution}/")
        with self._open(url, ACCEPT, same_host=True) as response:
            if response.status_code in {404, 410}:
                return ProjectPage(distribution)
            self._check_status(response)
            data = self._read_body(response, MAX_PAGE_BYTES)
            return self._parse(data, distribution, response)

    def projects(self) -> tuple[str, ...]:
        """The normalised names on the index's root page."""
        with self._open(self._server.url, ACCEPT, same_host=True) as response:
            self._check_status(response)
            data = self._read_body(response, MAX_PAGE_BYTES)
        content_type = _content_type(response)
        try:
            if content_type in JSON_TYPES:
                return parse_json_root(data)
            if content_type in HTML_TYPES:
                return parse_html_root(data.decode("utf-8", "replace"), response.url)
        except MalformedPage as error:
            raise self._malformed(f"its root page cannot be read: {error}", response) from error
        raise self._not_an_index(f"its root page: expected HTML or JSON, got {content_type[:80]!r}")

    def require_root(self) -> None:
        """Checks that the root page exists.

        Reads only its status, since it may list millions of projects.

        Raises:
            IndexRefused: there is no root page, so there is no index.
        """
        with self._open(self._server.url, ACCEPT, same_host=True) as response:
            if response.status_code in {404, 410}:
                reason = "the index does not exist"
                raise IndexRefused(self._server.url, reason, response.status_code, _NO_INDEX)
            self._check_status(response)

    def file(self, url: str) -> bytes:
        """A file's bytes, from the index's own host or an allowed one."""
        with self._open(url, "*/*", same_host=False) as response:
            self._check_status(response)
            return self._read_body(response, MAX_FILE_BYTES)

    def _parse(self, data: bytes, distribution: str, response: requests.Response) -> ProjectPage:
        content_type = _content_type(response)
        try:
            if content_type in JSON_TYPES:
                return parse_json_page(data, distribution, response.url)
            if content_type in HTML_TYPES:
                text = data.decode("utf-8", "replace")
                return parse_html_page(text, distribution, response.url)
        except MalformedPage as error:
            what = f"the page of {distribution} cannot be read: {error}"
            raise self._malformed(what, response) from error
        raise self._not_an_index(
            f"the page of {distribution}: expected HTML or JSON, got {content_type[:80]!r}"
        )

    @contextmanager
    def _open(self, url: str, accept: str, *, same_host: bool) -> Iterator[requests.Response]:
        """The response after redirects, with its body unread."""
        with bounded_exchange(self._server.url, self._timeout_seconds):
            for _ in range(_MAX_REDIRECTS + 1):
                if not same_host:
                    self._check_file_host(url)
                response = self._request(url, accept)
                if not response.is_redirect:
                    with response:
                        yield response
                    return
                with response:
                    url = self._redirect_target(
                        url, response.headers["Location"], same_host=same_host
                    )
        raise self._refusal(f"more than {_MAX_REDIRECTS} redirects")

    def _request(self, url: str, accept: str) -> requests.Response:
        credentials = self._server.credentials if self._has_our_origin(url) else None
        return self._session.get(
            url,
            headers={"Accept": accept, **_UNCACHED},
            # The object is needed even without credentials: for None, requests reads the user's .netrc.
            auth=BasicOrNone(credentials),
            allow_redirects=False,
            stream=True,
            timeout=self._timeout_seconds,
        )

    def _check_file_host(self, url: str) -> None:
        """Checks a file's host: the author of the index's pages must not choose it."""
        target = urlsplit(url)
        own = urlsplit(self._server.url)
        hosts = {f"{target.hostname}:{_origin(target)[2]}"}
        if target.port in {None, _DEFAULT_PORTS.get(target.scheme)}:
            hosts.add(str(target.hostname))
        if not _same_host(own, target) and not hosts & self._file_hosts:
            raise self._refusal(
                f"the index says that a file is at {target.netloc[:200]!r}; if that is right, add "
                "this host to index.file_hosts"
            )

    def _redirect_target(self, url: str, location: str, *, same_host: bool) -> str:
        try:
            before, target = urlsplit(url), urlsplit(urljoin(url, location))
            target.port  # noqa: B018  raises ValueError for a malformed port
        except ValueError as error:
            raise self._refusal("the server redirects to a malformed address") from error
        if target.scheme not in {"http", "https"}:
            raise self._refusal(
                f"the server redirects to an address of scheme {target.scheme[:20]!r}"
            )
        if before.scheme == "https" and target.scheme == "http":
            raise self._refusal(f"the server redirects from https to http, on {target.hostname}")
        if same_host and not _same_host(before, target):
            raise self._refusal(
                f"the index falls back to {target.hostname} for packages that it does not have; turn "
                "its fallback or forwarding off (pypi-server run --disable-fallback), or users may "
                "install an untrusted package"
            )
        return urlunsplit(target._replace(netloc=target.netloc.rpartition("@")[2]))

    def _has_our_origin(self, url: str) -> bool:
        return _origin(urlsplit(url)) == _origin(urlsplit(self._server.url))

    def _read_body(self, response: requests.Response, limit: int) -> bytes:
        chunks: list[bytes] = []
        size = 0
        for chunk in response.iter_content(64 * 1024):
            size += len(chunk)
            if size > limit:
                raise self._refusal(f"the response is larger than {limit} bytes")
            chunks.append(chunk)
        return b"".join(chunks)

    def _check_status(self, response: requests.Response) -> None:
        check_status(self._server.url, response, self._server.credentials)

    def _refusal(self, reason: str) -> IndexRefused:
        return IndexRefused(self._server.url, reason)

    def _malformed(self, reason: str, response: requests.Response) -> IndexRefused:
        return IndexRefused(self._server.url, reason, response.status_code, _NOT_AN_INDEX)

    def _not_an_index(self, reason: str) -> IndexUnavailable:
        """An error that concerns all projects: a proxy or another server answers in place of the index."""
        return IndexUnavailable(self._server.url, reason, hint=_NOT_AN_INDEX)


class BasicOrNone(requests.auth.AuthBase):
    """Basic authentication, or explicitly no authentication."""

    def __init__(self, credentials: Credentials | None) -> None:
        self._credentials = credentials

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if self._credentials is None:
            return request
        basic = requests.auth.HTTPBasicAuth(
            self._credentials.username.encode(), self._credentials.password.encode()
        )
        return basic(request)


@contextmanager
def bounded_exchange(index: str, timeout_seconds: float) -> Iterator[None]:
    """A context that limits an exchange to a few timeouts, and converts errors of the connection.

    After an error it is unknown whether the server acted.
    """
    try:
        with exchange(_TIMEOUTS_PER_EXCHANGE * timeout_seconds):
            yield
    except ExchangeTimeout as error:
        raise IndexUnavailable(index, "the response did not end in time", hint=_SLOW) from error
    except requests.exceptions.InvalidURL as error:
        raise _malformed_address(index) from error
    except requests.exceptions.Timeout as error:
        raise IndexUnavailable(index, "no response in time", hint=_SLOW) from error
    except requests.exceptions.RequestException as error:
        reason = f"no response ({_describe_root_cause(error)})"
        raise IndexUnavailable(index, reason, hint=_ADDRESSES) from error
    except ValueError as error:
        # requests parses a redirect's address even if it does not follow the redirect.
        raise _malformed_address(index) from error


def _malformed_address(index: str) -> IndexRefused:
    return IndexRefused(index, "its address, or one that it redirects to, is malformed")


def check_status(
    index: str, response: requests.Response, credentials: Credentials | None = None
) -> None:
    """Checks the status of a response, which must be 2xx.

    Raises:
        IndexUnavailable: 5xx, or a 4xx that asks to try again later.
        IndexRefused: any other status.
    """
    status = response.status_code
    if 200 <= status < 300:
        return
    reason = _server_message(response, credentials)
    if status in _TRANSIENT_STATUSES or status >= 500:
        raise IndexUnavailable(index, reason, status, _hint(status))
    raise IndexRefused(index, reason, status, _hint(status))


def _hint(status: int) -> str:
    if 300 <= status < 400:
        return "the server redirects: configure the address that it redirects to"
    if status >= 500:
        return _HINTS.get(status, "look into the log of the index")
    return _HINTS.get(status, "")


def _server_message(response: requests.Response, credentials: Credentials | None) -> str:
    """The server's reason in one line, without markup and without the password."""
    phrase = response.reason or "no reason given"
    try:
        body = next(response.iter_content(4096), b"")
    except requests.exceptions.RequestException:
        body = b""
    text = re.sub(
        r"(?s)<(style|script|title)\b.*?</\1>|<[^>]*>", " ", body.decode("utf-8", "replace")
    )
    detail = " ".join("".join(c if c.isprintable() else " " for c in text).split())[:300]
    message = f"{phrase}: {detail}" if detail else phrase
    if credentials and credentials.password:
        message = message.replace(credentials.password, "…")
    return message


def _describe_root_cause(error: BaseException) -> str:
    """The class and message of the first cause, without urllib3's wrappers."""
    while (inner := error.__cause__ or error.__context__) is not None:
        error = inner
    reason = getattr(error, "strerror", None)
    return f"{type(error).__name__}: {reason}" if reason else type(error).__name__


def _content_type(response: requests.Response) -> str:
    return response.headers.get("Content-Type", "").partition(";")[0].strip().lower()


def _origin(parts: SplitResult) -> tuple[str, str | None, int | None]:
    return parts.scheme, parts.hostname, parts.port or _DEFAULT_PORTS.get(parts.scheme)


def _same_host(before: SplitResult, target: SplitResult) -> bool:
    if before.hostname != target.hostname:
        return False
    upgraded = (before.scheme, target.scheme) == ("http", "https")
    return upgraded or _origin(before) == _origin(target)
