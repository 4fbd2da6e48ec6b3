from __future__ import annotations

import contextlib
from html.parser import HTMLParser

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
@example("<base href='http://[x'><a href='y'>")
def test_any_text_as_html_is_a_page_or_malformed(text: str) -> None:
    with contextlib.suppress(MalformedPage):
        assert page_from_html(text, "acme-schema-x", "http://127.0.0.1/simple/").files == ()


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
