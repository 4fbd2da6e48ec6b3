"""Prints titled tables and sentences; the texts are untrusted, and never parsed as markup.

On a terminal, tables fit the width and break texts only between words, so no name is cut. A table
that is too wide shows each cell on a separate line. In a file or a log of CI, nothing is cut or
wrapped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import compress, islice, zip_longest
from textwrap import wrap
from typing import TextIO

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from publisher.printable import printable

MAX_ROWS = 50
"""The limit for one table; JSON has all rows."""

MAX_TEXT_WIDTH = 100

_MAX_BEGINNING = 200

_GAP = 2
"""The space between two columns."""

_STYLES = {
    "OK": "green",
    "BROKEN": "red",
    "UNSUPPORTED": "yellow",
    "UNREACHABLE": "red",
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
    """A console; by default on standard output.

    ``is_terminal`` overrides whether the stream is a terminal.
    """
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
    """Prints a table without its empty columns; prints nothing if there are no rows."""
    remaining = iter(rows)
    shown = list(islice(remaining, most))
    if not shown:
        return
    filled = [any(column) for column in zip(*shown, strict=True)]
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in compress(headings, filled):
        table.add_column(heading, overflow="fold")
    rows_shown = [tuple(compress(row, filled)) for row in shown]
    console.print(Text(f"\n{printable(title)}", style="bold underline"), soft_wrap=True)
    _print_rows(console, table, rows_shown, indent=2)
    more = sum(1 for _ in remaining)
    if more:
        say(console, f"  … and {more} more; --json shows all")


def print_facts(console: Console, facts: Mapping[str, str]) -> None:
    """Prints each name with its value."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    _print_rows(console, table, list(facts.items()), indent=0)


def _print_rows(
    console: Console, table: Table, rows: Sequence[Sequence[str]], *, indent: int
) -> None:
    """Prints rows; ``table`` has columns, but no rows yet."""
    if console.is_terminal:
        widths = _fitting_widths(table, rows, console.width - indent)
        if widths is None:
            _print_cells(console, table, rows, indent)
            return
        for column, width in zip(table.columns, widths, strict=True):
            column.width = width
        for row in rows:
            table.add_row(*map(cell, row))
        console.print(Padding(table, (0, 0, 0, indent)))
        return
    lines = [[cell(value).plain.split("\n") for value in row] for row in rows]
    if table.show_header:
        lines.insert(0, [[str(column.header)] for column in table.columns])
    widths = [
        max(cell_len(line) for each in column for line in each)
        for column in zip(*lines, strict=True)
    ]
    for row_lines in lines:
        for parts in zip_longest(*row_lines, fillvalue=""):
            padded = map(set_cell_size, parts, widths)
            line = " " * indent + (" " * _GAP).join(padded)
            console.print(Text(line.rstrip()), soft_wrap=True)


def _fitting_widths(
    table: Table, rows: Sequence[Sequence[str]], available: int
) -> Sequence[int] | None:
    """The width of each column, between its widest word and its widest line.

    None if even the words do not fit.
    """
    columns = list(zip(*([str(column.header) for column in table.columns], *rows), strict=True))
    least = [_widest(column, str.split) for column in columns]
    most = [_widest(column, str.splitlines) for column in columns]
    room = available - sum(least) - _GAP * (len(columns) - 1)
    if room < 0:
        return None
    widths = list(least)
    by_need = sorted(range(len(columns)), key=lambda place: most[place] - least[place])
    for number, place in enumerate(by_need):
        more = min(most[place] - least[place], room // (len(columns) - number))
        widths[place] += more
        room -= more
    return widths


def _widest(column: Iterable[str], parts: Callable[[str], Iterable[str]]) -> int:
    return max((cell_len(part) for text in column for part in parts(cell(text).plain)), default=0)


def _print_cells(
    console: Console, table: Table, rows: Sequence[Sequence[str]], indent: int
) -> None:
    """Prints a row's first cell, and below it the other cells with their headings."""
    headings = [str(column.header) for column in table.columns]
    for first, *others in rows:
        _print_wrapped(console, first, indent)
        for heading, value in zip(headings[1:], others, strict=True):
            if value:
                said = f"{heading}: {value}" if heading else value
                _print_wrapped(console, said, indent + 2)


def _print_wrapped(console: Console, text: str, indent: int) -> None:
    """Prints text with line breaks between words.

    A longer word stays whole for the terminal to wrap.
    """
    width = max(console.width - indent, 1)
    for line in cell(text).plain.splitlines():
        for part in wrap(line, width, break_long_words=False, break_on_hyphens=False):
            console.print(Text(" " * indent + part), soft_wrap=True)


def print_described(console: Console, rows: Iterable[tuple[str, str]]) -> None:
    """Prints each line with a paragraph about it."""
    # Limits the length of lines on a wide terminal, too.
    width = min(console.width, MAX_TEXT_WIDTH)
    for line, text in rows:
        console.print(cell(line), soft_wrap=True)
        console.print(Padding(cell(text), (0, 0, 1, 4), expand=False), width=width)


def beginning(statement: str) -> str:
    """The beginning of a statement, on one line."""
    return " ".join(statement.split())[:_MAX_BEGINNING]


def cell(value: str) -> Text:
    """The text of a cell: line breaks stay, and all other unprintable characters are escaped."""
    text = "\n".join(map(printable, value.split("\n")))
    return Text(text, style=_STYLES.get(value, ""))
