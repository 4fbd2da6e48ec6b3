"""Writes a plan as Markdown for a comment on a merge request; names and reasons are untrusted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TextIO

from publisher.commands.output.plan_sections import Section, headline, sections
from publisher.commands.planning.values import Plan
from publisher.printable import printable

MAX_ROWS = 50
"""The limit for one table, because comments have a limit of length."""

_SPECIAL = re.compile(r"[\\`*_{}\[\]#|<>~@&$]|://|www\.", re.IGNORECASE)
"""Characters of markup, mentions, references and addresses that become links."""
_NOT_IN_CODE = re.compile(r"\\\||`{20}")
"""Texts that are not shown as code: Markdown's dialects read an escaped pipe in a table differently,
and limit the back-ticks around code.
"""


def write_markdown(plan: Plan, stream: TextIO) -> None:
    mark = "❌ " if plan.breaks else ""
    write_page(f"{mark}Schema plan", headline(plan), sections(plan), stream)


def write_page(title: str, sentence: str, parts: Iterable[Section], stream: TextIO) -> None:
    """Writes a heading, a sentence, and a table for each section. ``title`` is trusted."""
    print(f"### {title}: {_escaped(sentence)}", file=stream)
    for section in parts:
        print(f"\n{_table(section)}", file=stream)


def _table(section: Section) -> str:
    # Empty columns would take room from the other columns.
    used = [i for i in range(len(section.headings)) if any(row[i] for row in section.rows)]
    rows = [_row([row[i] for i in used]) for row in section.rows[:MAX_ROWS]]
    more = len(section.rows) - MAX_ROWS
    lines = [
        f"**{section.title[:1].upper()}{section.title[1:]}**",
        "",
        _row([section.headings[i] for i in used]),
        "|" + " --- |" * len(used),
        *rows,
        *([f"\n… and {more} more"] if more > 0 else []),
    ]
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |"


def _cell(text: str) -> str:
    return "<br>".join(_escaped(line) for line in text.split("\n"))


def _escaped(text: str) -> str:
    """Escapes markup, mentions and links; the shown text is unchanged."""
    shown = printable(text)
    if not _SPECIAL.search(shown):
        return shown
    if _NOT_IN_CODE.search(shown):
        return re.sub(r"[^\w\s]|_", lambda m: f"&#{ord(m.group())};", shown)
    fence = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    space = " " if shown.startswith(("`", " ")) or shown.endswith(("`", " ")) else ""
    code = shown.replace("|", "\\|")
    return f"{fence}{space}{code}{space}{fence}"
