"""A page as an HTTP answer: asked for again each time, told apart by its ETag, compressed if wanted."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from publisher.web.negotiation import accepts_gzip

_WORTH_COMPRESSING = 1_000
_FAST = 5


@dataclass(frozen=True, slots=True)
class Body:
    """A page's bytes in both forms, made once; ``compressed`` is None where that would not pay."""

    plain: bytes
    compressed: bytes | None
    tag: str

    @classmethod
    def of(cls, plain: bytes) -> Body:
        # Without a time, so that equal pages are equal bytes.
        packed = gzip.compress(plain, _FAST, mtime=0) if len(plain) > _WORTH_COMPRESSING else None
        return cls(plain, packed, hashlib.sha256(plain).hexdigest()[:32])


def page_answer(
    request: Request, body: Body, media_type: str, *, status: int = HTTPStatus.OK
) -> Response:
    """The body, or 304 to whoever has it; each form under a strong ETag of its own."""
    compressed = body.compressed if accepts_gzip(request.headers.get("accept-encoding")) else None
    form = hashlib.sha256(media_type.encode()).hexdigest()[:8]
    etag = f'"{body.tag}-{form}{"-gzip" if compressed is not None else ""}"'
    headers = {"ETag": etag, "Cache-Control": "no-cache", "Vary": "Accept, Accept-Encoding"}
    if status == HTTPStatus.OK and is_known(request, etag):
        return Response(status_code=304, headers=headers)
    if compressed is None:
        return Response(body.plain, status, headers, media_type)
    headers["Content-Encoding"] = "gzip"
    return Response(compressed, status, headers, media_type)


def is_known(request: Request, etag: str) -> bool:
    given = [
        tag.strip().removeprefix("W/")
        for tag in request.headers.get("if-none-match", "").split(",")
    ]
    return etag in given or given == ["*"]
