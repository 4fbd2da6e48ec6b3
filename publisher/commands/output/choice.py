"""Chooses the output of a command."""

from __future__ import annotations

import sys

from publisher.commands.output.console import ConsoleOutput
from publisher.commands.output.json_lines import JsonLines
from publisher.commands.output.protocol import Output


def output_for(as_json: bool | None) -> Output:
    """The output in the form that the user chose.

    By default, tables on a terminal, and JSON Lines for a pipe or a file.
    """
    if as_json or (as_json is None and not sys.stdout.isatty()):
        return JsonLines(sys.stdout)
    return ConsoleOutput()
