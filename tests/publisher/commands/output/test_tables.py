"""Tables on a terminal of any width."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from rich.cells import cell_len
from rich.console import Console

from publisher.commands.output.tables import print_facts, print_table

NAMES = ("shop.order_totals_of_the_year", "acme-shop-order-totals-of-the-year", "größe.注文の合計")
REASON = "the column total was removed, which breaks its readers"


def table(console: Console) -> None:
    print_table(
        console,
        "Relations",
        ("relation", "package", "view", "reason"),
        [(*NAMES, REASON), ("shop.a", "acme-shop-a", "", "")],
    )


def facts(console: Console) -> None:
    print_facts(
        console, {"relation": NAMES[0], "package": NAMES[1], "view": NAMES[2], "why": REASON}
    )


@pytest.mark.parametrize("say", [table, facts])
@pytest.mark.parametrize("width", [20, 40, 60, 80, 99, 100, 101, 120, 240])
def test_no_name_is_cut_and_each_word_is_there(say: Callable[[Console], None], width: int) -> None:
    stream = io.StringIO()

    say(Console(file=stream, force_terminal=True, width=width, color_system=None))

    words = stream.getvalue().split()
    assert {*NAMES, *REASON.split()} <= {*words}


def test_a_table_that_fits_is_one_line_a_row() -> None:
    stream = io.StringIO()

    table(Console(file=stream, force_terminal=True, width=160, color_system=None))

    _title, heading, first, second = filter(str.strip, stream.getvalue().splitlines())
    assert heading.split() == ["relation", "package", "view", "reason"]
    before = heading.index("reason"), first.index(REASON)
    assert cell_len(first[: before[1]]) == before[0]
    assert second.split() == ["shop.a", "acme-shop-a"]


def test_a_title_has_no_control_characters() -> None:
    stream = io.StringIO()

    print_table(Console(file=stream), "tables of prod.`\x1b[2J`", ("name",), [("t",)])

    assert "tables of prod.`\\x1b[2J`" in stream.getvalue()
