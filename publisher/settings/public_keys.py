"""Ed25519 public keys as settings: the line between the markers of ``openssl pkey -pubout``."""

from __future__ import annotations

import base64
import binascii

# SubjectPublicKeyInfo (RFC 8410) up to the key.
_PREFIX = bytes.fromhex("302a300506032b6570032100")
_KEY_BYTES = 32


def encode_public_key(key: bytes) -> str:
    return base64.b64encode(_PREFIX + key).decode()


def decode_public_key(text: str) -> bytes:
    """The 32 bytes of a key.

    Raises:
        ValueError: the text is not an Ed25519 public key.
    """
    try:
        encoded = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        encoded = b""
    if len(encoded) != len(_PREFIX) + _KEY_BYTES or not encoded.startswith(_PREFIX):
        raise ValueError(
            f"invalid key {text[:80]!r}: expected an Ed25519 public key as openssl pkey -pubout "
            "prints it, without the lines BEGIN and END, such as MCowBQYDK2VwAyEA…"
        )
    return encoded.removeprefix(_PREFIX)
