from __future__ import annotations

from typing import TextIO

from publisher.commands.output.plan_sections import headline, sections
from publisher.commands.output.tables import plain_console, print_table, say
from publisher.commands.planning.values import Plan


def write_text(plan: Plan, stream: TextIO) -> None:
    console = plain_console(stream)
    say(console, headline(plan))
    for section in sections(plan):
        print_table(console, section.title, section.headings, section.rows)
