"""Signs and verifies a wheel's provenance in the form of PEP 740, with Ed25519 keys. Pure.

The signature says who published a file of this name with these bytes. Unlike PyPI's attestations it
needs no certificate and no transparency log, because the verifier gets the public key from the
deployment.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from pydantic_core import from_json

from publisher.publishing.trust import UntrustedProvenance

KIND = "deployment-key"
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "https://docs.pypi.org/attestations/publish/v1"
_PAYLOAD_TYPE = b"application/vnd.in-toto+json"


def public_key_of(key: Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def sign(filename: str, sha256: str, key: Ed25519PrivateKey) -> bytes:
    """The provenance of a file; equal arguments give equal bytes."""
    statement = _to_json(
        {
            "_type": STATEMENT_TYPE,
            "subject": [{"name": filename, "digest": {"sha256": sha256}}],
            "predicateType": PREDICATE_TYPE,
            "predicate": None,
        }
    )
    key_id = _key_id(key.public_key())
    attestation = {
        "version": 1,
        "verification_material": {"key_id": key_id},
        "envelope": {
            "statement": base64.b64encode(statement).decode(),
            "signature": base64.b64encode(key.sign(_signed_bytes(statement))).decode(),
        },
    }
    publisher = {"kind": KIND, "claims": {"key_id": key_id}}
    bundle = {"publisher": publisher, "attestations": [attestation]}
    return _to_json({"version": 1, "attestation_bundles": [bundle]})


def verify(provenance: bytes, filename: str, sha256: str, trusted_keys: Sequence[bytes]) -> None:
    """Checks that one of the keys signed an attestation for this file in the provenance.

    The cost is linear in the size of ``provenance``, which is untrusted. Keys have the form of
    ``public_key_of``.

    Raises:
        UntrustedProvenance: none of the keys signed an attestation for this file.
    """
    keys = [Ed25519PublicKey.from_public_bytes(key) for key in trusted_keys]
    signed = list(_signed_statements(provenance, keys))
    if not signed:
        raise UntrustedProvenance("its provenance is not signed by a trusted key")
    if not any(_is_about(statement, filename, sha256) for statement in signed):
        raise UntrustedProvenance("its provenance is that of another file")


def _signed_statements(provenance: bytes, keys: Sequence[Ed25519PublicKey]) -> Iterator[bytes]:
    for statement, signature in _envelopes(provenance):
        if any(_is_signed(statement, signature, key) for key in keys):
            yield statement


def _envelopes(provenance: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The statement and signature of each attestation; other forms are left out."""
    try:
        # ``from_json`` is used, because ``json.loads`` recurses in Python at each level of nesting.
        document = from_json(provenance)
    except ValueError:
        raise UntrustedProvenance("its provenance is not JSON") from None
    if not isinstance(document, dict) or document.get("version") != 1:
        raise UntrustedProvenance("its provenance is not of version 1")
    for bundle in _list_of(document, "attestation_bundles"):
        for attestation in _list_of(bundle, "attestations"):
            envelope = attestation.get("envelope") if _is_version_1(attestation) else None
            if isinstance(envelope, dict):
                statement = _from_base64(envelope.get("statement"))
                signature = _from_base64(envelope.get("signature"))
                if statement is not None and signature is not None:
                    yield statement, signature


def _list_of(container: object, key: str) -> Sequence[Any]:
    value = container.get(key) if isinstance(container, dict) else None
    return value if isinstance(value, list) else ()


def _is_version_1(attestation: object) -> bool:
    return isinstance(attestation, dict) and attestation.get("version") == 1


def _is_signed(statement: bytes, signature: bytes, key: Ed25519PublicKey) -> bool:
    try:
        key.verify(signature, _signed_bytes(statement))
    except InvalidSignature:
        return False
    return True


def _is_about(statement: bytes, filename: str, sha256: str) -> bool:
    """Whether a statement says that the key's owner published this file."""
    try:
        document = from_json(statement)
    except ValueError:
        return False
    return (
        isinstance(document, dict)
        and document.get("_type") == STATEMENT_TYPE
        and document.get("predicateType") == PREDICATE_TYPE
        and {"name": filename, "digest": {"sha256": sha256}} in _list_of(document, "subject")
    )


def _signed_bytes(statement: bytes) -> bytes:
    """The bytes to sign, in DSSE's pre-authentication encoding: no signature fits another payload type."""
    return b"DSSEv1 %d %b %d %b" % (len(_PAYLOAD_TYPE), _PAYLOAD_TYPE, len(statement), statement)


def _key_id(key: Ed25519PublicKey) -> str:
    """A key's id, as ``openssl pkey -pubin -outform DER | sha256sum`` computes it."""
    encoded = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return hashlib.sha256(encoded).hexdigest()


def _from_base64(text: object) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True) if isinstance(text, str) else None
    except (binascii.Error, ValueError):
        return None


def _to_json(document: object) -> bytes:
    return json.dumps(document, separators=(",", ":")).encode()
