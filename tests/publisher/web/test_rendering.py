"""Pages from templates: one policy and stylesheet for all, nothing unescaped, no misspelled name."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from pathlib import Path

import pytest
from jinja2 import UndefinedError
from markupsafe import Markup

from publisher.web import rendering
from publisher.web.addresses import Link
from publisher.web.dashboard import dashboard
from publisher.web.package_page import UnknownPackageView
from publisher.web.rendering import (
    CONTENT_SECURITY_POLICY,
    breakable,
    labelled,
    render,
    shorten,
)
from publisher.web.status import ServiceStatus
from tests.publisher.web.packages import HOSTILE


def test_each_cell_has_the_name_of_its_column() -> None:
    rows = Markup('<tr id="a"><th scope="row">x</th><td>&lt;td&gt;</td></tr><tr><td>y</td></tr>')

    assert labelled(rows, ("A", '"B"')) == (
        '<tr id="a"><th data-label="A" scope="row">x</th><td data-label="&#34;B&#34;">&lt;td&gt;</td></tr>'
        '<tr><td data-label="A">y</td></tr>'
    )


def test_the_policy_allows_the_stylesheet_of_a_page_and_no_other() -> None:
    page = dashboard(ServiceStatus(), None, None, "")

    _, _, rest = page.partition(b"<style>")
    style, _, _ = rest.partition(b"</style>")
    digest = base64.b64encode(hashlib.sha256(style).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in CONTENT_SECURITY_POLICY


def test_every_value_is_escaped() -> None:
    view = UnknownPackageView(HOSTILE, (Link(HOSTILE, HOSTILE),), HOSTILE)
    page = render("unknown_package.html", view)

    assert b"<script" not in page
    assert b"<b>" not in page
    assert page.count(b"&lt;script&gt;") == 5


def test_a_long_name_may_break_after_its_words_and_is_escaped() -> None:
    assert breakable("shop.orders") == "shop.orders"
    assert breakable("warehouse.monthly_revenue_by_country") == (
        "warehouse.<wbr>monthly_<wbr>revenue_<wbr>by_<wbr>country"
    )
    assert breakable(f"<b>._{'x' * 30}") == f"&lt;b&gt;._<wbr>{'x' * 30}"


def test_a_name_that_a_template_misspells_is_an_error() -> None:
    @dataclass(frozen=True, slots=True)
    class Incomplete:
        name: str

    with pytest.raises(UndefinedError, match="prefix"):
        render("unknown_package.html", Incomplete("x"))


def test_text_without_a_form_in_utf_8_is_shown_with_a_mark() -> None:
    assert b"a?b" in render("unknown_package.html", UnknownPackageView("a\ud800b", (), ""))


@pytest.mark.parametrize(
    ("text", "shown"), [("", ""), ("abcd", "abcd"), ("abcde", "abc…"), ("x" * 9, "xxx…")]
)
def test_long_text_is_shortened(text: str, shown: str) -> None:
    assert shorten(text, 4) == shown


TEMPLATES = sorted(Path(rendering.__file__).parent.glob("templates/**/*.html"))


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_a_template_turns_no_escaping_off_and_has_no_script_or_style(template: Path) -> None:
    source = template.read_text().replace(" ", "")

    for forbidden in ("|safe", "autoescape", "<script", "style=", "javascript:"):
        assert forbidden not in source
