"""Sends requests to an app as a browser or installer would, without a socket."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import httpx
from starlette.types import ASGIApp


class AsgiClient:
    """Follows no redirects and, unless told otherwise, takes no compression."""

    def __init__(self, app: ASGIApp, base_url: str = "http://testserver") -> None:
        self._app = app
        self._base_url = base_url

    def get(
        self,
        address: str,
        *,
        headers: Mapping[str, str] | None = None,
        params: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        return self.request("GET", address, headers=headers, params=params)

    def request(
        self,
        method: str,
        address: str,
        *,
        headers: Mapping[str, str] | None = None,
        params: Mapping[str, str] | None = None,
        content: bytes | None = None,
    ) -> httpx.Response:
        return asyncio.run(self._ask(method, address, headers or {}, params, content))[0]

    def raw(self, address: str, headers: Mapping[str, str]) -> tuple[httpx.Headers, bytes]:
        """The headers of a GET and the body as it was sent, compressed or not."""
        response, raw = asyncio.run(self._ask("GET", address, headers, None))
        return response.headers, raw

    async def _ask(
        self,
        method: str,
        address: str,
        headers: Mapping[str, str],
        params: Mapping[str, str] | None,
        content: bytes | None = None,
    ) -> tuple[httpx.Response, bytes]:
        transport = httpx.ASGITransport(app=self._app)
        async with httpx.AsyncClient(transport=transport, base_url=self._base_url) as client:
            asked = {"Accept-Encoding": "identity", **headers}
            request = client.build_request(
                method, address, headers=asked, params=params, content=content
            )
            response = await client.send(request, stream=True)
            raw = b"".join([part async for part in response.aiter_raw()])
            # Read again from what came, decoded.
            whole = httpx.Response(
                response.status_code, headers=response.headers, content=raw, request=request
            )
            return whole, raw
