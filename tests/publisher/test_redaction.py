"""A secret is replaced in every form in which a server may echo it."""

from __future__ import annotations

import base64
import html
import json
import urllib.parse
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publisher.redaction import Redactor

SECRET = 'S3cr3t/Passw0rd+ä"&'


def redactor(*secrets: str) -> Redactor:
    known = Redactor()
    for secret in secrets:
        known.learn(secret)
    return known


ENCODINGS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "url": lambda text: urllib.parse.quote(text, safe=""),
    "url path": urllib.parse.quote,
    "url form": urllib.parse.quote_plus,
    "html": html.escape,
    "json": json.dumps,
    "repr": repr,
    "hex": lambda text: text.encode().hex(),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 url-safe": lambda text: base64.urlsafe_b64encode(text.encode()).decode(),
}


@pytest.mark.parametrize("encode", ENCODINGS.values(), ids=ENCODINGS)
@pytest.mark.parametrize("user", ["", "a", "ab", "abc", "__token__"])
def test_no_piece_of_an_encoded_secret_is_left(encode: Callable[[str], str], user: str) -> None:
    encoded = encode(f"{user}:{SECRET}")

    shown = redactor(SECRET).redact(f"denied: Basic {encoded} (HTTP 403)")

    assert shown.startswith("denied: Basic ")
    assert shown.endswith("(HTTP 403)")
    assert "***" in shown
    own = encode(SECRET).strip("\"'=")
    pieces = [own[start : start + 8] for start in range(len(own) - 8)]
    assert not [piece for piece in pieces if piece in shown]


@pytest.mark.parametrize("length", [8, 12, 18])
def test_the_beginning_of_a_secret_is_replaced_too(length: int) -> None:
    assert redactor(SECRET).redact(f"cut: {SECRET[:length]}") == "cut: ***"


def test_a_cut_base64_header_is_replaced() -> None:
    encoded = base64.b64encode(f"user:{SECRET}".encode()).decode()

    shown = redactor(SECRET).redact(encoded[:24])

    assert base64.b64decode(shown.partition("***")[0] + "==")[:5].startswith(b"user")
    assert encoded[10:24] not in shown


def test_every_secret_that_was_learned_is_replaced() -> None:
    assert redactor("hunter2hunter2", "swordfish").redact("hunter2hunter2 swordfish") == "*** ***"


@pytest.mark.parametrize("secret", ["", "abc"])
def test_what_is_too_short_to_be_a_secret_changes_no_text(secret: str) -> None:
    assert redactor(secret).redact("abc abcabc") == "abc abcabc"


def test_a_short_secret_is_replaced_as_a_whole() -> None:
    assert redactor("hunter2").redact("hunter hunter2 hunter22") == "hunter *** ***2"


@given(st.text(max_size=200))
def test_other_text_stays_as_it_is(text: str) -> None:
    assert redactor("correct horse battery staple").redact(text) == text


@given(st.text(min_size=8, max_size=30), st.text(max_size=20), st.text(max_size=20))
def test_whatever_stands_around_it_a_secret_is_not_shown(
    secret: str, before: str, after: str
) -> None:
    assert secret not in redactor(secret).redact(before + secret + after).replace("***", "\0")
