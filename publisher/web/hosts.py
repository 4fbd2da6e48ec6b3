"""Which hosts a service on this machine's own address answers for.

A page of another site can have its name resolve to this machine (DNS rebinding), and a browser would
then let it read what it gets. An address, or a name that no such site can have, is always answered.
"""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from publisher.web.operations import LIVE_ADDRESS

_REFUSAL: Final = (
    "this host is not served here: set http.public_url to the address that readers use, "
    "or http.operations_token_file\n"
)


@dataclass(frozen=True, slots=True)
class OwnHosts:
    """``public_url``: its host is answered, too. Whether the service lives is said to everybody."""

    app: ASGIApp
    public_url: str | None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_answered = (
            scope["type"] != "http"
            or scope["path"] == LIVE_ADDRESS
            or self._is_own(Headers(scope=scope).get("host", ""))
        )
        refusal = PlainTextResponse(_REFUSAL, HTTPStatus.MISDIRECTED_REQUEST)
        await (self.app if is_answered else refusal)(scope, receive, send)

    def _is_own(self, stated: str) -> bool:
        host = _name(f"//{stated}")
        if host is None:
            return False
        try:
            ip_address(host)
        except ValueError:
            is_public = self.public_url is not None and host == _name(self.public_url)
            # No site has a name without a dot.
            return is_public or "." not in host or host.endswith(".localhost")
        return True


def _name(url: str) -> str | None:
    """Of the host, in lower case; "" without one, and None for what is no address."""
    try:
        return (urlsplit(url).hostname or "").removesuffix(".")
    except ValueError:
        return None
