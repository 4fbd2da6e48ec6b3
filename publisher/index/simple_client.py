"""Reads any index's simple API over HTTP: uncached, bounded, and with credentials for one origin.

A project's page that redirects to another host is refused: that index falls through to a public
one for names it does not have, and so would the people who install from it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import SplitResult, urljoin, urlsplit, urlunsplit

import requests

from publisher.index.page_parsing import MalformedPage, parse_html_page, parse_json_page
from publisher.index.protocol import IndexRefused, IndexUnavailable
from publisher.index.simple_page import HTML_TYPE, JSON_TYPE, ProjectPage

ACCEPT = f"{JSON_TYPE}, {HTML_TYPE};q=0.2, text/html;q=0.1"
MAX_PAGE_BYTES = 64 * 1024 * 1024
MAX_FILE_BYTES = 512 * 1024 * 1024
_MAX_REDIRECTS = 5
_WHOLE_TIMEOUTS = 10
_NOT_NOW = frozenset({408, 421, 425, 429, 500, 502, 503, 504})
_UNCACHED = {"Cache-Control": "no-cache, max-age=0", "Pragma": "no-cache"}


@dataclass(frozen=True, slots=True)
class Credentials:
    username: str
    password: str

    def __repr__(self) -> str:
        return "Credentials(…)"


@dataclass(frozen=True, slots=True)
class Server:
    """An index's address, which may be shown, and the credentials taken out of it."""

    url: str
    credentials: Credentials | None

    @classmethod
    def of(cls, url: str, username: str | None = None, password: str | None = None) -> Server:
        """Credentials stand in the arguments or, failing those, in the address itself."""
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError("the address of a package index starts with http:// or https://")
        username = username or parts.username or ""
        password = password or parts.password or ""
        bare = parts._replace(netloc=parts.netloc.rpartition("@")[2])
        found = Credentials(username, password) if username or password else None
        return cls(urlunsplit(bare), found)


class SimpleClient:
    def __init__(self, server: Server, session: requests.Session, timeout_seconds: float) -> None:
        url = server.url if server.url.endswith("/") else server.url + "/"
        self._server = Server(url, server.credentials)
        self._session = session
        self._timeout_seconds = timeout_seconds

    def page(self, distribution: str) -> ProjectPage:
        """A project's page with absolute addresses; empty if the index does not know it."""
        url = urljoin(self._server.url, f"{distribution}/")
        with self._opened(url, ACCEPT, same_host=True) as response:
            if response.status_code in {404, 410}:
                return ProjectPage(distribution)
            self._check(response)
            data = self._body(response, MAX_PAGE_BYTES)
            return self._parsed(data, distribution, response)

    def file(self, url: str) -> bytes:
        with self._opened(url, "*/*", same_host=False) as response:
            self._check(response)
            return self._body(response, MAX_FILE_BYTES)

    def _parsed(self, data: bytes, distribution: str, response: requests.Response) -> ProjectPage:
        content_type = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        try:
            if content_type in {JSON_TYPE, "application/json"}:
                return parse_json_page(data, distribution, response.url)
            if content_type in {HTML_TYPE, "text/html", "application/xhtml+xml"}:
                text = data.decode("utf-8", "replace")
                return parse_html_page(text, distribution, response.url)
        except MalformedPage as error:
            raise self._refused(f"the page of {distribution} is not readable: {error}") from error
        raise self._refused(f"the page of {distribution} is of type {content_type[:80]!r}")

    @contextmanager
    def _opened(self, url: str, accept: str, *, same_host: bool) -> Iterator[requests.Response]:
        """The answer after redirects; its body is still to be read."""
        with transport_errors(self._server.url):
            for _ in range(_MAX_REDIRECTS + 1):
                response = self._request(url, accept)
                if not response.is_redirect:
                    with response:
                        yield response
                    return
                with response:
                    url = self._redirected(url, response.headers["Location"], same_host=same_host)
        raise self._refused(f"more than {_MAX_REDIRECTS} redirects")

    def _request(self, url: str, accept: str) -> requests.Response:
        credentials = self._server.credentials if self._is_ours(url) else None
        return self._session.get(
            url,
            headers={"Accept": accept, **_UNCACHED},
            # An object of ours, even for none, keeps requests from looking into a .netrc.
            auth=BasicOrNone(credentials),
            allow_redirects=False,
            stream=True,
            timeout=self._timeout_seconds,
        )

    def _redirected(self, url: str, location: str, *, same_host: bool) -> str:
        try:
            before, target = urlsplit(url), urlsplit(urljoin(url, location))
            target.port  # noqa: B018  read because a bad one is only noticed then
        except ValueError as error:
            raise self._refused("it redirects to a malformed address") from error
        if target.scheme not in {"http", "https"}:
            raise self._refused(f"it redirects to a {target.scheme[:20]!r} address")
        if before.scheme == "https" and target.scheme == "http":
            raise self._refused(f"it redirects from https to http, at {target.hostname}")
        if same_host and not _same_host(before, target):
            raise self._refused(
                f"it falls through to {target.hostname} for names that it does not have: turn its "
                "fallback or forwarding off (pypi-server run --disable-fallback), so that nobody "
                "installs an untrusted package from it"
            )
        return urlunsplit(target._replace(netloc=target.netloc.rpartition("@")[2]))

    def _is_ours(self, url: str) -> bool:
        return _origin(urlsplit(url)) == _origin(urlsplit(self._server.url))

    def _body(self, response: requests.Response, limit: int) -> bytes:
        chunks: list[bytes] = []
        size = 0
        # The session's time-out is for each read: a server that drips needs one for the whole.
        deadline = time.monotonic() + _WHOLE_TIMEOUTS * self._timeout_seconds
        for chunk in response.iter_content(64 * 1024):
            size += len(chunk)
            if size > limit:
                raise self._refused(f"its answer is larger than {limit} bytes")
            if time.monotonic() > deadline:
                raise IndexUnavailable(self._server.url, "its answer did not end in time")
            chunks.append(chunk)
        return b"".join(chunks)

    def _check(self, response: requests.Response) -> None:
        check_answer(self._server.url, response, self._server.credentials)

    def _refused(self, reason: str) -> IndexRefused:
        return IndexRefused(self._server.url, reason)


