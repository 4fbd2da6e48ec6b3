"""Servers' recorded answers to an upload whose name exists, each with its source.

The index's content decides, not the answer. The answer decides only about a name that the index does
not list and never takes again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from codegen.package import Wheel
from publisher.index.protocol import IndexRefused
from publisher.index.twine_index import TwineIndex
from publisher.publishing.upload import (
    MAX_LISTING_DELAY_SECONDS,
    Delivery,
    WheelUploader,
    is_name_taken,
)
from tests.publisher.index.index_doubles import Double, running, send
from tests.publisher.index.wheels import sample_wheel
from tests.simulation.world import FakeClock
from tests.waiting import PATIENCE_SECONDS

PROJECT = "acme-schema-shop-orders"
OURS, OTHER = sample_wheel(PROJECT), sample_wheel(PROJECT, body="TWO = 2\n")


@dataclass(frozen=True, slots=True)
class Answer:
    server: str
    status: int
    body: str
    source: str

    @property
    def is_refusal(self) -> bool:
        return self.status >= 400


ANSWERS = [
    Answer(**each)
    for each in json.loads(Path(__file__).with_name("recorded_answers.json").read_text("utf-8"))
]
REFUSALS = [answer for answer in ANSWERS if answer.is_refusal]


@contextmanager
def uploader_to(answer: Answer, held: Wheel | None, *, hidden_looks: int) -> Iterator[Uploads]:
    """An index that has ``held``, and does not list it in the first so many looks."""
    looks = 0

    def page(handler: BaseHTTPRequestHandler, _: Double) -> None:
        nonlocal looks
        looks += 1
        if held is None or looks <= hidden_looks:
            send(handler, 404)
            return
        link = f'<a href="{held.filename}#sha256={held.sha256}">x</a>'
        send(handler, 200, link.encode(), {"Content-Type": "text/html"})

    def upload(handler: BaseHTTPRequestHandler, _: Double) -> None:
        handler.rfile.read(int(handler.headers["Content-Length"]))
        send(handler, answer.status, answer.body.encode())

    with running(page, upload) as double:
        index = TwineIndex(double.upload_url, double.simple_url, timeout_seconds=PATIENCE_SECONDS)
        yield Uploads(WheelUploader(index, FakeClock()), double)
        index.close()


@dataclass(frozen=True, slots=True)
class Uploads:
    uploader: WheelUploader
    double: Double

    @property
    def methods(self) -> list[str]:
        return [request.method for request in self.double.requests]


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: answer.server)
def test_our_bytes_that_appeared_meanwhile_are_published(answer: Answer) -> None:
    with uploader_to(answer, OURS, hidden_looks=1) as uploads:
        delivery = uploads.uploader.deliver(OURS)

    assert delivery is Delivery.PUBLISHED
    assert uploads.methods == ["GET", "POST", "GET"]


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: answer.server)
def test_other_bytes_that_appeared_meanwhile_are_a_conflict(answer: Answer) -> None:
    with uploader_to(answer, OTHER, hidden_looks=1) as uploads:
        delivery = uploads.uploader.deliver(OURS)

    assert delivery is Delivery.CONFLICT
    assert uploads.methods == ["GET", "POST", "GET"]


@pytest.mark.parametrize("held", [OURS, OTHER], ids=["same", "other"])
def test_nothing_is_uploaded_over_a_file_that_is_listed(held: Wheel) -> None:
    """An index that overwrites would replace it."""
    overwrites = Answer("one that overwrites", 200, "", "")
    with uploader_to(overwrites, held, hidden_looks=0) as uploads:
        delivery = uploads.uploader.deliver(OURS)

    assert delivery is (Delivery.PUBLISHED if held is OURS else Delivery.CONFLICT)
    assert uploads.methods == ["GET"]


@pytest.mark.parametrize("answer", REFUSALS, ids=lambda answer: answer.server)
def test_a_name_that_is_taken_and_never_listed_is_given_up_after_a_while(answer: Answer) -> None:
    now = FakeClock().wall()
    with uploader_to(answer, None, hidden_looks=0) as uploads:
        with pytest.raises(IndexRefused) as refused:
            uploads.uploader.deliver(OURS, reserved_at=now)
        late = uploads.uploader.deliver(OURS, reserved_at=now - MAX_LISTING_DELAY_SECONDS - 1)

    assert is_name_taken(refused.value)
    assert late is Delivery.CONFLICT


@pytest.mark.parametrize(
    ("status", "body"),
    [(401, "no such user"), (403, "Invalid or non-existent authentication"), (400, "bad metadata")],
)
def test_another_refusal_gives_no_name_up(status: int, body: str) -> None:
    with (
        uploader_to(Answer("", status, body, ""), None, hidden_looks=0) as uploads,
        pytest.raises(IndexRefused) as refused,
    ):
        uploads.uploader.deliver(OURS, reserved_at=0.0)

    assert not is_name_taken(refused.value)


def test_a_part_of_an_upload_that_was_cut_is_a_conflict() -> None:
    """As pypiserver, which keeps what arrived, and refuses the name from then on."""
    stored: list[bytes] = []

    def page(handler: BaseHTTPRequestHandler, _: Double) -> None:
        link = f'<a href="{OURS.filename}#sha256={"0" * 64}">x</a>' if stored else ""
        send(handler, 200, link.encode(), {"Content-Type": "text/html"})

    def upload(handler: BaseHTTPRequestHandler, _: Double) -> None:
        data = handler.rfile.read(int(handler.headers["Content-Length"]))
        if stored:
            send(handler, 409, b"already exists")
        else:
            # Without an answer, the connection closes.
            stored.append(data[:100])

    with running(page, upload) as double:
        index = TwineIndex(double.upload_url, double.simple_url, timeout_seconds=PATIENCE_SECONDS)
        delivery = WheelUploader(index, FakeClock()).deliver(OURS)
        index.close()

    assert delivery is Delivery.CONFLICT
    assert [request.method for request in double.requests] == ["GET", "POST", "GET", "GET"]
