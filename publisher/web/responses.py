"""A page as an HTTP response: revalidated on each request by its ETag, compressed on request."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, Self

from starlette.requests import Request
from starlette.responses import Response

from publisher.web.negotiation import accepts_gzip

HTML: Final = "text/html"
VARYING_HEADERS: Final = ("Accept", "Authorization", "Host", "X-Forwarded-Proto")
"""Every request header that a page may depend on, except Accept-Encoding."""

_MIN_COMPRESSED_BYTES: Final = 1_000
_COMPRESSION_LEVEL: Final = 5

_VARY: Final = ", ".join(sorted((*VARYING_HEADERS, "Accept-Encoding")))
"""The header Vary, so that no cache serves a page that was made for another request."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page's bytes, plain and compressed. A very small page is not compressed."""

    plain: bytes
    compressed: bytes | None
    tag: str
    media_type: str
    status: HTTPStatus

    @classmethod
    def of(cls, plain: bytes, media_type: str = HTML, status: HTTPStatus = HTTPStatus.OK) -> Self:
        form = hashlib.sha256(media_type.encode()).hexdigest()[:8]
        tag = f"{hashlib.sha256(plain).hexdigest()[:32]}-{form}"
        return cls(plain, _compress(plain), tag, media_type, status)

    @property
    def size(self) -> int:
        """The number of bytes in memory, of both forms together."""
        return len(self.plain) + len(self.compressed or b"")


def page_response(request: Request, page: Page) -> Response:
    """The page, or 304 if the client has it; each form has a separate strong ETag."""
    compressed = page.compressed if accepts_gzip(request.headers.get("accept-encoding")) else None
    etag = f'"{page.tag}{"-gzip" if compressed is not None else ""}"'
    headers = {"ETag": etag, "Cache-Control": "no-cache", "Vary": _VARY}
    if page.status == HTTPStatus.OK and is_not_modified(request, etag):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    if compressed is None:
        return Response(page.plain, page.status, headers, page.media_type)
    headers["Content-Encoding"] = "gzip"
    return Response(compressed, page.status, headers, page.media_type)


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
    # No time is written, so that equal pages give equal bytes.
    return gzip.compress(plain, _COMPRESSION_LEVEL, mtime=0)
