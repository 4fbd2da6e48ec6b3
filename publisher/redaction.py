"""Replaces known secrets, in any encoding, in everything that is logged, stored or shown.

A server may echo a request that it refuses: the ``Authorization`` header in Base64, an address with
its password quoted, or the beginning of either. So every piece of a secret is replaced, in each
encoding that servers and libraries use.
"""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from html import escape
from typing import Final
from urllib.parse import quote, quote_plus

MIN_LENGTH: Final = 4
"""Shorter secrets are not replaced: such pieces are part of many words."""

_PIECE: Final = 8
"""No text has this many characters of a secret in a row by chance."""

_MASK: Final = "***"


class Redactor:
    """Learns each secret when it is read, since a password file may change. Safe for threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: frozenset[str] = frozenset()
        self._pieces: frozenset[str] = frozenset()
        self._lengths: tuple[int, ...] = ()

    def learn(self, secret: str) -> None:
        if len(secret) < MIN_LENGTH or secret in self._known:
            return
        with self._lock:
            self._known |= {secret}
            self._pieces |= frozenset(_pieces_of(secret))
            self._lengths = tuple(sorted({len(piece) for piece in self._pieces}))

    def redact(self, text: str) -> str:
        """Removes every piece of a secret, in time proportional to the text."""
        if not self._pieces:
            return text
        secret = bytearray(len(text))
        for length in self._lengths:
            for start in range(len(text) - length + 1):
                if text[start : start + length] in self._pieces:
                    secret[start : start + length] = b"\1" * length
        return _masked(text, secret) if any(secret) else text


SECRETS: Final = Redactor()
"""Known secrets of this process, because logging is process-wide. Each reading of a setting adds to
them."""


def _masked(text: str, secret: bytearray) -> str:
    kept: list[str] = []
    for position, character in enumerate(text):
        if not secret[position]:
            kept.append(character)
        elif not position or not secret[position - 1]:
            kept.append(_MASK)
    return "".join(kept)


def _pieces_of(secret: str) -> Iterator[str]:
    for form in set(_forms(secret)):
        length = min(_PIECE, len(form))
        yield from (form[start : start + length] for start in range(len(form) - length + 1))


def _forms(secret: str) -> Iterator[str]:
    data = secret.encode("utf-8", "surrogatepass")
    yield secret
    yield quote(data, safe="")
    yield quote_plus(data)
    yield quote(data, safe="").lower()
    yield escape(secret)
    yield json.dumps(secret)[1:-1]
    yield repr(secret)[1:-1]
    yield data.hex()
    yield data.hex().upper()
    for offset in range(3):
        yield from _base64_forms(data, offset)


def _base64_forms(data: bytes, offset: int) -> Iterator[str]:
    """The Base64 characters that only depend on the secret, if it starts at ``offset`` in a longer text."""
    first = -(-offset * 8 // 6)
    last = (offset + len(data)) * 8 // 6
    at_the_end = b"\0" * offset + data
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        within = encode(at_the_end + b"\0\0").decode()[first:last]
        for form in (within, encode(at_the_end).decode().rstrip("=")[first:]):
            if len(form) >= MIN_LENGTH:
                yield form
