from __future__ import annotations

import json
from html.parser import HTMLParser

from hypothesis import example, given
from hypothesis import strategies as st

from publisher.index.page_parsing import parse_html_page, parse_json_page
from publisher.index.simple_page import (
    ListedFile,
    ProjectPage,
    page_to_html,
    page_to_json,
    root_to_html,
    root_to_json,
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
    assert parse_json_page(page_to_json(page), page.name) == page


@given(pages())
def test_a_page_survives_html(page: ProjectPage) -> None:
    assert parse_html_page(page_to_html(page).decode(), page.name) == page


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


def test_the_root_page_links_every_project() -> None:
    projects = ["acme-schema-a", "acme-schema-b"]

    from_json = json.loads(root_to_json(projects))
    rendered = root_to_html(projects).decode()

    assert from_json["projects"] == [{"name": name} for name in projects]
    assert '<a href="acme-schema-a/">acme-schema-a</a>' in rendered
    assert '<a href="acme-schema-b/">acme-schema-b</a>' in rendered
