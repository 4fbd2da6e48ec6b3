"""Signatures of Standard Webhooks are checked, and everything else is refused with the reason."""

from __future__ import annotations

import base64

import pytest

from publisher.events.signed_messages import (
    NotSigned,
    SignatureHeaders,
    Stamp,
    UnusableSecret,
    check_signature,
    read_secrets,
    read_stamp,
    sign,
)

SECRET = b"a secret of the tests"
NAMES = SignatureHeaders()
NOW = 1_700_000_000


def headers(**changes: str) -> dict[str, str]:
    usual = {"id": "msg_1", "timestamp": str(NOW), "signature": "v1,abc"}
    return {f"webhook-{name}": value for name, value in {**usual, **changes}.items()}


def stamp_of(**changes: str) -> Stamp:
    return read_stamp(headers(**changes), NAMES, NOW, 300)


def test_the_example_of_the_standard_is_signed() -> None:
    """The vector is from the reference implementation of Standard Webhooks."""
    (secret,) = read_secrets("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")

    found = sign(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')

    assert found == b"g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_one_of_several_signatures_and_secrets_is_enough() -> None:
    good = sign(SECRET, "msg_1", NOW, b"body").decode()
    stamp = stamp_of(signature=f"v1a,x v1,{base64.b64encode(b'?').decode()} v1,{good}")

    check_signature(stamp, b"body", [b"another secret of them", SECRET])


@pytest.mark.parametrize(
    ("body", "secret"), [(b"other", SECRET), (b"body", b"another secret of them")], ids=repr
)
def test_another_body_or_secret_is_refused(body: bytes, secret: bytes) -> None:
    stamp = stamp_of(signature=f"v1,{sign(SECRET, 'msg_1', NOW, b'body').decode()}")

    with pytest.raises(NotSigned, match="does not match"):
        check_signature(stamp, body, [secret])


@pytest.mark.parametrize("changes", [{"id": "msg_2"}, {"timestamp": str(NOW + 1)}], ids=str)
def test_the_id_and_the_time_are_signed_too(changes: dict[str, str]) -> None:
    stamp = stamp_of(signature=f"v1,{sign(SECRET, 'msg_1', NOW, b'body').decode()}", **changes)

    with pytest.raises(NotSigned):
        check_signature(stamp, b"body", [SECRET])


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"id": ""}, "webhook-id"),
        ({"id": "a.b"}, "webhook-id"),
        ({"id": "x" * 257}, "webhook-id"),
        ({"timestamp": "soon"}, "whole seconds"),
        ({"timestamp": "1e9"}, "whole seconds"),
        ({"timestamp": "١٧"}, "whole seconds"),
        ({"timestamp": str(NOW - 301)}, "more than 300 seconds"),
        ({"timestamp": str(NOW + 301)}, "more than 300 seconds"),
        ({"signature": ""}, "webhook-signature"),
        ({"signature": "v2,abc"}, "webhook-signature"),
        ({"signature": "v1,a " * 17}, "webhook-signature"),
    ],
    ids=str,
)
def test_malformed_headers_are_refused_with_the_reason(changes: dict[str, str], why: str) -> None:
    with pytest.raises(NotSigned, match=why):
        stamp_of(**changes)


def test_a_signature_of_other_letters_is_only_wrong() -> None:
    with pytest.raises(NotSigned):
        check_signature(stamp_of(signature="v1,é\udc80"), b"", [SECRET])


@pytest.mark.parametrize("text", ["", "\n \n", "short", "whsec_!!", "whsec_YWJj"], ids=repr)
def test_a_bad_secret_is_refused(text: str) -> None:
    with pytest.raises(UnusableSecret):
        read_secrets(text)


def test_each_line_is_a_secret() -> None:
    assert len(read_secrets("the first of the secrets\n\nthe second of the secrets\n")) == 2
