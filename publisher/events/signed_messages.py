"""Signs and verifies messages by Standard Webhooks: HMAC-SHA256 over ``id.timestamp.body``. Pure.

https://www.standardwebhooks.com: the secret is ``whsec_`` and base64, and the signature's header has
one or more of ``v1,BASE64``, separated by blanks.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

MIN_SECRET_BYTES: Final = 16

_ENCODED: Final = "whsec_"
_VERSION: Final = "v1,"
_MAX_SIGNATURES: Final = 16
# An id has no dot; otherwise a part of it could be taken for the timestamp.
_ID: Final = re.compile(r"[A-Za-z0-9_~:+/=-]{1,256}", re.ASCII)
_TIMESTAMP: Final = re.compile(r"[0-9]{1,12}", re.ASCII)


class NotSigned(Exception):
    """The message is not signed, or not recently; the text has the reason and nothing secret."""


class UnusableSecret(ValueError):
    """The text is not a secret, or the secret could be guessed."""


@dataclass(frozen=True, slots=True)
class SignatureHeaders:
    """The names of the headers, in lower case."""

    id: str = "webhook-id"
    timestamp: str = "webhook-timestamp"
    signature: str = "webhook-signature"


@dataclass(frozen=True, slots=True)
class Stamp:
    """The statements of a message about itself, which are not proven yet.

    Attributes:
        at: seconds since the epoch.
    """

    id: str
    at: int
    signatures: tuple[bytes, ...]


def read_stamp(
    headers: Mapping[str, str], names: SignatureHeaders, now: float, tolerance_seconds: float
) -> Stamp:
    """Reads the headers, before the body is read.

    Raises:
        NotSigned: a header is missing or malformed, or the time is too far from ``now``.
    """
    id_, timestamp = headers.get(names.id, ""), headers.get(names.timestamp, "")
    if not _ID.fullmatch(id_):
        raise NotSigned(f"expected {names.id} of 1 to 256 letters, digits or _~:+/=-")
    if not _TIMESTAMP.fullmatch(timestamp):
        raise NotSigned(f"expected {names.timestamp} in whole seconds since the epoch")
    if abs(now - int(timestamp)) > tolerance_seconds:
        raise NotSigned(f"{names.timestamp} is more than {tolerance_seconds:g} seconds from now")
    signatures = [
        each.removeprefix(_VERSION).encode("ascii", "replace")
        for each in headers.get(names.signature, "").split()
        if each.startswith(_VERSION)
    ]
    if not 0 < len(signatures) <= _MAX_SIGNATURES:
        raise NotSigned(f"expected {names.signature} with 1 to {_MAX_SIGNATURES} of v1,BASE64")
    return Stamp(id_, int(timestamp), tuple(signatures))


def check_signature(stamp: Stamp, body: bytes, secrets: Sequence[bytes]) -> None:
    """Checks that one of the secrets signed the message, in constant time for each secret.

    Raises:
        NotSigned: none of the secrets signed the message.
    """
    expected = [sign(secret, stamp.id, stamp.at, body) for secret in secrets]
    matches = [hmac.compare_digest(a, b) for a in expected for b in stamp.signatures]
    if not any(matches):
        raise NotSigned("the signature does not match the secret, the id, the time and the body")


def sign(secret: bytes, id_: str, at: int, body: bytes) -> bytes:
    """The signature in base64, without its version."""
    content = b".".join((id_.encode(), str(at).encode(), body))
    return base64.b64encode(hmac.new(secret, content, hashlib.sha256).digest())


def read_secrets(text: str) -> Sequence[bytes]:
    """The secrets of a file, one in each line; there are two while the secret is changed.

    Raises:
        UnusableSecret: the text has no secret, or one is too short or malformed.
    """
    secrets = [_read_secret(line.strip()) for line in text.splitlines() if line.strip()]
    if not secrets:
        raise UnusableSecret("expected a secret a line, found none")
    return secrets


def _read_secret(text: str) -> bytes:
    if not text.startswith(_ENCODED):
        secret = text.encode()
    else:
        try:
            secret = base64.b64decode(text.removeprefix(_ENCODED), validate=True)
        except (binascii.Error, ValueError):
            raise UnusableSecret(f"expected base64 after {_ENCODED}") from None
    if len(secret) < MIN_SECRET_BYTES:
        raise UnusableSecret(f"expected a secret of at least {MIN_SECRET_BYTES} bytes")
    return secret
