"""Titled tables and sentences on a console; what they show is untrusted, and never read as markup."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress, islice
from typing import TextIO

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from publisher.commands.printable import printable

MAX_ROWS = 50
"""Of one table; JSON has them all."""

MAX_TEXT_WIDTH = 100

_STYLES = {
    "OK": "green",
    "BROKEN": "red",
    "UNSUPPORTED": "yellow",
    "CYCLE": "red",
    "QUARANTINED": "red",
    "MISSING": "dim",
    "UNKNOWN": "dim",
    "STALE": "cyan",
    "CONFLICT": "red",
    "major": "red",
    "breaks": "red",
    "yanked": "red",
    "missing": "red",
    "behind": "yellow",
    "created": "green",
    "replaced": "green",
    "refused": "red",
}


def plain_console(stream: TextIO | None = None, *, is_terminal: bool | None = None) -> Console:
    """On standard output if no stream is given; ``is_terminal`` overrides what it says of itself."""
    return Console(
        file=stream, force_terminal=is_terminal, markup=False, emoji=False, highlight=False
    )


def say(console: Console, sentence: str) -> None:
    console.print(printable(sentence), soft_wrap=True)


def print_table(
    console: Console,
    title: str,
    headings: Sequence[str],
    rows: Iterable[Sequence[str]],
    most: int = MAX_ROWS,
) -> None:
    """Nothing where there are no rows; columns in which no row says anything are left out."""
    remaining = iter(rows)
    shown = list(islice(remaining, most))
    if not shown:
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    filled = [any(column) for column in zip(*shown, strict=True)]
    for heading in compress(headings, filled):
        table.add_column(heading, overflow="fold")
    for row in shown:
        table.add_row(*map(cell, compress(row, filled)))
    more = sum(1 for _ in remaining)
    console.print(Text(f"\n{title}", style="bold underline"))
    console.print(Padding(table, (0, 0, 0, 2)))
    if more:
        say(console, f"  … and {more} more; --json shows all")


def print_described(console: Console, rows: Iterable[tuple[str, str]]) -> None:
    """Each line with a paragraph about it."""
    # Lines of a length that is read easily, on a wide terminal, too.
    width = min(console.width, MAX_TEXT_WIDTH)
    for line, text in rows:
        console.print(cell(line), soft_wrap=True)
        console.print(Padding(cell(text), (0, 0, 1, 4), expand=False), width=width)


def cell(value: str) -> Text:
    """Lines of ours stay lines; whatever else is not printable becomes an escape."""
    text = "\n".join(map(printable, value.split("\n")))
    return Text(text, style=_STYLES.get(value, ""))
