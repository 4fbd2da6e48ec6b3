"""The claims that a signature of the deployment's key proves, and those that it does not."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from publisher.publishing.attestation import public_key_of, sign, verify
from publisher.publishing.trust import UntrustedProvenance
from publisher.settings.public_keys import decode_public_key, encode_public_key

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
NEW_KEY = Ed25519PrivateKey.from_private_bytes(bytes(32))
TRUSTED = [public_key_of(KEY)]
WHEEL = "acme_schema_example_company-1.0.0-py3-none-any.whl"
SHA256 = "ab" * 32
PROVENANCE = sign(WHEEL, SHA256, KEY)


def attestation(document: dict[str, Any]) -> dict[str, Any]:
    (bundle,) = document["attestation_bundles"]
    (found,) = bundle["attestations"]
    assert isinstance(found, dict)
    return found


def with_statement(statement: object) -> bytes:
    """A provenance whose statement is another one, with the signature of the first."""
    document = json.loads(PROVENANCE)
    text = json.dumps(statement).encode()
    attestation(document)["envelope"]["statement"] = base64.b64encode(text).decode()
    return json.dumps(document).encode()


def with_envelope(envelope: object) -> bytes:
    document = json.loads(PROVENANCE)
    attestation(document)["envelope"] = envelope
    return json.dumps(document).encode()


def test_what_a_trusted_key_signed_is_trusted() -> None:
    verify(PROVENANCE, WHEEL, SHA256, TRUSTED)


def test_equal_wheels_have_equal_provenance() -> None:
    assert sign(WHEEL, SHA256, KEY) == PROVENANCE


def test_it_has_the_form_of_pep_740_without_certificate_and_log() -> None:
    document = json.loads(PROVENANCE)
    signed = attestation(document)
    statement = json.loads(base64.b64decode(signed["envelope"]["statement"]))

    assert document["version"] == signed["version"] == 1
    assert document["attestation_bundles"][0]["publisher"] == {
        "kind": "deployment-key",
        "claims": signed["verification_material"],
    }
    assert statement == {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": WHEEL, "digest": {"sha256": SHA256}}],
        "predicateType": "https://docs.pypi.org/attestations/publish/v1",
        "predicate": None,
    }


def test_the_signature_is_of_dsse_over_the_statement() -> None:
    envelope = attestation(json.loads(PROVENANCE))["envelope"]
    statement = base64.b64decode(envelope["statement"])
    header = f"DSSEv1 28 application/vnd.in-toto+json {len(statement)} "

    KEY.public_key().verify(base64.b64decode(envelope["signature"]), header.encode() + statement)


def test_another_key_is_not_trusted() -> None:
    with pytest.raises(UntrustedProvenance, match="not signed by a trusted key"):
        verify(PROVENANCE, WHEEL, SHA256, [public_key_of(NEW_KEY)])


def test_both_keys_are_trusted_while_they_rotate() -> None:
    both = [public_key_of(NEW_KEY), public_key_of(KEY)]

    verify(PROVENANCE, WHEEL, SHA256, both)
    verify(sign(WHEEL, SHA256, NEW_KEY), WHEEL, SHA256, both)


@pytest.mark.parametrize(
    ("wheel", "sha256"), [(WHEEL, "cd" * 32), (WHEEL.replace("1.0.0", "9.0.0"), SHA256)]
)
def test_a_signature_is_for_one_name_and_one_content(wheel: str, sha256: str) -> None:
    with pytest.raises(UntrustedProvenance, match="another file"):
        verify(PROVENANCE, wheel, sha256, TRUSTED)


def test_a_changed_statement_is_not_signed() -> None:
    envelope = attestation(json.loads(PROVENANCE))["envelope"]
    statement = json.loads(base64.b64decode(envelope["statement"]))
    statement["subject"][0]["digest"]["sha256"] = "cd" * 32

    with pytest.raises(UntrustedProvenance, match="not signed"):
        verify(with_statement(statement), WHEEL, "cd" * 32, TRUSTED)


def test_attestations_of_others_beside_ours_change_nothing() -> None:
    document = json.loads(PROVENANCE)
    document["attestation_bundles"].insert(0, {"publisher": {"kind": "GitHub"}, "attestations": 7})
    document["attestation_bundles"][1]["attestations"].insert(0, {"version": 2})
    document["attestation_bundles"][1]["attestations"].insert(
        0, {"version": 1, "envelope": {"statement": "e30=", "signature": "AAAA"}}
    )

    verify(json.dumps(document).encode(), WHEEL, SHA256, TRUSTED)


@pytest.mark.parametrize(
    "provenance",
    [
        b"",
        b"\xff",
        b"null",
        b"[]",
        b"{}",
        b'{"version": 1}',
        b'{"version": 1, "attestation_bundles": {}}',
        b'{"version": 1, "attestation_bundles": [null, 1, {"attestations": [[], {}, "x"]}]}',
        b'{"version": 2, "attestation_bundles": []}',
        b"[" * 60_000,
        b'{"version": 1, "attestation_bundles": [{"attestations": [{"version": 1, "envelope": 3}]}]}',
        with_envelope({"statement": "é", "signature": "AAAA"}),
        with_envelope({"statement": "e30=", "signature": 3}),
        PROVENANCE[:-20],
        with_statement([]),
    ],
)
def test_what_is_malformed_is_untrusted_and_nothing_else(provenance: bytes) -> None:
    with pytest.raises(UntrustedProvenance):
        verify(provenance, WHEEL, SHA256, TRUSTED)


def test_a_public_key_is_written_as_openssl_prints_it() -> None:
    text = encode_public_key(TRUSTED[0])

    assert text == "MCowBQYDK2VwAyEAA6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg="
    assert decode_public_key(text) == TRUSTED[0]


@pytest.mark.parametrize("text", ["", "é", "MCow", "-----BEGIN PUBLIC KEY-----", "A" * 60])
def test_what_is_not_an_ed25519_key_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected an Ed25519 public key"):
        decode_public_key(text)