class BasicOrNone(requests.auth.AuthBase):
    """Basic authentication, or expressly none."""

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
def transport_errors(index: str) -> Iterator[None]:
    """No whole answer came: nothing is known of what the server did."""
    try:
        yield
    except requests.exceptions.InvalidURL as error:
        raise _malformed(index) from error
    except requests.exceptions.Timeout as error:
        raise IndexUnavailable(index, "it did not answer in time") from error
    except requests.exceptions.RequestException as error:
        raise IndexUnavailable(index, f"no answer ({_innermost(error)})") from error
    except ValueError as error:
        # requests splits a redirect's address even where it does not follow it.
        raise _malformed(index) from error


def _malformed(index: str) -> IndexRefused:
    return IndexRefused(index, "its address or one that it gave is malformed")


def check_answer(
    index: str, response: requests.Response, credentials: Credentials | None = None
) -> None:
    """Returns for 2xx.

    Raises:
        IndexUnavailable: 5xx and those of 4xx that ask for patience.
        IndexRefused: any other answer.
    """
    status = response.status_code
    if 200 <= status < 300:
        return
    reason = _said(response, credentials)
    if status in _NOT_NOW or status >= 500:
        raise IndexUnavailable(index, reason, status)
    if status in {401, 407}:
        reason += "; check the username and password in the settings"
    if status == 403:
        reason += "; unless that file exists, check the username, its password and its rights"
    if 300 <= status < 400:
        reason += "; it redirects: set the address that it redirects to"
    raise IndexRefused(index, reason, status)


def _said(response: requests.Response, credentials: Credentials | None) -> str:
    """What the server gave as its reason, in one line, without markup or our own secrets."""
    phrase = response.reason or "an answer without a reason"
    try:
        body = next(response.iter_content(4096), b"")
    except requests.exceptions.RequestException:
        body = b""
    text = re.sub(
        r"(?s)<(style|script|title)\b.*?</\1>|<[^>]*>", " ", body.decode("utf-8", "replace")
    )
    detail = " ".join("".join(c if c.isprintable() else " " for c in text).split())[:300]
    said = f"{phrase}: {detail}" if detail else phrase
    if credentials and credentials.password:
        said = said.replace(credentials.password, "…")
    return said


def _innermost(error: BaseException) -> str:
    """The cause's kind and words, without the address and object that urllib3 puts around them."""
    while (inner := error.__cause__ or error.__context__) is not None:
        error = inner
    reason = getattr(error, "strerror", None)
    return f"{type(error).__name__}: {reason}" if reason else type(error).__name__


def _origin(parts: SplitResult) -> tuple[str, str | None, int | None]:
    default = {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, parts.hostname, parts.port or default


def _same_host(before: SplitResult, target: SplitResult) -> bool:
    if before.hostname != target.hostname:
        return False
    upgraded = (before.scheme, target.scheme) == ("http", "https")
    return upgraded or _origin(before) == _origin(target)
