"""Decides for which host names a service on a loopback address answers.

Another site's page can let its name resolve to this machine (DNS rebinding), and a browser would
then let the page read the answers. The service always answers for IP addresses, and for names that
no other site can have.
"""

from __future__ import annotations

import logging
from http import HTTPStatus
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from publisher.web.health import LIVE_ADDRESS

log = logging.getLogger(__name__)

_REMEDY: Final = (
    "set http.public_url to the address that readers use, or http.operations_token_file"
)
_REFUSAL: Final = f"this host is not served here: {_REMEDY}\n"


class OwnHosts:
    """Refuses unknown hosts, except for the liveness check."""

    def __init__(self, app: ASGIApp, public_url: str | None) -> None:
        """Wraps an application. Requests for the host of ``public_url`` are answered, too."""
        self._app = app
        self._public_url = public_url
        self._has_warned = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        host = Headers(scope=scope).get("host", "") if scope["type"] == "http" else ""
        if self._is_own(host) or scope["path"] == LIVE_ADDRESS:
            await self._app(scope, receive, send)
            return
        if not self._has_warned:
            # Logged only once, since anybody can send such requests. A proxy without its setting shows at
            # the first request.
            self._has_warned = True
            log.warning(
                "requests for another host are refused",
                extra={"host": host[:100], "remedy": _REMEDY},
            )
        refusal = PlainTextResponse(_REFUSAL, HTTPStatus.MISDIRECTED_REQUEST)
        await refusal(scope, receive, send)

    def _is_own(self, stated: str) -> bool:
        host = _name(f"//{stated}")
        if host is None:
            return False
        try:
            ip_address(host)
        except ValueError:
            is_public = self._public_url is not None and host == _name(self._public_url)
            # No other site has a name without a dot.
            return is_public or "." not in host or host.endswith(".localhost")
        return True


def _name(url: str) -> str | None:
    """The host in lower case; "" if it is missing, and None if the text is not an address."""
    try:
        return (urlsplit(url).hostname or "").removesuffix(".")
    except ValueError:
        return None
