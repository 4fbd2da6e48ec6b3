from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publisher.index.simple_page import HTML_TYPE, JSON_TYPE
from publisher.web.negotiation import accepts_gzip, page_type

PIP = f"{JSON_TYPE}, {HTML_TYPE}; q=0.1, text/html; q=0.01"
UV = f"{JSON_TYPE}, {HTML_TYPE};q=0.2, text/html;q=0.01"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        (None, "text/html"),
        ("", "text/html"),
        ("*/*", "text/html"),
        (PIP, JSON_TYPE),
        (UV, JSON_TYPE),
        (BROWSER, "text/html"),
        (HTML_TYPE, HTML_TYPE),
        ("application/vnd.pypi.simple.latest+json", JSON_TYPE),
        ("text/*;q=0.3, application/*;q=0.2", "text/html"),
        ("application/vnd.pypi.simple.v2+json", None),
        ("text/html;q=0", None),
        ("image/png", None),
    ],
)
def test_the_form_that_fits_best_is_served(accept: str | None, expected: str | None) -> None:
    assert page_type(accept) == expected


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (None, False),
        ("", False),
        ("identity", False),
        ("gzip", True),
        ("GZip", True),
        ("x-gzip", True),
        ("gzip, deflate, br, zstd", True),
        ("br;q=1.0, gzip;q=0.2", True),
        ("gzip;q=0", False),
        ("*;q=0.5", True),
        ("gzip;q=0, *", False),
        ("*;q=0, gzip", True),
        ("gzip;q=2", False),
        ("gzip;q=x", False),
    ],
)
def test_only_who_says_so_gets_gzip(header: str | None, expected: bool) -> None:
    assert accepts_gzip(header) is expected


@given(st.text() | st.text("gzip*;,q=01.", max_size=30))
def test_any_text_in_a_header_has_an_answer(header: str) -> None:
    assert page_type(header) in {None, "text/html", HTML_TYPE, JSON_TYPE}
    assert accepts_gzip(header) in {True, False}
