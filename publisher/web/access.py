"""Who may read the operations pages: everybody who reaches them, or only clients with the token."""

from __future__ import annotations

import base64
import hmac
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response


@dataclass(frozen=True, slots=True)
class Access:
    """The protection of the operations pages.

    Attributes:
        token: the secret that a client must state; None if every client may read the pages.
        has_own_port: whether the pages have a separate port, which only operators reach.
    """

    token: str | None = field(default=None, repr=False)
    has_own_port: bool = False

    def permits(self, request: Request) -> bool:
        if self.token is None:
            return True
        stated = _credentials(request.headers.get("authorization", ""))
        return hmac.compare_digest(stated.encode(), self.token.encode())

    def reveals(self, request: Request) -> bool:
        """Whether the client may see errors, which name addresses and paths."""
        is_protected = self.token is not None or self.has_own_port
        return is_protected and self.permits(request)


UNPROTECTED: Final = Access()


def unauthorized_page() -> Response:
    """The answer 401, which makes a browser ask for the token."""
    challenge = 'Basic realm="schema-publisher operations", charset="UTF-8"'
    headers = {"WWW-Authenticate": challenge, "Cache-Control": "no-store"}
    return PlainTextResponse("the operations token is needed\n", HTTPStatus.UNAUTHORIZED, headers)


def _credentials(authorization: str) -> str:
    """The token of ``Bearer``, or the password of ``Basic``, which browsers ask for; "" without either."""
    scheme, _, stated = authorization.partition(" ")
    if scheme.lower() == "bearer":
        return stated.strip()
    if scheme.lower() != "basic":
        return ""
    try:
        decoded = base64.b64decode(stated.strip(), validate=True).decode()
    except ValueError:
        return ""
    return decoded.partition(":")[2]
