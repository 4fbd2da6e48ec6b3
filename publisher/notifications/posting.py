"""Posts one message to a receiver and returns the result; its text contains no secrets."""

from __future__ import annotations

import email.utils
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import requests

from lakeschema.http_sessions import BoundedSession
from publisher.events.signed_messages import SignatureHeaders, sign

_REFUSALS: Final = frozenset({400, 413, 415, 422})
"""Statuses that refuse this message only: the receiver may accept another message."""
_HEADERS: Final = SignatureHeaders()


@dataclass(frozen=True, slots=True)
class Accepted:
    pass


@dataclass(frozen=True, slots=True)
class NotAccepted:
    """A failed attempt.

    Attributes:
        after_seconds: the receiver's wish for the wait before the next attempt; 0 without a wish.
        is_refusal: whether the receiver refuses this message, but may accept other messages.
    """

    why: str
    after_seconds: float = 0.0
    is_refusal: bool = False


Posted: TypeAlias = Accepted | NotAccepted


def signed_headers(id_: str, body: bytes, secrets: Sequence[bytes], at: float) -> Mapping[str, str]:
    """The headers that Standard Webhooks defines; without secrets only the id and the time."""
    headers = {_HEADERS.id: id_, _HEADERS.timestamp: str(int(at))}
    if secrets:
        signatures = (f"v1,{sign(secret, id_, int(at), body).decode()}" for secret in secrets)
        headers[_HEADERS.signature] = " ".join(signatures)
    return headers


def post(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    timeout_seconds: float,
    wall: Callable[[], float] = time.time,
) -> Posted:
    """Posts the body once. Follows no redirect, and does not read the answer's body."""
    try:
        with (
            BoundedSession(timeout_seconds) as session,
            session.post(
                url,
                data=body,
                headers=dict(headers),
                # Otherwise requests reads the user's .netrc.
                auth=_as_it_is,
                timeout=timeout_seconds,
                allow_redirects=False,
                stream=True,
            ) as response,
        ):
            return _read(response.status_code, response.headers, wall())
    except requests.RequestException as error:
        return NotAccepted(_why(error))


def _as_it_is(request: requests.PreparedRequest) -> requests.PreparedRequest:
    return request


def _read(status: int, headers: Mapping[str, str], now: float) -> Posted:
    if 200 <= status < 300:
        return Accepted()
    if 300 <= status < 400:
        return NotAccepted(f"it answers {status}, a redirect, which is not followed")
    after = _retry_after(headers.get("Retry-After", ""), now)
    return NotAccepted(f"it answers {status}", after, status in _REFUSALS)


def _retry_after(text: str, now: float) -> float:
    """The seconds to wait, from a number or a date; 0 for any other text."""
    if text.isascii() and text.isdigit() and len(text) < 10:
        return float(text)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - now)
    except (ValueError, OverflowError):
        return 0.0


def _why(error: requests.RequestException) -> str:
    """The kind of error in our words: the library's messages contain the address, which may be secret."""
    match error:
        case requests.exceptions.SSLError():
            return "its certificate is not trusted, or it does not speak TLS"
        case requests.exceptions.ProxyError():
            return "the proxy does not answer"
        case requests.Timeout():
            return "it does not answer in time"
        case requests.exceptions.InvalidURL() | requests.exceptions.InvalidSchema():
            return "its address is invalid"
        case _:
            return "it cannot be reached, or hangs up"
