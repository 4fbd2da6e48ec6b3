"""Clients that send or read too little, which must not block a service."""

from __future__ import annotations

import contextlib
import socket
from typing import Final

HEAD: Final = b"GET / HTTP/1.1\r\nHost: h\r\n"
BODY: Final = (
    b"POST / HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
    b"Content-Length: 1000000\r\n\r\n"
)

FLOODS: Final = {
    "nothing is sent": b"",
    "one request, and silence": HEAD + b"\r\n",
    "half of a head": HEAD,
    "requests, and nothing is read": (HEAD + b"\r\n") * 400,
    "a large file that is not read": HEAD.replace(b"/", b"/large", 1) + b"\r\n",
    "half of a body": BODY + b"{",
    "a body above the buffer": BODY + b"x" * 70_000,
    "a body that nobody wants": HEAD + b"Content-Length: 9\r\n\r\n",
    "an upgrade": HEAD + b"Connection: upgrade\r\nUpgrade: websocket\r\n\r\n" + HEAD,
    "a tunnel": b"CONNECT h:1 HTTP/1.1\r\nHost: h\r\n\r\n" + HEAD,
}


def flooding(host: str, port: int, sent: bytes) -> socket.socket:
    """Sends as much as is taken at once, and reads nothing."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2_048)
    client.connect((host, port))
    client.setblocking(False)
    with contextlib.suppress(OSError):
        client.send(sent)
    return client
