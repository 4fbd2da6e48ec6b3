"""Pages are untrusted input: reading takes linear time, and a text is either a page or malformed."""

from __future__ import annotations

import contextlib
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from publisher.index.page_parsing import (
    MAX_FILES,
    MalformedPage,
    parse_html_page,
    parse_json_page,
)


@given(st.text() | st.text("<>!-[]&;#/='\"a href", max_size=60))
@example("<![if x")
@example("<!DOCTYPE [<!ENTITY")
@example("<a href='http://[::1'>")
@example("&#" + "1" * 5000 + ";")
@example("<base href='http://[x'><a href='y'>")
def test_any_text_as_html_is_a_page_or_malformed(text: str) -> None:
    with contextlib.suppress(MalformedPage):
        assert parse_html_page(text, "acme-schema-x", "http://127.0.0.1/simple/").files == ()


@pytest.mark.thorough
@pytest.mark.parametrize(
    "unit",
    [
        "<!--",
        "<![CDATA[",
        "<?",
        "<a ",
        "<a b=",
        "<a b='",
        "<a b='\">",
        "<a href=x>y",
        "<a href='&#1",
        "</a",
        "<",
        "&#",
        "<div>",
        "<script></",
        "<title>",
    ],
)
@pytest.mark.parametrize("start", ["", "<a ", "<script>"])
def test_time_to_parse_grows_with_the_size_of_the_page_alone(start: str, unit: str) -> None:
    text = start + unit * (600_000 // len(unit))
    started = time.process_time()

    with contextlib.suppress(MalformedPage):
        parse_html_page(text, "acme-schema-x")

    # Quadratic time would be minutes.
    assert time.process_time() - started < 10


def test_a_tag_that_is_too_long_is_malformed() -> None:
    with pytest.raises(MalformedPage, match="longer than"):
        parse_html_page("<a " + "b=1 " * 1_000_000 + ">", "acme-schema-x")


@pytest.mark.parametrize(
    "link",
    [
        '<A HREF="{}">x</A>',
        "<a\n href='{}'\n>x</a>",
        "<a href={}>x</a>",
        '<a rel="internal" data-requires-python="&gt;=3.11" href="{}" href="y">x</a>',
        '<a data-requires-python=">=3.11" href="{}">x</a>',
        '<a/href="{}"/>x',
        '<!-- <a href="y"> --><a href="{}">x</a>',
        '<script>if (1 < 2) "<a href=y>"</script><a href="{}">x</a>',
        '<title>a < b</title><a href="{}">x</a>',
        '1 < 2 <3 <? x ?> </ > <!x> <a href="{}">x</a>',
    ],
)
def test_a_link_is_found_however_it_is_written(link: str) -> None:
    name = "acme_schema_x-1.0.0-py3-none-any.whl"

    page = parse_html_page(f"<!DOCTYPE html><html>{link.format(name)}</html>", "acme-schema-x")

    assert [file.filename for file in page.files] == [name]


@pytest.mark.thorough
def test_a_page_of_too_many_files_is_malformed() -> None:
    files = (
        f'<a href="acme_schema_x-1.0.{n}-py3-none-any.whl">x</a>' for n in range(MAX_FILES + 1)
    )

    with pytest.raises(MalformedPage, match="more than"):
        parse_html_page("".join(files), "acme-schema-x")


def test_a_link_after_much_text_is_found() -> None:
    link = '<a href="acme_schema_x-1.0.0-py3-none-any.whl">x</a>'

    page = parse_html_page("text " * 200_000 + link, "acme-schema-x")

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
        assert parse_json_page(data, "acme-schema-x", "http://127.0.0.1/simple/").files == ()
