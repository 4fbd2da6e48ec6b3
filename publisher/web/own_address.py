"""The address of this service for its readers."""

from __future__ import annotations

import re
from typing import Final

from starlette.requests import Request

_HOST: Final = re.compile(
    r"([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?", re.ASCII
)


def own_address(request: Request, public_url: str | None) -> str:
    """The address for links to this service: ``public_url``, or else the address that the reader used.

    It has no slash at the end.

    A malformed host is replaced, because readers copy commands with this address into a shell.
    """
    if public_url is not None:
        return public_url.rstrip("/")
    host = request.headers.get("host", "")
    if not _HOST.fullmatch(host):
        server: tuple[str, int | None] = request.scope.get("server") or ("127.0.0.1", None)
        host = server[0] if server[1] is None else f"{server[0]}:{server[1]}"
    return f"{request.url.scheme}://{host}"
