"""Makes a signer for uploads from the key file of the settings."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from publisher.index.protocol import Sign
from publisher.publishing.attestation import public_key_of, sign
from publisher.settings import Settings, SettingsError
from publisher.settings.public_keys import encode_public_key

MAX_KEY_BYTES = 16 * 1024
# The group may read it: an orchestrator often mounts a secret for a group with the service as its only
# member.
_MODE_OF_OTHERS = stat.S_IRWXO | stat.S_IWGRP


def build_sign(settings: Settings) -> Sign | None:
    """Returns the function that signs an upload; None if no key is configured.

    Raises:
        SettingsError: the file is not a private key that only this service can read, or the key is
            not trusted.
    """
    file = settings.artifacts.signing_key_file
    if file is None:
        return None
    setting = f"artifacts.signing_key_file ({file})"
    key = _parse_key(setting, _read_private(setting, file))
    trusted = settings.artifacts.public_keys
    if trusted and public_key_of(key) not in trusted:
        public = encode_public_key(public_key_of(key))
        raise SettingsError(
            (f'{setting}: add its public key to artifacts.trusted_keys: "{public}"',)
        )
    return lambda filename, sha256: sign(filename, sha256, key)


def _read_private(setting: str, file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            mode = stat.S_IMODE(os.fstat(stream.fileno()).st_mode)
            data = stream.read(MAX_KEY_BYTES + 1)
    except OSError as error:
        raise SettingsError((f"{setting}: {error.strerror}",)) from None
    if mode & _MODE_OF_OTHERS:
        raise SettingsError(
            (f"{setting}: other users can read or change it (mode {mode:04o}); run chmod 600",)
        )
    return data


def _parse_key(setting: str, data: bytes) -> Ed25519PrivateKey:
    """Parses a key; hides the parser's message, which may show a part of it."""
    try:
        key = load_pem_private_key(data, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        expected = "expected an Ed25519 private key in PEM (PKCS #8) without a password"
        remedy = "openssl genpkey -algorithm ed25519 makes one"
        raise SettingsError((f"{setting}: {expected}; {remedy}",))
    return key
