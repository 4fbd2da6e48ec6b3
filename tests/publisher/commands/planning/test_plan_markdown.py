"""Text from a metastore in a merge request's comment, checked by another Markdown parser."""

from __future__ import annotations

import io
from random import Random

import pytest
from markdown_it import MarkdownIt

from lakeschema.catalog.identifiers import RelationName
from publisher.commands.output.plan_markdown import write_markdown
from publisher.commands.planning.values import Failing, Plan

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
HOSTILE = [
    "a|b<i>@x", "![x](http://e.example/x.png)", "[x](y)", "**b** _i_ ~~s~~", "# h", "- item", "`code`",
    "``two``", "`", " ` ", r"a\|b", r"a\\|b", "\\", "a\\", "|", "||", "`|`", r"`\|`", "@all", "#1", "!2", "$x$", "&amp;",
    "<!-- c -->", "http://evil.example/a", "www.evil.example", "WWW.evil.example", "a_b_c", "fin.refund_total",
    "`" * 30, "x" + "`" * 19 + "|", "ftp://x", "a@b.c", "1. one", "> q", "---", r"\&#124;", r"\|" + "`" * 3,
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_each_character_is_shown_and_none_is_obeyed(text: str) -> None:
    _check(text)


def test_so_is_any_mixture() -> None:
    random = Random(5)
    pieces = ["`", "``", "|", "\\", "a", " ", "_", "*", "<", "@", "](", "&#124;"]
    for _ in range(500):
        _check("".join(random.choices(pieces, k=7)))


@pytest.mark.parametrize(
    "name", ["shop.orders", "acme-shop-orders", "column x: is gone (it was int)!"]
)
def test_ordinary_words_stand_as_they_are(name: str) -> None:
    assert f"| {name} |" in _written(name)


def test_what_looks_like_an_address_is_no_link() -> None:
    """GitHub and GitLab make links of addresses in plain text, which the reader here does not."""
    for text in ("see http://evil.example", "WWW.evil.example", "xmpp://a", "mail@evil.example"):
        assert f"`{text}`" in _written(text)


def _check(text: str) -> None:
    tokens = READER.parse(_written(text))
    cells = [tokens[at + 1] for at, token in enumerate(tokens) if token.type == "td_open"]
    _, status, reason = cells
    assert status.content == "BROKEN"
    parts = reason.children or []
    assert {part.type for part in parts} <= {"text", "text_special", "code_inline"}, text
    assert "".join(part.content for part in parts).strip() == text.strip()


def _written(reason: str) -> str:
    failing = Failing(RelationName.of("shop", "orders"), "BROKEN", reason)
    stream = io.StringIO()
    write_markdown(Plan(broken=[failing]), stream)
    return stream.getvalue()
