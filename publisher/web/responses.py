"""A page as an HTTP response: revalidated on each request by its ETag, compressed on request."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from publisher.web.negotiation import accepts_gzip

_MIN_COMPRESSED_BYTES: Final = 1_000
_COMPRESSION_LEVEL: Final = 5

_VARY: Final = "Accept, Accept-Encoding, Authorization, Host, X-Forwarded-Proto"
"""Every header that a page depends on, so that no cache serves a page made for another request."""


@dataclass(frozen=True, slots=True)
class Body:
    """A page's bytes in both forms; ``compressed``: None if the page is too small."""

    plain: bytes
    compressed: bytes | None
    tag: str

    @classmethod
    def of(cls, plain: bytes) -> Body:
        return cls(plain, _compress(plain), hashlib.sha256(plain).hexdigest()[:32])


def page_response(
    request: Request, body: Body, media_type: str, *, status: int = HTTPStatus.OK
) -> Response:
    """The body, or 304 if the client has it; each form has a separate strong ETag."""
    compressed = body.compressed if accepts_gzip(request.headers.get("accept-encoding")) else None
    form = hashlib.sha256(media_type.encode()).hexdigest()[:8]
    etag = f'"{body.tag}-{form}{"-gzip" if compressed is not None else ""}"'
    headers = {"ETag": etag, "Cache-Control": "no-cache", "Vary": _VARY}
    if status == HTTPStatus.OK and is_not_modified(request, etag):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    if compressed is None:
        return Response(body.plain, status, headers, media_type)
    headers["Content-Encoding"] = "gzip"
    return Response(compressed, status, headers, media_type)


def is_not_modified(request: Request, etag: str) -> bool:
    """Whether the client has the representation with this ETag."""
    stated = [
        tag.strip().removeprefix("W/")
        for tag in request.headers.get("if-none-match", "").split(",")
    ]
    return etag in stated or stated == ["*"]


def _compress(plain: bytes) -> bytes | None:
    if len(plain) <= _MIN_COMPRESSED_BYTES:
        return None
    # Without a time, so that equal pages give equal bytes.
    return gzip.compress(plain, _COMPRESSION_LEVEL, mtime=0)
