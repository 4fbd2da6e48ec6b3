"""One attempt to send: what counts as accepted, what is said of a failure, what is signed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from publisher.events.signed_messages import SignatureHeaders, check_signature, read_stamp
from publisher.notifications.posting import Accepted, NotAccepted, post, signed_headers
from tests.publisher.notifications.receiver_double import ReceiverDouble, receiver_double, status

SECRET = b"0123456789abcdef"
TOKEN = "T0KENT0KENT0KENT0KEN"


@pytest.fixture
def receiver() -> Iterator[ReceiverDouble]:
    with receiver_double() as double:
        yield double


def sent(receiver: ReceiverDouble, timeout: float = 10.0) -> Accepted | NotAccepted:
    return post(f"{receiver.url}/services/{TOKEN}", b"{}", {}, timeout, wall=lambda: 1000.0)


@pytest.mark.parametrize("code", [200, 202, 204])
def test_a_status_of_success_is_acceptance(receiver: ReceiverDouble, code: int) -> None:
    receiver.answers = [status(code)]

    assert sent(receiver) == Accepted()


def test_a_redirect_is_not_followed(receiver: ReceiverDouble) -> None:
    receiver.answers = [status(301, Location=f"{receiver.url}/elsewhere")]

    assert sent(receiver) == NotAccepted("it answers 301, a redirect, which is not followed")
    assert [got.path for got in receiver.got] == [f"/services/{TOKEN}"]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("120", 120.0), ("Thu, 01 Jan 1970 00:17:40 GMT", 60.0), ("soon", 0.0), ("-5", 0.0)],
)
def test_the_time_of_the_next_attempt_is_read(
    receiver: ReceiverDouble, text: str, seconds: float
) -> None:
    receiver.answers = [status(429, Retry_After=text)]

    assert sent(receiver) == NotAccepted("it answers 429", seconds)


def test_a_refused_message_is_told_from_a_receiver_in_trouble(receiver: ReceiverDouble) -> None:
    receiver.answers = [status(400), status(500)]

    assert sent(receiver) == NotAccepted("it answers 400", is_refusal=True)
    assert sent(receiver) == NotAccepted("it answers 500")


def test_a_receiver_that_hangs_ends_the_attempt(receiver: ReceiverDouble) -> None:
    receiver.answers = [receiver.hang]

    assert sent(receiver, timeout=0.2) == NotAccepted("it does not answer in time")


def test_a_failure_does_not_show_the_address() -> None:
    found = post(f"http://127.0.0.1:9/services/{TOKEN}", b"{}", {}, 2.0)

    assert isinstance(found, NotAccepted)
    assert TOKEN not in found.why


def test_every_secret_signs_as_incoming_webhooks_are_checked(receiver: ReceiverDouble) -> None:
    other = b"fedcba9876543210"
    headers = signed_headers("a1b2", b"body", [SECRET, other], at=1000.9)

    for secret in (SECRET, other):
        stamp = read_stamp(headers, SignatureHeaders(), 1001.0, 5.0)
        check_signature(stamp, b"body", [secret])


def test_without_a_secret_only_the_id_and_the_time_are_sent() -> None:
    assert signed_headers("a1", b"", [], 7.0) == {"webhook-id": "a1", "webhook-timestamp": "7"}
