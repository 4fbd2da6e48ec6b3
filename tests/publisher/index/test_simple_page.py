from __future__ import annotations

import contextlib
import time
from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from publisher.index.simple_page import (
    ListedFile,
    MalformedPage,
    ProjectPage,
    page_from_html,
    page_from_json,
    page_to_html,
    page_to_json,
)

SHA256 = st.text("0123456789abcdef", min_size=64, max_size=64)
WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=40)


@st.composite
def pages(draw: st.DrawFn) -> ProjectPage:
    page = ProjectPage("acme-schema-x")
    for version in draw(st.lists(st.integers(0, 30), max_size=5)):
        filename = f"acme_schema_x-1.{version}.0-py3-none-any.whl"
        page = page.with_file(
            ListedFile(
                filename=filename,
                url=filename,
                sha256=draw(st.none() | SHA256),
                metadata_sha256=draw(st.none() | SHA256),
                yanked=draw(st.none() | WORDS),
            )
        )
    return page


@given(pages())
def test_a_page_survives_json(page: ProjectPage) -> None:
    assert page_from_json(page_to_json(page), page.name) == page


@given(pages())
def test_a_page_survives_html(page: ProjectPage) -> None:
    assert page_from_html(page_to_html(page).decode(), page.name) == page


class _Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)


@given(WORDS)
@example("\"><script>alert(1)</script><a href='")
def test_a_reason_from_untrusted_input_is_never_markup(reason: str) -> None:
    file = ListedFile("acme_schema_x-1.0.0-py3-none-any.whl", "x.whl", yanked=reason)
    elements = _Elements()

    elements.feed(page_to_html(ProjectPage("acme-schema-x", (file,))).decode())

    assert elements.seen == {"html", "head", "meta", "title", "body", "h1", "a", "br"}


@given(st.text() | st.text("<>!-[]&;#/='\"a href", max_size=60))
@example("<![if x")
@example("<!DOCTYPE [<!ENTITY")
@example("<a href='http://[::1'>")
@example("&#" + "1" * 5000 + ";")
@example("<base href='http://[x'><a href='y'>")
def test_any_text_as_html_is_a_page_or_malformed(text: str) -> None:
    with contextlib.suppress(MalformedPage):
        assert page_from_html(text, "acme-schema-x", "http://127.0.0.1/simple/").files == ()


@pytest.mark.parametrize(
    "unit",
    ["<!--", "<![CDATA[", "<?", "<a b=", "<a b='", "<a href=x>y", "</a", "<", "&#", "<div>"],
)
@pytest.mark.parametrize("start", ["", "<a ", "<script>"])
def test_time_to_parse_grows_with_the_size_of_the_page_alone(start: str, unit: str) -> None:
    text = start + unit * (600_000 // len(unit))
    started = time.process_time()

    with contextlib.suppress(MalformedPage):
        page_from_html(text, "acme-schema-x")

    # Quadratic time would be minutes.
    assert time.process_time() - started < 10


def test_a_tag_that_is_too_long_is_malformed() -> None:
    with pytest.raises(MalformedPage, match="longer than"):
        page_from_html("<a " + "b=1 " * 1_000_000 + ">", "acme-schema-x")


def test_a_link_after_much_text_is_found() -> None:
    link = '<a href="acme_schema_x-1.0.0-py3-none-any.whl">x</a>'

    page = page_from_html("text " * 200_000 + link, "acme-schema-x")

    assert [file.version for file in page.files] == ["1.0.0"]


@given(st.binary() | st.recursive(st.none() | st.text(), st.lists).map(repr).map(str.encode))
@example(
    b'{"meta":{"api-version":"1.0"},"files":[null,1,{"filename":1},{"filename":"x","url":"http://["}]}'
)
@example(
    b'{"meta":{"api-version":"1.0"},"files":[{"filename":"acme_schema_x-1.0-py3-none-any.whl","url":"http://[","hashes":[]}]}'
)
def test_any_bytes_as_json_are_a_page_or_malformed(data: bytes) -> None:
    with contextlib.suppress(MalformedPage):
        assert page_from_json(data, "acme-schema-x", "http://127.0.0.1/simple/").files == ()
